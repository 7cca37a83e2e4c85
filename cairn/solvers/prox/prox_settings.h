// SPDX-License-Identifier: MIT
// The choices of the prox family (Poulsen 2010), independent of one another. Which combinations exist, and what each is
// good for, is in docs/solvers.md.
#pragma once

namespace cairn {

/// Which contacts see which impulses within a sweep.
enum class SweepOrder {
  gauss_seidel,  ///< the newest
  jacobi,        ///< those of the last sweep
};

/// How A lambda is evaluated.
enum class ContactOperator {
  automatic,   ///< factorised where there are bodies, A where there are none
  factorised,  ///< w = M^-1 J^T lambda is kept per body: linear in contacts
  a,           ///< rows of the assembled matrix ("naive" in Poulsen 2010)
  t,           ///< rows of T = 1 - R A
};

/// Which set friction is projected on; the ruler always judges by the problem's own law.
enum class FrictionModel { automatic, disc, ellipse, box, cone };

/// How one contact is solved when its turn comes.
enum class LocalSolve {
  automatic,  ///< exact on assembled problems solved by A, prox elsewhere
  prox,       ///< one projected step with the r-factor: Poulsen 2010
  exact,      ///< take-off, stick or slide, solved for this contact alone
};

enum class RFactor {
  local,     ///< 1 / W_nn and 1 / (largest eigenvalue of the friction block), per contact; Jacobi divides them by the
             ///< number of contacts a body shares, which makes it converge without luck
  diagonal,  ///< the same without that division, as Poulsen 2010 (3.25): Jacobi then relies on rollback
  global,    ///< 1 / (largest eigenvalue of A), one for all
};

enum class ScheduleKind {
  automatic,   ///< greedy where there are bodies, sequential on assembled problems; of contacts that come with colours
               ///< those without one in a split stage, unless there are only a few
  sequential,  ///< the order given
  greedy,      ///< by colours, lowest free
  balanced,    ///< by colours, least used
  relaxed,     ///< greedy, small colours merged into one stage that is done Jacobi-wise, last: unsafe, take `split`
  split,  ///< colours as given or greedy; small ones and those past max_colours in one last stage by mass splitting
  naive,  ///< equal slices side by side, blind to each other within a sweep
  partitions,  ///< METIS parts side by side, then the border by colours
};

/// When friction is visited within a sweep.
enum class FrictionOrder {
  block,      ///< with the normal rows of its contact
  staggered,  ///< after the normal rows of all contacts (Tonge et al. 2012, section 6)
};

enum class Acceleration { none, nesterov, anderson, nncg };

struct ProxSettings {
  int iterations = 0;     ///< sweeps at most; 0: as the caller says (StopSettings)
  double tolerance = -1;  ///< on the residual, 0: run all sweeps; negative: as the caller says
  SweepOrder order = SweepOrder::gauss_seidel;
  ContactOperator op = ContactOperator::automatic;
  FrictionModel friction = FrictionModel::automatic;
  FrictionOrder friction_order = FrictionOrder::block;  ///< `staggered`: factorised Gauss-Seidel only
  LocalSolve local = LocalSolve::automatic;
  RFactor r_factor = RFactor::local;
  double relaxation = 1.0;  ///< factor on every step; above 1 faster but less robust, below 1 safer and slower
  bool rollback = false;    ///< undo a sweep that made things worse, and reduce r; Jacobi turns it on by itself
  double nu = 0.7;          ///< r <- nu r at a rollback; near 1 many small reductions, near 0 one that slows everything
  int max_rollbacks = 5;    ///< reductions before the solver carries on regardless
  double growth = 1.05;     ///< a sweep is worse when its change exceeds the last one's by this factor
  int free_sweeps = 2;      ///< sweeps at the start that may grow without harm
  ScheduleKind schedule = ScheduleKind::automatic;
  int parts = 8;         ///< slices of `naive`, parts of `partitions`; more parallel, slower to converge
  int merge_below = 64;  ///< `relaxed`, `split`: colours smaller than this are merged; fewer stages, less Gauss-Seidel
  int max_colours = 64;  ///< `split`: colours at most; more contacts wait for nobody, and converge slower
  Acceleration acceleration = Acceleration::none;
  int depth = 5;  ///< `anderson`: iterates remembered; more is faster until the fit becomes ill-conditioned
};

}  // namespace cairn
