"""Prints what is in the frame of a square diagram of matplotlib: how many pixels are black, and how many are grey."""
import json
import sys

import matplotlib
from matplotlib import image

pixels = image.imread(sys.argv[1])[..., :3]
height, width = pixels.shape[:2]
# The default frame is at 0.125 and 0.9 of the width, and at 0.12 and 0.89 of the height from above.
inner = pixels[int(0.14 * height):int(0.87 * height), int(0.145 * width):int(0.88 * width)]
darkest, lightest = inner.min(axis=2), inner.max(axis=2)
print(json.dumps({
    "version": matplotlib.__version__,
    "size": [width, height],
    "black": int((lightest < 0.2).sum()),
    "grey": int(((darkest > 0.4) & (lightest < 0.6)).sum()),
}))
