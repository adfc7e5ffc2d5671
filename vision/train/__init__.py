"""Makes the weights of vision/weights:

`python -m vision.train --help`. Needs torch and onnx (`pip install takhte[train]`). Nothing is
imported here: `trace` and `traced_film` run where only Blender's Python is.
"""
