"""Run samples/raymarch.rs on the first device that works and write raymarch.png.

    python samples/raymarch.py [WIDTH HEIGHT]
"""

import sys
from pathlib import Path

import numpy as np
from png import write_png

from mirgpu.runtime import load

HERE = Path(__file__).parent


def main() -> None:
    width, height = map(int, sys.argv[1:3]) if len(sys.argv) > 2 else (96, 64)
    module = load(HERE / "raymarch.rs")
    scene = np.zeros(4, module.Shape)
    scene[0]["Sphere"]["centre"] = (-0.9, 0.8, 0.5)
    scene[0]["Sphere"]["radius"] = 0.8
    print(scene.dtype)
    image = np.zeros(width * height, np.uint8)
    module.raymarch.forall(len(image))(width, height, scene, image)
    write_png(Path("raymarch.png"), image.reshape(height, width))
    print(f"raymarch.png: {width}×{height}")


if __name__ == "__main__":
    main()
