// SPDX-License-Identifier: MIT
#include "cairn/solvers/ldl/ldl_program.h"

#include <algorithm>

#include "cairn/core/errors.h"
#include "cairn/core/index.h"

namespace cairn {

namespace {

constexpr std::int32_t kPadding = 4;    // columns start at multiples of this many numbers
constexpr std::int32_t kShardRows = 9;  // a shard takes two blocks, and more while they have at most so many rows
constexpr std::int32_t kBodyRows = 6;

std::int32_t padded(std::int32_t n) { return (n + kPadding - 1) / kPadding * kPadding; }

/// A block's hold on a body, or on one shard of it.
struct Hold {
  std::int32_t node = 0;
  std::int32_t side = 0;
};

}  // namespace

/// Makes a program, part by part.
struct LdlProgram::Builder {
  LdlProgram& p;
  const LdlProgramSettings& settings;
  std::vector<std::int32_t> first_row;                   ///< per block
  std::vector<std::vector<std::int32_t>> at_body;        ///< per body, its blocks
  std::vector<std::vector<Hold>> holds;                  ///< per body or shard that is eliminated: who holds it
  std::vector<std::pair<Hold, Hold>> hub_holds;          ///< block's side, hub's side
  std::vector<std::int32_t> position;                    ///< of each node in the elimination
  std::vector<std::vector<std::int32_t>> row_in_column;  ///< per step, first row of each neighbour

  void list_blocks();
  void place_body(std::int32_t body);
  void keep_hub(std::int32_t body);
  void shatter(std::int32_t body);
  Hold hold(std::int32_t block, std::int32_t body, double weight, bool is_weighted);
  void join();
  void lay_out();
  void lay_out_updates();
  void multiply();
  void add_product(Hold a, Hold b);
  void sort_products();
  void count();

  const LdlStructure& structure() const { return p.structure_; }
  std::int32_t row_of(std::int32_t earlier, std::int32_t later) const;
};

/// One node per block; its bodies count as hosts where all its rows act on them.
void LdlProgram::Builder::list_blocks() {
  at_body.resize(structure().is_full.size());
  std::int32_t row = 0;
  for (std::size_t i = 0; i < structure().blocks.size(); ++i) {
    const LdlBlock& block = structure().blocks[i];
    first_row.push_back(row);
    p.block_sides_.push_back({row, block.degree, -1, -1});
    row += block.degree;
    p.graph_.nodes.push_back(
        {block.degree,
         false,
         {block.acts_on_a ? block.body_a : kNoVertex, block.acts_on_b ? block.body_b : kNoVertex}});
    for (const std::int32_t body : {block.body_a, block.body_b})
      if (body != kNoVertex) at_body[to_index(body)].push_back(static_cast<std::int32_t>(i));
  }
  p.graph_.can_host = structure().is_full;
}

Hold LdlProgram::Builder::hold(std::int32_t block, std::int32_t body, double weight, bool is_weighted) {
  const LdlBlock& mine = structure().blocks[to_index(block)];
  const LdlSideKind kind = mine.body_a == body ? LdlSideKind::joint_a : LdlSideKind::joint_b;
  p.sides_.push_back({kind, body, first_row[to_index(block)], mine.degree, weight, is_weighted});
  const auto side = static_cast<std::int32_t>(p.sides_.size()) - 1;
  LdlBlockSides& sides = p.block_sides_[to_index(block)];
  (kind == LdlSideKind::joint_a ? sides.side_a : sides.side_b) = side;
  return {block, side};
}

void LdlProgram::Builder::place_body(std::int32_t body) {
  const std::vector<std::int32_t>& blocks = at_body[to_index(body)];
  std::int32_t rows = 0;
  for (const std::int32_t block : blocks) rows += structure().blocks[to_index(block)].degree;
  const bool is_large = rows > settings.hub_rows;
  if (is_large && settings.hubs == LdlHubs::hub) return keep_hub(body);
  if (is_large && settings.hubs == LdlHubs::shatter) return shatter(body);
  std::vector<Hold>& mine = holds.emplace_back();
  for (const std::int32_t block : blocks) mine.push_back(hold(block, body, 1, true));
}

void LdlProgram::Builder::keep_hub(std::int32_t body) {
  const auto node = static_cast<std::int32_t>(p.graph_.nodes.size());
  p.graph_.nodes.push_back({kBodyRows, true, {body, kNoVertex}});
  p.sides_.push_back({LdlSideKind::hub, body, 0, kBodyRows, 1, false});
  const Hold hub{node, static_cast<std::int32_t>(p.sides_.size()) - 1};
  for (const std::int32_t block : at_body[to_index(body)]) hub_holds.emplace_back(hold(block, body, 1, false), hub);
}

/// Blocks go to the shards in their order, two each, small ones more; neighbours in the chain are glued.
void LdlProgram::Builder::shatter(std::int32_t body) {
  std::vector<std::vector<std::int32_t>> shards;
  std::int32_t rows = 0;
  for (const std::int32_t block : at_body[to_index(body)]) {
    const std::int32_t degree = structure().blocks[to_index(block)].degree;
    const bool fits = !shards.empty() && (shards.back().size() < 2 || rows + degree <= kShardRows);
    if (!fits) shards.emplace_back();
    rows = fits ? rows + degree : degree;
    shards.back().push_back(block);
  }
  const auto weight = static_cast<double>(shards.size());
  const std::size_t first = holds.size();
  for (const std::vector<std::int32_t>& shard : shards) {
    std::vector<Hold>& mine = holds.emplace_back();
    for (const std::int32_t block : shard) mine.push_back(hold(block, body, weight, true));
  }
  for (std::size_t s = 0; s + 1 < shards.size(); ++s) {
    const auto node = static_cast<std::int32_t>(p.graph_.nodes.size());
    p.graph_.nodes.push_back({kBodyRows, false, {kNoVertex, kNoVertex}});
    for (const bool front : {true, false}) {
      const LdlSideKind kind = front ? LdlSideKind::shard_front : LdlSideKind::shard_back;
      p.sides_.push_back({kind, body, 0, kBodyRows, weight, true});
      holds[first + s + (front ? 0 : 1)].push_back({node, static_cast<std::int32_t>(p.sides_.size()) - 1});
    }
  }
}

/// Edges where blocks share a body, and between a hub and its blocks.
void LdlProgram::Builder::join() {
  p.graph_.neighbours.resize(p.graph_.nodes.size());
  std::vector<std::int32_t> nodes;
  for (const std::vector<Hold>& list : holds) {
    nodes.clear();
    for (const Hold& h : list) nodes.push_back(h.node);
    join_all(nodes, p.graph_);
  }
  for (const auto& [block, hub] : hub_holds) join_all(std::vector<std::int32_t>{block.node, hub.node}, p.graph_);
}

/// Diagonal and edge blocks pivot by pivot, unknowns in the order of elimination.
void LdlProgram::Builder::lay_out() {
  const std::vector<LdlStep>& steps = p.elimination_.steps;
  position.resize(steps.size());
  for (std::size_t i = 0; i < steps.size(); ++i) position[to_index(steps[i].node)] = static_cast<std::int32_t>(i);
  std::int32_t values = 0, x = 0;
  for (const LdlStep& step : steps) {
    LdlPivot pivot;
    pivot.degree = p.graph_.nodes[to_index(step.node)].degree;
    pivot.is_hub = p.graph_.nodes[to_index(step.node)].is_hub;
    std::vector<std::int32_t>& rows = row_in_column.emplace_back();
    for (const std::int32_t neighbour : step.column) {
      rows.push_back(pivot.height);
      pivot.height += p.graph_.nodes[to_index(neighbour)].degree;
    }
    pivot.stride = padded(pivot.height);
    pivot.edge = values;
    pivot.diagonal = values + pivot.degree * pivot.stride;
    pivot.x = x;
    values = padded(pivot.diagonal + pivot.degree * pivot.degree);
    x += pivot.degree;
    p.tallest_ = std::max(p.tallest_, pivot.stride);
    for (std::int32_t k = 0; k < pivot.degree; ++k) p.diagonal_of_x_.push_back(pivot.diagonal + k * pivot.degree + k);
    p.pivots_.push_back(pivot);
  }
  p.value_count_ = values;
  p.unknowns_ = x;
}

/// First row of a later node in the column of an earlier one.
std::int32_t LdlProgram::Builder::row_of(std::int32_t earlier, std::int32_t later) const {
  const auto step = to_index(position[to_index(earlier)]);
  const std::vector<std::int32_t>& column = p.elimination_.steps[step].column;
  const auto at = std::find(column.begin(), column.end(), later);
  CAIRN_ASSERT(at != column.end());
  return row_in_column[step][to_index(at - column.begin())];
}

/// Where each block of an update goes: the diagonal of its column's node, then that node's edges; what is adjacent on
/// both sides becomes one run (Mizerski 2020, "reduction scattering indexation", by runs instead of entries).
void LdlProgram::Builder::lay_out_updates() {
  for (std::size_t s = 0; s < p.pivots_.size(); ++s) {
    const std::vector<std::int32_t>& column = p.elimination_.steps[s].column;
    LdlPivot& pivot = p.pivots_[s];
    pivot.first_column = static_cast<std::int32_t>(p.columns_.size());
    pivot.first_column_x = static_cast<std::int32_t>(p.column_x_.size());
    for (std::size_t q = 0; q < column.size(); ++q) {
      const LdlPivot& owner = p.pivots_[to_index(position[to_index(column[q])])];
      const std::int32_t row = row_in_column[s][q];
      LdlColumn target{row, owner.degree, static_cast<std::int32_t>(p.runs_.size()), 0};
      p.runs_.push_back({row, owner.degree, owner.diagonal, owner.degree});
      for (std::size_t r = q + 1; r < column.size(); ++r) {
        const std::int32_t degree = p.graph_.nodes[to_index(column[r])].degree;
        const std::int32_t to = owner.edge + row_of(column[q], column[r]);
        LdlRun& last = p.runs_.back();
        if (r > q + 1 && last.target + last.count == to)
          last.count += degree;
        else
          p.runs_.push_back({row_in_column[s][r], degree, to, owner.stride});
      }
      target.end_run = static_cast<std::int32_t>(p.runs_.size());
      p.columns_.push_back(target);
      for (std::int32_t k = 0; k < owner.degree; ++k) p.column_x_.push_back(owner.x + k);
    }
    pivot.end_column = static_cast<std::int32_t>(p.columns_.size());
    p.column_x_.resize(to_index(pivot.first_column_x + pivot.stride), p.unknowns_);
  }
}

/// H by bodies: each couples every two blocks that hold it, and each block with itself.
void LdlProgram::Builder::multiply() {
  for (const std::vector<Hold>& list : holds)
    for (std::size_t a = 0; a < list.size(); ++a)
      for (std::size_t b = a; b < list.size(); ++b) add_product(list[a], list[b]);
  for (const auto& [block, hub] : hub_holds) add_product(block, hub);
  sort_products();
  const auto blocks = static_cast<std::int32_t>(structure().blocks.size());
  for (std::int32_t i = 0; i < blocks; ++i) {
    const LdlPivot& pivot = p.pivots_[to_index(position[to_index(i)])];
    for (std::int32_t k = 0; k < pivot.degree; ++k) p.row_x_.push_back(pivot.x + k);
  }
}

void LdlProgram::Builder::add_product(Hold a, Hold b) {
  if (position[to_index(a.node)] > position[to_index(b.node)]) std::swap(a, b);
  const LdlPivot& earlier = p.pivots_[to_index(position[to_index(a.node)])];
  if (a.node == b.node)
    p.products_.push_back({b.side, a.side, earlier.diagonal, earlier.degree, true});
  else
    p.products_.push_back({b.side, a.side, earlier.edge + row_of(a.node, b.node), earlier.stride, false});
}

/// By right side, so that it is weighed once and used while it is at hand.
void LdlProgram::Builder::sort_products() {
  std::stable_sort(p.products_.begin(), p.products_.end(),
                   [](const LdlProduct& a, const LdlProduct& b) { return a.right < b.right; });
  p.first_product_.assign(p.sides_.size() + 1, 0);
  for (const LdlProduct& product : p.products_) ++p.first_product_[to_index(product.right) + 1];
  for (std::size_t s = 0; s < p.sides_.size(); ++s) p.first_product_[s + 1] += p.first_product_[s];
}

void LdlProgram::Builder::count() {
  LdlCounts& c = p.counts_;
  const auto degree = [&](std::int32_t node) -> std::int64_t { return p.graph_.nodes[to_index(node)].degree; };
  std::int64_t squares = 0;
  for (std::size_t i = 0; i < p.graph_.nodes.size(); ++i) {
    const std::int64_t d = degree(static_cast<std::int32_t>(i));
    c.rows += d;
    squares += d * d;
    for (const std::int32_t j : p.graph_.neighbours[i]) c.nonzeros += d * degree(j);
  }
  c.nodes = static_cast<std::int64_t>(p.graph_.nodes.size());
  c.nonzeros += squares;
  c.density = c.rows > 0 ? static_cast<double>(c.nonzeros) / static_cast<double>(c.rows * c.rows) : 0;
  c.fill_blocks = p.elimination_.fill;
  for (const LdlPivot& pivot : p.pivots_) {
    const std::int64_t d = pivot.degree, h = pivot.height;
    c.pivot_work += static_cast<double>(d * d * d) / 6;
    c.column_work += h * d * d;
    c.update_work += d * h * (h + 1) / 2;
    c.solve_work += 2 * h * d + d * d;
  }
  c.factor_flops = 2 * (c.pivot_work + static_cast<double>(c.column_work + c.update_work));
  c.published_flops = c.factor_flops + static_cast<double>(squares);
  for (const LdlProduct& product : p.products_)
    c.product_work +=
        std::int64_t{6} * p.sides_[to_index(product.left)].degree * p.sides_[to_index(product.right)].degree;
}

LdlProgram::LdlProgram(const LdlStructure& structure, const LdlProgramSettings& settings) : structure_(structure) {
  Builder build{*this, settings, {}, {}, {}, {}, {}, {}};
  build.list_blocks();
  for (std::int32_t body = 0; body < structure.body_count(); ++body) build.place_body(body);
  build.join();
  elimination_ = eliminate(graph_, settings.ordering);
  build.lay_out();
  build.lay_out_updates();
  build.multiply();
  build.count();
}

}  // namespace cairn
