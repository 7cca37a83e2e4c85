// SPDX-License-Identifier: MIT
// JSON with comments, read into values that know where they stand: line and column of every value and key.
//
// Strict otherwise: no trailing commas, no second document, no NaN, no number outside double, no key twice in an
// object, valid UTF-8 only. Depth, bytes and values are limited before anything large is allocated. Errors read
// "line:column: what was expected, what was found"; the caller adds the name of the file.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace cairn {

/// Far above any scene written by hand or by a program, far below what harms a machine.
inline constexpr std::size_t kMostJsonBytes = std::size_t{64} << 20;
inline constexpr std::int64_t kMostJsonValues = 4'000'000;
inline constexpr int kMostJsonDepth = 64;

/// Counted from 1; columns in bytes.
struct JsonPlace {
  std::int32_t line = 1, column = 1;
  friend bool operator==(const JsonPlace&, const JsonPlace&) = default;
};

enum class JsonKind : std::uint8_t { null, boolean, number, string, array, object };
/// "an object", "a number", ... for messages.
const char* to_string(JsonKind kind);

struct JsonMember;

/// Written by parse_json or put together by hand; plain data.
struct JsonValue {
  JsonKind kind = JsonKind::null;
  bool flag = false;
  double number = 0;
  std::string text{};
  std::vector<JsonValue> items{};   ///< of an array
  std::vector<JsonMember> members;  ///< of an object, in the order of the file
  JsonPlace place{};

  /// The member of that name; null where there is none or this is no object.
  const JsonMember* find(std::string_view key) const;
};

struct JsonMember {
  std::string key;
  JsonValue value;
  JsonPlace place{};  ///< of the key
};

JsonValue json_number(double value);
JsonValue json_text(std::string text);
JsonValue json_flag(bool flag);
JsonValue json_array(std::vector<JsonValue> items = {});
JsonValue json_object();
/// Appends a member and returns its value.
JsonValue& add_member(JsonValue& object, std::string key, JsonValue value);
/// Equal but for places.
bool same_content(const JsonValue& a, const JsonValue& b);

/// Throws InputError.
JsonValue parse_json(std::string_view text);

/// Two spaces per level; arrays of numbers, and of such arrays, on one line where they fit. Numbers read back to the
/// same double; those that are not finite are refused.
std::string to_text(const JsonValue& value);
/// The same without line breaks, for messages.
std::string to_line(const JsonValue& value);

}  // namespace cairn
