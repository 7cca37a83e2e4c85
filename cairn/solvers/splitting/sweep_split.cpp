// SPDX-License-Identifier: MIT
// Mass splitting over a whole problem: one split stage (split_stage.h) whose blocks are the pairs of bodies, or
// clusters of them, in an order that depends on the contacts themselves (pair_order.h).
#include "cairn/solvers/splitting/sweep_split.h"

#include <algorithm>
#include <cmath>

#include "cairn/core/index.h"
#include "cairn/solvers/splitting/pair_order.h"
#include "cairn/solvers/splitting/split_stage.h"

namespace cairn {

namespace {

template <int D>
class SplitSweep : public OrderFreeSweep {
 public:
  void load(const ContactProblem& problem, const ContactSolution& start, const SplittingSettings& settings,
            ThreadPool* pool) override;

  int dim() const override { return D; }
  const Schedule& schedule() const override { return schedule_; }
  std::span<const std::int32_t> order() const override { return pairs_.contacts(); }
  std::size_t size() const override { return packed_.size(); }
  double run(std::span<double> lambda, ThreadPool* pool) override {
    return std::sqrt(stage_.run(packed_, lambda.data(), w_.data(), pool));
  }
  void refresh(std::span<const double> lambda, ThreadPool* pool) override {
    std::fill(w_.begin(), w_.end(), BodyState{});
    stage_.apply(packed_, lambda.data(), w_.data(), pool);
  }
  std::span<double> state() override { return as_numbers(w_); }
  void project(std::span<double> lambda, ThreadPool* pool) const override { packed_.project(lambda, pool); }
  void scale_r(double nu) override { packed_.scale_r(nu); }
  void weights(std::span<double> weight) const override { packed_.weights(weight); }
  void add_velocity_change(std::span<Velocity> velocity, ThreadPool* pool) const override {
    packed_.add_states(w_, velocity, pool);
  }
  std::size_t bytes() const override {
    return packed_.bytes() + stage_.bytes() + w_.size() * sizeof(BodyState) + order().size_bytes() +
           pairs_.pairs().size_bytes();
  }

 private:
  void list_blocks();

  Schedule schedule_;  ///< without colours or stages: nothing is in sequence
  PairOrder pairs_;
  PackedProblem<D> packed_;
  std::vector<SplitBlock> blocks_;
  SplitStage<D> stage_;
  std::vector<BodyState> w_;  ///< per slot: M^-1 J^T lambda
};

template <int D>
void SplitSweep<D>::load(const ContactProblem& problem, const ContactSolution& start, const SplittingSettings& settings,
                         ThreadPool* pool) {
  const bool by_rows = settings.method == SplittingMethod::rows;
  packed_.pack_bodies(problem, pool);
  pairs_.sort(problem, packed_.slot, static_cast<std::int32_t>(packed_.mass.size()), pool, start.contact_impulse);
  if (!by_rows) pairs_.join(settings.cluster);
  packed_.pack_contacts(problem, ProxSettings{}, pairs_.contacts(), pool, BodyOrder::ascending);
  packed_.pack_joints(problem, ProxSettings{});
  w_.assign(packed_.mass.size(), BodyState{});
  list_blocks();
  stage_.load(blocks_, pairs_.rows(),
              {by_rows, settings.friction_order == FrictionOrder::staggered,
               settings.update == VelocityUpdate::full_mass, settings.relaxation},
              packed_, pool);
}

/// A block per group of pairs.
template <int D>
void SplitSweep<D>::list_blocks() {
  blocks_.clear();
  const std::span<const std::int32_t> start = pairs_.group_start();
  for (std::size_t g = 0; g + 1 < start.size(); ++g) {
    const BodyPairRange& first = pairs_.pairs()[to_index(start[g])];
    const BodyPairRange& last = pairs_.pairs()[to_index(start[g + 1]) - 1];
    blocks_.push_back({first.contact_begin, last.contact_end, first.row_begin, last.row_end});
  }
}

}  // namespace

std::unique_ptr<OrderFreeSweep> make_split_sweep(int dim) {
  if (dim == 4) return std::make_unique<SplitSweep<4>>();
  return std::make_unique<SplitSweep<3>>();
}

}  // namespace cairn
