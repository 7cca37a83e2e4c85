# SPDX-License-Identifier: MIT
"""Worlds that several tests use."""
import pytest

import cairn

DT = 1 / 60


@pytest.fixture
def falling_box():
    """A box above the ground: (world, box)."""
    world = cairn.World()
    world.add_body(kind="fixed", shapes=[cairn.half_space((0, 0, 1), 0)])
    box = world.add_body(position=(0, 0, 2), shapes=[cairn.box((0.5, 0.5, 0.5))])
    return world, box


@pytest.fixture
def cart_pole():
    """A cart on a rail with a pole on it: (world, cart, pole, slider, hinge)."""
    world = cairn.World()
    cart = world.add_body(shapes=[cairn.box((0.2, 0.15, 0.1))])
    pole = world.add_body(position=(0, 0, 0.5), shapes=[cairn.box((0.02, 0.02, 0.5), density=250)])
    slider = world.add_joint(cairn.PrismaticJoint(), None, cart, axis=(1, 0, 0))
    hinge = world.add_joint(cairn.HingeJoint(), cart, pole, axis=(0, 1, 0))
    return world, cart, pole, slider, hinge
