// SPDX-License-Identifier: MIT
// Residual curves of solvers on one step of a live run: what `cairn compare` does with captured steps, for the viewer.
#pragma once

#include <string>
#include <vector>

#include "cairn/io/json_text.h"
#include "cairn/world/world.h"

namespace cairn::cli {

/// As LiveCurves (cairn/live/session.h): {"contacts": n, "curves": [{"solver", "sweeps", "residual", "ms"} or
/// {"solver", "error"}]}, from where the step itself began. No names: all solvers.
JsonValue view_curves(const World& stepped, const std::vector<std::string>& solvers, int sweeps);

}  // namespace cairn::cli
