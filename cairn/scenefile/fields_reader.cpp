// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "cairn/core/errors.h"
#include "cairn/core/names.h"
#include "cairn/scenefile/fields_json.h"

namespace cairn {

namespace {

/// Words of other engines and formats, and ours for them.
struct OtherWord {
  const char *theirs, *ours, *why;
};
constexpr OtherWord kOtherKeys[] = {
    {"size", "half", ", which is half of each edge length"},
    {"half_extents", "half", ""},
    {"halfExtents", "half", ""},
    {"extents", "half", ", which is half of each edge length"},
    {"half_length", "half_height", ""},
    {"half_height", "half_length", ", without the caps"},
    {"length", "half_length", ", half of that"},
    {"length", "half_height", ", half of that"},
    {"height", "half_length", ", half of that, without the caps"},
    {"height", "half_height", ", half of that"},
    {"mu", "friction", ""},
    {"bounce", "restitution", ""},
    {"bounciness", "restitution", ""},
    {"pos", "position", ""},
    {"quat", "orientation", ""},
    {"rotation", "orientation", ""},
    {"linear_velocity", "velocity", ""},
    {"geometry", "shapes", ""},
    {"colliders", "shapes", ""},
    {"com", "centre", ""},
    {"center", "centre", ""},
    {"timestep", "dt", ""},
    {"time_step", "dt", ""},
};
constexpr OtherWord kOtherNames[] = {
    {"static", "fixed", ""},   {"rigid", "dynamic", ""},    {"cube", "box", ""},
    {"ball", "sphere", ""},    {"plane", "half_space", ""}, {"ground", "half_space", ""},
    {"convex", "hull", ""},    {"convex_hull", "hull", ""}, {"heightfield", "height_field", ""},
    {"trimesh", "mesh", ""},   {"revolute", "hinge", ""},   {"slider", "prismatic", ""},
    {"spherical", "ball", ""}, {"weld", "fixed", ""},       {"generic", "six_dof", ""},
};

/// What was given, short enough for a message.
std::string shown(const JsonValue& value) {
  switch (value.kind) {
    case JsonKind::number: return fmt::format("{}", value.number);
    case JsonKind::boolean: return value.flag ? "true" : "false";
    case JsonKind::string:
      return fmt::format("\"{}\"{}", value.text.substr(0, 60), value.text.size() > 60 ? "..." : "");
    case JsonKind::array: return fmt::format("an array of {}", value.items.size());
    default: return to_string(value.kind);
  }
}

std::string joined(std::span<const char* const> names) { return fmt::format("{}", fmt::join(names, ", ")); }

std::string range_text(const Range& r) {
  if (std::isinf(r.least) && std::isinf(r.most)) return "a number";
  if (std::isinf(r.most)) return fmt::format("a number of at least {:g}", r.least);
  return fmt::format("a number in [{:g}, {:g}]", r.least, r.most);
}

/// Collects all mistakes of a file, so that they are reported at once.
class Mistakes {
 public:
  void add(const InputError& error) {
    if (count_++ == 0) kind_ = error.kind();
    if (count_ <= kMostTold) text_ += fmt::format("{}{}", count_ == 1 ? "" : "\n", error.what());
  }
  void throw_if_any() const {
    if (count_ == 0) return;
    fail_input(count_ <= kMostTold ? text_ : fmt::format("{}\nand {} more mistakes", text_, count_ - kMostTold), kind_);
  }

 private:
  static constexpr std::size_t kMostTold = 20;
  std::size_t count_ = 0;
  ErrorKind kind_ = ErrorKind::bad_input;
  std::string text_;
};

void read_object(const JsonValue& json, const std::string& file, const std::string& path, const Describe& describe,
                 Mistakes& mistakes);

class FieldReader final : public Fields {
 public:
  FieldReader(const JsonValue& json, const std::string& file, const std::string& path, Mistakes& mistakes)
      : json_(json), file_(file), path_(path), mistakes_(mistakes) {
    if (json.kind != JsonKind::object) fail(json.place, path, fmt::format("must be an object, got {}", shown(json)));
  }

  /// Reports keys that were not described. It is called after all fields were described. If the form of an object is
  /// unknown, so are its keys, and nothing is reported.
  void finish() {
    for (const JsonMember& member : json_.members) {
      if (!complete_ || std::find(known_.begin(), known_.end(), member.key) != known_.end()) continue;
      const std::string key = member.key.substr(0, 60);
      guarded([&] { fail(member.place, below(key), "there is no such key here" + cure(key)); });
    }
  }

  void number(const char* key, double& x, const Range& allowed, const char*, Need need) override {
    guarded([&] {
      if (const JsonValue* value = take(key, need)) x = number_in(*value, below(key), allowed, false);
    });
  }
  void whole(const char* key, std::int64_t& x, std::int64_t least, std::int64_t most, const char*, Need need) override {
    guarded([&] {
      const Range allowed{static_cast<double>(least), static_cast<double>(most)};
      if (const JsonValue* value = take(key, need))
        x = static_cast<std::int64_t>(number_in(*value, below(key), allowed, true));
    });
  }
  void flag(const char* key, bool& x, const char*) override {
    guarded([&] {
      const JsonValue* value = take(key, Need::optional);
      if (value == nullptr) return;
      if (value->kind != JsonKind::boolean)
        fail(value->place, below(key), fmt::format("must be true or false, got {}", shown(*value)));
      x = value->flag;
    });
  }
  void text(const char* key, std::string& x, const char*, Need need) override {
    guarded([&] {
      if (const JsonValue* value = take(key, need)) x = text_in(*value, below(key));
    });
  }
  void numbers(const char* key, std::span<double> x, const Range& allowed, const char*, Need need) override {
    guarded([&] {
      const JsonValue* value = take(key, need);
      if (value == nullptr) return;
      check_length(*value, below(key), x.size());
      for (std::size_t k = 0; k < x.size(); ++k)
        x[k] = number_in(value->items[k], fmt::format("{}[{}]", below(key), k), allowed, false);
    });
  }
  void rows(const char* key, std::vector<double>& x, std::size_t width, const Range& allowed, bool integral,
            const char*, Need need) override {
    guarded([&] {
      const JsonValue* value = take(key, need);
      if (value == nullptr) return;
      const std::string path = below(key);
      if (value->kind != JsonKind::array)
        fail(value->place, path, fmt::format("must be an array, got {}", shown(*value)));
      x.clear();
      for (std::size_t k = 0; k < value->items.size(); ++k) {
        const std::string at = fmt::format("{}[{}]", path, k);
        const JsonValue& row = value->items[k];
        if (width > 1) check_length(row, at, width);
        for (std::size_t j = 0; j < width; ++j)
          x.push_back(width > 1 ? number_in(row.items[j], fmt::format("{}[{}]", at, j), allowed, integral)
                                : number_in(row, at, allowed, integral));
      }
    });
  }
  void choice(const char* key, int& index, std::span<const char* const> names, const char*, Need need) override {
    guarded([&] {
      if (const JsonValue* value = take(key, need)) index = choice_in(*value, below(key), names);
    });
  }
  void choices(const char* key, std::uint32_t& set, std::span<const char* const> names, const char*) override {
    guarded([&] {
      const JsonValue* value = take(key, Need::optional);
      if (value == nullptr) return;
      if (value->kind != JsonKind::array)
        fail(value->place, below(key), fmt::format("must be an array of {}, got {}", joined(names), shown(*value)));
      set = 0;
      for (std::size_t k = 0; k < value->items.size(); ++k)
        set |= 1u << choice_in(value->items[k], fmt::format("{}[{}]", below(key), k), names);
    });
  }
  void named_values(const char* key, std::vector<std::pair<std::string, std::string>>& values, const char*) override {
    guarded([&] {
      const JsonValue* value = take(key, Need::optional);
      if (value == nullptr) return;
      if (value->kind != JsonKind::object)
        fail(value->place, below(key), fmt::format("must be an object, got {}", shown(*value)));
      values.clear();
      for (const JsonMember& m : value->members) {
        if (m.value.kind != JsonKind::number && m.value.kind != JsonKind::string && m.value.kind != JsonKind::boolean)
          fail(m.value.place, below(key) + "." + m.key,
               fmt::format("must be a number, a string, true or false, got {}", shown(m.value)));
        if (m.key.size() > kMostText)
          fail(m.place, below(key), fmt::format("keys must be at most {} bytes long, got {}", kMostText, m.key.size()));
        const bool text = m.value.kind == JsonKind::string;
        values.emplace_back(m.key, text ? text_in(m.value, below(key) + "." + m.key) : shown(m.value));
      }
    });
  }
  void name_pairs(const char* key, std::vector<std::pair<std::string, std::string>>& pairs, const char*) override {
    guarded([&] {
      const JsonValue* value = take(key, Need::optional);
      if (value == nullptr) return;
      if (value->kind != JsonKind::array)
        fail(value->place, below(key), fmt::format("must be an array of pairs of names, got {}", shown(*value)));
      pairs.clear();
      for (std::size_t k = 0; k < value->items.size(); ++k) {
        const std::string at = fmt::format("{}[{}]", below(key), k);
        check_length(value->items[k], at, 2);
        pairs.emplace_back(text_in(value->items[k].items[0], at + "[0]"),
                           text_in(value->items[k].items[1], at + "[1]"));
      }
    });
  }
  void object(const char* key, const Describe& describe, const char*) override {
    guarded([&] {
      if (const JsonValue* value = take(key, Need::optional))
        read_object(*value, file_, below(key), describe, mistakes_);
    });
  }
  void list_access(const char* key, const ListAccess& list, const char*) override {
    guarded([&] {
      const JsonValue* value = take(key, Need::optional);
      if (value == nullptr) {
        if (list.least > 0) fail(json_.place, path_, fmt::format("\"{}\" is missing", key));
        return;
      }
      if (value->kind != JsonKind::array)
        fail(value->place, below(key), fmt::format("must be an array, got {}", shown(*value)));
      const std::size_t count = value->items.size();
      if (count < list.least || count > list.most)
        fail(value->place, below(key), fmt::format("must have {} to {} elements, got {}", list.least, list.most, count),
             count > list.most ? ErrorKind::limit : ErrorKind::bad_input);
      list.resize(count);
      for (std::size_t k = 0; k < count; ++k)
        guarded([&] {
          read_object(
              value->items[k], file_, fmt::format("{}[{}]", below(key), k), [&](Fields& f) { list.describe(k, f); },
              mistakes_);
        });
    });
  }
  void variant(const char* key, int& index, std::span<const char* const> names,
               const std::function<void(int)>& describe, const char*) override {
    guarded([&] {
      complete_ = false;
      index = choice_in(*take(key, Need::required), below(key), names);
      complete_ = true;
      describe(index);
    });
  }

  void place(Place& place) override {
    place = fmt::format("{}:{}:{}: {}", file_, json_.place.line, json_.place.column, path_);
  }
  bool given(const char* key) const override { return json_.find(key) != nullptr; }
  void refuse(const char* key, const std::string& why) override {
    const JsonMember* member = json_.find(key);
    guarded([&] { fail(member != nullptr ? member->place : json_.place, below(key), why); });
  }

 private:
  [[noreturn]] void fail(const JsonPlace& at, const std::string& path, const std::string& what,
                         ErrorKind kind = ErrorKind::bad_input) const {
    fail_input(fmt::format("{}:{}:{}: {}{}{}", file_, at.line, at.column, path, path.empty() ? "" : ": ", what), kind);
  }
  /// Notes a mistake and goes on, so that it does not hide the next one.
  template <class Read>
  void guarded(const Read& read) {
    try {
      read();
    } catch (const InputError& error) {
      mistakes_.add(error);
    }
  }
  /// Says what to write in place of an unknown key.
  std::string cure(const std::string& key) const {
    for (const OtherWord& word : kOtherKeys)
      if (key == word.theirs && std::find(known_.begin(), known_.end(), word.ours) != known_.end())
        return fmt::format("; write \"{}\"{}", word.ours, word.why);
    const std::string near = did_you_mean(key, known_, '"');
    return near.empty() ? fmt::format("; allowed are {}", fmt::join(known_, ", ")) : near;
  }
  std::string below(const std::string& key) const { return path_.empty() ? key : path_ + "." + key; }

  /// Marks a key as known and returns its value. Returns null if the key is optional and not given.
  const JsonValue* take(const char* key, Need need) {
    known_.emplace_back(key);
    const JsonMember* member = json_.find(key);
    if (member == nullptr && need == Need::required) fail(json_.place, path_, fmt::format("\"{}\" is missing", key));
    return member != nullptr ? &member->value : nullptr;
  }
  double number_in(const JsonValue& value, const std::string& path, const Range& allowed, bool integral) const {
    if (value.kind != JsonKind::number || !(value.number >= allowed.least && value.number <= allowed.most) ||
        (integral && value.number != std::floor(value.number)))
      fail(value.place, path,
           fmt::format("must be {}{}, got {}", range_text(allowed), integral ? ", whole" : "", shown(value)));
    return value.number;
  }
  std::string text_in(const JsonValue& value, const std::string& path) const {
    if (value.kind != JsonKind::string) fail(value.place, path, fmt::format("must be a string, got {}", shown(value)));
    if (value.text.size() > kMostText)
      fail(value.place, path, fmt::format("must be at most {} bytes long, got {}", kMostText, value.text.size()));
    return value.text;
  }
  void check_length(const JsonValue& value, const std::string& path, std::size_t length) const {
    if (value.kind != JsonKind::array || value.items.size() != length)
      fail(value.place, path, fmt::format("must be an array of {}, got {}", length, shown(value)));
  }
  int choice_in(const JsonValue& value, const std::string& path, std::span<const char* const> names) const {
    for (std::size_t k = 0; k < names.size(); ++k)
      if (value.kind == JsonKind::string && value.text == names[k]) return static_cast<int>(k);
    const std::string near = value.kind == JsonKind::string ? choice_cure(value.text.substr(0, 60), names) : "";
    fail(value.place, path, fmt::format("must be one of {}, got {}{}", joined(names), shown(value), near));
  }

  /// Suggests our name for a word of another engine, or else the name that is spelled most nearly the same.
  static std::string choice_cure(const std::string& text, std::span<const char* const> names) {
    const std::vector<std::string> known(names.begin(), names.end());
    for (const OtherWord& word : kOtherNames)
      if (text == word.theirs && std::find(known.begin(), known.end(), word.ours) != known.end())
        return fmt::format("; write \"{}\"{}", word.ours, word.why);
    return did_you_mean(text, known, '"');
  }

  const JsonValue& json_;
  const std::string& file_;
  const std::string& path_;
  Mistakes& mistakes_;
  bool complete_ = true;  ///< all keys of the object were described
  std::vector<std::string> known_;
};

void read_object(const JsonValue& json, const std::string& file, const std::string& path, const Describe& describe,
                 Mistakes& mistakes) {
  FieldReader reader(json, file, path, mistakes);
  describe(reader);
  reader.finish();
}

}  // namespace

void read_fields(const JsonValue& json, const std::string& file, const std::string& path, const Describe& describe) {
  Mistakes mistakes;
  read_object(json, file, path, describe, mistakes);
  mistakes.throw_if_any();
}

}  // namespace cairn
