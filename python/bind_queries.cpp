// SPDX-License-Identifier: MIT
// Queries of a world: rays, moved shapes and overlaps, one at a time or many rays at once.
#include <pybind11/stl.h>

#include <cmath>

#include "python/arguments.h"
#include "python/world_object.h"

namespace py = pybind11;

namespace cairn::python {

namespace {

using Rows = py::array_t<double, py::array::c_style | py::array::forcecast>;

QueryFilter filter_of(std::uint32_t mask, BodyId ignore) { return {.mask = mask, .ignore = ignore}; }

Pose pose_of(const Vec3& position, const Quat& orientation) { return {position, orientation}; }

/// N x 3 origins and directions: the distances of the first hits (infinite: none) and the index of their bodies (-1).
py::tuple cast_rays(const WorldObject& world, const Rows& origins, const Rows& directions, double length,
                    std::uint32_t mask) {
  for (const Rows* rows : {&origins, &directions})
    if (rows->ndim() != 2 || rows->shape(1) != 3)
      fail_input("cast_rays: origins and directions must have shape (N, 3)");
  if (origins.shape(0) != directions.shape(0)) fail_input("cast_rays: there must be as many origins as directions");
  const auto count = static_cast<std::size_t>(origins.shape(0));
  std::vector<RayCast> rays(count);
  for (std::size_t i = 0; i < count; ++i) {
    const double *o = origins.data() + 3 * i, *d = directions.data() + 3 * i;
    rays[i] = {{o[0], o[1], o[2]}, {d[0], d[1], d[2]}, length};
  }
  std::vector<std::optional<WorldHit>> hits(count);
  world->cast_rays(rays, hits, filter_of(mask, {}));
  py::array_t<double> distance(static_cast<py::ssize_t>(count));
  py::array_t<std::int64_t> body(static_cast<py::ssize_t>(count));
  for (std::size_t i = 0; i < count; ++i) {
    distance.mutable_data()[i] = hits[i] ? hits[i]->distance : INFINITY;
    body.mutable_data()[i] = hits[i] ? std::int64_t{hits[i]->body.index} : -1;
  }
  return py::make_tuple(distance, body);
}

void bind_rays(py::class_<WorldObject>& type) {
  type.def(
          "cast_ray",
          [](const WorldObject& w, const Vec3& origin, const Vec3& direction, double length, std::uint32_t mask,
             BodyId ignore) { return w->cast_ray(origin, direction, length, filter_of(mask, ignore)); },
          py::arg("origin"), py::arg("direction"), py::arg("length"), py::arg("mask") = 0xffffffffu,
          py::arg("ignore") = BodyId{}, "The first shape on a ray, or None.")
      .def(
          "cast_ray_all",
          [](const WorldObject& w, const Vec3& origin, const Vec3& direction, double length, std::uint32_t mask,
             BodyId ignore) { return w->cast_ray_all(origin, direction, length, filter_of(mask, ignore)); },
          py::arg("origin"), py::arg("direction"), py::arg("length"), py::arg("mask") = 0xffffffffu,
          py::arg("ignore") = BodyId{}, "All shapes on a ray, by distance.")
      .def("cast_rays", &cast_rays, py::arg("origins"), py::arg("directions"), py::arg("length"),
           py::arg("mask") = 0xffffffffu,
           "Many rays on the threads of the world: distances (inf: no hit) and BodyId.index of the first hits (-1).");
}

/// Lines as they come.
struct LineList : DebugDraw {
  std::vector<Vec3> ends;  ///< two for each line
  std::vector<std::uint32_t> colours;
  void line(const Vec3& from, const Vec3& to, std::uint32_t colour) override {
    ends.push_back(from), ends.push_back(to);
    colours.push_back(colour);
  }
  void point(const Vec3&, std::uint32_t) override {}
};

py::tuple debug_lines(const WorldObject& world, bool contacts, bool joints, bool bounds) {
  LineList list;
  draw(world.get(), list, {.bounds = bounds, .contacts = contacts, .joints = joints});
  const std::size_t count = list.colours.size();
  py::array_t<double> ends({count, std::size_t{2}, std::size_t{3}});
  py::array_t<std::uint32_t> colours(static_cast<py::ssize_t>(count));
  if (count > 0) {
    std::copy_n(&list.ends.front().x, 6 * count, ends.mutable_data());
    std::copy_n(list.colours.data(), count, colours.mutable_data());
  }
  return py::make_tuple(ends, colours);
}

}  // namespace

void bind_queries(py::class_<WorldObject>& type) {
  bind_rays(type);
  type.def(
          "cast_shape",
          [](const WorldObject& w, const ShapeDef& shape, const Vec3& position, const Vec3& translation,
             const Quat& orientation, std::uint32_t mask, BodyId ignore) {
            return w->cast_shape(shape.shape, pose_of(position, orientation), translation, filter_of(mask, ignore));
          },
          py::arg("shape"), py::arg("position"), py::arg("translation"), py::arg("orientation") = Quat{},
          py::arg("mask") = 0xffffffffu, py::arg("ignore") = BodyId{},
          "The first shape that a shape meets when it is moved, or None.")
      .def(
          "overlap_shape",
          [](const WorldObject& w, const ShapeDef& shape, const Vec3& position, const Quat& orientation,
             std::uint32_t mask, BodyId ignore) {
            return w->overlap_shape(shape.shape, pose_of(position, orientation), filter_of(mask, ignore));
          },
          py::arg("shape"), py::arg("position"), py::arg("orientation") = Quat{}, py::arg("mask") = 0xffffffffu,
          py::arg("ignore") = BodyId{}, "Shapes that overlap a shape at a place.")
      .def(
          "overlap_box",
          [](const WorldObject& w, const Vec3& lower, const Vec3& upper, std::uint32_t mask) {
            return w->overlap_box({lower, upper}, filter_of(mask, {}));
          },
          py::arg("lower"), py::arg("upper"), py::arg("mask") = 0xffffffffu,
          "Shapes whose bounding boxes overlap a box.")
      .def("debug_lines", &debug_lines, py::arg("contacts") = true, py::arg("joints") = true, py::arg("bounds") = false,
           "What to draw to see the world: N x 2 x 3 ends of lines, and N colours (red in the lowest byte).");
}

}  // namespace cairn::python
