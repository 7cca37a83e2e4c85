// SPDX-License-Identifier: MIT
// Where the checkout is, for tests that read its files.
#pragma once

#include <string>

namespace cairn {

std::string source_folder();

}  // namespace cairn
