# SPDX-License-Identifier: MIT
"""Listeners and filters: order, edits, exceptions, re-entry, threads and cycles."""
import gc
import threading
import weakref

import pytest

import cairn
from conftest import DT


def test_listener_hears_the_touch_once(falling_box):
    world, box = falling_box
    heard = []
    world.contact_listener = lambda event: heard.append((event.kind, event.body_b, event.impulse > 0))
    for _ in range(120):
        world.step(DT)
    assert heard == [("begin", box, True)]
    world.contact_listener = None
    assert world.contact_listener is None


def test_listener_may_edit_and_not_step(falling_box):
    world, box = falling_box

    def listen(event):
        with pytest.raises(cairn.Error, match="inside a step"):
            world.step(DT)
        if event.kind == "end":
            return
        world.remove_body(box)
        world.add_body(position=(0, 0, 9), shapes=[cairn.sphere(0.5)])

    world.contact_listener = listen
    for _ in range(60):
        world.step(DT)
    assert not world.contains(box) and len(world.bodies) == 2


def test_exception_in_the_listener_reaches_the_caller(falling_box):
    world, box = falling_box

    class Stop(Exception):
        pass

    def listen(event):
        raise Stop(event.kind)

    world.contact_listener = listen
    with pytest.raises(Stop, match="begin"):
        for _ in range(120):
            world.step(DT)
    steps = world.step_count
    world.contact_listener = None
    world.step(DT)
    assert world.step_count == steps + 1


def test_filter_decides_who_touches(falling_box):
    world, box = falling_box
    world.contact_filter = lambda pair: pair.body_b != box
    for _ in range(60):
        world.step(DT)
    assert world.view(box).position[2] < 0


def test_filter_may_read_and_not_edit(falling_box):
    world, box = falling_box
    seen = []

    def accept(pair):
        seen.append(world.view(pair.body_b).position[2])
        with pytest.raises(cairn.Error, match="contact filter"):
            world.set_velocity(box, (1, 0, 0))
        with pytest.raises(cairn.Error):
            world.step(DT)
        return True

    world.contact_filter = accept
    for _ in range(40):
        world.step(DT)
    assert seen and world.linear_velocities[box.index, 0] < 0.5


def test_exception_in_the_filter_leaves_the_world_as_it_was(falling_box):
    world, box = falling_box
    world.set_pose(box, (0, 0, 0.5))
    other = cairn.World()
    other.restore(world.save())
    state = world.state_hash()
    world.contact_filter = lambda pair: 1 / 0
    with pytest.raises(ZeroDivisionError):
        world.step(DT)
    assert world.state_hash() == state and world.step_count == 0
    world.contact_filter = None
    for _ in range(30):
        world.step(DT), other.step(DT)
    assert world.state_hash() == other.state_hash()


def test_other_threads_run_and_are_refused_while_a_step_is_under_way(falling_box):
    world, box = falling_box
    world.set_pose(box, (0, 0, 0.5))
    inside, go_on, refusals = threading.Event(), threading.Event(), []

    def accept(pair):
        inside.set()
        go_on.wait(30)
        return True

    def look():
        inside.wait(30)
        for call in (lambda: world.view(box), lambda: world.positions, lambda: world.step(DT), world.save):
            try:
                call()
            except cairn.Error as error:
                refusals.append(str(error))
        go_on.set()

    world.contact_filter = accept
    thread = threading.Thread(target=look)
    thread.start()
    world.step(DT)
    thread.join()
    assert len(refusals) == 4 and all("another thread is inside step()" in text for text in refusals)
    world.view(box)


def test_worlds_step_on_several_threads_of_python():
    def run(world):
        for _ in range(60):
            world.step(DT)

    worlds = [cairn.scene("ball_grid_4").world for _ in range(4)]
    threads = [threading.Thread(target=run, args=(world,)) for world in worlds]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len({world.state_hash() for world in worlds}) == 1


def test_a_listener_that_holds_its_world_is_collected():
    world = cairn.World()
    marker = cairn.World()

    class Listener:
        def __init__(self, owner):
            self.owner = owner

        def __call__(self, event):
            pass

    listener = Listener(world)
    gone = weakref.ref(listener)
    world.contact_listener = listener
    world.contact_filter = lambda pair: world is marker
    del world, listener
    gc.collect()
    assert gone() is None
