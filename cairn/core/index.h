// SPDX-License-Identifier: MIT
// to_index: an integer or enumerator as an index of the standard containers. Indices are kept as int32 in data, to be
// small and to have -1 for none; containers want std::size_t.
#pragma once

#include <cstddef>
#include <type_traits>

namespace cairn {

template <class T>
requires std::is_integral_v<T> || std::is_enum_v<T>
constexpr std::size_t to_index(T i) { return static_cast<std::size_t>(i); }

}  // namespace cairn
