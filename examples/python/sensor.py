# SPDX-License-Identifier: MIT
"""A sensor: a region that notices who enters and leaves, without touching anybody. An overlap query after every step."""
import cairn


class Sensor:
    def __init__(self, shape, position):
        self.shape, self.position, self.inside = shape, position, set()

    def update(self, world):
        """Shapes that came in and went out since the last call, in order."""
        now = set(world.overlap_shape(self.shape, self.position))
        entered, left = sorted(now - self.inside), sorted(self.inside - now)
        self.inside = now
        return entered, left


def main():
    world = cairn.World(gravity=(0, 0, 0))
    ball = world.add_body(position=(-3, 0, 0), linear_velocity=(2, 0, 0), shapes=[cairn.sphere(0.5)])
    gate = Sensor(cairn.box((1, 1, 1)), (0, 0, 0))
    told = []
    for _ in range(180):
        world.step(1 / 60)
        entered, left = gate.update(world)
        told += [("enters", round(world.time, 2), world.body_of(shape)) for shape in entered]
        told += [("leaves", round(world.time, 2), world.body_of(shape)) for shape in left]
    for what, time, body in told:
        print(f"{body} {what} at {time:.2f} s")
    return told, ball


if __name__ == "__main__":
    main()
