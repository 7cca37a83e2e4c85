// SPDX-License-Identifier: MIT
#include "cairn/problem/lanes/lane_manifolds.h"

#include "cairn/core/index.h"

namespace cairn {

namespace {

bool share_bodies(const ContactBlock& a, const ContactBlock& b) { return a.body_a == b.body_a && a.body_b == b.body_b; }
bool share_frame(const ContactBlock& a, const ContactBlock& b) {
  return a.normal == b.normal && a.tangent1 == b.tangent1 && a.tangent2 == b.tangent2 && a.spin_radius == b.spin_radius;
}

}  // namespace

/// Contacts are runs of one point. Those of bodies that cannot move are in no lane.
void LaneManifolds::group(const LaneInput& in, const LaneProblem& lanes) {
  const ContactProblem& problem = in.problem;
  lanes_.clear();
  LaneGrouping grouping;
  const auto keep = [&](const LaneRun& lane) { lanes_.push_back(lane); };
  std::int32_t pair = -1;
  for (std::size_t k = 0; k < problem.contacts.size(); ++k) {
    const ContactBlock& contact = problem.contacts[k];
    const auto moves = [&](std::int32_t body) { return lanes.can_move(to_index(body)); };
    if (!moves(contact.body_a) && !moves(contact.body_b)) continue;
    const bool same_pair = k > 0 && share_bodies(problem.contacts[k - 1], contact) &&
                           (in.colour.empty() || in.colour[k] == in.colour[k - 1]);
    if (!same_pair) ++pair;
    const auto index = static_cast<std::int32_t>(k);
    grouping.add(
        {index, index, 1, pair},
        [&](std::int32_t run) { return share_frame(problem.contacts[to_index(run)], contact); }, keep);
  }
  grouping.finish(keep);
}

void LaneManifolds::find(const LaneInput& in, const LaneBatching& batching, ThreadPool* pool, LaneProblem& lanes) {
  const ContactProblem& problem = in.problem;
  group(in, lanes);
  find_batches(in, batching, pool, lanes);
  colour_.resize(size()), keys_.resize(size());
  if (in.colour.empty())
    colour_greedily(problem);
  else
    for (std::size_t i = 0; i < size(); ++i) colour_[i] = in.colour[to_index(lanes_[i].run)];
  for (std::size_t i = 0; i < size(); ++i) {
    const auto first = to_index(lanes_[i].run);
    const ContactBlock& c = problem.contacts[first];
    LaneTraits traits{c.body_a, c.body_b, lanes_[i].count, c.friction1 != c.friction2 || c.spin_radius > 0,
                      c.normal, c.arm_a,  c.arm_b};
    for (std::size_t k = first; k < first + to_index(lanes_[i].count); ++k)
      traits.extra = traits.extra || problem.contacts[k].restitution > 0;
    keys_[i] = lanes.key(traits, {batch_[i], colour_[i], lanes_[i].ordinal});
  }
}

/// Islands are held together by contacts and joints.
void LaneManifolds::find_batches(const LaneInput& in, const LaneBatching& batching, ThreadPool* pool,
                                 LaneProblem& lanes) {
  const ContactProblem& problem = in.problem;
  const auto vertex = [&](std::int32_t b) { return lanes.can_move(to_index(b)) ? b : kNoVertex; };
  edges_.clear();
  for (const LaneRun& lane : lanes_) {
    const ContactBlock& c = problem.contacts[to_index(lane.run)];
    edges_.push_back({vertex(c.body_a), vertex(c.body_b)});
  }
  for (const JointBlock& joint : problem.joints) edges_.push_back({vertex(joint.body_a), vertex(joint.body_b)});
  finder_.find(edges_, static_cast<std::int32_t>(problem.bodies.size()), pool, islands_);
  counts_.assign(to_index(islands_.count), {});
  for (std::size_t i = 0; i < size(); ++i) {
    if (islands_.of_edge[i] < 0) continue;
    const auto contact = [&](int p) { return to_index(lanes_[i].run + p); };
    count_manifold(
        lanes_[i].count, [&](int p) { return problem.contacts[contact(p)].gap; },
        [&](int p) { return in.warm.contact_impulse.empty() ? 0.0 : in.warm.contact_impulse[contact(p)][0]; },
        counts_[to_index(islands_.of_edge[i])]);
  }
  count_joints(problem, islands_, lanes, counts_);
  assign_batches(batching, islands_, counts_, island_batch_, lanes);
  batch_.assign(size(), 0);
  for (std::size_t i = 0; i < size(); ++i)
    if (islands_.of_edge[i] >= 0) batch_[i] = island_batch_[to_index(islands_.of_edge[i])];
}

void LaneManifolds::colour_greedily(const ContactProblem& problem) {
  pairs_.clear();
  for (std::size_t i = 0; i < size(); ++i)
    if (lanes_[i].ordinal == 0) pairs_.push_back(edges_[i]);
  colour_edges_greedy(pairs_, static_cast<std::int32_t>(problem.bodies.size()), sets_, colouring_);
  for (std::size_t i = 0; i < size(); ++i) colour_[i] = colouring_.colour[to_index(lanes_[i].pair)];
}

LaneManifold LaneManifolds::gather(const ContactProblem& problem, const ContactSolution& warm, std::size_t i) const {
  const auto first = to_index(lanes_[i].run);
  const double side = handedness(problem.contacts[first]);
  LaneManifold m;
  gather_lane(
      problem, lanes_[i].count,
      [&](int p, ContactBlock& block, std::array<double, 4>& impulse) {
        const std::size_t k = first + to_index(p);
        block = problem.contacts[k];
        if (!warm.contact_impulse.empty()) impulse = warm.contact_impulse[k], impulse[2] *= side;
      },
      m);
  return m;
}

void LaneManifolds::scatter(const ContactProblem& problem, const LaneManifold& m, std::size_t i,
                            std::vector<std::array<double, 4>>& impulse) const {
  const auto first = to_index(lanes_[i].run);
  const double side = handedness(problem.contacts[first]);
  for (std::size_t p = 0; p < m.points().size(); ++p) {
    impulse[first + p] = m.point[p].impulse;
    impulse[first + p][2] *= side;
  }
}

void LaneManifolds::share_by_load(const ContactProblem& problem, std::size_t i,
                                  std::vector<std::array<double, 4>>& impulse) const {
  const auto first = to_index(lanes_[i].run), count = to_index(lanes_[i].count);
  share_friction_by_load({problem.contacts.data() + first, count}, {impulse.data() + first, count});
}

}  // namespace cairn
