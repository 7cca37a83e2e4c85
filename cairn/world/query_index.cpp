// SPDX-License-Identifier: MIT
#include "cairn/world/query_index.h"

#include <algorithm>

namespace cairn {

namespace {

constexpr std::int64_t kBodyGrain = 1024;

Aabb box_now(const Bodies& bodies, const Shapes& shapes, std::size_t s) {
  const Pose& pose = bodies.pose[static_cast<std::size_t>(shapes.body[s])];
  const double radius = shapes.sphere_radius[s];
  if (radius >= 0 && shapes.centred[s] != 0) return grown({pose.position, pose.position}, radius);
  return clamped(bounds(shapes.shape[s], shapes.centred[s] != 0 ? pose : pose * shapes.local[s]));
}

}  // namespace

void QueryIndex::refresh(const Bodies& bodies, const Shapes& shapes, ThreadPool* pool) {
  tree_.resize(shapes.size());
  for (const std::int32_t s : removed_)
    if (shapes.body[static_cast<std::size_t>(s)] < 0) tree_.set(static_cast<std::size_t>(s), Aabb{});
  removed_.clear();
  if (!complete_) marked_.assign(bodies.size(), 1);
  complete_ = true;
  const auto count = static_cast<std::int64_t>(std::min(marked_.size(), bodies.size()));
  parallel_for(pool, count, kBodyGrain, [&](std::int64_t begin, std::int64_t end) {
    for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i) {
      if (marked_[i] == 0) continue;
      marked_[i] = 0;
      for (const std::uint32_t s : bodies.record[i].shapes) tree_.set(s, box_now(bodies, shapes, s));
    }
  });
  tree_.update(pool);
}

}  // namespace cairn
