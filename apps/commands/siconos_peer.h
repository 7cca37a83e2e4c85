// SPDX-License-Identifier: MIT
// Siconos beside our solvers, where Debian's package python3-siconos is installed; nothing else depends on it.
//
// Every solver runs in a process of its own with a time limit: a crash or a hang of Siconos is a result. Its impulses
// come back as they are; the caller judges them with the same ruler as ours (residual), because Siconos stops by a
// measure of its own.
#pragma once

#include <atomic>
#include <string>
#include <vector>

#include "cairn/core/errors.h"
#include "cairn/problem/delassus.h"

namespace cairn::cli {

enum class SiconosStatus {
  solved,       ///< Siconos says that it reached the tolerance by its own measure
  not_reached,  ///< it returned without reaching it; the impulse is its last one
  timeout,      ///< the time limit was reached; no impulse
  crashed,      ///< it died or raised an error; no impulse
};
const char* to_string(SiconosStatus status);

struct SiconosResult {
  std::string name;  ///< "NSGS", "PROX", "NSN_AC" or "ADMM"
  SiconosStatus status = SiconosStatus::crashed;
  int iterations = 0;           ///< as Siconos counts them: sweeps, proximal steps, Newton steps
  double seconds = 0;           ///< in its driver, one thread; loading the library does not count
  std::vector<double> impulse;  ///< 3 per contact, in our order (n, s, t); empty when there is none
  std::string detail;           ///< one line for the user when it crashed
};

/// Is there a python3 with siconos.numerics? Looked up once per run of the program (starts an interpreter).
bool siconos_available();

/// Runs all four solvers from zero, one after the other, each with its default options except for the tolerance and
/// the number of iterations. An Error (unsupported) when Siconos is missing, or the problem is not of three rows per
/// contact with equal friction in both tangents; an Error (io) when the temporary folder cannot be used.
/// `interrupt`, if given, is polled: when true the running solver is ended and the results so far are returned.
Expected<std::vector<SiconosResult>> run_siconos(const DelassusProblem& problem, double tolerance, int max_iterations,
                                                 double time_limit_seconds,
                                                 const std::atomic<bool>* interrupt = nullptr);

}  // namespace cairn::cli
