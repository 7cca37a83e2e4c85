// SPDX-License-Identifier: MIT
// The stored fields of a ContactProblem, written once: the file writer, the file reader and the pipe all use this list.
#pragma once

#include <span>

#include "cairn/problem/contact_problem.h"

namespace cairn {

/// Calls visitor.reals(name, elements, each) or visitor.ints(...) for every stored array. `elements` is a span and
/// each(element, use) calls use(number) for the numbers one element contributes, in the order they are stored. The
/// vectors of the problem must have their final sizes.
template <class Problem, class Visitor>
void for_each_field(Problem& p, Visitor& visitor) {
  const auto vec = [](auto& v, auto& use) { use(v.x), use(v.y), use(v.z); };
  const auto motion = [vec](auto& v, auto& use) { vec(v.linear, use), vec(v.angular, use); };
  const std::span whole(&p, 1);
  const std::span bodies(p.bodies);
  const std::span contacts(p.contacts);
  const std::span joints(p.joints);
  const std::span rows(p.joint_rows);

  visitor.reals("time_step", whole, [](auto& q, auto& use) { use(q.dt); });
  visitor.reals("stabilisation", whole, [](auto& q, auto& use) {
    auto& s = q.stabilisation;
    use(s.contact_rate), use(s.joint_rate), use(s.slop), use(s.max_push), use(s.bounce_speed);
  });

  visitor.reals("body_inverse_mass", bodies, [](auto& b, auto& use) { use(b.inverse_mass); });
  visitor.reals("body_inverse_inertia", bodies, [](auto& b, auto& use) {
    auto& m = b.inverse_inertia;
    use(m.xx), use(m.yy), use(m.zz), use(m.xy), use(m.xz), use(m.yz);
  });
  visitor.reals("body_velocity", bodies, [=](auto& b, auto& use) { motion(b.velocity, use); });
  visitor.reals("body_acceleration", bodies, [=](auto& b, auto& use) { motion(b.acceleration, use); });

  visitor.ints("contact_bodies", contacts, [](auto& c, auto& use) { use(c.body_a), use(c.body_b); });
  visitor.reals("contact_frame", contacts,
                [=](auto& c, auto& use) { vec(c.normal, use), vec(c.tangent1, use), vec(c.tangent2, use); });
  visitor.reals("contact_arms", contacts, [=](auto& c, auto& use) { vec(c.arm_a, use), vec(c.arm_b, use); });
  visitor.reals("contact_gap", contacts, [](auto& c, auto& use) { use(c.gap); });
  visitor.reals("contact_friction", contacts, [](auto& c, auto& use) { use(c.friction1), use(c.friction2); });
  visitor.reals("contact_spin_radius", contacts, [](auto& c, auto& use) { use(c.spin_radius); });
  visitor.reals("contact_restitution", contacts, [](auto& c, auto& use) { use(c.restitution); });

  visitor.ints("joint_bodies", joints, [](auto& j, auto& use) { use(j.body_a), use(j.body_b); });
  visitor.ints("joint_first_row", joints, [](auto& j, auto& use) { use(j.first_row); });
  visitor.ints("joint_row_count", joints, [](auto& j, auto& use) { use(j.row_count); });

  visitor.reals("row_jacobian", rows, [=](auto& r, auto& use) {
    vec(r.linear_a, use), vec(r.angular_a, use), vec(r.linear_b, use), vec(r.angular_b, use);
  });
  visitor.reals("row_error", rows, [](auto& r, auto& use) { use(r.error); });
  visitor.reals("row_target_velocity", rows, [](auto& r, auto& use) { use(r.target_velocity); });
  visitor.reals("row_compliance", rows, [](auto& r, auto& use) { use(r.compliance); });
  visitor.reals("row_damping", rows, [](auto& r, auto& use) { use(r.damping); });
  visitor.reals("row_bounds", rows, [](auto& r, auto& use) { use(r.lower), use(r.upper); });
}

/// How many numbers one element contributes to a field.
template <class Element, class Each>
std::int64_t field_width(const Each& each) {
  std::int64_t width = 0;
  const Element element{};
  const auto count = [&](const auto&) { ++width; };
  each(element, count);
  return width;
}

}  // namespace cairn
