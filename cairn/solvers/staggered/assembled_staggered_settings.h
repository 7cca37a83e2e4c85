// SPDX-License-Identifier: MIT
#pragma once

namespace cairn {

struct AssembledStaggeredSettings {
  bool schur = true;        ///< false: a factorisation per active set
  int iterations = 30;      ///< of both QPs, at most
  double tolerance = 1e-2;  ///< on the change of the impulses
  double eps = 1e-6;        ///< regularisation over the diagonal
  int sweeps = 20;          ///< of Gauss-Seidel before the active sets of a QP
  int most_sets = 30;       ///< active sets of a QP before Gauss-Seidel is asked again
};

}  // namespace cairn
