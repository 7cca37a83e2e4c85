# SPDX-License-Identifier: MIT
"""Snapshots, pickles, problems and solvers, scenes, robots, recordings, batches."""
import copy
import pathlib
import pickle
import threading

import numpy as np
import pytest

import cairn
from conftest import DT

ROOT = pathlib.Path(__file__).resolve().parents[2]


def test_pickled_and_copied_worlds_go_on_to_the_same_bits(falling_box):
    world, _ = falling_box
    for _ in range(40):
        world.step(DT)
    others = [pickle.loads(pickle.dumps(world)), copy.copy(world), copy.deepcopy(world)]
    for _ in range(40):
        for w in [world] + others:
            w.step(DT)
    assert {w.state_hash() for w in others} == {world.state_hash()}
    assert pickle.loads(pickle.dumps(cairn.BodyId(3, 1))) == cairn.BodyId(3, 1)


def test_threads_do_not_change_the_bits():
    hashes = set()
    for threads in (1, 3):
        world = cairn.scene("pyramid_6", threads=threads).world
        for _ in range(30):
            world.step(DT)
        hashes.add(world.state_hash())
    assert len(hashes) == 1


@pytest.mark.parametrize("solver", ["nesterov", "gauss_seidel", "exact"])
def test_solvers_agree_on_the_weight(falling_box, solver):
    world, box = falling_box
    world.set_pose(box, (0, 0, 0.5))
    for _ in range(60):
        world.step(DT)
    problem = world.problem()
    solution = cairn.solve(problem, solver, tolerance=1e-10, history=True)
    assert solution.report.reason == "converged" and solution.residual < 1e-9
    assert solution.impulses[:, 0].sum() == pytest.approx(1000 * 9.81 * DT, rel=1e-3)
    assert cairn.residual(problem, solution).residual == solution.residual
    assert problem.normals[:, 2] == pytest.approx(1) and problem.contact_count == 4


def test_warm_start_and_settings_of_solvers(falling_box):
    world, box = falling_box
    world.set_pose(box, (0, 0, 0.5))
    world.step(DT)
    problem = world.problem()
    first = cairn.solve(problem, "gauss_seidel", tolerance=1e-8)
    again = cairn.solve(problem, "gauss_seidel", warm_start=first, tolerance=1e-8)
    assert again.report.iterations <= first.report.iterations
    with pytest.raises(cairn.Error, match="no_such"):
        cairn.solve(problem, "gauss_seidel", settings={"no_such": 1})
    with pytest.raises(TypeError, match="tolerence"):
        cairn.solve(problem, "gauss_seidel", tolerence=1)
    assert {"nesterov", "soft_step"} <= {s["name"] for s in cairn.solvers()}


def test_problems_in_files_come_back(falling_box, tmp_path):
    world, box = falling_box
    world.set_pose(box, (0, 0, 0.5))
    world.step(DT)
    path = str(tmp_path / "box.hdf5")
    problem = world.problem()
    problem.write(path)
    with pytest.raises(cairn.Error) as caught:
        problem.write(path)
    assert caught.value.kind == "io" or "exists" in str(caught.value)
    problem.write(path, overwrite=True)
    again = cairn.read_problem(path)
    assert again.contact_count == problem.contact_count and np.array_equal(again.gaps, problem.gaps)
    ours, theirs = cairn.solve(problem, "nesterov"), cairn.solve(again, "nesterov")
    assert np.array_equal(ours.impulses, theirs.impulses)


def test_scene_files_and_robots():
    tower = cairn.read_scene(str(ROOT / "examples/scenes/tower.json"))
    tower.world.step(tower.dt)
    assert tower.bodies and tower.world.step_count == 1
    dog = cairn.read_urdf(str(ROOT / "examples/robots/quadruped.urdf"), fixed_base=False, ground=True, hold=True)
    for _ in range(30):
        dog.world.step(DT)
    assert len(dog.joints) >= 8 and all(dog.world.contains(j) for j in dog.joints.values())


def test_recordings(falling_box, tmp_path):
    world, box = falling_box
    path = str(tmp_path / "run.h5")
    with cairn.Recorder(path, world, dt=DT) as recorder:
        for _ in range(20):
            world.step(DT)
            recorder.add(world)
    recording = cairn.read_recording(path)
    assert recording.hashes[-1] == world.state_hash() and recording.times[-1] == pytest.approx(20 * DT)
    last = cairn.read_frames(path, recording.frames - 1, 1)[0]
    assert tuple(last.positions[1]) == pytest.approx(world.view(box).position)
    replayed = cairn.World()
    replayed.restore(recording.start)
    for _ in range(20):
        replayed.step(DT)
    assert replayed.state_hash() == world.state_hash()


def test_batches_give_the_bits_of_single_worlds(cart_pole):
    world, cart, pole, slider, hinge = cart_pole
    channels = dict(actions=[("joint_force", slider)],
                    observations=[("joint_position", slider), ("joint_speed", hinge), ("body_position", pole)])
    large = cairn.WorldBatch(world, 20, **channels)
    small = cairn.WorldBatch([world, world], threads=1, **channels)
    assert len(large) == 20 and large.action_size == 1 and large.observation_size == 5
    for k in range(40):
        actions = np.array([[20 * np.sin(0.1 * k + i)] for i in range(20)])
        large.step(DT, actions)
        small.step(DT, actions[:2])
    assert np.array_equal(large.observe()[:2], small.observe())
    out = np.empty((20, 5))
    assert large.observe(out) is out
    assert large.world(1).state_hash() == small.world(1).state_hash()
    which = np.zeros(20, dtype=bool)
    which[3] = True
    before = large.observe()
    large.reset(which)
    after = large.observe()
    assert after[3, 0] == 0 and np.array_equal(np.delete(before, 3, 0), np.delete(after, 3, 0))


def test_batches_refuse_what_does_not_fit(cart_pole):
    world, cart, pole, slider, hinge = cart_pole
    batch = cairn.WorldBatch(world, 3, actions=[("joint_force", slider)])
    with pytest.raises(cairn.Error, match="shape \\(3, 1\\)"):
        batch.step(DT, np.zeros((2, 1)))
    with pytest.raises(cairn.Error, match="world 1 of the batch"):
        batch.step(DT, [[0], [float("nan")], [0]])
    with pytest.raises(cairn.Error, match="joint_force"):
        cairn.WorldBatch(world, 3, actions=[("joint_farce", slider)])


def test_world_of_a_batch_outlives_the_name_of_the_batch(cart_pole):
    batch = cairn.WorldBatch(cart_pole[0], 2)
    world = batch.world(0)
    del batch
    world.step(DT)
    assert world.step_count == 1


def test_batches_refuse_other_threads_and_functions(cart_pole):
    batch = cairn.WorldBatch(cart_pole[0], 20)
    world, refusals, done = batch.world(7), [], threading.Event()
    with pytest.raises(cairn.Error, match="take no functions"):
        world.contact_listener = print

    def look():
        while not done.wait(0.001):
            try:
                world.time
            except cairn.Error as error:
                refusals.append(str(error))

    thread = threading.Thread(target=look)
    thread.start()
    while not refusals:  # until the other thread came while the batch was stepping
        batch.step(DT, repeats=100)
    done.set()
    thread.join()
    assert all("another thread is inside" in text for text in refusals)
    assert world.time > 0
