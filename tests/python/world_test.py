# SPDX-License-Identifier: MIT
"""Worlds from Python: bodies, joints, settings, reports, queries, errors."""
import numpy as np
import pytest

import cairn
from conftest import DT


def test_box_comes_to_rest_on_the_ground(falling_box):
    world, box = falling_box
    for _ in range(120):
        report = world.step(DT)
    assert world.positions.shape == (2, 3)
    assert abs(world.positions[box.index, 2] - 0.5) < 0.005
    assert report.contacts == 4 and report.step == 120
    assert 0 <= world.last_report.residual < 1e-6
    assert world.time == pytest.approx(2)


def test_ball_flies_as_the_formula_says():
    world = cairn.World(integrator="velocity_verlet")
    ball = world.add_body(position=(0, 0, 1), linear_velocity=(2, 0, 3), shapes=[cairn.sphere(0.1)])
    for _ in range(60):
        world.step(DT)
    assert world.view(ball).position == pytest.approx((2, 0, 1 + 3 - 9.81 / 2), abs=1e-9)


def test_mass_and_inertia_of_a_box():
    world = cairn.World()
    body = world.view(world.add_body(shapes=[cairn.box((0.5, 1, 1.5), density=100)]))
    assert body.mass == pytest.approx(600)
    assert body.inertia[:3] == pytest.approx((600 / 12 * (4 + 9), 600 / 12 * (1 + 9), 600 / 12 * (1 + 4)))


def test_block_slides_only_beyond_its_friction():
    def slid(friction):
        world = cairn.World(gravity=(9.81 * 0.4, 0, -9.81))
        world.add_body(kind="fixed", shapes=[cairn.half_space((0, 0, 1), friction=friction)])
        box = world.add_body(position=(0, 0, 0.5), shapes=[cairn.box((0.5, 0.5, 0.5), friction=friction)])
        for _ in range(60):
            world.step(DT)
        return world.view(box).position[0]

    assert slid(0.5) < 0.01
    assert slid(0.3) == pytest.approx(0.5 * 9.81 * 0.1, rel=0.05)


def test_hinge_with_a_drive_keeps_its_speed():
    world = cairn.World(gravity=(0, 0, 0))
    wheel = world.add_body(shapes=[cairn.cylinder(0.5, 0.1)])
    drive = cairn.Drive(kind="velocity", speed=2, max_force=1e6)
    joint = world.add_joint(cairn.HingeJoint(turn=cairn.Axis(drive=drive)), None, wheel, axis=(0, 0, 1))
    for _ in range(60):
        world.step(DT)
    assert world.view(joint).turn[0] == pytest.approx(2, abs=0.02)
    definition = world.joint(joint)
    assert definition.kind.turn.drive.speed == 2
    definition.user = 7
    world.set_joint(joint, definition)
    assert world.joint(joint).user == 7


def test_handles_of_what_was_removed_are_refused(falling_box):
    world, box = falling_box
    world.remove_body(box)
    assert not world.contains(box)
    assert list(world.live) == [True, False]
    with pytest.raises(cairn.Error, match="names no body") as caught:
        world.view(box)
    assert caught.value.kind == "bad_input"
    again = world.add_body(shapes=[cairn.sphere(1)])
    assert again.index == box.index and again != box and not world.contains(box)


@pytest.mark.parametrize("call, message", [
    (lambda w: w.add_body(kind="fxied"), "dynamic, fixed, kinematic"),
    (lambda w: w.step(-1), "dt is -1"),
    (lambda w: cairn.box((1, 1, -1)), "box"),
    (lambda w: w.add_body(position=(float("nan"), 0, 0), shapes=[cairn.sphere(1)]), "x component must be finite"),
    (lambda w: w.set_settings(solver="soft_stop"), "soft_step"),
    (lambda w: w.restore(b"rubbish"), "snapshot"),
    (lambda w: cairn.hull([[0, 0, 0, 0]]), "shape \\(N, 3\\)"),
    (lambda w: cairn.read_scene("no_such_file.json"), "no_such_file"),
])
def test_errors_say_what_to_change(call, message):
    with pytest.raises(cairn.Error, match=message):
        call(cairn.World())


@pytest.mark.parametrize("call, message", [
    (lambda w: w.add_body(postion=(0, 0, 1)), "no argument 'postion'; it takes kind, position"),
    (lambda w: w.add_body(position=(0, 1)), "position cannot be \\(0, 1\\)"),
    (lambda w: cairn.World(threads="two"), "threads cannot be 'two'"),
    (lambda w: w.view("box"), "incompatible"),
])
def test_arguments_of_the_wrong_type(call, message):
    with pytest.raises(TypeError, match=message):
        call(cairn.World())


def test_settings_are_values():
    world = cairn.World(cairn.Settings(solver="gauss_seidel", iterations=30), tolerance=1e-3)
    settings = world.settings
    assert (settings.solver, settings.iterations, settings.tolerance) == ("gauss_seidel", 30, 1e-3)
    settings.iterations = 5
    assert world.settings.iterations == 30
    world.set_settings(gravity=(0, 0, 0))
    assert world.settings.gravity == (0, 0, 0) and world.settings.iterations == 30
    assert "gauss_seidel" in repr(world.settings)


def test_queries(falling_box):
    world, box = falling_box
    hit = world.cast_ray((0, 0, 10), (0, 0, -1), 20)
    assert hit.body == box and hit.distance == pytest.approx(7.5) and hit.normal == pytest.approx((0, 0, 1))
    assert [h.distance for h in world.cast_ray_all((0, 0, 10), (0, 0, -2), 20)] == pytest.approx([7.5, 10])
    assert world.cast_ray((0, 0, 10), (0, 0, -1), 20, ignore=box).body != box
    assert world.cast_ray((5, 0, 10), (0, 0, 1), 20) is None
    distance, body = world.cast_rays([[0, 0, 10], [5, 0, 10]], [[0, 0, -1], [0, 0, 1]], 20)
    assert distance[0] == pytest.approx(7.5) and np.isinf(distance[1]) and list(body) == [box.index, -1]
    moved = world.cast_shape(cairn.sphere(0.25), (0, 0, 5), (0, 0, -4))
    assert moved.body == box and moved.distance == pytest.approx(2.25)
    assert world.overlap_shape(cairn.sphere(0.25), (0, 0, 2.6)) == world.shapes_of(box)
    assert world.overlap_box((-1, -1, 1.6), (1, 1, 3)) == world.shapes_of(box)


def test_every_shape_falls_on_the_ground():
    points = [[x, y, z] for x in (0, 1) for y in (0, 1) for z in (0, 1)]
    shapes = [cairn.sphere(0.5), cairn.box((0.5, 0.5, 0.5)), cairn.capsule(0.3, 0.4), cairn.cylinder(0.5, 0.5),
              cairn.cone(0.5, 1), cairn.hull(points),
              cairn.compound([cairn.sphere(0.5), cairn.box((0.2, 0.2, 0.6), position=(0.5, 0, 0))])]
    grounds = [cairn.half_space((0, 0, 1)), cairn.height_field(np.zeros((30, 30)), 1, position=(-5, -5, 0)),
               cairn.mesh([[-9, -9, 0], [99, -9, 0], [-9, 99, 0]], [[0, 1, 2]])]
    for ground in grounds:
        world = cairn.World()
        world.add_body(kind="fixed", shapes=[ground])
        bodies = [world.add_body(position=(3 * i, 0, 1.5), shapes=[shape]) for i, shape in enumerate(shapes)]
        for _ in range(90):
            world.step(DT)
        for body in bodies:
            assert 0.1 < world.view(body).centre[2] < 1.2, (ground.type, body)


def test_representations_help(falling_box):
    world, box = falling_box
    assert repr(world) == "<cairn.World: 2 bodies, 0 joints, 0 steps, 0 s, solver soft_step>"
    assert repr(box) == "BodyId(1, 0)" and eval(repr(box), {"BodyId": cairn.BodyId}) == box
    assert "friction=0.5" in repr(cairn.Material())
    assert "StepReport(step=1" in repr(world.step(DT))
    assert "position=(0.0, 0.0" in repr(world.view(box))


def test_debug_lines_of_a_box():
    world = cairn.World()
    assert world.debug_lines()[0].shape == (0, 2, 3)
    world.add_body(position=(1, 2, 3), shapes=[cairn.box((0.5, 1, 1.5))])
    lines, colours = world.debug_lines()
    assert lines.shape == (12, 2, 3) and colours.shape == (12,)
    assert np.linalg.norm(lines[:, 1] - lines[:, 0], axis=1).sum() == pytest.approx(4 * (1 + 2 + 3))
