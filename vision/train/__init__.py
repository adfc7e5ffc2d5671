"""Makes the weights of vision/weights:

`python -m vision.train --help`. Needs torch and onnx (`pip install takhte[train]`).
"""
