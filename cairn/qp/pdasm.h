// SPDX-License-Identifier: MIT
// The primal-dual active-set method (Litven 2013, 2.4; Hintermueller, Ito, Kunisch 2002) on bounded QPs, with an end.
//
//   solve the saddle point system of the set; then all variables at once (2.12):
//   upper where x_i + lambda_i / H_ii > u_i, lower where it is < l_i, else free (ties are free)
//
// That may go round in circles. The safeguard is block principal pivoting (Judice, Pires 1994): the number of variables
// that break a sign or a bound must fall; if it has not for `patience` sets, only the last such variable changes, which
// ends for every positive definite matrix (Murty 1974).
//
//   pdasm_direct  a factorisation per set
//   schurpa       one factorisation, and the Schur complement of what changed (saddle.h)
#pragma once

#include <memory>

#include "cairn/core/hash.h"
#include "cairn/qp/bounded_qp.h"
#include "cairn/qp/saddle.h"

namespace cairn {

struct PdasmSettings {
  bool schur = true;      ///< false: pdasm_direct
  bool safeguard = true;  ///< false: a cycle ends the solve
  int patience = 5;       ///< sets without fewer infeasible variables before single exchanges
  SchurSettings schur_settings{};
};

/// Keeps what it factored: QPs with the same matrix and other c and bounds go on with it.
class Pdasm {
 public:
  explicit Pdasm(const PdasmSettings& settings = {});

  /// The matrix is another one, though it may stand at the same address.
  void reset() { saddle_->reset(); }
  /// The same matrix has other entries. Keeps its memory.
  void change() { saddle_->change(); }
  SaddleSolver& saddle() { return *saddle_; }

  /// Does not validate the problem. The answer is the best iterate whatever the end.
  QpReport solve(const BoundedQp& qp, QpSolution& solution, const QpContext& context);

 private:
  struct Progress;
  int find_exchanges(const BoundedQp& qp, const QpSolution& at);
  void exchange(const BoundedQp& qp, Progress& progress, QpReport& report);
  bool has_seen();
  void finish(const BoundedQp& qp, const QpContext& context, QpSolution& solution, QpReport& report);

  PdasmSettings settings_;
  std::unique_ptr<SaddleSolver> saddle_;
  std::vector<BoundState> state_, next_;
  std::vector<std::int32_t> infeasible_;
  std::vector<Hash128> seen_;  ///< active sets, without the safeguard
  QpSolution now_, best_;
};

/// For users: validates, solves with a fresh solver, and refuses a matrix that is not positive definite.
QpReport solve_pdasm(const BoundedQp& qp, QpSolution& solution, const QpContext& context,
                     const PdasmSettings& settings = {});

}  // namespace cairn
