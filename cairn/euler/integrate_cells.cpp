// SPDX-License-Identifier: MIT
// Mass and force of nodes from the map, cell by cell, at eight stress points x_q with shape functions N:
//
//   G = dX/dx = sum_N X_N grad N(x_q)^T,   F = G^-1,   J = 1/det G
//   f_N = - sum_q V_q w_q sigma_q grad N(x_q)                                   (Litven 2013, (4.9), as finite volumes)
//   m_N = sum_s density det(G) V_s w_s N(x_s)        over 64 samples, which makes the mass that of the undeformed shape
//
// w_s = clamp(1/2 - phi0(X(x_s))/h_s, 0, 1) is the part of a sample that is inside, and h_s is the distance between
// samples. It is smooth, because counting points makes the mass jump by percents while a solid moves through the grid.
// w_q is the mean of the w_s of a stress point.
#include <algorithm>
#include <array>
#include <cmath>

#include "cairn/core/index.h"
#include "cairn/euler/solid.h"

namespace cairn {

namespace {

constexpr int kCorners = 8, kPoints = 8, kSamples = 64;
constexpr double kLeastRatio = 0.05, kMostRatio = 20;  // bounds of det G; beyond them a stress point is inverted
constexpr double kMostInverted = 0.1;                  // share of stress points at which a solid is given up

using Corners = std::array<Vec3, kCorners>;  // corner 4 i + 2 j + k at (i, j, k)

/// The derivative along each axis at the stress points. The derivative along x does not depend on x, and likewise for y
/// and z. So four values per axis serve eight points.
using Slopes = std::array<std::array<Vec3, 4>, 3>;

/// The derivative along axis at stress point q = 4 a + 2 b + c stands at kSlot[axis][q].
constexpr std::array<std::array<int, kPoints>, 3> kSlot = [] {
  std::array<std::array<int, kPoints>, 3> slot{};
  for (int q = 0; q < kPoints; ++q) {
    const int a = q >> 2, b = q >> 1 & 1, c = q & 1;
    slot[0][to_index(q)] = 2 * b + c;
    slot[1][to_index(q)] = 2 * a + c;
    slot[2][to_index(q)] = 2 * a + b;
  }
  return slot;
}();
/// Corners at the lower end of the four edges along each axis, and the offset to the corner at the upper end.
constexpr std::array<std::array<std::size_t, 4>, 3> kEdge{{{0, 1, 2, 3}, {0, 1, 4, 5}, {0, 2, 4, 6}}};
constexpr std::array<std::size_t, 3> kAlong{4, 2, 1};

/// Interpolates from the corners of a square to its stress points at 1/4 and 3/4. The matrix is symmetric, so this is
/// also the transposed operation, from stress points to corners.
void blend(std::array<Vec3, 4>& e) {
  const auto mix = [](Vec3& a, Vec3& b) {
    const Vec3 near_a = 0.75 * a + 0.25 * b;
    b = 0.25 * a + 0.75 * b;
    a = near_a;
  };
  mix(e[0], e[1]);
  mix(e[2], e[3]);
  mix(e[0], e[2]);
  mix(e[1], e[3]);
}

Slopes slopes_of(const Corners& f, double over_spacing) {
  Slopes s;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    for (std::size_t e = 0; e < 4; ++e)
      s[axis][e] = over_spacing * (f[kEdge[axis][e] + kAlong[axis]] - f[kEdge[axis][e]]);
    blend(s[axis]);
  }
  return s;
}

/// df/dx at a stress point: column i is the derivative along axis i.
Mat3 gradient_at(const Slopes& s, std::size_t q) {
  return transposed({s[0][to_index(kSlot[0][q])], s[1][to_index(kSlot[1][q])], s[2][to_index(kSlot[2][q])]});
}

/// Shape functions of the corners at stress points and samples.
struct Tables {
  std::array<std::array<double, kCorners>, kPoints> point;
  std::array<std::array<double, kCorners>, kSamples> sample;  ///< 8 samples of each stress point, one after the other
};

Tables make_tables() {
  Tables t{};
  const auto shape = [](double x, double y, double z, std::array<double, kCorners>& out) {
    for (std::size_t n = 0; n < kCorners; ++n)
      out[n] = ((n & 4) != 0 ? x : 1 - x) * ((n & 2) != 0 ? y : 1 - y) * ((n & 1) != 0 ? z : 1 - z);
  };
  for (std::size_t q = 0; q < kPoints; ++q) {
    const double x = (q & 4) != 0 ? 0.75 : 0.25, y = (q & 2) != 0 ? 0.75 : 0.25, z = (q & 1) != 0 ? 0.75 : 0.25;
    shape(x, y, z, t.point[q]);
    for (std::size_t s = 0; s < 8; ++s)
      shape(x + ((s & 4) != 0 ? 0.125 : -0.125), y + ((s & 2) != 0 ? 0.125 : -0.125),
            z + ((s & 1) != 0 ? 0.125 : -0.125), t.sample[8 * q + s]);
  }
  return t;
}
const Tables kTables = make_tables();

Vec3 combine(const std::array<double, kCorners>& w, const Corners& f) {
  Vec3 sum;
  for (std::size_t n = 0; n < kCorners; ++n) sum += w[n] * f[n];
  return sum;
}

/// One cell: what it reads and what it gives to its corners.
struct Cell {
  std::array<std::int32_t, kCorners> node;
  Corners map;
  Slopes slopes;                         ///< dX/dx
  std::array<double, kPoints> ratio;     ///< det G, within bounds
  std::array<double, kPoints> fraction;  ///< w_q
  std::array<double, kCorners> mass{};
  Corners force{};
};

enum class Fill { empty, partial, full };

/// Decides by the distance of a corner where that is enough, else by the distance of the middle of the cell. Samples
/// are at most 3/8 of the longest diagonal away from the middle.
Fill how_full(const GridSolid& solid, const Cell& cell) {
  double diagonal = 0;
  for (std::size_t n = 0; n < 4; ++n) {
    const Vec3 d = cell.map[7 - n] - cell.map[n];
    diagonal = std::max(diagonal, dot(d, d));
  }
  diagonal = std::sqrt(diagonal);
  const double smooth = 0.125 * solid.grid.spacing;  // half of the distance between samples
  const double corner = solid.distance[to_index(cell.node[0])];
  if (corner < -(diagonal + smooth)) return Fill::full;
  if (corner > diagonal + smooth) return Fill::empty;
  Vec3 middle;
  for (const Vec3& x : cell.map) middle += 0.125 * x;
  const double distance = signed_distance(solid.shape, middle), reach = 0.4 * diagonal + smooth;
  return distance < -reach ? Fill::full : distance > reach ? Fill::empty : Fill::partial;
}

void find_ratios(Cell& cell) {
  for (std::size_t q = 0; q < kPoints; ++q) cell.ratio[q] = determinant(gradient_at(cell.slopes, q));
}

double bounded(double ratio) { return std::clamp(ratio, kLeastRatio, kMostRatio); }

/// A full cell needs no samples: the mean of the shape functions over the eight samples of a stress point is their
/// value at that point.
void add_full_mass(const GridSolid& solid, Cell& cell) {
  const double part = solid.material.density * solid.grid.cell_volume() / kPoints;
  for (std::size_t q = 0; q < kPoints; ++q) {
    cell.fraction[q] = 1;
    for (std::size_t n = 0; n < kCorners; ++n) cell.mass[n] += part * bounded(cell.ratio[q]) * kTables.point[q][n];
  }
}

/// Returns false if no sample is inside.
bool add_partial_mass(const GridSolid& solid, Cell& cell) {
  const double part = solid.material.density * solid.grid.cell_volume() / kSamples;
  const double over_distance = 4 / solid.grid.spacing;
  bool any = false;
  for (std::size_t q = 0; q < kPoints; ++q) {
    cell.fraction[q] = 0;
    for (std::size_t s = 8 * q; s < 8 * q + 8; ++s) {
      const double distance = signed_distance(solid.shape, combine(kTables.sample[s], cell.map));
      const double w = std::clamp(0.5 - distance * over_distance, 0.0, 1.0);
      if (!(w > 0)) continue;
      any = true;
      cell.fraction[q] += 0.125 * w;
      for (std::size_t n = 0; n < kCorners; ++n)
        cell.mass[n] += part * w * bounded(cell.ratio[q]) * kTables.sample[s][n];
    }
  }
  return any;
}

/// Computes V_q w_q sigma_q at all stress points, and brings it to the corners by the transpose of slopes_of.
void add_force(const GridSolid& solid, Cell& cell, GridSolid::BlockSums& sums) {
  const double volume = solid.grid.cell_volume() / kPoints, over_spacing = 1 / solid.grid.spacing;
  Slopes pull{};
  Slopes flow{};
  const bool is_viscous = solid.material.viscosity > 0;
  if (is_viscous) {
    Corners v;
    for (std::size_t n = 0; n < kCorners; ++n)
      v[n] = solid.has(cell.node[n], kHasVelocity) ? solid.velocity[to_index(cell.node[n])] : Vec3{};
    flow = slopes_of(v, over_spacing);
  }
  for (std::size_t q = 0; q < kPoints; ++q) {
    if (!(cell.fraction[q] > 0)) continue;
    ++sums.points;
    sums.volume += volume * cell.fraction[q];
    const double ratio = cell.ratio[q];
    if (!(ratio >= kLeastRatio && ratio <= kMostRatio)) {
      ++sums.inverted;
      continue;
    }
    const Mat3 f = inverse(gradient_at(cell.slopes, q), ratio);
    const Stress stress = elastic_stress(solid.material.model, solid.lame, f, 1 / ratio);
    const double weight = volume * cell.fraction[q];
    sums.elastic_energy += weight * ratio * stress.energy;
    SymMat3 sigma = stress.cauchy;
    if (is_viscous) {  // viscosity (grad v + grad v^T)
      const Mat3 l = gradient_at(flow, q);
      sigma = sigma + solid.material.viscosity * SymMat3{2 * l.row0.x,        2 * l.row1.y,        2 * l.row2.z,
                                                         l.row0.y + l.row1.x, l.row0.z + l.row2.x, l.row1.z + l.row2.y};
    }
    pull[0][to_index(kSlot[0][q])] += weight * Vec3{sigma.xx, sigma.xy, sigma.xz};
    pull[1][to_index(kSlot[1][q])] += weight * Vec3{sigma.xy, sigma.yy, sigma.yz};
    pull[2][to_index(kSlot[2][q])] += weight * Vec3{sigma.xz, sigma.yz, sigma.zz};
  }
  for (std::size_t axis = 0; axis < 3; ++axis) {
    blend(pull[axis]);
    for (std::size_t e = 0; e < 4; ++e) {
      const Vec3 f = over_spacing * pull[axis][e];
      cell.force[kEdge[axis][e] + kAlong[axis]] -= f;
      cell.force[kEdge[axis][e]] += f;
    }
  }
}

void integrate_cell(GridSolid& solid, Cell& cell, GridSolid::BlockSums& sums) {
  for (std::size_t n = 0; n < kCorners; ++n) cell.map[n] = solid.map[to_index(cell.node[n])];
  const Fill fill = how_full(solid, cell);
  if (fill == Fill::empty) return;
  cell.slopes = slopes_of(cell.map, 1 / solid.grid.spacing);
  find_ratios(cell);
  cell.mass.fill(0);
  cell.force.fill({});
  if (fill == Fill::full)
    add_full_mass(solid, cell);
  else if (!add_partial_mass(solid, cell))
    return;
  ++sums.cells;
  add_force(solid, cell, sums);
  for (std::size_t n = 0; n < kCorners; ++n) {
    const auto node = to_index(cell.node[n]);
    solid.mass[node] += cell.mass[n];
    solid.force[node] += cell.force[n];
  }
}

/// Works on the cells whose lower corner is in the block. They write to nodes of the block and of its upper neighbours.
/// No other block of its colour writes there.
void integrate_block(GridSolid& solid, std::int32_t block) {
  GridSolid::BlockSums& sums = solid.sums[to_index(block)];
  sums = {};
  BlockView<1> view;
  solid.blocks.fill(block, view);
  Cell cell;
  for (int x = 0; x < kBlockSide; ++x)
    for (int y = 0; y < kBlockSide; ++y)
      for (int z = 0; z < kBlockSide; ++z) {
        bool is_defined = true;
        for (int n = 0; n < kCorners && is_defined; ++n) {
          cell.node[to_index(n)] = view.at(x + (n >> 2), y + (n >> 1 & 1), z + (n & 1));
          is_defined = solid.has(cell.node[to_index(n)], kHasMap);
        }
        if (is_defined) integrate_cell(solid, cell, sums);
      }
}

}  // namespace

bool integrate_cells(GridSolid& solid, ThreadPool* pool) {
  solid.sums.resize(to_index(solid.blocks.block_count()));
  std::fill(solid.mass.begin(), solid.mass.end(), 0.0);
  std::fill(solid.force.begin(), solid.force.end(), Vec3{});
  for (int colour = 0; colour < 8; ++colour) {
    const auto blocks = solid.blocks.colour(colour);
    parallel_for(pool, static_cast<std::int64_t>(blocks.size()), 1, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) integrate_block(solid, blocks[to_index(i)]);
    });
  }
  solid.measures = {};
  std::int64_t points = 0;
  for (const GridSolid::BlockSums& s : solid.sums) {
    solid.measures.volume += s.volume;
    solid.measures.elastic_energy += s.elastic_energy;
    solid.measures.cells += s.cells;
    solid.measures.inverted_points += s.inverted;
    points += s.points;
  }
  const bool is_finite = agglomerate(solid, pool);
  const auto inverted = static_cast<double>(solid.measures.inverted_points);
  if (!(inverted <= kMostInverted * static_cast<double>(points))) solid.state = SolidState::inverted;
  if (!is_finite) solid.state = SolidState::diverged;
  return solid.is_active();
}

}  // namespace cairn
