"""Run samples/mandelbrot.rs on the first device that works and write mandelbrot.png.

python samples/mandelbrot.py [WIDTH HEIGHT]
"""

import sys
from pathlib import Path

import numpy as np
from png import write_png

from mirgpu.runtime import load

HERE = Path(__file__).parent


def main() -> None:
    width, height = map(int, sys.argv[1:3]) if len(sys.argv) > 2 else (192, 128)
    module = load(HERE / "mandelbrot.rs", index="x,y")
    pixels = np.zeros((width * height, 3), np.uint8)
    module.mandelbrot.forall((width, height))(width, height, pixels)
    write_png(Path("mandelbrot.png"), pixels.reshape(height, width, 3))
    print(f"mandelbrot.png: {width}×{height}")


if __name__ == "__main__":
    main()
