# SPDX-License-Identifier: MIT
"""A belt with a surface velocity: a kinematic body that moves by its speed and is put back after every step."""
import cairn

DT = 1 / 60


def main(speed=1.0):
    world = cairn.World()
    belt = world.add_body(kind="kinematic", linear_velocity=(speed, 0, 0), shapes=[cairn.box((10, 1, 0.1))])
    box = world.add_body(position=(-2, 0, 0.35), shapes=[cairn.box((0.25, 0.25, 0.25))])
    for _ in range(120):
        world.step(DT)
        world.set_pose(belt, (0, 0, 0))
    moved = world.linear_velocities[box.index, 0]
    print(f"the box is carried with {moved:.3f} m/s by a belt of {speed} m/s that stays where it is")
    return moved, world.view(belt).position[0]


if __name__ == "__main__":
    main()
