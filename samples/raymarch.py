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
    scene = np.zeros(3, module.Shape)
    scene["tag"] = [0, 1, 2]  # Sphere, Box, Ground
    scene["Sphere"]["centre"][0] = (-0.9, 0.8, 0.5)
    scene["Sphere"]["radius"][0] = 0.8
    scene["Box"]["centre"][1] = (1.1, 0.6, 0.0)
    scene["Box"]["half"][1] = (0.5, 0.6, 0.5)
    scene["Ground"]["height"][2] = 0.0
    image = np.zeros(width * height, np.uint8)
    module.raymarch.forall(len(image))(width, height, scene, image)
    write_png(Path("raymarch.png"), image.reshape(height, width))
    print(f"raymarch.png: {width}×{height}")


if __name__ == "__main__":
    main()
