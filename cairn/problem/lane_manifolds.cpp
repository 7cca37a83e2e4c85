// SPDX-License-Identifier: MIT
#include "cairn/problem/lane_manifolds.h"

namespace cairn {

namespace {

bool share_bodies(const ContactBlock& a, const ContactBlock& b) { return a.body_a == b.body_a && a.body_b == b.body_b; }
bool belong_together(const ContactBlock& a, const ContactBlock& b) {
  return share_bodies(a, b) && a.normal == b.normal && a.tangent1 == b.tangent1 && a.tangent2 == b.tangent2 &&
         a.spin_radius == b.spin_radius;
}

}  // namespace

void LaneManifolds::find(const ContactProblem& problem, std::span<const std::int32_t> colour,
                         const LaneProblem& lanes) {
  first_.clear(), ordinal_.clear();
  for (std::size_t k = 0; k < problem.contacts.size(); ++k) {
    const ContactBlock& c = problem.contacts[k];
    const bool same_pair =
        k > 0 && share_bodies(problem.contacts[k - 1], c) && (colour.empty() || colour[k] == colour[k - 1]);
    const bool joins = same_pair && belong_together(problem.contacts[k - 1], c) &&
                       k - static_cast<std::size_t>(first_.back()) < kMostPoints;
    if (joins) continue;
    ordinal_.push_back(same_pair ? ordinal_.back() + 1 : 0);
    first_.push_back(static_cast<std::int32_t>(k));
  }
  first_.push_back(static_cast<std::int32_t>(problem.contacts.size()));
  colour_.resize(size()), keys_.resize(size());
  if (colour.empty())
    colour_greedily(problem, lanes);
  else
    for (std::size_t i = 0; i < size(); ++i) colour_[i] = colour[static_cast<std::size_t>(first_[i])];
  for (std::size_t i = 0; i < size(); ++i) {
    const ContactBlock& c = problem.contacts[static_cast<std::size_t>(first_[i])];
    LaneTraits traits{
        c.body_a, c.body_b, first_[i + 1] - first_[i], c.friction1 != c.friction2 || c.spin_radius > 0, c.normal,
        c.arm_a,  c.arm_b};
    for (std::int32_t k = first_[i]; k < first_[i + 1]; ++k)
      traits.extra = traits.extra || problem.contacts[static_cast<std::size_t>(k)].restitution > 0;
    keys_[i] = lanes.key(traits, colour_[i], ordinal_[i]);
  }
}

void LaneManifolds::colour_greedily(const ContactProblem& problem, const LaneProblem& lanes) {
  edges_.clear();
  const auto vertex = [&](std::int32_t b) { return lanes.can_move(static_cast<std::size_t>(b)) ? b : kNoVertex; };
  for (std::size_t i = 0; i < size(); ++i) {
    const ContactBlock& c = problem.contacts[static_cast<std::size_t>(first_[i])];
    if (ordinal_[i] == 0) edges_.push_back({vertex(c.body_a), vertex(c.body_b)});
  }
  colour_edges_greedy(edges_, static_cast<std::int32_t>(problem.bodies.size()), sets_, colouring_);
  std::size_t next = 0;
  for (std::size_t i = 0; i < size(); ++i) {
    if (ordinal_[i] == 0) ++next;
    colour_[i] = colouring_.colour[next - 1];
  }
}

LaneManifold LaneManifolds::gather(const ContactProblem& problem, const ContactSolution& warm, std::size_t i) const {
  const auto first = static_cast<std::size_t>(first_[i]), end = static_cast<std::size_t>(first_[i + 1]);
  const ContactBlock& c = problem.contacts[first];
  LaneManifold m(c);
  const double side = handedness(c);
  for (std::size_t k = first; k < end; ++k) {
    const ContactBlock& p = problem.contacts[k];
    const Velocity& a = problem.bodies[static_cast<std::size_t>(p.body_a)].velocity;
    const Velocity& b = problem.bodies[static_cast<std::size_t>(p.body_b)].velocity;
    std::array<double, 4> impulse{};
    if (!warm.contact_impulse.empty()) impulse = warm.contact_impulse[k];
    impulse[2] *= side;
    m.add(p, p.restitution > 0 ? contact_velocity(p, a, b)[0] : 0.0, impulse);
  }
  return m;
}

void LaneManifolds::scatter(const ContactProblem& problem, const LaneManifold& m, std::size_t i,
                            std::vector<std::array<double, 4>>& impulse) const {
  const auto first = static_cast<std::size_t>(first_[i]);
  const double side = handedness(problem.contacts[first]);
  for (std::size_t p = 0; p < m.points().size(); ++p) {
    impulse[first + p] = m.point[p].impulse;
    impulse[first + p][2] *= side;
  }
}

}  // namespace cairn
