// SPDX-License-Identifier: MIT
#include "cairn/euler/contact_rows.h"

#include <algorithm>
#include <cmath>

#include "cairn/core/errors.h"
#include "cairn/core/index.h"
#include "cairn/euler/contact_surface.h"

namespace cairn {

namespace {

constexpr double kLeastArea = 1e-3;     // of a cell's face
constexpr double kLeastSlope = 0.1;     // of a distance per metre; where it is flatter it is not used as a distance
constexpr double kMostDistance = 3;     // cells; farther from the surface a cell is not looked at
constexpr double kMostGap = 1;          // cells
constexpr double kSlidingSpeed = 1e-9;  // m/s

/// The contact surface in one cell.
struct CellSurface {
  RowKey key;              ///< without part
  std::int32_t along = 0;  ///< index of the cell along the axis of the key
  GridIndex cell;
  double area = 0;        ///< m^2
  double gap = 0;         ///< int g
  Vec3 normal;            ///< int n
  Vec3 moment;            ///< int x
  CornerValues weight{};  ///< int N
};

/// The distances in m from the corners of a cell to the surface of a solid as it is now. Returns false where one is not
/// defined, or where the surface is far.
bool corner_distances(const GridSolid& solid, const std::array<std::int32_t, 8>& nodes, CornerValues& a) {
  double nearest = INFINITY;
  for (std::size_t n = 0; n < 8; ++n) {
    if (!solid.has(nodes[n], kHasMap)) return false;
    a[n] = solid.distance[to_index(nodes[n])];
    nearest = std::min(nearest, std::fabs(a[n]));
  }
  if (nearest > kMostDistance * solid.grid.spacing) return false;
  const double slope = norm(middle_gradient(a)) / solid.grid.spacing;
  if (!(slope > kLeastSlope)) return false;
  for (double& value : a) value /= slope;
  return true;
}

/// Integrates over the zero set of a - b by the midpoints of the sides of its triangles, which is exact for quadratic
/// functions.
bool integrate_surface(const Grid& grid, const CornerValues& a, const CornerValues& b, CellSurface& out) {
  CornerValues psi, gap;
  for (std::size_t n = 0; n < 8; ++n) {
    psi[n] = a[n] - b[n];
    gap[n] = a[n] + b[n];
  }
  const double h = grid.spacing;
  const Vec3 gradient = middle_gradient(psi);
  const double slope = norm(gradient);
  if (!(slope > kLeastSlope * h)) return false;
  double least = INFINITY;
  for_each_triangle(psi, [&](const Vec3& p, const Vec3& q, const Vec3& r) {
    const double part = h * h * norm(cross(q - p, r - p)) / 6;
    for (const Vec3& x : {0.5 * (p + q), 0.5 * (q + r), 0.5 * (r + p)}) {
      const CornerValues w = shape_functions(x);
      double g = 0;
      for (std::size_t n = 0; n < 8; ++n) {
        g += w[n] * gap[n];
        out.weight[n] += part * w[n];
      }
      least = std::min(least, g);
      out.gap += part * g;
      out.area += part;
      out.moment += part * (grid.position(out.cell) + h * x);
    }
  });
  out.normal = (-out.area / slope) * gradient;
  return out.area > 0 && least <= kMostGap * h;
}

/// The column of cells that a surface belongs to.
void set_column(CellSurface& s, std::int32_t a, std::int32_t b) {
  const Vec3& n = s.normal;
  const double x = std::fabs(n.x), y = std::fabs(n.y), z = std::fabs(n.z);
  const int axis = x >= y && x >= z ? 0 : y >= z ? 1 : 2;
  const std::int32_t index[3] = {s.cell.x, s.cell.y, s.cell.z};
  const double part[3] = {n.x, n.y, n.z};
  s.key = {a, b, 2 * axis + (part[axis] < 0 ? 1 : 0), index[(axis + 1) % 3], index[(axis + 2) % 3], 0};
  s.along = index[axis];
}

/// Finds the contact surfaces of solid `a` with another solid, or with an obstacle, in the cells of one block of `a`.
/// `distances(view, cell, values)` gives the distances of the other side.
template <class Distances>
void find_in_block(const GridSolid& solid, std::int32_t block, RowKey pair, const Distances& distances,
                   std::vector<CellSurface>& found) {
  BlockView<1> view;
  solid.blocks.fill(block, view);
  const GridIndex first = solid.blocks.first_node(block);
  for (int x = 0; x < kBlockSide; ++x)
    for (int y = 0; y < kBlockSide; ++y)
      for (int z = 0; z < kBlockSide; ++z) {
        std::array<std::int32_t, 8> nodes;
        for (int n = 0; n < 8; ++n) nodes[to_index(n)] = view.at(x + (n >> 2), y + (n >> 1 & 1), z + (n & 1));
        CornerValues a, b;
        CellSurface surface;
        surface.cell = first + GridIndex{x, y, z};
        if (!corner_distances(solid, nodes, a) || !distances(x, y, z, b)) continue;
        if (!integrate_surface(solid.grid, a, b, surface)) continue;
        set_column(surface, pair.a, pair.b);
        found.push_back(surface);
      }
}

using Found = std::vector<std::vector<CellSurface>>;

void find_between(std::span<const GridSolid> solids, std::int32_t i, std::int32_t j, ThreadPool* pool, Found& found) {
  const GridSolid &a = solids[to_index(i)], &b = solids[to_index(j)];
  const std::size_t before = found.size();
  const std::int32_t blocks = a.blocks.block_count();
  found.resize(before + to_index(blocks));
  parallel_for(pool, blocks, 4, [&](std::int64_t begin, std::int64_t end) {
    for (auto block = static_cast<std::int32_t>(begin); block < static_cast<std::int32_t>(end); ++block) {
      const std::int32_t other = b.blocks.find_block(a.blocks.blocks()[to_index(block)]);
      if (other < 0) continue;
      BlockView<1> view;
      b.blocks.fill(other, view);
      const auto distances = [&](int x, int y, int z, CornerValues& values) {
        std::array<std::int32_t, 8> nodes;
        for (int n = 0; n < 8; ++n) nodes[to_index(n)] = view.at(x + (n >> 2), y + (n >> 1 & 1), z + (n & 1));
        return corner_distances(b, nodes, values);
      };
      find_in_block(a, block, {i, j}, distances, found[before + to_index(block)]);
    }
  });
}

/// The points of a block's cells.
Aabb box_of_block(const GridSolid& solid, std::int32_t block) {
  const GridIndex first = solid.blocks.first_node(block);
  return {solid.grid.position(first), solid.grid.position(first + GridIndex{kBlockSide, kBlockSide, kBlockSide})};
}

void find_at_obstacle(std::span<const GridSolid> solids, std::int32_t i, const Obstacle& obstacle, ThreadPool* pool,
                      Found& found) {
  const GridSolid& a = solids[to_index(i)];
  const std::size_t before = found.size();
  const std::int32_t blocks = a.blocks.block_count();
  found.resize(before + to_index(blocks));
  const double far = kMostDistance * a.grid.spacing;
  const Aabb reach = grown(obstacle.box, 2 * far);
  parallel_for(pool, blocks, 4, [&](std::int64_t begin, std::int64_t end) {
    for (auto block = static_cast<std::int32_t>(begin); block < static_cast<std::int32_t>(end); ++block) {
      if (!overlap(box_of_block(a, block), reach)) continue;
      const GridIndex first = a.blocks.first_node(block);
      const auto distances = [&](int x, int y, int z, CornerValues& values) {
        for (int n = 0; n < 8; ++n) {
          const GridIndex node = first + GridIndex{x + (n >> 2), y + (n >> 1 & 1), z + (n & 1)};
          values[to_index(n)] = obstacle.distance(a.grid.position(node));
          if (n == 0 && std::fabs(values[0]) > 2 * far) return false;
        }
        return true;
      };
      find_in_block(a, block, {i, -1 - obstacle.number}, distances, found[before + to_index(block)]);
    }
  });
}

std::vector<CellSurface> find_surfaces(std::span<const GridSolid> solids, std::span<const Obstacle> obstacles,
                                       ThreadPool* pool) {
  Found found;
  const auto count = static_cast<std::int32_t>(solids.size());
  for (std::int32_t i = 0; i < count; ++i) {
    if (!solids[to_index(i)].is_active()) continue;
    for (std::int32_t j = i + 1; j < count; ++j)
      if (solids[to_index(j)].is_active()) find_between(solids, i, j, pool, found);
    for (const Obstacle& obstacle : obstacles) find_at_obstacle(solids, i, obstacle, pool, found);
  }
  std::vector<CellSurface> all;
  for (const auto& part : found) all.insert(all.end(), part.begin(), part.end());
  std::sort(all.begin(), all.end(), [](const CellSurface& a, const CellSurface& b) {
    return a.key != b.key ? a.key < b.key : a.along < b.along;
  });
  return all;
}

/// Adds the corners of a cell to a row, for one of its two sides.
void add_corners(std::span<const GridSolid> solids, std::int32_t solid, const CellSurface& s, double sign,
                 std::vector<NodeShare>& shares, std::vector<RowEntry>& entries) {
  for (std::size_t n = 0; n < 8; ++n) {
    if (s.weight[n] == 0) continue;
    shares.clear();
    const int at = static_cast<int>(n);
    append_shares(solids[to_index(solid)], s.cell + GridIndex{at >> 2, at >> 1 & 1, at & 1}, shares);
    for (const NodeShare& share : shares) entries.push_back({solid, share.node, sign * s.weight[n] * share.weight});
  }
}

/// Adds up the entries of each node, and divides them by the area.
void finish_entries(std::vector<RowEntry>& entries, double area) {
  std::stable_sort(entries.begin(), entries.end(), [](const RowEntry& a, const RowEntry& b) {
    return a.solid != b.solid ? a.solid < b.solid : a.node < b.node;
  });
  std::size_t kept = 0;
  for (const RowEntry& e : entries) {
    if (kept > 0 && entries[kept - 1].solid == e.solid && entries[kept - 1].node == e.node)
      entries[kept - 1].weight += e.weight;
    else
      entries[kept++] = e;
  }
  entries.resize(kept);
  for (RowEntry& e : entries) e.weight /= area;
}

/// Finds where rows begin in the sorted list of surfaces: at a new column, or at a cell that is not the next one of its
/// column.
std::vector<std::size_t> row_starts(const std::vector<CellSurface>& surfaces) {
  std::vector<std::size_t> starts;
  for (std::size_t i = 0; i < surfaces.size(); ++i)
    if (i == 0 || surfaces[i].key != surfaces[i - 1].key || surfaces[i].along > surfaces[i - 1].along + 1)
      starts.push_back(i);
  starts.push_back(surfaces.size());
  return starts;
}

/// The obstacle of a row, or null if the row is between solids.
const Obstacle* obstacle_of(const RowKey& key, std::span<const Obstacle> obstacles) {
  if (key.b >= 0) return nullptr;
  const auto is_before = [](const Obstacle& o, std::int32_t number) { return o.number < number; };
  return &*std::lower_bound(obstacles.begin(), obstacles.end(), -1 - key.b, is_before);
}

ContactRow merged_row(std::span<const GridSolid> solids, std::span<const Obstacle> obstacles,
                      std::span<const CellSurface> cells, std::vector<RowEntry>& entries) {
  ContactRow row;
  row.key = cells.front().key;
  Vec3 normal, moment;
  for (const CellSurface& s : cells) {
    row.area += s.area;
    row.gap += s.gap;
    normal += s.normal;
    moment += s.moment;
  }
  if (!(norm(normal) > 0.5 * row.area)) {
    row.area = 0;  // the normals of its surfaces cancel, so there is no direction to push
    return row;
  }
  const Obstacle* obstacle = obstacle_of(row.key, obstacles);
  const double theirs = obstacle != nullptr ? obstacle->friction : solids[to_index(row.key.b)].material.friction;
  row.friction = std::sqrt(solids[to_index(row.key.a)].material.friction * theirs);
  row.gap /= row.area;
  row.point = (1 / row.area) * moment;
  std::vector<NodeShare> shares;
  for (const CellSurface& s : cells) {
    add_corners(solids, row.key.a, s, 1, shares, entries);
    if (obstacle == nullptr) add_corners(solids, row.key.b, s, -1, shares, entries);
  }
  finish_entries(entries, row.area);
  for (const RowEntry& e : entries) row.velocity += e.weight * solids[to_index(e.solid)].next[to_index(e.node)];
  if (obstacle != nullptr) {
    row.body = obstacle->body;
    row.arm = row.point - obstacle->centre;
    row.velocity -= obstacle->velocity.linear + cross(obstacle->velocity.angular, row.arm);
  }
  const Vec3 n = normalised(normal);
  const Vec3 sliding = row.velocity - dot(row.velocity, n) * n;
  row.frame = norm(sliding) > kSlidingSpeed ? make_frame_along(n, sliding) : make_frame(n);
  return row;
}

}  // namespace

ContactRows find_contact_rows(std::span<const GridSolid> solids, std::span<const Obstacle> obstacles,
                              ThreadPool* pool) {
  const std::vector<CellSurface> surfaces = find_surfaces(solids, obstacles, pool);
  const std::vector<std::size_t> starts = row_starts(surfaces);
  const std::size_t count = starts.size() - 1;
  std::vector<ContactRow> rows(count);
  std::vector<std::vector<RowEntry>> entries(count);
  for_each_index(pool, count, 16, [&](std::size_t i) {
    rows[i] =
        merged_row(solids, obstacles, std::span(surfaces).subspan(starts[i], starts[i + 1] - starts[i]), entries[i]);
  });
  ContactRows result;
  const double least = surfaces.empty() ? 0 : kLeastArea * solids[0].grid.spacing * solids[0].grid.spacing;
  for (std::size_t i = 0; i < count; ++i) {
    if (!(rows[i].area > least) || entries[i].empty()) continue;
    ContactRow row = rows[i];
    if (!result.rows.empty()) {
      RowKey last = result.rows.back().key;
      const std::int32_t part = last.part;
      last.part = 0;
      if (last == row.key) row.key.part = part + 1;
    }
    row.first = result.entries.size();
    result.entries.insert(result.entries.end(), entries[i].begin(), entries[i].end());
    row.last = result.entries.size();
    result.rows.push_back(row);
  }
  return result;
}

}  // namespace cairn
