// SPDX-License-Identifier: MIT
#include "cairn/io/json_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "cairn/core/errors.h"
#include "cairn/core/index.h"

namespace cairn {

namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// Bytes of the UTF-8 sequence at the beginning of `text`; 0 where it is none (overlong forms and surrogates included).
std::size_t sequence_length(std::string_view text) {
  const auto byte = [&](std::size_t k) {
    return k < text.size() ? static_cast<unsigned char>(text[k]) : static_cast<unsigned char>(0);
  };
  const auto follows = [&](std::size_t k) { return (byte(k) & 0xc0) == 0x80; };
  const unsigned char a = byte(0), b = byte(1);
  if (a < 0x80) return 1;
  if (a >= 0xc2 && a <= 0xdf) return follows(1) ? 2 : 0;
  if (a >= 0xe0 && a <= 0xef) {
    if ((a == 0xe0 && b < 0xa0) || (a == 0xed && b > 0x9f)) return 0;
    return follows(1) && follows(2) ? 3 : 0;
  }
  if (a >= 0xf0 && a <= 0xf4) {
    if ((a == 0xf0 && b < 0x90) || (a == 0xf4 && b > 0x8f)) return 0;
    return follows(1) && follows(2) && follows(3) ? 4 : 0;
  }
  return 0;
}

void append_utf8(std::string& out, std::uint32_t code) {
  const auto put = [&](std::uint32_t byte) { out += static_cast<char>(byte); };
  if (code < 0x80) return put(code);
  if (code < 0x800) return put(0xc0 | code >> 6), put(0x80 | (code & 0x3f));
  if (code < 0x10000) return put(0xe0 | code >> 12), put(0x80 | (code >> 6 & 0x3f)), put(0x80 | (code & 0x3f));
  put(0xf0 | code >> 18), put(0x80 | (code >> 12 & 0x3f)), put(0x80 | (code >> 6 & 0x3f)), put(0x80 | (code & 0x3f));
}

/// Recursive descent; the depth is limited, so the stack is too.
class JsonParser {
 public:
  explicit JsonParser(std::string_view text) : text_(text) {
    if (text_.substr(0, 3) == "\xef\xbb\xbf") at_ = line_start_ = 3;  // byte order mark
  }

  JsonValue parse() {
    skip_blank();
    JsonValue value = parse_value(0);
    skip_blank();
    if (at_ < text_.size()) fail("expected the end of the file after the first value");
    return value;
  }

 private:
  JsonPlace place() const { return {line_, static_cast<std::int32_t>(at_ - line_start_ + 1)}; }

  [[noreturn]] static void fail_at(const JsonPlace& p, const std::string& what, ErrorKind kind = ErrorKind::bad_input) {
    fail_input(fmt::format("{}:{}: {}", p.line, p.column, what), kind);
  }
  [[noreturn]] void fail(const std::string& expected) const {
    fail_at(place(), fmt::format("{}, got {}", expected, found()));
  }
  std::string found() const {
    if (at_ >= text_.size()) return "the end of the file";
    const char c = text_[at_];
    if (c >= 0x20 && c < 0x7f) return fmt::format("'{}'", c);
    return fmt::format("the byte 0x{:02x}", static_cast<unsigned char>(c));
  }

  bool looking_at(std::string_view word) const { return text_.substr(at_, word.size()) == word; }
  char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  void newline() { ++line_, line_start_ = at_; }

  void skip_blank() {
    for (;;) {
      const char c = peek();
      if (at_ >= text_.size()) return;
      if (c == ' ' || c == '\t' || c == '\r' || c == '\n') {
        ++at_;
        if (c == '\n') newline();
      } else if (looking_at("//")) {
        at_ = std::min(text_.find('\n', at_), text_.size());
      } else if (looking_at("/*")) {
        skip_block_comment();
      } else {
        return;
      }
    }
  }
  void skip_block_comment() {
    const JsonPlace begin = place();
    const std::size_t end = text_.find("*/", at_ + 2);
    if (end == std::string_view::npos) fail_at(begin, "this comment has no end: write */");
    while (at_ < end + 2)
      if (text_[at_++] == '\n') newline();
  }

  JsonValue parse_value(int depth) {
    if (++count_ > kMostJsonValues)
      fail_at(place(), fmt::format("more than {} values, which is the limit", kMostJsonValues), ErrorKind::limit);
    if (depth > kMostJsonDepth)
      fail_at(place(), fmt::format("nested more than {} levels deep, which is the limit", kMostJsonDepth),
              ErrorKind::limit);
    JsonValue value;
    value.place = place();
    const char c = peek();
    if (at_ >= text_.size()) fail("expected a value");
    if (c == '{') {
      parse_object(value, depth);
    } else if (c == '[') {
      parse_array(value, depth);
    } else if (c == '"') {
      value.kind = JsonKind::string, value.text = parse_string();
    } else if (c == '-' || is_digit(c)) {
      value.kind = JsonKind::number, value.number = parse_number();
    } else if (looking_at("true") || looking_at("false")) {
      value.kind = JsonKind::boolean, value.flag = c == 't', at_ += value.flag ? 4 : 5;
    } else if (looking_at("null")) {
      at_ += 4;
    } else {
      fail("expected a value: { [ \" true false null or a number in decimal digits");
    }
    return value;
  }

  void parse_array(JsonValue& value, int depth) {
    value.kind = JsonKind::array;
    ++at_;
    skip_blank();
    if (peek() == ']') return void(++at_);
    for (;;) {
      value.items.push_back(parse_value(depth + 1));
      skip_blank();
      if (peek() == ']') return void(++at_);
      if (peek() != ',') fail("expected ',' or ']' in this array");
      ++at_;
      skip_blank();
      if (peek() == ']')
        fail_at(place(), "there is a comma before this ']': leave it out, JSON has no trailing commas");
    }
  }

  void parse_object(JsonValue& value, int depth) {
    value.kind = JsonKind::object;
    ++at_;
    skip_blank();
    if (peek() == '}') return void(++at_);
    for (;;) {
      JsonMember member;
      member.place = place();
      if (peek() == '}')
        fail_at(place(), "there is a comma before this '}': leave it out, JSON has no trailing commas");
      if (peek() != '"') fail("expected a key in quotes");
      member.key = parse_string();
      skip_blank();
      if (peek() != ':') fail("expected ':' after the key");
      ++at_;
      skip_blank();
      member.value = parse_value(depth + 1);
      value.members.push_back(std::move(member));
      skip_blank();
      if (peek() == '}') break;
      if (peek() != ',') fail("expected ',' or '}' in this object");
      ++at_;
      skip_blank();
    }
    ++at_;
    refuse_duplicates(value);
  }

  static void refuse_duplicates(const JsonValue& object) {
    std::vector<const JsonMember*> sorted;
    for (const JsonMember& member : object.members) sorted.push_back(&member);
    std::stable_sort(sorted.begin(), sorted.end(),
                     [](const JsonMember* a, const JsonMember* b) { return a->key < b->key; });
    for (std::size_t k = 1; k < sorted.size(); ++k)
      if (sorted[k]->key == sorted[k - 1]->key)
        fail_at(sorted[k]->place, fmt::format("the key \"{}\" was already given at {}:{}", sorted[k]->key,
                                              sorted[k - 1]->place.line, sorted[k - 1]->place.column));
  }

  /// The grammar of JSON first; what from_chars would also take (inf, nan, hex) never gets there.
  double parse_number() {
    const std::size_t begin = at_;
    const JsonPlace p = place();
    if (peek() == '-') ++at_;
    if (!is_digit(peek())) fail("expected a digit");
    if (peek() == '0' && at_ + 1 < text_.size() && is_digit(text_[at_ + 1]))
      fail_at(p, "a number must not begin with 0 unless that is its only digit before the point");
    skip_digits();
    if (peek() == '.') {
      ++at_;
      if (!is_digit(peek())) fail("expected a digit after the decimal point");
      skip_digits();
    }
    if (peek() == 'e' || peek() == 'E') {
      ++at_;
      if (peek() == '+' || peek() == '-') ++at_;
      if (!is_digit(peek())) fail("expected a digit in the exponent");
      skip_digits();
    }
    double value = 0;
    const auto [end, error] = std::from_chars(text_.data() + begin, text_.data() + at_, value);
    if (error != std::errc{} || end != text_.data() + at_)
      fail_at(p, fmt::format("the number {} is outside the range of double, about 1e-308 to 1e308",
                             text_.substr(begin, std::min<std::size_t>(at_ - begin, 40))));
    return value == 0 ? 0.0 : value;  // -0 counts as 0
  }
  void skip_digits() {
    while (is_digit(peek())) ++at_;
  }

  std::string parse_string() {
    const JsonPlace begin = place();
    std::string out;
    ++at_;
    for (;;) {
      if (at_ >= text_.size()) fail_at(begin, "this string has no end: write \"");
      const char c = text_[at_];
      if (c == '"') break;
      if (static_cast<unsigned char>(c) < 0x20) fail("strings must not contain control characters: write \\n, \\t");
      if (c == '\\') {
        parse_escape(out);
        continue;
      }
      const std::size_t length = sequence_length(text_.substr(at_, 4));
      if (length == 0) fail("strings must be valid UTF-8");
      out.append(text_, at_, length);
      at_ += length;
    }
    ++at_;
    return out;
  }

  void parse_escape(std::string& out) {
    ++at_;
    constexpr std::string_view kNames = "\"\\/bfnrt", kMeanings = "\"\\/\b\f\n\r\t";
    const char c = peek();
    if (const std::size_t k = kNames.find(c); at_ < text_.size() && k != std::string_view::npos) {
      out += kMeanings[k];
      ++at_;
      return;
    }
    const JsonPlace escape{line_, static_cast<std::int32_t>(at_ - line_start_)};  // of the backslash
    if (c != 'u') fail("expected one of \" \\ / b f n r t u after \\");
    std::uint32_t code = parse_hex();
    if (code >= 0xdc00 && code <= 0xdfff) fail("a low surrogate must follow a high one");
    if (code >= 0xd800 && code <= 0xdbff) {
      if (!looking_at("\\u")) fail("expected the low surrogate, \\uDC00 to \\uDFFF");
      ++at_;
      const std::uint32_t low = parse_hex();
      if (low < 0xdc00 || low > 0xdfff) fail("expected the low surrogate, \\uDC00 to \\uDFFF");
      code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
    }
    if (code == 0)
      fail_at(escape, "strings must not contain the character 0, where names would end: leave \\u0000 out");
    append_utf8(out, code);
  }
  /// Four digits after the u at the current place.
  std::uint32_t parse_hex() {
    std::uint32_t code = 0;
    const std::string_view digits = text_.substr(at_ + 1, 4);
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), code, 16);
    if (error != std::errc{} || digits.size() != 4 || end != digits.data() + 4)
      fail("expected four hexadecimal digits after \\u");
    at_ += 5;
    return code;
  }

  std::string_view text_;
  std::size_t at_ = 0, line_start_ = 0;
  std::int32_t line_ = 1;
  std::int64_t count_ = 0;
};

constexpr std::size_t kLineWidth = 110;

void write_string(std::string& out, std::string_view text) {
  out += '"';
  for (const char c : text) {
    if (c == '"' || c == '\\')
      out += '\\', out += c;
    else if (static_cast<unsigned char>(c) < 0x20)
      out += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
    else
      out += c;
  }
  out += '"';
}

void write_flat(std::string& out, const JsonValue& value) {
  switch (value.kind) {
    case JsonKind::null: out += "null"; return;
    case JsonKind::boolean: out += value.flag ? "true" : "false"; return;
    case JsonKind::number:
      if (!std::isfinite(value.number)) fail_input("JSON has no way to write a number that is not finite");
      out += fmt::format("{}", value.number);
      return;
    case JsonKind::string: write_string(out, value.text); return;
    case JsonKind::array:
      out += '[';
      for (std::size_t k = 0; k < value.items.size(); ++k) {
        if (k > 0) out += ", ";
        write_flat(out, value.items[k]);
      }
      out += ']';
      return;
    case JsonKind::object:
      out += '{';
      for (std::size_t k = 0; k < value.members.size(); ++k) {
        if (k > 0) out += ", ";
        write_string(out, value.members[k].key);
        out += ": ";
        write_flat(out, value.members[k].value);
      }
      out += '}';
      return;
  }
}

void write_indented(std::string& out, const JsonValue& value, std::size_t indent) {
  const bool nested = value.kind == JsonKind::array || value.kind == JsonKind::object;
  std::string flat;
  if (!nested || (value.items.size() <= kLineWidth && value.members.size() <= kLineWidth)) write_flat(flat, value);
  if (!nested || (!flat.empty() && flat.size() + indent <= kLineWidth)) return void(out += flat);
  const bool array = value.kind == JsonKind::array;
  const std::size_t count = array ? value.items.size() : value.members.size();
  out += array ? '[' : '{';
  for (std::size_t k = 0; k < count; ++k) {
    out += k > 0 ? ",\n" : "\n";
    out.append(indent + 2, ' ');
    if (!array) write_string(out, value.members[k].key), out += ": ";
    write_indented(out, array ? value.items[k] : value.members[k].value, indent + 2);
  }
  out += '\n';
  out.append(indent, ' ');
  out += array ? ']' : '}';
}

JsonValue of_kind(JsonKind kind) {
  JsonValue value;
  value.kind = kind;
  return value;
}

}  // namespace

const char* to_string(JsonKind kind) {
  constexpr const char* kNames[] = {"null", "true or false", "a number", "a string", "an array", "an object"};
  return kNames[to_index(kind)];
}

const JsonMember* JsonValue::find(std::string_view key) const {
  for (const JsonMember& member : members)
    if (member.key == key) return &member;
  return nullptr;
}

JsonValue json_number(double number) {
  JsonValue value = of_kind(JsonKind::number);
  value.number = number;
  return value;
}

JsonValue json_text(std::string text) {
  JsonValue value = of_kind(JsonKind::string);
  value.text = std::move(text);
  return value;
}

JsonValue json_flag(bool flag) {
  JsonValue value = of_kind(JsonKind::boolean);
  value.flag = flag;
  return value;
}

JsonValue json_array(std::vector<JsonValue> items) {
  JsonValue value = of_kind(JsonKind::array);
  value.items = std::move(items);
  return value;
}

JsonValue json_object() { return of_kind(JsonKind::object); }

JsonValue& add_member(JsonValue& object, std::string key, JsonValue value) {
  object.members.push_back({std::move(key), std::move(value)});
  return object.members.back().value;
}

bool same_content(const JsonValue& a, const JsonValue& b) {
  if (a.kind != b.kind || a.flag != b.flag || a.number != b.number || a.text != b.text) return false;
  if (a.items.size() != b.items.size() || a.members.size() != b.members.size()) return false;
  for (std::size_t k = 0; k < a.items.size(); ++k)
    if (!same_content(a.items[k], b.items[k])) return false;
  for (std::size_t k = 0; k < a.members.size(); ++k)
    if (a.members[k].key != b.members[k].key || !same_content(a.members[k].value, b.members[k].value)) return false;
  return true;
}

JsonValue parse_json(std::string_view text) {
  if (text.size() > kMostJsonBytes)
    fail_input(fmt::format("1:1: the text has {} bytes, the limit is {}", text.size(), kMostJsonBytes),
               ErrorKind::limit);
  return JsonParser(text).parse();
}

std::string to_line(const JsonValue& value) {
  std::string out;
  write_flat(out, value);
  return out;
}

std::string to_text(const JsonValue& value) {
  std::string out;
  write_indented(out, value, 0);
  return out + "\n";
}

}  // namespace cairn
