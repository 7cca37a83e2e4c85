// SPDX-License-Identifier: MIT
// SplitStage: blocks of contacts and joint rows that share bodies and are visited side by side, by mass splitting
// (Tonge et al. 2012, section 4.1, corrected; docs/solvers.md).
//
//   n_b      number of blocks that touch body b; bodies that cannot move are not counted and have no copy
//   copies   every block works on its own copies of its bodies, whose inverse mass is n_b W_b:
//              d = -(J_i D + b_i + G_i l_i) / K_i,  K_i = sum_b n_b J_ib W_b J_ib^T + G_i,  l_i <- C(l_i + d)
//              D_b <- D_b + n_b W_b J_ib^T d                                   (n_b is missing in line 18 as printed)
//   averaging   u_b <- mean of the copies of b, in the order of the blocks
//   full mass   u <- u + W J^T dl, the same without copies to average: the mean of n_b bodies of mass m_b / n_b moves
//   as
//               the whole body does
//
// Why it converges: |sum_k J_kb^T z_k|^2_W <= n_b sum_k |J_kb^T z_k|^2_W (Cauchy-Schwarz), so that the stage's matrix N
// is bounded by N_S, block diagonal with the split masses. With B the lower triangle of N_S, B + B^T - N =
// (N_S - N) + diag(N_S) > 0: a regular splitting, for fixed friction bounds. The same holds with N_S the diagonal of
// single rows and n_b the number of rows (`by_rows`).
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "cairn/core/index.h"
#include "cairn/core/parallel.h"
#include "cairn/graph/edges.h"
#include "cairn/solvers/prox/packed_problem.h"

namespace cairn {

/// Contacts at positions [contact_begin, contact_end) and the joint rows in the same range of a list of rows.
struct SplitBlock {
  std::int32_t contact_begin = 0, contact_end = 0;
  std::int32_t row_begin = 0, row_end = 0;
  std::int32_t copy_begin = 0, copy_end = 0;  ///< filled by the stage: one copy per body that can move
};

struct SplitRule {
  bool by_rows = false;    ///< every row is a block of its own: all start from the same state, n_b counts rows
  bool staggered = false;  ///< normal and joint rows of all blocks first, averaged, then friction rows, averaged
  bool full_mass = false;  ///< the second form of the update
  double relaxation = 1;   ///< factor on every step
};

/// One problem after the other; keeps its memory. The blocks decide the result, never the pool.
template <int D>
class SplitStage {
 public:
  /// `blocks` cover positions without gaps or overlaps; `rows`: what the blocks' row ranges refer to. Sets the
  /// r-factors of their contacts and rows.
  void load(std::span<const SplitBlock> blocks, std::span<const std::int32_t> rows, const SplitRule& rule,
            PackedProblem<D>& packed, ThreadPool* pool);

  /// Sets the r-factors of the blocks' contacts and rows in `packed`; `load` has done so.
  void set_r(PackedProblem<D>& packed, ThreadPool* pool);

  /// One visit to every block. `lambda`: the whole vector, `w`: per slot. Returns the largest work of a row.
  double run(const PackedProblem<D>& packed, double* lambda, BodyState* w, ThreadPool* pool);

  /// The same for one pass of several: `all`, or first `normal`, then `friction` where the rule is staggered.
  template <ContactRows kRows>
  double run_pass(const PackedProblem<D>& packed, double* lambda, BodyState* w, ThreadPool* pool);

  /// Adds M^-1 J^T lambda of the blocks to w.
  void apply(const PackedProblem<D>& packed, const double* lambda, BodyState* w, ThreadPool* pool);

  std::span<const std::int32_t> bodies() const { return bodies_; }         ///< slots that have copies, ascending
  std::span<const std::int32_t> counts() const { return pass_[0].count; }  ///< n_b of each of them
  std::size_t bytes() const;

 private:
  /// n_b per body of `bodies_`, and n_b W_b per slot, for the rows that one pass visits.
  struct Pass {
    std::vector<std::int32_t> count;
    std::vector<BodyMass> mass;
  };
  /// What a block did to one of its bodies: the change of the copy's velocity, or J^T dl for the full-mass form.
  struct Share {
    Vec3 linear, angular;
  };
  /// A block while a pass visits it.
  struct BlockVisit {
    const SplitBlock& block;
    const Pass& pass;
    BodyState* local;  ///< its copies
  };

  void make_copies(const PackedProblem<D>& packed);
  std::int32_t copy_of(std::int32_t slot, const SplitBlock& block);
  void list_bodies(std::size_t slots);
  void count_rows(const SplitBlock& block, const PackedProblem<D>& packed);
  void count_block(const SplitBlock& block, const PackedProblem<D>& packed);
  void split_masses(const PackedProblem<D>& packed);

  template <ContactRows kRows>
  double visit_single(const SplitBlock& block, const Pass& pass, const PackedProblem<D>& packed, double* lambda,
                      const BodyState* w);
  template <ContactRows kRows>
  double visit(const BlockVisit& at, const PackedProblem<D>& packed, double* lambda, const BodyState* w);
  double visit_rows(const BlockVisit& at, const PackedProblem<D>& packed, double* lambda, const BodyState* w);
  void apply_block(const BlockVisit& at, const PackedProblem<D>& packed, const double* lambda);
  void push(const BodyMass& mass, const Vec3& linear, const Vec3& angular, std::int32_t copy, BodyState& state);
  void push_contact(const BlockVisit& at, const PackedContact<D>& c, const WorldImpulse& impulse, const Edge& copies);
  void push_row(const BlockVisit& at, const PackedRow& row, double impulse, const Edge& copies);
  void gather(const Pass& pass, const PackedProblem<D>& packed, BodyState* w, ThreadPool* pool);

  static bool is_single(const SplitBlock& block) {
    return block.contact_end - block.contact_begin == 1 && block.row_begin == block.row_end;
  }
  /// Where a block keeps its copies while it is visited.
  BodyState* copies_of(const SplitBlock& block, BodyState* few) {
    return block.copy_end - block.copy_begin <= kFew ? few : copies_.data() + block.copy_begin;
  }
  Share& share_of(std::int32_t copy) { return shares_[to_index(place_[to_index(copy)])]; }
  /// What a row reads: the block's own copy, or by rows the state before the pass.
  const BodyState* source(std::int32_t at, std::int32_t slot, const BodyState* w, const BodyState* local) const {
    if (at == kNoVertex) return nullptr;
    return rule_.by_rows ? w + slot : local + at;
  }

  static constexpr std::int32_t kFew = 2;  ///< copies of a pair of bodies: kept on the stack

  SplitRule rule_;
  bool has_friction_ = false;
  std::vector<SplitBlock> blocks_;
  std::vector<std::int32_t> rows_;
  std::int32_t first_ = 0;                  ///< position of the first contact
  std::vector<Edge> contact_at_;            ///< per contact, from first_ on: its bodies among the block's copies
  std::vector<Edge> row_at_;                ///< per entry of rows_: the same
  std::vector<std::int32_t> copy_slot_;     ///< per copy: whose it is
  std::vector<std::int32_t> copy_body_;     ///< per copy: index into bodies_
  std::vector<std::int32_t> place_;         ///< per copy: where its share is
  std::vector<std::int32_t> bodies_;        ///< slots that have copies, ascending
  Lists body_copies_;                       ///< per body: its copies in the order of the blocks; so are its shares
  std::array<Pass, 2> pass_;                ///< all rows or the first pass; friction rows where staggered
  std::vector<Share> shares_;               ///< by body, in the order of the blocks
  std::vector<BodyState> copies_;           ///< per copy: its state during a visit, in blocks with more than a few
  std::vector<std::int32_t> slot_copy_;     ///< per slot: its copy in the block that is loaded
  std::vector<std::int32_t> body_of_slot_;  ///< per slot: its index in bodies_
};

}  // namespace cairn
