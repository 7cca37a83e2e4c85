# SPDX-License-Identifier: MIT
"""A box falls on the ground."""
import cairn


def main():
    world = cairn.World()
    world.add_body(kind="fixed", shapes=[cairn.half_space((0, 0, 1), 0)])
    box = world.add_body(position=(0, 0, 2), shapes=[cairn.box((0.5, 0.5, 0.5))])
    for _ in range(120):
        world.step(1 / 60)
    print(f"z = {world.view(box).position[2]:.3f} m, residual {world.last_report.residual:.1e}")
    return world, box


if __name__ == "__main__":
    main()
