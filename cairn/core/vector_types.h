// SPDX-License-Identifier: MIT
// Vectors of a fixed size, as GCC and Clang know them: arithmetic lane by lane, with the instructions there are.
//
// Passed by reference only, since their calling convention depends on the instruction set.
#pragma once

namespace cairn {

using Double4 = double __attribute__((vector_size(32)));
using Double8 = double __attribute__((vector_size(64)));

}  // namespace cairn
