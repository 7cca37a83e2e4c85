// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>

#include "cairn/geometry/hull_builder.h"
#include "cairn/io/confined_file.h"
#include "cairn/io/mesh_file.h"
#include "cairn/scenefile/scene_builder.h"

namespace cairn {

namespace {

std::vector<Vec3> points_of(const std::vector<double>& numbers) {
  std::vector<Vec3> points;
  for (std::size_t k = 0; k + 3 <= numbers.size(); k += 3)
    points.push_back({numbers[k], numbers[k + 1], numbers[k + 2]});
  return points;
}

std::vector<std::array<std::int32_t, 3>> triangles_of(const std::vector<double>& numbers) {
  std::vector<std::array<std::int32_t, 3>> triangles;
  const auto index = [&](std::size_t k) { return static_cast<std::int32_t>(numbers[k]); };
  for (std::size_t k = 0; k + 3 <= numbers.size(); k += 3) triangles.push_back({index(k), index(k + 1), index(k + 2)});
  return triangles;
}

/// The folder part of a path, with the slash.
std::string folder_part(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string::npos ? "" : path.substr(0, slash + 1);
}

}  // namespace

const GeometryMaker::Surface& GeometryMaker::surface_of(const SceneGeometry& g) {
  if (g.file.empty()) {
    inline_ = {points_of(g.points), triangles_of(g.triangles)};
    return inline_;
  }
  const auto known = surfaces_.find(g.file);
  if (known != surfaces_.end()) return known->second;
  const std::string bytes = read_confined(file_.folder, g.file).value_or_throw();
  const auto neighbour = [&](const std::string& path) {
    return read_confined(file_.folder, folder_part(g.file) + path);
  };
  MeshFile mesh = parse_mesh(bytes, g.file, neighbour).value_or_throw();
  for (const std::string& note : mesh.notes) notes_.push_back(fmt::format("{}: {}", g.file, note));
  return surfaces_.emplace(g.file, Surface{std::move(mesh.vertices), std::move(mesh.triangles)}).first->second;
}

void GeometryMaker::note_cleaning(const SceneGeometry& g, const MeshReport& report) {
  const std::string name = g.file.empty() ? g.place : g.file;
  if (report.degenerate + report.duplicate > 0)
    notes_.push_back(fmt::format("{}: {} triangles without area and {} duplicates were left out", name,
                                 report.degenerate, report.duplicate));
}

Shape GeometryMaker::make_surface(const SceneGeometry& g) {
  const Surface& given = surface_of(g);
  Surface scaled;
  for (const double s : {g.scale.x, g.scale.y, g.scale.z})
    if (s == 0)
      fail_input(fmt::format("scale: must not be 0 along any axis, got ({}, {}, {})", g.scale.x, g.scale.y, g.scale.z));
  for (const Vec3& v : given.vertices) scaled.vertices.push_back({g.scale.x * v.x, g.scale.y * v.y, g.scale.z * v.z});
  if (g.type == GeometryType::hull)
    return make_hull(scaled.vertices, {.vertex_limit = static_cast<std::int32_t>(g.vertex_limit)});
  scaled.triangles = given.triangles;
  if (g.scale.x * g.scale.y * g.scale.z < 0) {
    for (auto& t : scaled.triangles) std::swap(t[1], t[2]);  // mirroring turns the windings around
    notes_.push_back(
        fmt::format("{}: the scale mirrors it, so the windings of its triangles were turned around", g.file));
  }
  TriangleMesh mesh = make_mesh(scaled.vertices, scaled.triangles);
  note_cleaning(g, mesh.data->report);
  return mesh;
}

Shape GeometryMaker::make_simple(const SceneGeometry& g) {
  switch (g.type) {
    case GeometryType::sphere: return make_sphere(g.radius);
    case GeometryType::box: return make_box(g.half);
    case GeometryType::capsule: return make_capsule(g.radius, g.half_length);
    case GeometryType::cylinder: return make_cylinder(g.radius, g.half_height);
    case GeometryType::cone: return make_cone(g.radius, g.height);
    case GeometryType::half_space: return make_half_space(g.normal, g.offset);
    case GeometryType::height_field:
      if (g.rows * g.columns != static_cast<std::int64_t>(g.heights.size()))
        fail_input(fmt::format("heights: must have rows x columns = {} numbers, got {}", g.rows * g.columns,
                               g.heights.size()));
      return make_height_field(static_cast<std::int32_t>(g.rows), static_cast<std::int32_t>(g.columns), g.spacing,
                               g.heights);
    default: return make_surface(g);
  }
}

Shape GeometryMaker::make(const SceneGeometry& g) {
  if (g.type == GeometryType::compound) {
    std::vector<CompoundChild> children;
    for (const SceneChild& child : g.children)
      within(child.geometry.place, [&] {
        children.push_back({make(child.geometry), checked_pose(child.pose, "the pose")});
      });
    return make_compound(std::move(children));
  }
  if (g.file.empty()) return make_simple(g);
  // Shapes from files are shared, so a thousand rocks of one mesh keep it once.
  const std::string use =
      fmt::format("{} {} {} {} {}", static_cast<int>(g.type), g.scale.x, g.scale.y, g.scale.z, g.vertex_limit);
  const auto known = made_.find({g.file, use});
  if (known != made_.end()) return known->second;
  return made_.emplace(std::pair{g.file, use}, make_simple(g)).first->second;
}

}  // namespace cairn
