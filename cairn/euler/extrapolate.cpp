// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>
#include <cmath>

#include "cairn/euler/solid.h"

namespace cairn {

namespace {

constexpr int kReach = 3;  // of the window, in nodes
constexpr int kFewest = 7;             // nodes for an affine fit in three dimensions
constexpr double kLeastSpread = 1e-4;  // of the fit: det of the covariance over the cube of a third of its trace

using View = BlockView<kReach>;

/// exp(-d^2/2) by powers of exp(-1/2): no mathematical library, same bits everywhere.
std::array<double, 3 * kReach * kReach + 1> gaussian_weights() {
  constexpr double kRoot = 0.606530659712633423603799534991;
  std::array<double, 3 * kReach * kReach + 1> weights{};
  weights[0] = 1;
  for (std::size_t i = 1; i < weights.size(); ++i) weights[i] = weights[i - 1] * kRoot;
  return weights;
}
const std::array<double, 3 * kReach * kReach + 1> kWeight = gaussian_weights();

/// Which places of a view have the flag.
using Known = std::array<std::uint8_t, std::tuple_size_v<decltype(View::node)>>;

bool find_known(const GridSolid& solid, const View& view, std::uint8_t flag, Known& known) {
  bool any = false;
  for (std::size_t i = 0; i < known.size(); ++i) {
    known[i] = solid.has(view.node[i], flag) ? 1 : 0;
    any = any || known[i] != 0;
  }
  return any;
}

bool has_known_neighbour(const Known& known, int place) {
  for (int x = -1; x <= 1; ++x)
    for (int y = -1; y <= 1; ++y) {
      const auto* row = known.data() + place + (x * View::kSide + y) * View::kSide;
      if ((row[-1] | row[0] | row[1]) != 0) return true;
    }
  return false;
}

/// sum w, sum w d, sum w d d^T of a window and the same with the field.
struct Moments {
  double w = 0;
  Vec3 d;
  SymMat3 dd;
  Vec3 f;
  Mat3 fd = kZeroMatrix;
  int count = 0;
};

Moments add_up(const std::vector<Vec3>& field, const View& view, const Known& known, int place) {
  Moments m;
  for (int x = -kReach; x <= kReach; ++x)
    for (int y = -kReach; y <= kReach; ++y) {
      const int row = place + (x * View::kSide + y) * View::kSide;
      for (int z = -kReach; z <= kReach; ++z) {
        const auto at = static_cast<std::size_t>(row + z);
        if (known[at] == 0) continue;
        const double w = kWeight[static_cast<std::size_t>(x * x + y * y + z * z)];
        const Vec3 d{static_cast<double>(x), static_cast<double>(y), static_cast<double>(z)}, wd = w * d;
        const Vec3& f = field[static_cast<std::size_t>(view.node[at])];
        m.w += w;
        m.d += wd;
        m.dd = {m.dd.xx + wd.x * d.x, m.dd.yy + wd.y * d.y, m.dd.zz + wd.z * d.z,
                m.dd.xy + wd.x * d.y, m.dd.xz + wd.x * d.z, m.dd.yz + wd.y * d.z};
        m.f += w * f;
        add_outer(m.fd, f, wd);
        ++m.count;
      }
    }
  return m;
}

/// Of the affine function f(d) = mean_f + A (d - mean_d) at d = 0, A = cov(f, d) cov(d, d)^-1; or mean_f where the
/// known nodes are few or lie in a plane.
Vec3 fitted_value(const Moments& m) {
  const double s = 1 / m.w;
  const Vec3 mean_d = s * m.d, mean_f = s * m.f;
  const SymMat3 cov = s * m.dd + SymMat3{-mean_d.x * mean_d.x, -mean_d.y * mean_d.y, -mean_d.z * mean_d.z,
                                         -mean_d.x * mean_d.y, -mean_d.x * mean_d.z, -mean_d.y * mean_d.z};
  const double third = trace(cov) / 3;
  if (m.count < kFewest || !(determinant(cov) > kLeastSpread * third * third * third)) return mean_f;
  const Vec3 back = inverse(cov) * mean_d;
  Mat3 mixed{s * m.fd.row0, s * m.fd.row1, s * m.fd.row2};
  add_outer(mixed, -mean_f, mean_d);
  return mean_f - mixed * back;
}

/// The new nodes of one block; their values go to `next`.
void fill_block(GridSolid& solid, const std::vector<Vec3>& field, std::uint8_t flag, std::int32_t block,
                std::vector<std::int32_t>& filled) {
  filled.clear();
  View view;
  Known known;
  solid.blocks.fill(block, view);
  if (!find_known(solid, view, flag, known)) return;
  for (int x = 0; x < kBlockSide; ++x)
    for (int y = 0; y < kBlockSide; ++y)
      for (int z = 0; z < kBlockSide; ++z) {
        const int place = View::place(x, y, z);
        if (known[static_cast<std::size_t>(place)] != 0 || !has_known_neighbour(known, place)) continue;
        const std::int32_t node = block * kBlockNodes + local_index(x, y, z);
        solid.next[static_cast<std::size_t>(node)] = fitted_value(add_up(field, view, known, place));
        filled.push_back(node);
      }
}

}  // namespace

void extrapolate(GridSolid& solid, std::vector<Vec3>& field, std::uint8_t flag, int layers, ThreadPool* pool) {
  const std::int32_t blocks = solid.blocks.block_count();
  solid.lists.resize(static_cast<std::size_t>(blocks));
  for (int layer = 0; layer < layers; ++layer) {
    parallel_for(pool, blocks, 1, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t b = begin; b < end; ++b)
        fill_block(solid, field, flag, static_cast<std::int32_t>(b), solid.lists[static_cast<std::size_t>(b)]);
    });
    parallel_for(pool, blocks, 16, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t b = begin; b < end; ++b)
        for (const std::int32_t node : solid.lists[static_cast<std::size_t>(b)]) {
          field[static_cast<std::size_t>(node)] = solid.next[static_cast<std::size_t>(node)];
          solid.flags[static_cast<std::size_t>(node)] |= flag;
        }
    });
  }
}

}  // namespace cairn
