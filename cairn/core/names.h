// SPDX-License-Identifier: MIT
// Names given by the user: what he may have meant. For the tables that make things by name.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace cairn {

/// The candidate that differs from `name` in the fewest letters: for messages.
std::string nearest_name(std::string_view name, const std::vector<std::string>& candidates);

}  // namespace cairn
