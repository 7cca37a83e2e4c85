# SPDX-License-Identifier: MIT
"""Fits a coefficient of friction to the way of a block on an incline, by simulation and golden section, as a plot.
Usage: plot_friction.py [PICTURE]"""
import sys

import numpy as np

import cairn

DT = 1 / 60
ANGLE = np.radians(25)


def slide(friction, steps=90):
    """Way of the block along the incline after each step, in m. The incline is level and gravity is tilted."""
    world = cairn.World(gravity=(9.81 * np.sin(ANGLE), 0, -9.81 * np.cos(ANGLE)))
    world.add_body(kind="fixed", shapes=[cairn.half_space((0, 0, 1), friction=friction)])
    block = world.add_body(position=(0, 0, 0.1), shapes=[cairn.box((0.2, 0.2, 0.1), friction=friction)])
    way = []
    for _ in range(steps):
        world.step(DT)
        way.append(world.positions[block.index, 0])
    return np.array(way)


def measured(friction=0.31, noise=0.01, steps=90):
    """What an experiment would give: Coulomb's law, g (sin a - mu cos a) t^2 / 2, with noise of a fixed seed."""
    t = DT * np.arange(1, steps + 1)
    way = 0.5 * 9.81 * (np.sin(ANGLE) - friction * np.cos(ANGLE)) * t**2
    return way + noise * np.random.default_rng(1).standard_normal(steps)


def fit(data, low=0.1, high=0.45, rounds=20):
    """Golden section on the sum of squares."""
    ratio = (np.sqrt(5) - 1) / 2

    def error(friction):
        return np.sum((slide(friction, len(data)) - data) ** 2)

    for _ in range(rounds):
        a, b = high - ratio * (high - low), low + ratio * (high - low)
        if error(a) < error(b):
            high = b
        else:
            low = a
    return (low + high) / 2


def main(picture="friction.png"):
    import matplotlib
    matplotlib.use("Agg")
    from matplotlib import pyplot
    data = measured()
    friction = fit(data)
    t = DT * np.arange(1, len(data) + 1)
    figure, axes = pyplot.subplots(figsize=(7, 4.5))
    axes.plot(t, data, ".", label="data, friction 0.31")
    axes.plot(t, slide(friction), label=f"simulated, friction {friction:.3f}")
    axes.set(xlabel="s", ylabel="m", title="a block on an incline of 25 degrees")
    axes.grid(alpha=0.3)
    axes.legend()
    figure.tight_layout()
    figure.savefig(picture, dpi=120)
    print(f"friction {friction:.4f}; wrote {picture}")


if __name__ == "__main__":
    main(*sys.argv[1:])
