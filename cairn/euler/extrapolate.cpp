// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

#include "cairn/core/index.h"
#include "cairn/euler/solid.h"
#include "cairn/simd/simd.h"
#include "cairn/simd/vectors.h"

namespace cairn {

namespace {

constexpr int kReach = 3;              // of the window, in nodes
constexpr double kLeastSpread = 1e-4;  // of the fit: det of the covariance over the cube of a third of its trace

using View = BlockView<kReach>;

/// exp(-d^2/2) by powers of exp(-1/2). It needs no mathematical library, so it has the same bits everywhere.
std::array<double, 3 * kReach * kReach + 1> gaussian_weights() {
  constexpr double kRoot = 0.606530659712633423603799534991;
  std::array<double, 3 * kReach * kReach + 1> weights{};
  weights[0] = 1;
  for (std::size_t i = 1; i < weights.size(); ++i) weights[i] = weights[i - 1] * kRoot;
  return weights;
}
const std::array<double, 3 * kReach* kReach + 1> kWeight = gaussian_weights();

/// The sums of a window over one of its rows along z.
struct RowSums {
  Double4 sum, along;  ///< sum w (f, 1), and times z
  double square = 0;   ///< sum w z^2 over known nodes
  bool is_empty = true;
};

/// A block and what lies around it, as the windows of its nodes see it.
struct Surroundings {
  View view;
  std::array<std::uint8_t, std::tuple_size_v<decltype(View::node)>> known;  ///< per place: has the flag
  std::array<Double4, std::tuple_size_v<decltype(View::node)>> value;       ///< (f, 1) where known, else zero
  std::array<RowSums, std::tuple_size_v<decltype(View::node)>> row;         ///< per place in its middle, where made
  std::array<std::uint8_t, std::tuple_size_v<decltype(View::node)>> is_made;
};

bool find_known(const GridSolid& solid, std::uint8_t flag, Surroundings& around) {
  bool any = false;
  for (std::size_t i = 0; i < around.known.size(); ++i) {
    around.known[i] = solid.has(around.view.node[i], flag) ? 1 : 0;
    any = any || around.known[i] != 0;
  }
  return any;
}

void read_values(const std::vector<Vec3>& field, Surroundings& around) {
  for (std::size_t i = 0; i < around.known.size(); ++i) {
    around.value[i] = Double4{};
    if (around.known[i] == 0) continue;
    const Vec3& f = field[to_index(around.view.node[i])];
    around.value[i] = Double4{f.x, f.y, f.z, 1.0};
  }
}

bool has_known_neighbour(const Surroundings& around, int place) {
  for (int x = -1; x <= 1; ++x)
    for (int y = -1; y <= 1; ++y) {
      const auto* row = around.known.data() + place + (x * View::kSide + y) * View::kSide;
      if ((row[-1] | row[0] | row[1]) != 0) return true;
    }
  return false;
}

/// Sums over a window with weights w. The fourth number of each is the sum of the weights alone.
struct Moments {
  Double4 f, fx, fy, fz;  ///< sum w (f, 1), and times each coordinate of d
  SymMat3 dd;             ///< sum w d d^T
};

/// Sums of the row along z that has the place in its middle.
RowSums add_up_row(const Surroundings& around, int middle) {
  RowSums row{Double4{}, Double4{}};
  const int first = middle - kReach;
  std::uint64_t known = 0;
  std::memcpy(&known, around.known.data() + first, 2 * kReach + 1);
  row.is_empty = known == 0;
  if (row.is_empty) return row;
  for (int z = -kReach; z <= kReach; ++z) {
    const Double4& value = around.value[to_index(middle + z)];
    const double w = kWeight[to_index(z * z)];
    row.sum += w * value;
    row.along += (w * z) * value;
    row.square += (w * z * z) * value[3];
  }
  return row;
}

/// The Gaussian is a product of three, one per axis. So rows along z are added up first, and the windows of neighbours
/// share them. Rows without known nodes are left out.
void add_up(Surroundings& around, int place, Moments& m) {
  m = {Double4{}, Double4{}, Double4{}, Double4{}, {}};
  for (int x = -kReach; x <= kReach; ++x)
    for (int y = -kReach; y <= kReach; ++y) {
      const int middle = place + (x * View::kSide + y) * View::kSide;
      RowSums& row = around.row[to_index(middle)];
      if (around.is_made[to_index(middle)] == 0) {
        row = add_up_row(around, middle);
        around.is_made[to_index(middle)] = 1;
      }
      if (row.is_empty) continue;
      const Double4 &sum = row.sum, &along = row.along;
      const double square = row.square;
      const double w = kWeight[to_index(x * x)] * kWeight[to_index(y * y)];
      m.f += w * sum;
      m.fx += (w * x) * sum;
      m.fy += (w * y) * sum;
      m.fz += w * along;
      m.dd.xx += w * x * x * sum[3];
      m.dd.yy += w * y * y * sum[3];
      m.dd.zz += w * square;
      m.dd.xy += w * x * y * sum[3];
      m.dd.xz += w * x * along[3];
      m.dd.yz += w * y * along[3];
    }
}

/// The value at d = 0 of the affine fit f(d) = mean_f + A (d - mean_d) with A = cov(f, d) cov(d, d)^-1. It is mean_f
/// where the known nodes nearly lie in a plane.
Vec3 fitted_value(const Moments& m) {
  const double s = 1 / m.f[3];
  const Vec3 mean_d{s * m.fx[3], s * m.fy[3], s * m.fz[3]}, mean_f{s * m.f[0], s * m.f[1], s * m.f[2]};
  const SymMat3 cov = s * m.dd + SymMat3{-mean_d.x * mean_d.x, -mean_d.y * mean_d.y, -mean_d.z * mean_d.z,
                                         -mean_d.x * mean_d.y, -mean_d.x * mean_d.z, -mean_d.y * mean_d.z};
  const double third = trace(cov) / 3;
  if (!(determinant(cov) > kLeastSpread * third * third * third)) return mean_f;
  const Vec3 back = inverse(cov) * mean_d;
  Mat3 mixed{{s * m.fx[0], s * m.fy[0], s * m.fz[0]},
             {s * m.fx[1], s * m.fy[1], s * m.fz[1]},
             {s * m.fx[2], s * m.fy[2], s * m.fz[2]}};
  add_outer(mixed, -mean_f, mean_d);
  return mean_f - mixed * back;
}

/// Lists the nodes of a block that are not known and have a known neighbour.
void find_new(const Surroundings& around, std::int32_t block, std::vector<std::int32_t>& list) {
  for (int x = 0; x < kBlockSide; ++x)
    for (int y = 0; y < kBlockSide; ++y)
      for (int z = 0; z < kBlockSide; ++z) {
        const int place = View::place(x, y, z);
        if (around.known[to_index(place)] == 0 && has_known_neighbour(around, place))
          list.push_back(block * kBlockNodes + local_index(x, y, z));
      }
}

/// Whether all nodes of a block are known, as inside a solid. Then there is nothing to extend.
bool is_whole(const GridSolid& solid, std::uint8_t flag, std::int32_t block) {
  const std::uint8_t* flags = solid.flags.data() + to_index(block) * kBlockNodes;
  return std::all_of(flags, flags + kBlockNodes, [flag](std::uint8_t f) { return (f & flag) != 0; });
}

/// Computes the values of the new nodes of one block, and writes them to `next`.
void fill_block(GridSolid& solid, const std::vector<Vec3>& field, std::uint8_t flag, std::int32_t block,
                Surroundings& around) {
  std::vector<std::int32_t>& list = solid.lists[to_index(block)];
  list.clear();
  if (is_whole(solid, flag, block)) return;
  solid.blocks.fill(block, around.view);
  if (!find_known(solid, flag, around)) return;
  find_new(around, block, list);
  if (list.empty()) return;
  read_values(field, around);
  around.is_made.fill(0);
  run_wide([&] {
    for (const std::int32_t node : list) {
      const int local = node % kBlockNodes;
      Moments m;
      add_up(around,
             View::place(local / (kBlockSide * kBlockSide), local / kBlockSide % kBlockSide, local % kBlockSide), m);
      solid.next[to_index(node)] = fitted_value(m);
    }
  });
}

}  // namespace

void extrapolate(GridSolid& solid, std::vector<Vec3>& field, std::uint8_t flag, int layers, ThreadPool* pool) {
  const std::int32_t blocks = solid.blocks.block_count();
  solid.lists.resize(to_index(blocks));
  for (int layer = 0; layer < layers; ++layer) {
    parallel_for(pool, blocks, 2, [&](std::int64_t begin, std::int64_t end) {
      Surroundings around;
      for (std::int64_t b = begin; b < end; ++b) fill_block(solid, field, flag, static_cast<std::int32_t>(b), around);
    });
    parallel_for(pool, blocks, 16, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t b = begin; b < end; ++b)
        for (const std::int32_t node : solid.lists[to_index(b)]) {
          field[to_index(node)] = solid.next[to_index(node)];
          solid.flags[to_index(node)] |= flag;
        }
    });
  }
}

}  // namespace cairn
