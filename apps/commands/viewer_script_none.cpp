// SPDX-License-Identifier: MIT
// In place of the bundle where node and npm were not there, or npm could not fetch what viewer/package-lock.json names.
#include "apps/commands/viewer_script.h"

namespace cairn::cli {

std::string_view viewer_script() { return {}; }

}  // namespace cairn::cli
