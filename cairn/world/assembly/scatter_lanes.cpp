// SPDX-License-Identifier: MIT
// What a solver left in the lanes goes back: to the points of the cache, and to the solution of the problem.
#include <array>
#include <cmath>
#include <span>

#include "cairn/core/index.h"
#include "cairn/world/assembly/assemble_lanes.h"
#include "cairn/world/assembly/contact_blocks.h"
#include "cairn/world/limits.h"

namespace cairn {

namespace {

constexpr std::int64_t kSlabGrain = 4;

/// An impulse in the cache's own frame, as far as it may be kept (kept_impulse): four numbers at once.
void keep_impulse(const std::array<double, 4>& impulse, ContactPoint& point) {
  float kept[4];
  for (int k = 0; k < 4; ++k) kept[k] = static_cast<float>(impulse[to_index(k)]);
  for (float& l : kept) l = std::fabs(l) <= static_cast<float>(kLargestImpulse) ? l : 0.0f;
  point.normal_impulse = kept[0];
  point.tangent_impulse[0] = kept[1], point.tangent_impulse[1] = kept[2];
  point.spin_impulse = kept[3];
}

/// The impulses of the last sub-step, times their number `spread`, go to the points of a slab. The frames of the cache
/// are right-handed, as those of lanes.
class SlabScatter {
 public:
  SlabScatter(const ContactSource& from, const LaneProblem& lanes, Slab& slab)
      : from_(from), lanes_(lanes), slab_(slab) {}

  /// The points of lane i. True if it was pushed in any sub-step.
  bool scatter(std::size_t i, const LanePoints& lane, int spread) {
    const std::span<ContactPoint> points{slab_.points.data() + lane.first_point, to_index(lane.count)};
    if (lane.is_single()) return scatter_single(i, lane, spread, points[0]);
    lane.is_plain ? scatter_plain(i, lane, spread, points) : scatter_contacts(i, lane, spread, points);
    return points[0].normal_impulse > 0 || lanes_.was_pushed(i);
  }

 private:
  /// Neither frame nor arms matter.
  bool scatter_single(std::size_t i, const LanePoints& lane, int spread, ContactPoint& point) const {
    const LaneProblem::SingleImpulse single = lanes_.read_single(i, spread, lane.body_b);
    keep_impulse({single.impulse[0], single.impulse[1], single.impulse[2], 0.0}, point);
    return single.was_pushed;
  }
  /// The lane has the cache's own frame.
  void scatter_plain(std::size_t i, const LanePoints& lane, int spread, std::span<ContactPoint> points) {
    manifold_.body_b = lane.body_b, manifold_.count = lane.count, manifold_.spin_radius = 0;
    lanes_.read(i, LaneProblem::Impulses::last, spread, manifold_);
    for (std::size_t p = 0; p < points.size(); ++p) keep_impulse(manifold_.point[p].impulse, points[p]);
  }
  /// Any material: its frame may follow the grain.
  void scatter_contacts(std::size_t i, const LanePoints& lane, int spread, std::span<ContactPoint> points) {
    const ContactManifold& m = slab_.manifolds[to_index(lane.manifold)];
    const ManifoldContext context = manifold_context(from_, m);
    manifold_ = LaneManifold(context.block);
    manifold_.count = lane.count;
    lanes_.read(i, LaneProblem::Impulses::last, spread, manifold_);
    for (std::size_t p = 0; p < points.size(); ++p)
      cairn::keep_impulse(from_, m, context.block, manifold_.point[p].impulse, points[p]);
  }

  const ContactSource& from_;
  const LaneProblem& lanes_;
  Slab& slab_;
  LaneManifold manifold_;
};

}  // namespace

void scatter_lanes(const ContactSource& from, const LaneBatching& batching, const Assembly& assembly,
                   ContactCache& cache, ThreadPool* pool) {
  const std::array<int, kMostBatches> spread = batching.spread();
  const std::span<Slab> slabs = cache.slabs();
  const std::span<ContactPair> records = cache.records();
  for_each_index(pool, slabs.size(), kSlabGrain, [&](std::size_t s) {
    SlabScatter slab(from, assembly.lanes, slabs[s]);
    assembly.lane_sources.for_lanes_of(s, [&](std::size_t i, const LanePoints& lane) {
      const bool pushed = slab.scatter(i, lane, spread[lane.batch]);
      // Bodies that met and parted again within the step have touched, though the last sub-step knows nothing of it.
      if (!pushed || slabs[s].points[to_index(lane.first_point)].normal_impulse > 0) return;
      records[to_index(slabs[s].manifolds[to_index(lane.manifold)].pair)].pushed = 1;
    });
  });
}

void read_lanes(ThreadPool* pool, Assembly& out) {
  out.solution.contact_impulse.resize(out.problem.contacts.size());
  for_each_index(pool, out.first_contact.size() - 1, kSlabGrain, [&](std::size_t s) {
    auto k = to_index(out.first_contact[s]);
    out.lane_sources.for_lanes_of(s, [&](std::size_t i, const LanePoints& lane) {
      const auto count = to_index(lane.count);
      LaneManifold m(out.problem.contacts[k]);
      m.count = lane.count;
      out.lanes.read(i, LaneProblem::Impulses::total, 1, m);
      for (std::size_t p = 0; p < count; ++p) out.solution.contact_impulse[k + p] = m.point[p].impulse;
      share_friction_by_load({out.problem.contacts.data() + k, count},
                             {out.solution.contact_impulse.data() + k, count});
      k += count;
    });
  });
}

}  // namespace cairn
