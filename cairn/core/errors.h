// SPDX-License-Identifier: MIT
// Errors: what the user gets when something he gave us cannot be used.
//
// Three kinds of trouble, three tools:
//   * input from outside (API arguments, files, flags): `require` throws InputError, file readers return
//     Expected<T>. Both are active in release builds and the message says what to change.
//   * our own mistakes: CAIRN_ASSERT (debug builds).
//   * non-convergence and non-finite numbers during a solve: results in the SolveReport, never errors.
#pragma once

#include <cassert>
#include <stdexcept>
#include <string>
#include <utility>
#include <variant>

#define CAIRN_ASSERT(condition) assert(condition)

namespace cairn {

/// What went wrong, coarse enough for a program to act on.
enum class ErrorKind {
  bad_input,    ///< a value or a file's content cannot be used
  io,           ///< a file cannot be opened, read or written
  limit,        ///< larger than a documented limit
  unsupported,  ///< valid, but this build or this solver cannot do it
};

/// An error as a value: the kind, and one sentence that names the cure.
struct Error {
  ErrorKind kind = ErrorKind::bad_input;
  std::string message;
};

/// Thrown by `require` when an argument of the API cannot be used. Nothing has been changed when it is thrown.
class InputError : public std::runtime_error {
 public:
  explicit InputError(Error error) : std::runtime_error(error.message), kind_(error.kind) {}
  ErrorKind kind() const { return kind_; }

 private:
  ErrorKind kind_;
};

/// Throws InputError unless `condition` holds. For messages that cost something to build, test first and call
/// `fail_input` in the branch.
inline void require(bool condition, const char* message) {
  if (!condition) [[unlikely]]
    throw InputError({ErrorKind::bad_input, message});
}

[[noreturn]] inline void fail_input(std::string message, ErrorKind kind = ErrorKind::bad_input) {
  throw InputError({kind, std::move(message)});
}

/// Either a value or the Error that explains why there is none.
template <class T>
class [[nodiscard]] Expected {
 public:
  Expected(T value) : state_(std::in_place_index<0>, std::move(value)) {}      // NOLINT: implicit by design
  Expected(Error error) : state_(std::in_place_index<1>, std::move(error)) {}  // NOLINT: implicit by design

  explicit operator bool() const { return state_.index() == 0; }
  T& value() & { return std::get<0>(state_); }
  const T& value() const& { return std::get<0>(state_); }
  T&& value() && { return std::get<0>(std::move(state_)); }
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }
  const Error& error() const { return std::get<1>(state_); }

  /// The value, or an InputError with the same message: for callers that prefer exceptions.
  T value_or_throw() && {
    if (!*this) throw InputError(error());
    return std::get<0>(std::move(state_));
  }

 private:
  std::variant<T, Error> state_;
};

}  // namespace cairn
