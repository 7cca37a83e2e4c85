// SPDX-License-Identifier: MIT
#include "cairn/geometry/vector_lanes.h"

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "cairn/core/index.h"
#include "cairn/simd/simd.h"
#include "cairn/simd/vectors.h"

namespace cairn {

namespace {

using Index4 = decltype(Double4{} > Double4{});

inline void load_block(const double* block, std::size_t k, Double4 (&v)[3]) {
  for (std::size_t i = 0; i < 3; ++i) std::memcpy(&v[i], block + 12 * k + 4 * i, sizeof v[i]);
}

/// Lane by lane the largest so far and the block it came from, then the best of the lanes. The dot products are summed
/// as `dot` sums them, so that the answer is that of a loop over single vectors.
inline std::size_t farthest_in(const double* block, std::size_t blocks, const Vec3& d) {
  const auto along_of = [&](std::size_t k, Double4& along) {
    Double4 v[3];
    load_block(block, k, v);
    along = v[0] * d.x + v[1] * d.y + v[2] * d.z;
  };
  Double4 best, along;
  Index4 from{};
  along_of(0, best);
  for (std::size_t k = 1; k < blocks; ++k) {
    along_of(k, along);
    const Index4 higher = along > best;
    const Index4 here = Index4{} + static_cast<std::int64_t>(k);
    best = higher ? along : best;
    from = higher ? here : from;
  }
  std::size_t lane = 0;
  for (std::size_t l = 1; l < 4; ++l)
    if (best[l] > best[lane] || (best[l] == best[lane] && from[l] < from[lane])) lane = l;
  return 4 * to_index(from[lane]) + lane;
}

inline void bounds_of(const double* block, std::size_t blocks, const Mat3& r, Aabb& box) {
  const Vec3 row[3] = {r.row0, r.row1, r.row2};
  Double4 lower[3], upper[3];
  for (std::size_t k = 0; k < blocks; ++k) {
    Double4 v[3];
    load_block(block, k, v);
    for (std::size_t i = 0; i < 3; ++i) {
      const Double4 at = row[i].x * v[0] + row[i].y * v[1] + row[i].z * v[2];
      if (k == 0) lower[i] = upper[i] = at;
      lower[i] = at < lower[i] ? at : lower[i];
      upper[i] = at > upper[i] ? at : upper[i];
    }
  }
  const auto least = [](const Double4& v) { return std::min(std::min(v[0], v[1]), std::min(v[2], v[3])); };
  const auto most = [](const Double4& v) { return std::max(std::max(v[0], v[1]), std::max(v[2], v[3])); };
  box = {{least(lower[0]), least(lower[1]), least(lower[2])}, {most(upper[0]), most(upper[1]), most(upper[2])}};
}

}  // namespace

void VectorLanes::assign(std::span<const Vec3> vectors) {
  const std::size_t blocks = (vectors.size() + kLanes - 1) / kLanes;
  block_.resize(3 * kLanes * blocks);
  for (std::size_t k = 0; k < kLanes * blocks; ++k) {
    const Vec3& v = vectors[std::min(k, vectors.size() - 1)];
    double* at = &block_[3 * kLanes * (k / kLanes) + k % kLanes];
    at[0] = v.x, at[kLanes] = v.y, at[2 * kLanes] = v.z;
  }
}

std::size_t VectorLanes::farthest(const Vec3& direction) const {
  std::size_t result = 0;
  run_wide([&] { result = farthest_in(block_.data(), block_.size() / (3 * kLanes), direction); });
  return result;
}

Aabb VectorLanes::bounds(const Mat3& rotation) const {
  Aabb box;
  run_wide([&] { bounds_of(block_.data(), block_.size() / (3 * kLanes), rotation, box); });
  return box;
}

}  // namespace cairn
