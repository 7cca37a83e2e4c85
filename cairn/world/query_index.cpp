// SPDX-License-Identifier: MIT
#include "cairn/world/query_index.h"

#include <algorithm>

#include "cairn/core/index.h"

namespace cairn {

namespace {

constexpr std::int64_t kBodyGrain = 1024;

Aabb box_now(const Bodies& bodies, const Shapes& shapes, std::size_t s) {
  const Pose& pose = bodies.pose[to_index(shapes.body[s])];
  const double radius = shapes.sphere_radius[s];
  if (radius >= 0 && shapes.centred[s] != 0) return grown({pose.position, pose.position}, radius);
  return clamped(bounds(shapes.shape[s], shapes.centred[s] != 0 ? pose : pose * shapes.local[s]));
}

}  // namespace

void QueryIndex::refresh(const Bodies& bodies, const Shapes& shapes, ThreadPool* pool) {
  tree_.resize(shapes.size());
  for (const std::int32_t s : removed_)
    if (shapes.body[to_index(s)] < 0) tree_.set(to_index(s), Aabb{});
  removed_.clear();
  if (!complete_) marked_.assign(bodies.size(), 1);
  complete_ = true;
  const auto count = static_cast<std::int64_t>(std::min(marked_.size(), bodies.size()));
  parallel_for(pool, count, kBodyGrain, [&](std::int64_t begin, std::int64_t end) {
    for (auto i = to_index(begin); i < to_index(end); ++i) {
      if (marked_[i] == 0) continue;
      marked_[i] = 0;
      for (const std::uint32_t s : bodies.record[i].shapes) tree_.set(s, box_now(bodies, shapes, s));
    }
  });
  tree_.update(pool);
}

}  // namespace cairn
