// SPDX-License-Identifier: MIT
// Sweep: the map lambda -> S(lambda) of the prox family, one visit to every contact. The outer loop (prox.cpp) and the
// accelerations know nothing else about it.
//
//   lambda_k <- prox( lambda_k - R_k (A lambda + b)_k )          Poulsen 2010, (2.74) and (3.7)
//
// lambda is one vector: dim entries per contact in the order of `order()`, then one entry per joint row.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "cairn/core/parallel.h"
#include "cairn/problem/contact_problem.h"
#include "cairn/problem/delassus.h"
#include "cairn/solvers/joint_stage.h"
#include "cairn/solvers/prox/schedule.h"

namespace cairn {

class Sweep {
 public:
  virtual ~Sweep() = default;

  virtual int dim() const = 0;
  virtual const Schedule& schedule() const = 0;
  /// order()[i] is the contact at position i of lambda.
  virtual std::span<const std::int32_t> order() const = 0;
  virtual std::size_t size() const = 0;  ///< length of lambda

  /// One sweep in place. Returns how much it changed: the square root of the largest energy of a change of one row.
  /// Zero exactly when lambda is a fixed point; not finite when the sweep broke down.
  virtual double run(std::span<double> lambda, ThreadPool* pool) = 0;

  /// Must follow any change of lambda from outside `run`: recomputes what is kept beside it (w = M^-1 J^T lambda).
  virtual void refresh(std::span<const double> lambda, ThreadPool* pool) = 0;

  /// What `refresh` recomputes, if anything: numbers that depend linearly on lambda and may be changed along with it.
  virtual std::span<double> state() { return {}; }

  /// The nearest admissible lambda, contact by contact.
  virtual void project(std::span<double> lambda, ThreadPool* pool) const = 0;

  /// R <- nu R.
  virtual void scale_r(double nu) = 0;

  /// Weight of each entry of lambda in inner products: W_nn of its contact, so that products are energies.
  virtual void weights(std::span<double> weight) const = 0;

  /// Adds M^-1 J^T lambda as this sweep keeps it to the velocity of each body; does nothing where none is kept.
  virtual void add_velocity_change(std::span<Velocity>, ThreadPool*) const {}

  /// One solve of the joint rows that a JointStage takes, where there is one; the others keep their impulses.
  virtual double solve_joints(std::span<double>, ThreadPool*) { return 0; }

  virtual std::size_t bytes() const = 0;  ///< in use, whatever the memory kept from earlier problems
  virtual std::int64_t matrix_blocks() const { return 0; }
};

/// A sweep over a problem with bodies, loaded with one problem after the other.
class BodySweep : public Sweep {
 public:
  /// Reads the problem, which need not outlive the call. `contact_colour`: SolveContext::contact_colour; used by
  /// Gauss-Seidel with the schedules automatic, greedy and split. Keeps its memory: a load of a problem that is no
  /// larger than an earlier one allocates nothing (schedules: see make_schedule; r_factor=global does).
  virtual void load(const ContactProblem& problem, const ProxSettings& settings,
                    std::span<const std::int32_t> contact_colour, ThreadPool* pool) = 0;

  /// Joint rows are solved together from now on, as `stage` says; none: row by row. The stage is loaded by its owner.
  virtual void use(JointStage* stage) = 0;
};

/// Factorised: w = M^-1 J^T lambda is kept per body and updated contact by contact (Poulsen 2010, section 3.4.2).
/// `dim`: 3 or 4 rows per contact, see contact_rows.
std::unique_ptr<BodySweep> make_factorised_sweep(int dim);

/// Assembled: rows of A, or of T = 1 - R A (Poulsen 2010, section 3.4.1 with the sign of c corrected).
/// `problem` must outlive the sweep.
std::unique_ptr<Sweep> make_assembled_sweep(const DelassusProblem& problem, const ProxSettings& settings);

}  // namespace cairn
