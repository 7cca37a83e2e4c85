# SPDX-License-Identifier: MIT
"""A character that slides along walls: a capsule that is no body, moved by shape casts."""
import numpy as np

import cairn

SKIN = 0.01  # m that are kept free


def move(world, capsule, position, way, turns=4):
    """Goes on along what is hit, at most `turns` times."""
    position, way = np.array(position, dtype=float), np.array(way, dtype=float)
    for _ in range(turns):
        length = np.linalg.norm(way)
        if length < 1e-9:
            break
        hit = world.cast_shape(capsule, position, way)
        free = length if hit is None else max(0.0, hit.distance - SKIN)
        position += way * (free / length)
        if hit is None:
            break
        way *= 1 - free / length
        normal = np.array(hit.normal)
        way -= min(0.0, way @ normal) * normal
    return position


def main():
    world = cairn.World()
    world.add_body(kind="fixed", shapes=[cairn.half_space((0, 0, 1), 0)])
    world.add_body(kind="fixed", position=(3, 0, 1), shapes=[cairn.box((0.5, 5, 1))])  # a wall across the way
    capsule = cairn.capsule(0.3, 0.5)
    position = np.array([0, 0, 0.8 + SKIN])
    for _ in range(120):
        position = move(world, capsule, position, (0.05, 0.02, 0))
    print(f"stopped by the wall at x = {position[0]:.2f} m, slid along it to y = {position[1]:.2f} m")
    return position


if __name__ == "__main__":
    main()
