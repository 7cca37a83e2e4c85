// SPDX-License-Identifier: MIT
#include "cairn/broad/wide_tree.h"

#include <algorithm>

namespace cairn {

namespace {

constexpr std::int64_t kGrain = 4096;
constexpr std::int64_t kNodeGrain = 256;
constexpr double kLastCell = 0xfffff;  // cells along an axis of the curve, less one
constexpr double kWideRatio = 8;       // of the mean extent: wider boxes stand apart in the order

bool present(const Aabb& box) { return box.lower.x <= box.upper.x; }

double extent(const Aabb& box) {
  return std::max({box.upper.x - box.lower.x, box.upper.y - box.lower.y, box.upper.z - box.lower.z});
}

/// The lowest 20 bits of x, three places apart.
std::uint64_t spread(std::uint64_t x) {
  x = (x | x << 32) & 0x001f00000000ffffULL;
  x = (x | x << 16) & 0x001f0000ff0000ffULL;
  x = (x | x << 8) & 0x100f00f00f00f00fULL;
  x = (x | x << 4) & 0x10c30c30c30c30c3ULL;
  return (x | x << 2) & 0x1249249249249249ULL;
}

/// Frame of the curve: the cube around all centres.
struct Frame {
  Vec3 origin;
  double scale = 0;  ///< cells per length
  double wide = 0;   ///< extent beyond which a box counts as wide

  std::uint64_t key(const Aabb& box) const {
    if (!present(box)) return ~0ULL;
    const Vec3 p = scale * (centre(box) - origin);
    const auto cell = [](double x) { return static_cast<std::uint64_t>(std::clamp(x, 0.0, kLastCell)); };
    const std::uint64_t code = spread(cell(p.x)) | spread(cell(p.y)) << 1 | spread(cell(p.z)) << 2;
    return extent(box) > wide ? code | 1ULL << 62 : code;
  }
};

Frame frame_of(std::span<const Aabb> boxes) {
  Aabb centres;
  double sum = 0;
  std::int64_t count = 0;
  for (const Aabb& box : boxes) {
    if (!present(box)) continue;
    centres = unite(centres, centre(box));
    sum += extent(box);
    ++count;
  }
  if (count == 0) return {};
  const double span = extent(centres);
  return {centres.lower, span > 0 ? kLastCell / span : 0, kWideRatio * sum / static_cast<double>(count)};
}

}  // namespace

void WideNode::set(std::size_t lane, const Aabb& box) {
  lower[0][lane] = box.lower.x, lower[1][lane] = box.lower.y, lower[2][lane] = box.lower.z;
  upper[0][lane] = box.upper.x, upper[1][lane] = box.upper.y, upper[2][lane] = box.upper.z;
}

Aabb WideNode::bounds() const {
  Aabb all = box(0);
  for (std::size_t c = 1; c < kWidth; ++c) all = unite(all, box(c));
  return all;
}

void WideTree::build(std::span<const Aabb> boxes, ThreadPool* pool) {
  const Frame frame = frame_of(boxes);
  keys_.resize(boxes.size());
  parallel_for(pool, static_cast<std::int64_t>(boxes.size()), kGrain, [&](std::int64_t begin, std::int64_t end) {
    for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i)
      keys_[i] = frame.key(boxes[i]);
  });
  order_ = sort_.sort(keys_, pool);
  plan_levels(static_cast<std::int32_t>(boxes.size()));
  refit(boxes, pool);
}

void WideTree::plan_levels(std::int32_t count) {
  level_begin_.clear();
  level_size_.clear();
  std::int32_t total = 0;
  while (count > 0) {
    const std::int32_t size = (count - 1) / kWidth + 1;
    level_begin_.push_back(total);
    level_size_.push_back(size);
    total += size;
    count = size > 1 ? size : 0;
  }
  nodes_.resize(static_cast<std::size_t>(total));
}

void WideTree::refit(std::span<const Aabb> boxes, ThreadPool* pool) {
  for (std::size_t level = 0; level < level_size_.size(); ++level) {
    const std::int64_t size = level_size_[level];
    const std::int64_t below = level == 0 ? static_cast<std::int64_t>(order_.size()) : level_size_[level - 1];
    if (level == 1) partial_.assign(static_cast<std::size_t>((size + kNodeGrain - 1) / kNodeGrain), 0);
    parallel_for(pool, size, kNodeGrain, [&](std::int64_t begin, std::int64_t end) {
      double surfaces = 0;
      for (std::int64_t i = begin; i < end; ++i) {
        WideNode& target = nodes_[static_cast<std::size_t>(level_begin_[level] + i)];
        for (std::int64_t c = 0; c < kWidth; ++c) {
          const std::int64_t child = i * kWidth + c;
          Aabb box;
          if (child < below && level == 0)
            box = boxes[static_cast<std::size_t>(order_[static_cast<std::size_t>(child)].index)];
          else if (child < below)
            box = node(static_cast<int>(level) - 1, static_cast<std::int32_t>(child)).bounds();
          target.set(static_cast<std::size_t>(c), box);
          if (level == 1 && present(box)) surfaces += surface(box);
        }
      }
      if (level == 1) partial_[static_cast<std::size_t>(begin / kNodeGrain)] = surfaces;
    });
  }
  quality_ = 0;
  if (level_size_.size() > 1)
    for (const double surfaces : partial_) quality_ += surfaces;
}

}  // namespace cairn
