// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>

#include "cairn/core/index.h"
#include "cairn/scenefile/fields_json.h"

namespace cairn {

namespace {

JsonValue numbers_json(std::span<const double> x) {
  JsonValue array = json_array();
  for (const double number : x) array.items.push_back(json_number(number));
  return array;
}

/// Writes every field. Fields with default values are removed afterwards (drop_defaults).
class FieldWriter final : public Fields {
 public:
  JsonValue json = json_object();
  std::vector<std::string> required;                               ///< keys that stay
  std::vector<std::pair<std::string, int>> forms;                  ///< form of each variant, by key
  const std::vector<std::pair<std::string, int>>* like = nullptr;  ///< forms to use in place of those of the object

  void number(const char* key, double& x, const Range&, const char*, Need need) override {
    if (std::isfinite(x)) put(key, json_number(x), need);  // a missing key means unlimited
  }
  void whole(const char* key, std::int64_t& x, std::int64_t, std::int64_t, const char*, Need need) override {
    put(key, json_number(static_cast<double>(x)), need);
  }
  void flag(const char* key, bool& x, const char*) override { put(key, json_flag(x), Need::optional); }
  void text(const char* key, std::string& x, const char*, Need need) override { put(key, json_text(x), need); }
  void numbers(const char* key, std::span<double> x, const Range&, const char*, Need need) override {
    put(key, numbers_json(x), need);
  }
  void rows(const char* key, std::vector<double>& x, std::size_t width, const Range&, bool, const char*,
            Need need) override {
    JsonValue array = json_array();
    for (std::size_t k = 0; k + width <= x.size(); k += width)
      array.items.push_back(width > 1 ? numbers_json(std::span(x).subspan(k, width)) : json_number(x[k]));
    put(key, std::move(array), need);
  }
  void choice(const char* key, int& index, std::span<const char* const> names, const char*, Need need) override {
    put(key, json_text(names[to_index(index)]), need);
  }
  void choices(const char* key, std::uint32_t& set, std::span<const char* const> names, const char*) override {
    JsonValue array = json_array();
    for (std::size_t k = 0; k < names.size(); ++k)
      if ((set >> k & 1) != 0) array.items.push_back(json_text(names[k]));
    put(key, std::move(array), Need::optional);
  }
  void named_values(const char* key, std::vector<std::pair<std::string, std::string>>& values, const char*) override {
    JsonValue object = json_object();
    for (const auto& [name, value] : values) add_member(object, name, json_text(value));
    put(key, std::move(object), Need::optional);
  }
  void name_pairs(const char* key, std::vector<std::pair<std::string, std::string>>& pairs, const char*) override {
    JsonValue array = json_array();
    for (const auto& [a, b] : pairs) array.items.push_back(json_array({json_text(a), json_text(b)}));
    put(key, std::move(array), Need::optional);
  }
  void object(const char* key, const Describe& describe, const char*) override {
    FieldWriter inner;
    describe(inner);
    put(key, std::move(inner.json), Need::optional);
  }
  void list_access(const char* key, const ListAccess& list, const char*) override {
    JsonValue array = json_array();
    for (std::size_t k = 0; k < list.size; ++k)
      array.items.push_back(write_fields([&](Fields& f) { list.describe(k, f); }, list.describe_fresh));
    put(key, std::move(array), list.least > 0 ? Need::required : Need::optional);
  }
  void variant(const char* key, int& index, std::span<const char* const> names,
               const std::function<void(int)>& describe, const char*) override {
    int form = index;
    if (like != nullptr)
      for (const auto& [other, other_form] : *like)
        if (other == key) form = other_form;
    forms.emplace_back(key, form);
    put(key, json_text(names[to_index(form)]), Need::required);
    describe(form);
  }

 private:
  void put(const char* key, JsonValue value, Need need) {
    add_member(json, key, std::move(value));
    if (need == Need::required) required.emplace_back(key);
  }
};

/// Removes the members that have the values of `fresh`, in inner objects too.
void drop_defaults(JsonValue& json, const JsonValue& fresh, const std::vector<std::string>& required) {
  const auto is_default = [&](JsonMember& member) {
    const JsonMember* other = fresh.find(member.key);
    if (std::find(required.begin(), required.end(), member.key) != required.end()) return false;
    if (other == nullptr) return false;
    if (member.value.kind != JsonKind::object) return same_content(member.value, other->value);
    drop_defaults(member.value, other->value, {});
    return member.value.members.empty();
  };
  json.members.erase(std::remove_if(json.members.begin(), json.members.end(), is_default), json.members.end());
}

}  // namespace

JsonValue write_fields(const Describe& describe, const Describe& describe_fresh) {
  FieldWriter writer, fresh;
  describe(writer);
  fresh.like = &writer.forms;  // the defaults are those of the form that is used
  describe_fresh(fresh);
  drop_defaults(writer.json, fresh.json, writer.required);
  return std::move(writer.json);
}

}  // namespace cairn
