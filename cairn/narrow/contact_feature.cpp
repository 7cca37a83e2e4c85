// SPDX-License-Identifier: MIT
#include "cairn/narrow/contact_feature.h"

#include "cairn/core/index.h"

namespace cairn {

namespace {

/// Discs tilted by less (sine) have no deepest corner of their own: its direction would be noise.
constexpr double kFlatDisc = 1e-3;
/// Faces that look more sideways than this do not catch corners.
constexpr double kSideways = 1e-2;
constexpr std::size_t kDeepestName = 40;

/// Cosine and sine of k / 16 of a turn.
constexpr std::array<std::array<double, 2>, 16> kTurn{{{1, 0},
                                                       {0.92387953251128675613, 0.38268343236508977173},
                                                       {0.70710678118654752440, 0.70710678118654752440},
                                                       {0.38268343236508977173, 0.92387953251128675613},
                                                       {0, 1},
                                                       {-0.38268343236508977173, 0.92387953251128675613},
                                                       {-0.70710678118654752440, 0.70710678118654752440},
                                                       {-0.92387953251128675613, 0.38268343236508977173},
                                                       {-1, 0},
                                                       {-0.92387953251128675613, -0.38268343236508977173},
                                                       {-0.70710678118654752440, -0.70710678118654752440},
                                                       {-0.38268343236508977173, -0.92387953251128675613},
                                                       {0, -1},
                                                       {0.38268343236508977173, -0.92387953251128675613},
                                                       {0.70710678118654752440, -0.70710678118654752440},
                                                       {0.92387953251128675613, -0.38268343236508977173}}};

/// In the frame of the shape, all of these; `d` is unit.
void present(const Sphere& shape, const Vec3&, ContactFeature& f) {
  f.add({}, 0);
  f.radius = shape.radius;
}

void present(const Capsule& shape, const Vec3&, ContactFeature& f) {
  f.add({0, 0, -shape.half_length}, 0);
  f.add({0, 0, shape.half_length}, 1);
  f.radius = shape.radius;
}

void present(const Box& shape, const Vec3& d, ContactFeature& f) {
  const Vec3 h = shape.half;
  const double x = std::fabs(d.x), y = std::fabs(d.y), z = std::fabs(d.z);
  const auto corner = [&](double i, double j, double k) {
    const Vec3 p{i * h.x, j * h.y, k * h.z};
    f.add(p, (i > 0 ? 1u : 0u) | (j > 0 ? 2u : 0u) | (k > 0 ? 4u : 0u));
  };
  // Counter-clockwise about the outward normal: (u, v) cyclic after the axis, v turned round where the axis is
  // negative.
  constexpr std::array<std::array<double, 2>, 4> kRound{{{1, 1}, {-1, 1}, {-1, -1}, {1, -1}}};
  const bool about_x = x >= y && x >= z, about_y = !about_x && y >= z;
  const double sign = (about_x ? d.x : about_y ? d.y : d.z) < 0 ? -1 : 1;
  for (const auto& [u, v] : kRound) {
    if (about_x) {
      corner(sign, u, sign * v);
    } else if (about_y) {
      corner(sign * v, sign, u);
    } else {
      corner(u, sign * v, sign);
    }
  }
  f.normal = {about_x ? sign : 0, about_y ? sign : 0, about_x || about_y ? 0 : sign};
}

void present(const ConvexHull& shape, const Vec3& d, ContactFeature& f) {
  const HullData& data = *shape.data;
  const HullFace* best = &data.faces[data.normal_lanes.farthest(d)];
  // Of very round faces every second, third, ... corner: a polygon inside the face.
  const auto stride = 1 + (best->edge_count - 1) / static_cast<std::int32_t>(ContactFeature::kMost);
  for (std::int32_t k = 0; k < best->edge_count; k += stride) {
    const auto vertex = to_index(data.edges[to_index(best->first_edge + k)].vertex);
    f.add(data.vertices[vertex], vertex);
  }
  f.normal = best->normal;
}

/// The disc at height z about the axis, seen from above (side 1) or below (side -1).
void present_disc(double radius, double z, double side, const Vec3& d, ContactFeature& f) {
  const double across = std::sqrt(d.x * d.x + d.y * d.y);
  const bool tilted = across > kFlatDisc;
  const Vec3 deepest = tilted ? Vec3{radius * d.x / across, radius * d.y / across, z} : Vec3{};
  const auto corner = [&](std::size_t k) { return Vec3{radius * kTurn[k][0], radius * kTurn[k][1], z}; };
  const auto turn = [](const Vec3& p, const Vec3& q) { return p.x * q.y - p.y * q.x; };
  for (std::size_t i = 0; i < 16; ++i) {
    const std::size_t k = side > 0 ? i : (16 - i) % 16, l = side > 0 ? (k + 1) % 16 : (k + 15) % 16;
    if (k % 4 != 0) f.silent_corner |= 1u << f.count;
    f.add(corner(k), k + (side > 0 ? 16 : 0));
    if (!tilted) continue;
    // Between corners k and l, and not so near to either that the sides vanish.
    const double tiny = 1e-6 * radius * radius;
    if (side * turn(corner(k), deepest) > tiny && side * turn(deepest, corner(l)) > tiny) f.add(deepest, kDeepestName);
  }
  f.normal = {0, 0, side};
  // At a corner of its own the deepest one counts, too.
  for (std::size_t k = 0; k < f.count && tilted; ++k)
    if (norm(f.corner[k] - deepest) <= 1e-4 * radius) f.silent_corner &= ~(1u << k);
}

void present(const Cylinder& shape, const Vec3& d, ContactFeature& f) {
  const double across = std::sqrt(d.x * d.x + d.y * d.y);
  if (std::fabs(d.z) >= across) {
    const double side = d.z < 0 ? -1 : 1;
    return present_disc(shape.radius, side * shape.half_height, side, d, f);
  }
  const Vec3 radial{d.x / across, d.y / across, 0};
  f.add(shape.radius * radial + Vec3{0, 0, -shape.half_height}, 0);
  f.add(shape.radius * radial + Vec3{0, 0, shape.half_height}, 1);
  f.inward = -shape.radius * radial;
}

void present(const Cone& shape, const Vec3& d, ContactFeature& f) {
  const double across = std::sqrt(d.x * d.x + d.y * d.y);
  const double length = std::sqrt(shape.radius * shape.radius + shape.height * shape.height);
  const double along_side = (shape.height * across + shape.radius * d.z) / length;
  if (-d.z >= along_side) return present_disc(shape.radius, base_z(shape), -1, d, f);
  const Vec3 radial = across > 0 ? Vec3{d.x / across, d.y / across, 0} : Vec3{1, 0, 0};
  f.add(shape.radius * radial + Vec3{0, 0, base_z(shape)}, 0);
  f.add({0, 0, apex_z(shape)}, 1);
}

}  // namespace

ContactFeature feature_along(const Shape& shape, const Pose& pose, const Vec3& direction) {
  ContactFeature f;
  const Vec3 local = rotate_back(pose.orientation, direction);
  std::visit(
      [&](const auto& s) {
        if constexpr (requires { present(s, local, f); }) present(s, local, f);
      },
      shape);
  CAIRN_ASSERT(f.count > 0);
  const Mat3 r = to_matrix(pose.orientation);
  for (std::size_t k = 0; k < f.count; ++k) f.corner[k] = pose.position + r * f.corner[k];
  f.normal = r * f.normal;
  f.inward = r * f.inward;
  return f;
}

namespace detail {

SideCut cut_side(const FeaturePrism& reference, const Vec3& p, const Vec3& q) {
  SideCut cut;
  for (std::size_t j = 0; j < reference.count(); ++j) {
    const double at_p = reference.over(j, p), at_q = reference.over(j, q), tolerance = reference.tolerance(j);
    const bool p_outside = at_p > tolerance, q_outside = at_q > tolerance;
    if (p_outside && q_outside) return {1, 0};
    if (p_outside == q_outside) continue;
    const double t = std::clamp(at_p / (at_p - at_q), 0.0, 1.0);
    if (p_outside && t >= cut.enter) {
      cut.enter = t;
      cut.enter_side = j;
    } else if (q_outside && t <= cut.leave) {
      cut.leave = t;
      cut.leave_side = j;
    }
  }
  return cut;
}

bool drop_corner(const ContactFeature& reference, std::size_t k, const ContactFeature& incident,
                 const FeaturePrism& over_incident, Vec3& dropped) {
  const double slope = dot(incident.normal, reference.normal);
  if (!(slope < -kSideways)) return false;
  const Vec3 corner = reference.corner[k];
  const double height = dot(incident.normal, incident.corner[0] - corner) / slope;
  dropped = corner + height * reference.normal;
  for (std::size_t j = 0; j < incident.count; ++j)
    if (!(over_incident.over(j, dropped) < -over_incident.tolerance(j))) return false;
  return true;
}

}  // namespace detail

}  // namespace cairn
