// SPDX-License-Identifier: MIT
// Names and values given by the user: what he may have meant. For the tables that make things by name.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace cairn {

/// The candidate that differs from `name` in the fewest letters, if that is a third of them or fewer, or one that
/// begins with it; else empty: a far guess misleads.
std::string nearest_name(std::string_view name, const std::vector<std::string>& candidates);
/// " (did you mean 'NAME'?)" to follow a name in a message, empty without a near name.
std::string did_you_mean(std::string_view name, const std::vector<std::string>& candidates, char quote = '\'');

/// A number that takes up the whole text; InputError that names the setting where it does not. T: int, std::int64_t or
/// double.
template <class T>
T parse_number(const std::string& name, const std::string& text);

}  // namespace cairn
