// SPDX-License-Identifier: MIT
#include "cairn/world/snapshot/snapshot_geometry.h"

#include <fmt/core.h>

#include "cairn/core/index.h"
#include "cairn/geometry/hull_builder.h"
#include "cairn/world/snapshot/snapshot_archive.h"

namespace cairn {

namespace {

// Small shapes, field by field.

template <class A, Is<Sphere> T>
void archive(A& a, T& s) {
  archive(a, s.radius);
}
template <class A, Is<Box> T>
void archive(A& a, T& s) {
  archive(a, s.half);
}
template <class A, Is<Capsule> T>
void archive(A& a, T& s) {
  archive_all(a, s.radius, s.half_length);
}
template <class A, Is<Cylinder> T>
void archive(A& a, T& s) {
  archive_all(a, s.radius, s.half_height);
}
template <class A, Is<Cone> T>
void archive(A& a, T& s) {
  archive_all(a, s.radius, s.height);
}
template <class A, Is<HalfSpace> T>
void archive(A& a, T& s) {
  archive_all(a, s.normal, s.offset);
}

template <class T>
constexpr bool kHasData = requires(T shape) {
  shape.data;
};

/// Null for shapes without data.
const void* data_of(const Shape& shape) {
  return std::visit(
      []<class T>(const T& s) -> const void* {
        if constexpr (kHasData<T>) return s.data.get();
        return nullptr;
      },
      shape);
}

template <std::size_t kIndex = 0>
Shape shape_of_kind(std::size_t kind) {
  if constexpr (kIndex < std::variant_size_v<Shape>) {
    return kind == kIndex ? Shape(std::in_place_index<kIndex>) : shape_of_kind<kIndex + 1>(kind);
  } else {
    fail_input("a shape is of no known kind");
  }
}

// Hulls: the parts as they are. `next`, `face` and `first_edge` follow from the order of edges.

template <class A, class Data>
void archive_hull(A& a, Data& d) {
  a.size(d.vertices, 24);
  for (auto& v : d.vertices) archive(a, v);
  a.size(d.faces, 36);
  for (auto& face : d.faces) archive_all(a, face.normal, face.offset, face.edge_count);
  a.size(d.edges, 8);
  for (auto& edge : d.edges) archive_all(a, edge.vertex, edge.twin);
  archive_all(a, d.tolerance, d.points_given, d.points_outside, d.largest_left_out);
}

Shape load_hull(ByteReader& in) {
  HullData data;
  archive_hull(in, data);
  std::int64_t first = 0;
  for (std::size_t f = 0; f < data.faces.size(); ++f) {
    HullFace& face = data.faces[f];
    const std::int64_t end = first + face.edge_count;
    require(face.edge_count >= 3 && end <= static_cast<std::int64_t>(data.edges.size()), "a face has no edges");
    face.first_edge = static_cast<std::int32_t>(first);
    for (std::int64_t e = first; e < end; ++e) {
      HalfEdge& edge = data.edges[to_index(e)];
      edge.face = static_cast<std::int32_t>(f);
      edge.next = static_cast<std::int32_t>(e + 1 < end ? e + 1 : first);
    }
    first = end;
  }
  return restore_hull(std::move(data));
}

// Meshes: what was kept of what the user gave. Neighbours, kinds of edges and the tree follow from it.

template <class A, class Data>
void archive_mesh(A& a, Data& d) {
  a.size(d.vertices, 24);
  for (auto& v : d.vertices) archive(a, v);
  a.size(d.triangles, 16);
  for (auto& t : d.triangles) archive_all(a, t.vertex[0], t.vertex[1], t.vertex[2], t.source);
  archive_all(a, d.report.degenerate, d.report.duplicate, d.report.welded_vertices);
}

Shape load_mesh(ByteReader& in) {
  MeshData saved;
  archive_mesh(in, saved);
  std::vector<std::array<std::int32_t, 3>> corners;
  corners.reserve(saved.triangles.size());
  for (const MeshTriangle& t : saved.triangles) corners.push_back(t.vertex);
  // What was kept once is kept again, in the same order.
  auto data = std::make_shared<MeshData>(*make_mesh(saved.vertices, corners, true).data);
  for (std::size_t t = 0; t < saved.triangles.size(); ++t) data->triangles[t].source = saved.triangles[t].source;
  data->report.degenerate = saved.report.degenerate, data->report.duplicate = saved.report.duplicate;
  data->report.welded_vertices = saved.report.welded_vertices;
  return TriangleMesh{std::move(data)};
}

template <class A, class Data>
void archive_field(A& a, Data& d) {
  archive_all(a, d.rows, d.columns, d.spacing);
  a.size(d.heights, 8);
  for (auto& h : d.heights) archive(a, h);
}

Shape load_field(ByteReader& in) {
  HeightFieldData d;
  archive_field(in, d);
  return make_height_field(d.rows, d.columns, d.spacing, std::move(d.heights));
}

Shape load_compound(ByteReader& in, const GeometryTable& table) {
  std::vector<CompoundChild> children(in.count(57));
  for (CompoundChild& child : children) {
    child.shape = table.load_shape(in);
    archive(in, child.pose);
    require(std::fabs(norm2(child.pose.orientation) - 1) <= 1e-9, "the pose of a child is not unit");
  }
  make_compound(children);  // for its checks; the poses stay as they are, to the last bit
  return Compound{std::make_shared<CompoundData>(CompoundData{std::move(children)})};
}

void save_compound(ByteWriter& out, const CompoundData& d, const GeometryTable& table) {
  out.size(d.children, 57);
  for (const CompoundChild& child : d.children) {
    table.save_shape(out, child.shape);
    archive(out, child.pose);
  }
}

}  // namespace

void GeometryTable::add(const Shape& shape) {
  const void* data = data_of(shape);
  if (data == nullptr || number_.contains(data)) return;
  if (const Compound* compound = std::get_if<Compound>(&shape))
    for (const CompoundChild& child : compound->data->children) add(child.shape);
  number_.emplace(data, static_cast<std::uint32_t>(listed_.size()));
  listed_.push_back(shape);
}

void GeometryTable::save(ByteWriter& out) const {
  out.size(listed_, 2);
  for (const Shape& shape : listed_) {
    out.number(static_cast<std::uint8_t>(shape.index()));
    if (const auto* hull = std::get_if<ConvexHull>(&shape)) archive_hull(out, *hull->data);
    if (const auto* field = std::get_if<HeightField>(&shape)) archive_field(out, *field->data);
    if (const auto* mesh = std::get_if<TriangleMesh>(&shape)) archive_mesh(out, *mesh->data);
    if (const auto* compound = std::get_if<Compound>(&shape)) save_compound(out, *compound->data, *this);
  }
}

void GeometryTable::load(ByteReader& in) {
  const std::size_t count = in.count(2);
  for (std::size_t k = 0; k < count; ++k) {
    const Shape kind = shape_of_kind(in.get<std::uint8_t>());
    try {
      if (std::holds_alternative<ConvexHull>(kind)) {
        listed_.push_back(load_hull(in));
      } else if (std::holds_alternative<HeightField>(kind)) {
        listed_.push_back(load_field(in));
      } else if (std::holds_alternative<TriangleMesh>(kind)) {
        listed_.push_back(load_mesh(in));
      } else {
        require(std::holds_alternative<Compound>(kind), "a shape of this kind has no data");
        listed_.push_back(load_compound(in, *this));
      }
    } catch (const InputError& error) {
      fail_input(fmt::format("geometry {}: {}", k, error.what()), error.kind());
    }
  }
}

void GeometryTable::save_shape(ByteWriter& out, const Shape& shape) const {
  out.number(static_cast<std::uint8_t>(shape.index()));
  std::visit(
      [&]<class T>(const T& s) {
        if constexpr (kHasData<T>) {
          out.number(number_.at(s.data.get()));
        } else {
          archive(out, s);
        }
      },
      shape);
}

Shape GeometryTable::load_shape(ByteReader& in) const {
  Shape shape = shape_of_kind(in.get<std::uint8_t>());
  std::visit(
      [&]<class T>(T& s) {
        if constexpr (kHasData<T>) {
          const auto number = in.get<std::uint32_t>();
          require(number < listed_.size() && std::holds_alternative<T>(listed_[number]),
                  "a shape names data that are not listed, or are of another kind");
          s = std::get<T>(listed_[number]);
        } else {
          archive(in, s);
        }
      },
      shape);
  check_shape(shape);
  return shape;
}

}  // namespace cairn
