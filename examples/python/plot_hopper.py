# SPDX-License-Identifier: MIT
"""A sweep over the opening of a hopper with all processors: balls that have left after some seconds, as a plot.
Usage: plot_hopper.py [PICTURE]"""
import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np

import cairn

DT = 1 / 60
RADIUS = 0.05


def hopper(opening, layers):
    """Four inclined plates above an opening (m wide), and balls in layers above them."""
    world = cairn.World()
    half, tilt = 0.8, np.radians(50)
    for k in range(4):
        turn = np.pi / 2 * k
        spin = np.array([np.cos(turn / 2), 0, 0, np.sin(turn / 2)])
        lean = np.array([np.cos(tilt / 2), 0, -np.sin(tilt / 2), 0])
        w, z = spin[0], spin[3]
        orientation = (w * lean[0], -z * lean[2], w * lean[2], z * lean[0])
        reach = opening / 2 + half * np.cos(tilt)
        world.add_body(kind="fixed", position=(reach * np.cos(turn), reach * np.sin(turn), half * np.sin(tilt)),
                       orientation=orientation, shapes=[cairn.box((half, 2, 0.02), friction=0.3)])
    balls = [world.add_body(position=(0.13 * (i % 5) - 0.26, 0.13 * (i // 5 % 5) - 0.26, 0.9 + 0.12 * (i // 25)),
                            shapes=[cairn.sphere(RADIUS, friction=0.3)]) for i in range(25 * layers)]
    return world, [ball.index for ball in balls]


def flow(opening, layers=6, seconds=3):
    """Fraction of the balls that are below the opening in the end. Worlds step side by side: the lock is released."""
    world, rows = hopper(opening, layers)
    for _ in range(int(seconds / DT)):
        world.step(DT)
    return float((world.positions[rows, 2] < -RADIUS).mean())


def sweep(openings, **how):
    with ThreadPoolExecutor() as pool:
        return list(pool.map(lambda opening: flow(opening, **how), openings))


def main(picture="hopper.png"):
    import matplotlib
    matplotlib.use("Agg")
    from matplotlib import pyplot
    openings = np.linspace(1, 8, 15) * 2 * RADIUS
    figure, axes = pyplot.subplots(figsize=(7, 4.5))
    axes.plot(openings / (2 * RADIUS), sweep(openings), "o-")
    axes.set(xlabel="opening / diameter of a ball", ylabel="fraction that left in 3 s", title="hopper with 150 balls")
    axes.grid(alpha=0.3)
    figure.tight_layout()
    figure.savefig(picture, dpi=120)
    print(f"wrote {picture}")


if __name__ == "__main__":
    main(*sys.argv[1:])
