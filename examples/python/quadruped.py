# SPDX-License-Identifier: MIT
"""A robot with four legs from URDF, many at once: actions are targets of its drives, observations are where its trunk is.
Each one wags its legs with its own amplitude."""
import pathlib

import numpy as np

import cairn

ROBOT = pathlib.Path(__file__).resolve().parents[1] / "robots" / "quadruped.urdf"
DT = 1 / 60


class Quadruped:
    """`count` robots that stand on the ground, each in a world of its own."""

    def __init__(self, count, threads=0):
        scene = cairn.read_urdf(str(ROBOT), fixed_base=False, ground=True, hold=True)
        for _ in range(30):  # it comes to stand
            scene.world.step(DT)
        driven = [joint for joint in scene.joints.values()
                  if isinstance(scene.world.joint(joint).kind, cairn.HingeJoint)]
        self.trunk = max(scene.bodies.values(), key=lambda body: scene.world.view(body).mass)
        self.batch = cairn.WorldBatch(
            scene.world, count, threads=threads, actions=[("joint_position", joint) for joint in driven],
            observations=[("body_position", self.trunk), ("body_orientation", self.trunk)]
            + [("joint_position", joint) for joint in driven])
        self.standing = self.batch.observe()[0, 7:]

    def step(self, targets, repeats=2):
        """Observations, and a reward: how far the trunk came along x."""
        before = self.batch.observe()[:, 0]
        self.batch.step(DT, targets, repeats)
        seen = self.batch.observe()
        return seen, seen[:, 0] - before


def main(count=16, steps=60):
    robots = Quadruped(count)
    amplitudes = np.linspace(0, 0.3, count)
    phase = np.arange(robots.batch.action_size)
    way = np.zeros(count)
    for k in range(steps):
        wave = np.sin(0.4 * k + phase)
        seen, reward = robots.step(robots.standing + amplitudes[:, None] * wave)
        way += reward
    print(f"{count} robots, {robots.batch.action_size} drives each: trunks at {seen[:, 2].min():.2f} to {seen[:, 2].max():.2f} m,"
          f" the farthest went {way[np.argmax(np.abs(way))]:+.2f} m")
    return seen, way


if __name__ == "__main__":
    main()
