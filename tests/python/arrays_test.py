# SPDX-License-Identifier: MIT
"""State as NumPy views: no copies, read-only, and never dangling."""
import gc

import numpy as np
import pytest

import cairn
from conftest import DT

NAMES = ("positions", "orientations", "linear_velocities", "angular_velocities")


def test_views_follow_the_world(falling_box):
    world, box = falling_box
    views = {name: getattr(world, name) for name in NAMES}
    for _ in range(30):
        world.step(DT)
    body = world.view(box)
    assert tuple(views["positions"][box.index]) == body.centre
    assert tuple(views["orientations"][box.index]) == body.orientation
    assert tuple(views["linear_velocities"][box.index]) == body.linear_velocity
    assert tuple(views["angular_velocities"][box.index]) == body.angular_velocity


def test_views_are_not_copies(falling_box):
    world, _ = falling_box
    for name in NAMES:
        first, second = getattr(world, name), getattr(world, name)
        assert np.shares_memory(first, second) and not first.flags.owndata


def test_views_are_read_only(falling_box):
    world, _ = falling_box
    for name in NAMES:
        with pytest.raises(ValueError, match="read-only"):
            getattr(world, name)[1, 0] = 5
        with pytest.raises(ValueError):
            getattr(world, name).flags.writeable = True


def test_views_outlive_their_world(falling_box):
    world, box = falling_box
    positions = world.positions
    world.step(DT)
    expected = positions.copy()
    del world, falling_box
    gc.collect()
    spill = [np.full(1000, 9.0) for _ in range(100)]  # takes memory that was given back
    assert np.array_equal(positions, expected) and len(spill) == 100


def test_views_stay_when_bodies_are_added(falling_box):
    world, box = falling_box
    before = world.positions
    values = before.copy()
    for i in range(1000):
        world.add_body(position=(3 * i, 9, 0), shapes=[cairn.sphere(0.5)])
    for _ in range(3):
        world.step(DT)
    assert np.array_equal(before, values)  # the state of the moment when the world went on elsewhere
    assert world.positions.shape == (1002, 3)
    assert world.positions[box.index, 2] < values[box.index, 2]


def test_views_stay_when_a_state_is_restored(falling_box):
    world, box = falling_box
    snapshot = world.save()
    view = world.positions
    world.step(DT)
    fallen = view[box.index, 2]
    world.restore(snapshot)
    assert view[box.index, 2] == fallen and world.positions[box.index, 2] == 2


def test_an_empty_world_has_empty_views():
    world = cairn.World()
    assert world.positions.shape == (0, 3) and world.orientations.shape == (0, 4)
    assert world.live.shape == (0,)


def test_sums_over_rows_of_many_bodies():
    world = cairn.World(gravity=(0, 0, 0))
    for i in range(500):
        world.add_body(position=(2 * i, 0, 0), linear_velocity=(0, i, 0), shapes=[cairn.sphere(0.5)])
    world.step(DT)
    assert world.linear_velocities[:, 1].sum() == pytest.approx(499 * 500 / 2)
    assert world.positions[:, 1].sum() == pytest.approx(499 * 500 / 2 * DT)
