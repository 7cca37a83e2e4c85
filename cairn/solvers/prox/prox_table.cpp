// SPDX-License-Identifier: MIT
#include "cairn/solvers/prox/prox.h"
#include "cairn/solvers/prox/sweep_fields.h"

namespace cairn {

namespace {

Fields<ProxSettings> prox_fields() {
  using S = ProxSettings;
  return {
      iterations_field<S>("sweeps"),
      tolerance_field<S>(),
      choice("operator", &S::op,
             {{"automatic", ContactOperator::automatic},
              {"factorised", ContactOperator::factorised},
              {"A", ContactOperator::a},
              {"T", ContactOperator::t}},
             "how A lambda is evaluated"),
      choice("schedule", &S::schedule,
             {{"automatic", ScheduleKind::automatic},
              {"sequential", ScheduleKind::sequential},
              {"greedy", ScheduleKind::greedy},
              {"balanced", ScheduleKind::balanced},
              {"relaxed", ScheduleKind::relaxed},
              {"split", ScheduleKind::split},
              {"naive", ScheduleKind::naive},
              {"partitions", ScheduleKind::partitions}},
             "which contacts are visited side by side (Gauss-Seidel)"),
      choice("friction", &S::friction,
             {{"automatic", FrictionModel::automatic},
              {"disc", FrictionModel::disc},
              {"ellipse", FrictionModel::ellipse},
              {"box", FrictionModel::box},
              {"cone", FrictionModel::cone}},
             "the set friction is projected on; the residual always judges by the problem's law"),
      friction_order_field<S>(),
      choice("local", &S::local,
             {{"automatic", LocalSolve::automatic}, {"prox", LocalSolve::prox}, {"exact", LocalSolve::exact}},
             "how one contact is solved; automatic: exact on assembled problems, prox with bodies"),
      choice("r_factor", &S::r_factor,
             {{"local", RFactor::local}, {"diagonal", RFactor::diagonal}, {"global", RFactor::global}},
             "step length: per contact (safe for Jacobi), per contact as in Poulsen 2010, one for all"),
      relaxation_field<S>(),
      boolean("rollback", &S::rollback, "undo sweeps that made things worse and reduce r (Jacobi always does)"),
      number("nu", &S::nu, 0.01, 0.99, "r <- nu r at a rollback"),
      number("max_rollbacks", &S::max_rollbacks, 0, 100, "reductions before carrying on regardless"),
      number("growth", &S::growth, 1.0, 100.0, "a sweep is worse when its change exceeds the last by this factor"),
      number("free_sweeps", &S::free_sweeps, 0, 1000, "sweeps at the start that may grow"),
      number("parts", &S::parts, 1, 4096, "slices of naive, parts of partitions"),
      number("merge_below", &S::merge_below, 0, 1000000, "relaxed, split: colours smaller than this are merged"),
      number("max_colours", &S::max_colours, 0, 4096, "split: colours at most"),
      acceleration_field<S>(),
      depth_field<S>(),
  };
}

SolverEntry entry(std::string name, std::string summary, const ProxSettings& defaults) {
  const bool assembled = defaults.friction_order == FrictionOrder::block;
  return solver_entry<ProxSettings>(std::move(name), std::move(summary), {.assembled = assembled}, prox_fields(),
                                    defaults, [](const ProxSettings& s) { return std::make_unique<ProxSolver>(s); });
}

/// Gauss-Seidel by colours, accelerated.
ProxSettings accelerated(Acceleration acceleration) {
  ProxSettings settings;
  settings.acceleration = acceleration;
  return settings;
}

}  // namespace

/// The prox family under the names its members are known by: each is gauss_seidel or jacobi with other defaults.
void add_prox_solvers(SolverEntries& table) {
  ProxSettings jacobi, pgs, staggered;
  jacobi.order = SweepOrder::jacobi;
  pgs.schedule = ScheduleKind::greedy;
  pgs.local = LocalSolve::prox;
  staggered.schedule = ScheduleKind::greedy;
  staggered.friction_order = FrictionOrder::staggered;
  table.push_back(entry("gauss_seidel", "projected Gauss-Seidel: the workhorse, fast and robust", {}));
  table.push_back(entry("pgs", "gauss_seidel by colours on any problem: schedule=greedy, local=prox", pgs));
  table.push_back(entry("pgs_staggered",
                        "pgs with friction after the normals of all contacts: the rival of Tonge et al. 2012",
                        staggered));
  table.push_back(entry("jacobi", "projected Jacobi: order-independent, fully parallel, needs more sweeps", jacobi));
  table.push_back(entry("nesterov",
                        "gauss_seidel with acceleration=nesterov: momentum with restarts, the safest acceleration",
                        accelerated(Acceleration::nesterov)));
  table.push_back(entry("anderson",
                        "gauss_seidel with acceleration=anderson: fits the last sweeps, fastest on smooth problems",
                        accelerated(Acceleration::anderson)));
  table.push_back(entry("nncg", "gauss_seidel with acceleration=nncg: nonlinear conjugate gradients on the sweep",
                        accelerated(Acceleration::nncg)));
}

}  // namespace cairn
