// SPDX-License-Identifier: MIT
// The viewer of recordings, bundled from viewer/ when the program was built. Empty in a program built without node.
#pragma once

#include <string_view>

namespace cairn::cli {

std::string_view viewer_script();

}  // namespace cairn::cli
