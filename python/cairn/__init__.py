# SPDX-License-Identifier: MIT
"""Cairn: rigid bodies in frictional contact.

    import cairn
    world = cairn.World()
    world.add_body(kind="fixed", shapes=[cairn.half_space((0, 0, 1), 0)])
    box = world.add_body(position=(0, 0, 2), shapes=[cairn.box((0.5, 0.5, 0.5))])
    for _ in range(120): world.step(1 / 60)
    print(world.positions, world.last_report.residual)

SI units, z up unless gravity says otherwise, quaternions as w, x, y, z. docs/python.md is the guide.
"""
from ._cairn import *
from ._cairn import __version__
