// SPDX-License-Identifier: MIT
#include "cairn/geometry/vector_lanes.h"

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "cairn/simd/simd.h"
#include "cairn/simd/vectors.h"

namespace cairn {

namespace {

using Index4 = decltype(Double4{} > Double4{});

/// Lane by lane the largest so far and the block it came from, then the best of the lanes. The dot products are summed
/// as `dot` sums them, so that the answer is that of a loop over single vectors.
inline std::size_t farthest_in(const double* block, std::size_t blocks, const Vec3& d) {
  const auto along_of = [&](std::size_t k, Double4& along) {
    Double4 x, y, z;
    std::memcpy(&x, block + 12 * k, sizeof x), std::memcpy(&y, block + 12 * k + 4, sizeof y);
    std::memcpy(&z, block + 12 * k + 8, sizeof z);
    along = x * d.x + y * d.y + z * d.z;
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
  return 4 * static_cast<std::size_t>(from[lane]) + lane;
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

}  // namespace cairn
