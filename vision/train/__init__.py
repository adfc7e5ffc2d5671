"""Makes the weights of vision/weights:

`python -m vision.train --help`. Needs torch and onnx (`pip install takhte[train]`).
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

WEIGHTS: Final = Path(__file__).resolve().parent.parent / "weights"
"""Where every step puts what it made."""
