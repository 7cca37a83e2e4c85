// SPDX-License-Identifier: MIT
// LdlFactor: the numeric phase of the block LDL for one mechanism, or for up to eight with the same program.
//
//   load -> factor -> (set_rhs, solve, impulse) as often as wanted
//
// Eight mechanisms are interleaved by lane, lane innermost, and cost little more than one. Same bits either way.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "cairn/solvers/joint_problem.h"
#include "cairn/solvers/ldl/ldl_program.h"
#include "cairn/solvers/ldl/ldl_settings.h"
#include "cairn/solvers/ldl/ldl_structure.h"

namespace cairn {

inline constexpr int kLdlLanes = 8;

class LdlFactor {
 public:
  /// Prepares for a program; `lanes`: 1 or kLdlLanes. Keeps its memory, and does nothing when both are the same.
  void reset(std::shared_ptr<const LdlProgram> program, int lanes);

  const LdlProgram& program() const { return *program_; }
  int lanes() const { return lanes_; }

  /// Reads masses, Jacobians and compliance of mechanisms of that structure, one per lane; lanes that would be empty
  /// take the last one once more. `is_active` per joint row of the problem: rows that are not keep the impulse zero.
  void load(const JointProblem& problem, std::span<const LdlMechanism* const> mechanisms,
            std::span<const std::uint8_t> is_active);

  /// H + eps diag(H) = L D L^T. Redundant rows are dropped (their impulse is zero) and counted.
  void factor(const LdlRegularisation& regularisation);
  void assemble(const LdlRegularisation& regularisation);  ///< the first part of factor: the matrix
  void decompose();                                        ///< the second part: its factor
  std::int32_t dropped_rows(int lane) const;

  /// Rows count through the mechanism, block by block.
  void set_rhs(int lane, std::int32_t row, double value) { data(rhs_)[row * lanes_ + lane] = value; }
  /// Solves for all lanes; each refinement takes away what eps left: l <- l + (H + eps diag)^-1 (r - H l).
  void solve(int refinements) { solve(data(rhs_), data(impulse_), refinements); }
  /// The same out of and into other arrays: of each row, all lanes side by side.
  void solve(const double* rhs, double* impulse, int refinements);
  double impulse(int lane, std::int32_t row) const { return data(impulse_)[row * lanes_ + lane]; }

 private:
  struct alignas(64) Line {
    double v[8];
  };
  using Array = std::vector<Line>;
  static double* data(Array& array) { return reinterpret_cast<double*>(array.data()); }
  static const double* data(const Array& array) { return reinterpret_cast<const double*>(array.data()); }
  void resize(Array& array, std::int64_t entries) const;

  using Lanes = std::array<const LdlMechanism*, kLdlLanes>;
  template <class Mode>
  void load_lanes(const JointProblem& problem, const Lanes& lanes, std::span<const std::uint8_t> is_active);
  template <class Mode>
  void weigh(std::int32_t side, double* right);
  template <class Mode>
  void find_hub_factors();
  template <class Mode>
  void add_products();
  template <class Mode>
  void finish_diagonal(const LdlRegularisation& regularisation);
  template <class Mode>
  void substitute(const double* rhs);
  template <class Mode>
  void take_impulse(bool add, double* impulse);
  template <class Mode>
  void subtract_product(const double* rhs, const double* impulse, double* rest);
  template <class Mode>
  void solve_lanes(const double* rhs, double* impulse, int refinements);
  /// Rows of a side, padded: six, and for one mechanism whole chunks (ldl_kernels.h).
  static constexpr int stride_of(int lanes) { return lanes == 1 ? 8 : 6; }
  double* jacobian(std::int32_t side) { return data(jacobian_) + std::int64_t{side} * 6 * stride_of(lanes_) * lanes_; }

  std::shared_ptr<const LdlProgram> program_;
  int lanes_ = 1;
  Array jacobian_;                   ///< per side: six columns of padded rows, the last ones zero
  Array mass_;                       ///< per body: inverse mass and inverse inertia (xx, yy, zz, xy, xz, yz)
  Array softness_, scale_, active_;  ///< per row: G, diagonal of H, 1 or 0
  Array values_, inverse_, threshold_, x_, scratch_;
  Array rhs_, impulse_, rest_;  ///< per row
  Array wrench_;                ///< per body: six numbers
  Array dropped_;               ///< one entry
};

}  // namespace cairn
