// SPDX-License-Identifier: MIT
// LiveRequest: what a viewer asks, one line of JSON, {"id": 7, "do": "seek", "step": 120}; and the answers
// (docs/viewer.md).
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cairn/io/json_text.h"
#include "cairn/math/vec3.h"

namespace cairn {

struct LiveRequest {
  JsonValue id;      ///< a number, or null where there was none
  std::string name;  ///< of "do"
  JsonValue all;     ///< the whole object
};

/// InputError where it is no object with a "do". `id` is filled as far as it could be read.
LiveRequest parse_live_request(std::string_view text, JsonValue& id);

/// Arguments of a request; each function throws InputError that names the field and what is allowed.
class LiveArguments {
 public:
  /// Refuses names that are not among `known`, with the nearest one.
  LiveArguments(const LiveRequest& request, std::initializer_list<const char*> known);

  bool has(const char* key) const { return request_.all.find(key) != nullptr; }
  double number(const char* key, double least, double most) const;
  double number_or(const char* key, double otherwise, double least, double most) const;
  std::int64_t whole(const char* key, std::int64_t least, std::int64_t most) const;
  bool flag(const char* key) const;
  std::string text(const char* key) const;
  Vec3 vector(const char* key, double largest) const;
  /// Of an object {"name": value}: numbers, texts and flags as `--set name=value` would write them.
  std::vector<std::pair<std::string, std::string>> named_values(const char* key) const;
  std::vector<std::string> texts(const char* key) const;

 private:
  const JsonValue& value(const char* key, JsonKind kind) const;
  [[noreturn]] void refuse(const char* key, const std::string& what) const;

  const LiveRequest& request_;
};

/// {"id": ..., "ok": true}, to which results are added.
JsonValue live_answer(const JsonValue& id);
std::string live_error(const JsonValue& id, const std::string& message);
/// A message that nobody asked for.
std::string live_note(const std::string& message);
/// Null where it is not finite: JSON has no such numbers.
JsonValue json_real(double x);
JsonValue json_vector(const Vec3& v);

}  // namespace cairn
