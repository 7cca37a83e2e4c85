# SPDX-License-Identifier: MIT
"""Cart and pole as an environment in the style of reinforcement learning: many worlds, one array of actions, one of
observations. A linear controller balances all of them from different beginnings."""
import numpy as np

import cairn

DT = 1 / 60
GAINS = np.array([30.0, 40.0, 220.0, 40.0])  # N per m, m/s, rad, rad/s


class CartPole:
    """reset() and step(actions) of `count` worlds. Observations: position and speed of the cart, angle and its rate."""

    def __init__(self, count, threads=0):
        world = cairn.World(solver="ldl_pgs")
        cart = world.add_body(shapes=[cairn.box((0.2, 0.1, 0.05), density=500)])
        pole = world.add_body(position=(0, 0, 0.5), shapes=[cairn.box((0.02, 0.02, 0.5), density=250)])
        slider = world.add_joint(cairn.PrismaticJoint(), None, cart, axis=(1, 0, 0))
        hinge = world.add_joint(cairn.HingeJoint(), cart, pole, axis=(0, 1, 0))
        self.pole = pole
        self.batch = cairn.WorldBatch(
            world, count, actions=[("joint_force", slider)], threads=threads,
            observations=[("joint_position", slider), ("joint_speed", slider),
                          ("joint_position", hinge), ("joint_speed", hinge)])

    def reset(self, tilts):
        """Every pole begins with its own rate of turning, in rad/s."""
        self.batch.reset()
        for i, tilt in enumerate(tilts):
            self.batch.world(i).set_velocity(self.pole, angular=(0, tilt, 0), linear=(0.5 * tilt, 0, 0))
        return self.batch.observe()

    def step(self, forces):
        """Observations, rewards and which poles have fallen."""
        self.batch.step(DT, np.asarray(forces).reshape(-1, 1))
        seen = self.batch.observe()
        fallen = np.abs(seen[:, 2]) > 0.5
        return seen, np.where(fallen, 0.0, 1.0), fallen


def main(count=64, steps=300):
    environment = CartPole(count)
    seen = environment.reset(np.linspace(-0.4, 0.4, count))
    fallen = np.zeros(count, dtype=bool)
    for _ in range(steps):
        seen, _, down = environment.step(seen @ GAINS)
        fallen |= down
    print(f"{count} poles for {steps * DT:.0f} s: {fallen.sum()} fell, largest angle now {np.abs(seen[:, 2]).max():.4f} rad")
    return fallen, seen


if __name__ == "__main__":
    main()
