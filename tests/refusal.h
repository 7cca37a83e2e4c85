// SPDX-License-Identifier: MIT
// What a call is refused with, for tests of messages.
#pragma once

#include <string>

#include "cairn/core/errors.h"

namespace cairn {

/// The message of the InputError that `call` throws; empty when it throws none.
template <class Call>
std::string refusal(Call&& call) {
  try {
    call();
  } catch (const InputError& error) {
    return error.what();
  }
  return {};
}

}  // namespace cairn
