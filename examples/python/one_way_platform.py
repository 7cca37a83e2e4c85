# SPDX-License-Identifier: MIT
"""A platform that lets bodies pass from below and holds them from above, by a contact filter."""
import cairn


def main():
    world = cairn.World()
    platform = world.add_body(kind="fixed", position=(0, 0, 2), shapes=[cairn.box((2, 2, 0.1))])
    ball = world.add_body(linear_velocity=(0, 0, 8), shapes=[cairn.sphere(0.2)])

    def may_touch(pair):
        """Only what is above its upper side, but for 5 cm."""
        other = pair.body_b if pair.body_a == platform else pair.body_a
        return world.view(other).position[2] - 0.2 > 2.05

    world.contact_filter = may_touch
    highest = 0.0
    for _ in range(180):
        world.step(1 / 60)
        highest = max(highest, world.positions[ball.index, 2])
    print(f"the ball rose to {highest:.2f} m and lies at {world.positions[ball.index, 2]:.2f} m")
    return highest, world.positions[ball.index, 2]


if __name__ == "__main__":
    main()
