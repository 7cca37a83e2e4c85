// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>

#include "cairn/core/index.h"
#include "cairn/scenefile/fields_json.h"

namespace cairn {

namespace {

JsonValue typed(const char* type, const char* help) {
  JsonValue schema = json_object();
  add_member(schema, "type", json_text(type));
  if (help != nullptr) add_member(schema, "description", json_text(help));
  return schema;
}

JsonValue number_schema(const Range& allowed, bool integral, const char* help) {
  JsonValue schema = typed(integral ? "integer" : "number", help);
  if (std::isfinite(allowed.least)) add_member(schema, "minimum", json_number(allowed.least));
  if (std::isfinite(allowed.most)) add_member(schema, "maximum", json_number(allowed.most));
  return schema;
}

JsonValue array_schema(JsonValue item, std::size_t least, std::size_t most, const char* help) {
  JsonValue schema = typed("array", help);
  add_member(schema, "items", std::move(item));
  if (least > 0) add_member(schema, "minItems", json_number(static_cast<double>(least)));
  if (most > 0) add_member(schema, "maxItems", json_number(static_cast<double>(most)));
  return schema;
}

JsonValue names_schema(std::span<const char* const> names, const char* help) {
  JsonValue schema = typed("string", help);
  JsonValue& list = add_member(schema, "enum", json_array());
  for (const char* name : names) list.items.push_back(json_text(name));
  return schema;
}

class SchemaWriter final : public Fields {
 public:
  void number(const char* key, double& x, const Range& allowed, const char* help, Need need) override {
    JsonValue schema = number_schema(allowed, false, help);
    if (std::isfinite(x) && need == Need::optional) add_member(schema, "default", json_number(x));
    put(key, std::move(schema), need);
  }
  void whole(const char* key, std::int64_t& x, std::int64_t least, std::int64_t most, const char* help,
             Need need) override {
    JsonValue schema = number_schema({static_cast<double>(least), static_cast<double>(most)}, true, help);
    if (need == Need::optional) add_member(schema, "default", json_number(static_cast<double>(x)));
    put(key, std::move(schema), need);
  }
  void flag(const char* key, bool& x, const char* help) override {
    JsonValue schema = typed("boolean", help);
    add_member(schema, "default", json_flag(x));
    put(key, std::move(schema), Need::optional);
  }
  void text(const char* key, std::string& x, const char* help, Need need) override {
    JsonValue schema = typed("string", help);
    add_member(schema, "maxLength", json_number(static_cast<double>(kMostText)));
    if (!x.empty() && need == Need::optional) add_member(schema, "default", json_text(x));
    put(key, std::move(schema), need);
  }
  void numbers(const char* key, std::span<double> x, const Range& allowed, const char* help, Need need) override {
    JsonValue schema = array_schema(number_schema(allowed, false, nullptr), x.size(), x.size(), help);
    if (need == Need::optional) {
      JsonValue& value = add_member(schema, "default", json_array());
      for (const double number : x) value.items.push_back(json_number(number));
    }
    put(key, std::move(schema), need);
  }
  void rows(const char* key, std::vector<double>&, std::size_t width, const Range& allowed, bool integral,
            const char* help, Need need) override {
    JsonValue item = number_schema(allowed, integral, nullptr);
    if (width > 1) item = array_schema(std::move(item), width, width, nullptr);
    put(key, array_schema(std::move(item), 0, 0, help), need);
  }
  void choice(const char* key, int& index, std::span<const char* const> names, const char* help, Need need) override {
    JsonValue schema = names_schema(names, help);
    if (need == Need::optional) add_member(schema, "default", json_text(names[to_index(index)]));
    put(key, std::move(schema), need);
  }
  void choices(const char* key, std::uint32_t&, std::span<const char* const> names, const char* help) override {
    put(key, array_schema(names_schema(names, nullptr), 0, 0, help), Need::optional);
  }
  void named_values(const char* key, std::vector<std::pair<std::string, std::string>>&, const char* help) override {
    JsonValue schema = typed("object", help);
    JsonValue& values = add_member(schema, "additionalProperties", json_object());
    add_member(values, "type", json_array({json_text("number"), json_text("string"), json_text("boolean")}));
    put(key, std::move(schema), Need::optional);
  }
  void name_pairs(const char* key, std::vector<std::pair<std::string, std::string>>&, const char* help) override {
    put(key, array_schema(array_schema(typed("string", nullptr), 2, 2, nullptr), 0, 0, help), Need::optional);
  }
  void object(const char* key, const Describe& describe, const char* help) override {
    JsonValue schema = schema_of(describe);
    if (schema.find("title") == nullptr) add_member(schema, "description", json_text(help));
    put(key, std::move(schema), Need::optional);
  }
  void list_access(const char* key, const ListAccess& list, const char* help) override {
    put(key, array_schema(schema_of(list.describe_fresh), list.least, list.most, help),
        list.least > 0 ? Need::required : Need::optional);
  }
  void variant(const char* key, int&, std::span<const char* const> names, const std::function<void(int)>& describe,
               const char* help) override {
    Part common = std::move(here_);
    for (std::size_t k = 0; k < names.size(); ++k) {
      here_ = {};
      put(key, names_schema(names.subspan(k, 1), help), Need::required);
      describe(static_cast<int>(k));
      forms_.push_back(std::move(here_));
    }
    here_ = std::move(common);
  }

  void type(const char* name) override { type_ = name; }

  JsonValue result() {
    JsonValue schema = json_object();
    if (!type_.empty()) add_member(schema, "title", json_text(type_));
    if (forms_.empty()) {
      JsonValue all = object_schema(here_);
      schema.members.insert(schema.members.end(), all.members.begin(), all.members.end());
      return schema;
    }
    JsonValue& list = add_member(schema, "oneOf", json_array());
    for (Part& form : forms_) {
      form.properties.members.insert(form.properties.members.end(), here_.properties.members.begin(),
                                     here_.properties.members.end());
      form.required.insert(form.required.end(), here_.required.begin(), here_.required.end());
      list.items.push_back(object_schema(form));
    }
    return schema;
  }

 private:
  /// The members of an object, or of one of its forms.
  struct Part {
    JsonValue properties = json_object();
    std::vector<std::string> required;
  };

  static JsonValue object_schema(const Part& part) {
    JsonValue schema = typed("object", nullptr);
    add_member(schema, "properties", part.properties);
    if (!part.required.empty()) {
      JsonValue& list = add_member(schema, "required", json_array());
      for (const std::string& key : part.required) list.items.push_back(json_text(key));
    }
    add_member(schema, "additionalProperties", json_flag(false));
    return schema;
  }
  void put(const char* key, JsonValue schema, Need need) {
    add_member(here_.properties, key, std::move(schema));
    if (need == Need::required) here_.required.emplace_back(key);
  }

  Part here_;
  std::vector<Part> forms_;
  std::string type_;
};

/// Moves every schema with a title to `definitions`, inner ones first, and leaves a reference in its place.
void hoist(JsonValue& schema, JsonValue& definitions, bool outermost) {
  for (JsonValue& item : schema.items) hoist(item, definitions, false);
  for (JsonMember& member : schema.members) hoist(member.value, definitions, false);
  const JsonMember* title = schema.find("title");
  if (outermost || title == nullptr || title->value.kind != JsonKind::string) return;
  const std::string name = title->value.text;
  JsonValue reference = json_object();
  add_member(reference, "$ref", json_text("#/definitions/" + name));
  if (definitions.find(name) == nullptr) add_member(definitions, name, std::move(schema));
  schema = std::move(reference);
}

}  // namespace

JsonValue schema_of(const Describe& describe_fresh) {
  SchemaWriter writer;
  describe_fresh(writer);
  return writer.result();
}

JsonValue with_definitions(JsonValue schema) {
  JsonValue definitions = json_object();
  hoist(schema, definitions, true);
  add_member(schema, "definitions", std::move(definitions));
  return schema;
}

}  // namespace cairn
