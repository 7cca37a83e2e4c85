# SPDX-License-Identifier: MIT
"""Buoyancy and drag as a force field of the user: cubes float as deep as their density says."""
import numpy as np

import cairn

DT = 1 / 60
WATER = 1000.0  # kg/m^3
SIDE = 0.5  # m


def main(densities=(250, 500, 750)):
    world = cairn.World()
    cubes = [world.add_body(position=(2 * i, 0, 0.5), shapes=[cairn.box((SIDE / 2,) * 3, density=density)])
             for i, density in enumerate(densities)]
    rows = [cube.index for cube in cubes]
    for _ in range(900):
        height, speed = world.positions[rows, 2], world.linear_velocities[rows]
        under = np.clip(SIDE / 2 - height, 0, SIDE)  # m of the cube that are in the water, the level is at 0
        for cube, depth, v in zip(cubes, under, speed):
            lift = WATER * 9.81 * depth * SIDE**2
            world.add_force(cube, (0, 0, lift) - 300 * depth / SIDE * v)
        world.step(DT)
    depths = (SIDE / 2 - world.positions[rows, 2]) / SIDE
    for density, depth in zip(densities, depths):
        print(f"density {density}: {100 * depth:.1f} % under water")
    return depths


if __name__ == "__main__":
    main()
