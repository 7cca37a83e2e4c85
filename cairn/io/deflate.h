// SPDX-License-Identifier: MIT
// The only door to zlib: bytes made smaller for pages, whose browsers make them whole again.
#pragma once

#include <string>
#include <string_view>

namespace cairn {

/// RFC 1951, without a head.
std::string deflate(std::string_view bytes);

}  // namespace cairn
