// SPDX-License-Identifier: MIT
#include "cairn/world/assembly/assemble_lanes.h"

#include <algorithm>
#include <array>
#include <atomic>

#include "cairn/core/index.h"
#include "cairn/world/assembly/contact_blocks.h"
#include "cairn/world/assembly/find_lanes.h"

namespace cairn {

namespace {

constexpr std::int64_t kSlabGrain = 4;

/// What fill_contact and warm_impulse make of a single point of a plain material, without the rest.
LaneSingle gather_single(const Assembly& assembly, const Slab& slab, const LanePoints& lane, double impulse_scale) {
  const Vec3& normal = slab.manifolds[to_index(lane.manifold)].normal;
  const ContactPoint& point = slab.points[to_index(lane.first_point)];
  return {lane.body_a,
          lane.body_b,
          normal,
          make_frame(normal).tangent1,
          point.position - assembly.centre[to_index(lane.body_a)],
          point.position - assembly.centre[to_index(lane.body_b)],
          lane.friction,
          double{point.separation},
          {impulse_scale * double{point.normal_impulse}, impulse_scale * double{point.tangent_impulse[0]},
           impulse_scale * double{point.tangent_impulse[1]}}};
}

/// The same as gather_single for several points.
void gather_plain(const Assembly& assembly, const Slab& slab, const LanePoints& lane, double impulse_scale,
                  LaneManifold& m) {
  m.body_a = lane.body_a, m.body_b = lane.body_b, m.count = lane.count;
  m.normal = slab.manifolds[to_index(lane.manifold)].normal, m.tangent = make_frame(m.normal).tangent1;
  m.spin_radius = 0;
  m.friction1 = m.friction2 = lane.friction;
  const Vec3 centre_a = assembly.centre[to_index(m.body_a)];
  const Vec3 centre_b = assembly.centre[to_index(m.body_b)];
  const ContactPoint* point = slab.points.data() + lane.first_point;
  for (LaneManifold::Point& p : m.points()) {
    p.arm_a = point->position - centre_a, p.arm_b = point->position - centre_b;
    p.gap = double{point->separation};
    p.impulse[0] = impulse_scale * double{point->normal_impulse};
    p.impulse[1] = impulse_scale * double{point->tangent_impulse[0]};
    p.impulse[2] = impulse_scale * double{point->tangent_impulse[1]};
    p.impulse[3] = p.restitution = p.approach = 0;
    ++point;
  }
}

/// Any material: by way of contacts in double.
void gather_contacts(const ContactSource& from, const Assembly& assembly, const Slab& slab, const LanePoints& lane,
                     LaneManifold& m) {
  const ManifoldContext context = manifold_context(from, slab.manifolds[to_index(lane.manifold)]);
  gather_lane(
      assembly.problem, lane.count,
      [&](int p, ContactBlock& block, std::array<double, 4>& impulse) {
        const ContactPoint& point = slab.points[to_index(lane.first_point + p)];
        fill_contact(from.settings, assembly, context, point, block);
        impulse = warm_impulse(context, point, from.impulse_scale);
      },
      m);
}

/// The lanes of one step while they are made.
class LaneAssembly {
 public:
  LaneAssembly(const ContactSource& from, const LaneBatching& batching, ThreadPool* pool, Assembly& out)
      : from_(from), batching_(batching), spread_(batching.spread()), pool_(pool), out_(out) {}

  void run() {
    lanes_.load_bodies(out_.problem.bodies, pool_);
    lanes_.batch_of.resize(lanes_.body_of.size());
    const bool all_are_filled = find();
    const bool same_batches = assign_batches();
    if (all_are_filled && same_batches) return lanes_.keep_layout();
    lay_out();
    for_slabs([&](std::size_t s) { fill(s); });
  }

 private:
  template <class Work>
  void for_slabs(Work&& work) const {
    for_each_index(pool_, slabs_.size(), kSlabGrain, work);
  }

  /// Finds the lanes of all slabs, as if islands were in the batches of the step before, and counts what islands have.
  /// A slab that has the keys of the last layout is filled at once, while it is at hand. True if all of them were.
  bool find() {
    const bool may_be_same = sources_.kept && sources_.first.size() == slabs_.size() + 1;
    if (sources_.slabs.size() < slabs_.size()) sources_.slabs.resize(slabs_.size());
    sources_.counts.assign(to_index(from_.graph.islands().count), {});
    out_.first_contact.assign(slabs_.size() + 1, 0), count_overlaps(slabs_.size(), out_);
    for_slabs([&](std::size_t s) {
      LaneSources::OfSlab& slab = sources_.slabs[s];
      sum_overlaps(slabs_[s], s, out_);
      find_lanes(from_, out_, s, slab);
      out_.first_contact[s + 1] = count_lanes(from_, s, slab, sources_.counts);
      slab.filled = may_be_same && stands_where_it_stood(s);
      if (slab.filled) fill(s);
    });
    for (std::size_t s = 0; s < slabs_.size(); ++s) out_.first_contact[s + 1] += out_.first_contact[s];
    return may_be_same && lanes_.slots.size() == sources_.first[slabs_.size()] && all_slabs_are_filled();
  }

  bool stands_where_it_stood(std::size_t s) const {
    const std::vector<LaneKey>& keys = sources_.slabs[s].keys;
    return sources_.first[s + 1] - sources_.first[s] == keys.size() && lanes_.has_keys(sources_.first[s], keys);
  }
  bool all_slabs_are_filled() const {
    const auto first = sources_.slabs.begin();
    return std::all_of(first, first + static_cast<std::ptrdiff_t>(slabs_.size()),
                       [](const LaneSources::OfSlab& slab) { return slab.filled; });
  }

  /// Batches from the counts of islands. True if all lanes were found with the batches that they have now.
  bool assign_batches() {
    sources_.batch_before = lanes_.batch_of;
    count_joints(out_.problem, from_.graph.islands(), lanes_, sources_.counts);
    cairn::assign_batches(batching_, from_.graph.islands(), sources_.counts, sources_.island_batch, lanes_);
    if (sources_.batch_before == lanes_.batch_of) return true;
    std::atomic<bool> same = true;
    for_slabs([&](std::size_t s) {
      if (!find_batches(from_, lanes_, s, sources_.slabs[s])) same.store(false, std::memory_order_relaxed);
    });
    return same;
  }

  void lay_out() {
    sources_.first.assign(slabs_.size() + 1, 0);
    sources_.keys.clear();
    for (std::size_t s = 0; s < slabs_.size(); ++s) {
      const std::vector<LaneKey>& keys = sources_.slabs[s].keys;
      sources_.keys.insert(sources_.keys.end(), keys.begin(), keys.end());
      sources_.first[s + 1] = sources_.keys.size();
    }
    sources_.kept = lanes_.lay_out(sources_.keys);
  }

  /// Writes the records of a slab, whose place in the lanes is known.
  void fill(std::size_t s) const {
    LaneManifold manifold;
    const Slab& slab = slabs_[s];
    const double impulse_scale = from_.impulse_scale;
    sources_.for_lanes_of(s, [&](std::size_t i, const LanePoints& lane) {
      if (lane.is_single()) return lanes_.fill(i, gather_single(out_, slab, lane, impulse_scale), spread_[lane.batch]);
      if (lane.is_plain)
        gather_plain(out_, slab, lane, impulse_scale, manifold);
      else
        gather_contacts(from_, out_, slab, lane, manifold);
      lanes_.fill(i, manifold, spread_[lane.batch]);
    });
  }

  const ContactSource& from_;
  const LaneBatching& batching_;
  const std::array<int, kMostBatches> spread_;
  ThreadPool* const pool_;
  Assembly& out_;
  const std::span<const Slab> slabs_ = from_.cache.slabs();
  LaneProblem& lanes_ = out_.lanes;
  LaneSources& sources_ = out_.lane_sources;
};

}  // namespace

void assemble_lanes(const ContactSource& from, const LaneBatching& batching, ThreadPool* pool, Assembly& out) {
  LaneAssembly(from, batching, pool, out).run();
  out.is_in_lanes = true;
}

}  // namespace cairn
