// SPDX-License-Identifier: MIT
#include "cairn/geometry/tessellate.h"

#include <cmath>

#include "cairn/core/errors.h"
#include "cairn/core/index.h"
#include "cairn/math/mat3.h"

namespace cairn {

namespace {

/// A circle across z, and how it is joined to the one before it.
struct Ring {
  double radius, z;
};

/// A body of revolution about z from the lowest ring to the highest; rings of radius 0 are single points.
class Turned {
 public:
  explicit Turned(int segments) : segments_(segments) {}

  void add(const Ring& ring) {
    const std::int32_t before = first_, count_before = count_;
    first_ = static_cast<std::int32_t>(out_.vertices.size());
    count_ = ring.radius > 0 ? segments_ : 1;
    for (std::int32_t k = 0; k < count_; ++k) {
      const double angle = 2 * kPi * k / segments_;
      out_.vertices.push_back({ring.radius * std::cos(angle), ring.radius * std::sin(angle), ring.z});
    }
    if (count_before == 0) return;
    for (std::int32_t k = 0; k < segments_; ++k) {
      const auto lower = [&](std::int32_t i) { return before + (count_before == 1 ? 0 : i % segments_); };
      const auto upper = [&](std::int32_t i) { return first_ + (count_ == 1 ? 0 : i % segments_); };
      if (count_before > 1) out_.triangles.push_back({lower(k), lower(k + 1), upper(k)});
      if (count_ > 1) out_.triangles.push_back({lower(k + 1), upper(k + 1), upper(k)});
    }
  }

  Tessellation take() { return std::move(out_); }

 private:
  std::int32_t segments_;
  std::int32_t first_ = 0, count_ = 0;  ///< vertices of the last ring
  Tessellation out_;
};

/// Part of a circle about (0, 0, z), from `begin` to `end` (rad from the lowest point).
struct Arc {
  double radius, z, begin, end;
};

void add_arc(const Arc& arc, int parts, Turned& out) {
  for (int k = 0; k <= parts; ++k) {
    const double angle = arc.begin + (arc.end - arc.begin) * k / parts;
    const bool pole = angle < 1e-9 || angle > kPi - 1e-9;
    out.add({pole ? 0 : arc.radius * std::sin(angle), arc.z - arc.radius * std::cos(angle)});
  }
}

class Tessellator {
 public:
  explicit Tessellator(const TessellationSettings& settings) : settings_(settings) {}

  Tessellation operator()(const Sphere& s) const {
    Turned out(settings_.segments);
    add_arc({s.radius, 0, 0, kPi}, settings_.segments / 2, out);
    return out.take();
  }
  Tessellation operator()(const Capsule& s) const {
    Turned out(settings_.segments);
    add_arc({s.radius, -s.half_length, 0, 0.5 * kPi}, settings_.segments / 4 + 1, out);
    add_arc({s.radius, s.half_length, 0.5 * kPi, kPi}, settings_.segments / 4 + 1, out);
    return out.take();
  }
  Tessellation operator()(const Cylinder& s) const {
    Turned out(settings_.segments);
    for (const Ring& ring : {Ring{0, -s.half_height}, Ring{s.radius, -s.half_height}, Ring{s.radius, s.half_height},
                             Ring{0, s.half_height}})
      out.add(ring);
    return out.take();
  }
  Tessellation operator()(const Cone& s) const {
    Turned out(settings_.segments);
    for (const Ring& ring : {Ring{0, base_z(s)}, Ring{s.radius, base_z(s)}, Ring{0, apex_z(s)}}) out.add(ring);
    return out.take();
  }
  Tessellation operator()(const Box& s) const {
    Tessellation out;
    for (int k = 0; k < 8; ++k)
      out.vertices.push_back({(k & 1) != 0 ? s.half.x : -s.half.x, (k & 2) != 0 ? s.half.y : -s.half.y,
                              (k & 4) != 0 ? s.half.z : -s.half.z});
    constexpr std::int32_t kFaces[6][4] = {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4},
                                           {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}};
    for (const auto& f : kFaces)
      out.triangles.push_back({f[0], f[1], f[2]}), out.triangles.push_back({f[0], f[2], f[3]});
    return out;
  }
  Tessellation operator()(const HalfSpace& s) const {
    Tessellation out;
    const Frame frame = make_frame(s.normal);
    const Vec3 middle = s.offset * s.normal, a = settings_.half_space * frame.tangent1,
               b = settings_.half_space * frame.tangent2;
    out.vertices = {middle - a - b, middle + a - b, middle + a + b, middle - a + b};
    out.triangles = {{0, 1, 2}, {0, 2, 3}};
    return out;
  }
  Tessellation operator()(const ConvexHull& s) const {
    Tessellation out;
    out.vertices = s.data->vertices;
    for (const HullFace& face : s.data->faces) {
      const auto corner = [&](std::int32_t k) { return s.data->edges[to_index(face.first_edge + k)].vertex; };
      for (std::int32_t k = 2; k < face.edge_count; ++k) out.triangles.push_back({corner(0), corner(k - 1), corner(k)});
    }
    return out;
  }
  Tessellation operator()(const HeightField& s) const {
    Tessellation out;
    for (std::int32_t r = 0; r < s.data->rows; ++r)
      for (std::int32_t c = 0; c < s.data->columns; ++c) out.vertices.push_back(s.grid_point(r, c));
    for (std::int32_t r = 0; r + 1 < s.data->rows; ++r)
      for (std::int32_t c = 0; c + 1 < s.data->columns; ++c) {
        const std::int32_t at = r * s.data->columns + c, above = at + s.data->columns;
        out.triangles.push_back({at, at + 1, above + 1});
        out.triangles.push_back({at, above + 1, above});
      }
    return out;
  }
  Tessellation operator()(const TriangleMesh& s) const {
    Tessellation out;
    out.vertices = s.data->vertices;
    for (const MeshTriangle& t : s.data->triangles) out.triangles.push_back(t.vertex);
    return out;
  }
  Tessellation operator()(const Compound& s) const {
    Tessellation out;
    for (const CompoundChild& child : s.data->children) append(out, tessellate(child.shape, settings_), child.pose);
    return out;
  }

 private:
  TessellationSettings settings_;
};

}  // namespace

Tessellation tessellate(const Shape& shape, const TessellationSettings& settings) {
  require(settings.segments >= 3 && settings.segments <= 1024, "tessellate: give 3 to 1024 segments");
  require(settings.half_space > 0 && settings.half_space <= kLargestSize, "tessellate: the half-space has no size");
  return std::visit(Tessellator(settings), shape);
}

void append(Tessellation& whole, const Tessellation& part, const Pose& pose) {
  const auto first = static_cast<std::int32_t>(whole.vertices.size());
  for (const Vec3& v : part.vertices) whole.vertices.push_back(transform(pose, v));
  for (const auto& t : part.triangles) whole.triangles.push_back({t[0] + first, t[1] + first, t[2] + first});
}

}  // namespace cairn
