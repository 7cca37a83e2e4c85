# SPDX-License-Identifier: MIT
"""A vehicle whose wheels are rays: each pushes with a spring where its ray meets the ground, and drives the body."""
import numpy as np

import cairn

DT = 1 / 60
WHEELS = [(x, y, -0.2) for x in (-1, 1) for y in (-0.6, 0.6)]
REST, STIFFNESS, DAMPING = 0.6, 40e3, 4e3  # m, N/m, N s/m


def rotate(q, v):
    w, u = q[0], np.array(q[1:])
    t = 2 * np.cross(u, v)
    return v + w * t + np.cross(u, t)


def push(world, car, drive):
    """Spring forces of all wheels, and the force that drives it on."""
    body = world.view(car)
    up, forward = rotate(body.orientation, np.array([0, 0, 1.0])), rotate(body.orientation, np.array([1.0, 0, 0]))
    for wheel in WHEELS:
        top = np.array(body.position) + rotate(body.orientation, np.array(wheel))
        hit = world.cast_ray(top, -up, REST, ignore=car)
        if hit is None:
            continue
        arm = top - np.array(body.centre)
        speed = np.array(body.linear_velocity) + np.cross(body.angular_velocity, arm)
        load = max(0.0, STIFFNESS * (REST - hit.distance) - DAMPING * speed @ up)
        side = np.cross(up, forward)
        world.add_force(car, load * up + drive * forward - 2000 * (speed @ side) * side, point=hit.point)


def main(steps=240):
    world = cairn.World()
    world.add_body(kind="fixed", shapes=[cairn.half_space((0, 0, 1), 0)])
    car = world.add_body(position=(0, 0, 1), shapes=[cairn.box((1.5, 0.8, 0.3), density=500)])
    for _ in range(steps):
        push(world, car, drive=500)
        world.step(DT)
    body = world.view(car)
    print(f"after {steps * DT:.0f} s: x = {body.position[0]:.1f} m, height {body.position[2]:.2f} m,"
          f" {body.linear_velocity[0]:.1f} m/s")
    return body


if __name__ == "__main__":
    main()
