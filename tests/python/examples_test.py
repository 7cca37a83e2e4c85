# SPDX-License-Identifier: MIT
"""The programs of examples/python do what they say."""
import importlib
import pathlib
import sys

import numpy as np
import pytest

FOLDER = pathlib.Path(__file__).resolve().parents[2] / "examples" / "python"


@pytest.fixture
def example(monkeypatch):
    """example(name) imports a program of the folder."""
    monkeypatch.syspath_prepend(str(FOLDER))
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    return importlib.import_module


def test_first_world(example):
    world, box = example("first_world").main()
    assert world.view(box).position[2] == pytest.approx(0.5, abs=0.005)


def test_cart_pole_balances_all_poles(example):
    fallen, seen = example("cart_pole").main(count=10, steps=240)
    assert not fallen.any() and np.abs(seen[:, 2]).max() < 0.02


def test_cart_pole_falls_without_forces(example):
    environment = example("cart_pole").CartPole(3)
    environment.reset([0.2, -0.2, 0.3])
    for _ in range(120):
        _, reward, fallen = environment.step(np.zeros(3))
    assert fallen.all() and not reward.any()


def test_quadruped_stands_and_walks(example):
    seen, way = example("quadruped").main(count=4, steps=30)
    assert seen[:, 2] == pytest.approx(0.36, abs=0.05)
    assert abs(way[0]) < 0.02 and np.abs(way).max() > 0.02


def test_one_way_platform(example):
    highest, rest = example("one_way_platform").main()
    assert highest > 2.5 and rest == pytest.approx(2.3, abs=0.01)


def test_conveyor(example):
    speed, place = example("conveyor").main()
    assert speed == pytest.approx(1, abs=1e-3) and place == 0


def test_buoyancy_follows_archimedes(example):
    assert example("buoyancy").main() == pytest.approx([0.25, 0.5, 0.75], abs=1e-3)


def test_character_stops_and_slides(example):
    position = example("character").main()
    assert position[0] == pytest.approx(2.5 - 0.3 - 0.01, abs=1e-3) and position[1] == pytest.approx(2.4, abs=0.01)


def test_vehicle_drives_straight(example):
    body = example("vehicle").main()
    assert body.position[0] > 5 and abs(body.position[1]) < 0.01 and 0.5 < body.position[2] < 0.9


def test_sensor_tells_once(example):
    told, ball = example("sensor").main()
    assert [(what, body) for what, _, body in told] == [("enters", ball), ("leaves", ball)]
    assert told[0][1] == pytest.approx(0.75, abs=0.04) and told[1][1] == pytest.approx(2.25, abs=0.04)


def test_curves_of_solvers(example):
    problem, curves = example("plot_solvers").curves("pyramid_5", iterations=60)
    assert problem.contact_count > 0
    assert curves["nesterov"][-1][1] < curves["gauss_seidel"][-1][1] < 0.5


def test_hopper_flows_through_a_wide_opening_only(example):
    narrow, wide = example("plot_hopper").sweep([0.1, 0.8], layers=2, seconds=2)
    assert narrow < 0.1 and wide > 0.9


def test_friction_is_found(example):
    friction = example("plot_friction")
    assert friction.fit(friction.measured(0.31), rounds=10) == pytest.approx(0.31, abs=0.01)
