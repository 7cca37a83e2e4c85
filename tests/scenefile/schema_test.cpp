// SPDX-License-Identifier: MIT
// The schema and the reader agree: a small validator of JSON Schema and the reader give the same verdict on the
// examples and on every way to spoil one value of them; the copy in docs/ is up to date.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <iterator>

#include "cairn/io/json_text.h"
#include "tests/scenefile/scene_text.h"
#include "tests/source_folder.h"

namespace cairn {
namespace {

std::string read_text(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// As much of JSON Schema as our own uses.
class Validator {
 public:
  explicit Validator(JsonValue root) : root_(std::move(root)) {}
  bool accepts(const JsonValue& value) const { return accepts(root_, value); }

 private:
  static const JsonValue* get(const JsonValue& schema, const char* key) {
    const JsonMember* member = schema.find(key);
    return member != nullptr ? &member->value : nullptr;
  }
  static bool has_type(const std::string& type, const JsonValue& v) {
    if (type == "integer") return v.kind == JsonKind::number && v.number == std::floor(v.number);
    return (type == "object" && v.kind == JsonKind::object) || (type == "array" && v.kind == JsonKind::array) ||
           (type == "string" && v.kind == JsonKind::string) || (type == "boolean" && v.kind == JsonKind::boolean) ||
           (type == "number" && v.kind == JsonKind::number);
  }
  bool accepts(const JsonValue& schema, const JsonValue& v) const {
    if (const JsonValue* reference = get(schema, "$ref"))
      return accepts(root_.find("definitions")->value.find(reference->text.substr(14))->value, v);
    if (const JsonValue* forms = get(schema, "oneOf"))
      return std::count_if(forms->items.begin(), forms->items.end(),
                           [&](const JsonValue& form) { return accepts(form, v); }) == 1;
    if (const JsonValue* type = get(schema, "type")) {
      const bool fits = type->kind == JsonKind::array
                            ? std::any_of(type->items.begin(), type->items.end(),
                                          [&](const JsonValue& t) { return has_type(t.text, v); })
                            : has_type(type->text, v);
      if (!fits) return false;
    }
    if (const JsonValue* names = get(schema, "enum"))
      if (std::none_of(names->items.begin(), names->items.end(),
                       [&](const JsonValue& n) { return same_content(n, v); }))
        return false;
    const auto bound = [&](const char* key) { return get(schema, key); };
    if (v.kind == JsonKind::number && bound("minimum") != nullptr && v.number < bound("minimum")->number) return false;
    if (v.kind == JsonKind::number && bound("maximum") != nullptr && v.number > bound("maximum")->number) return false;
    const auto count = static_cast<double>(v.items.size());
    if (v.kind == JsonKind::array && bound("minItems") != nullptr && count < bound("minItems")->number) return false;
    if (v.kind == JsonKind::array && bound("maxItems") != nullptr && count > bound("maxItems")->number) return false;
    if (const JsonValue* items = get(schema, "items"))
      for (const JsonValue& item : v.items)
        if (!accepts(*items, item)) return false;
    return v.kind != JsonKind::object || accepts_members(schema, v);
  }
  bool accepts_members(const JsonValue& schema, const JsonValue& v) const {
    if (const JsonValue* required = get(schema, "required"))
      for (const JsonValue& key : required->items)
        if (v.find(key.text) == nullptr) return false;
    const JsonValue* properties = get(schema, "properties");
    const JsonValue* others = get(schema, "additionalProperties");
    for (const JsonMember& member : v.members) {
      const JsonMember* known = properties != nullptr ? properties->find(member.key) : nullptr;
      if (known != nullptr && !accepts(known->value, member.value)) return false;
      if (known == nullptr && others != nullptr &&
          (others->kind == JsonKind::boolean ? !others->flag : !accepts(*others, member.value)))
        return false;
    }
    return true;
  }

  JsonValue root_;
};

/// Every value of the tree, once spoilt in each of several ways; `visit` sees the whole tree each time.
void spoil(JsonValue& root, JsonValue& here, const std::function<void(const JsonValue&)>& visit) {
  const JsonValue kept = here;
  const JsonValue others[] = {json_text("?"),  json_number(-1.5e300), json_number(1e300), json_number(0.5),
                              json_flag(true), json_array(),          json_object(),      JsonValue{}};
  for (const JsonValue& other : others) {
    here = other;
    visit(root);
    here = kept;
  }
  if (here.kind == JsonKind::object) {
    add_member(here, "unheard_of", json_number(1));
    visit(root);
    here = kept;
    for (std::size_t k = 0; k < kept.members.size(); ++k) {
      here.members.erase(here.members.begin() + static_cast<std::ptrdiff_t>(k));
      visit(root);
      here = kept;
    }
  }
  for (std::size_t k = 0; k < here.items.size(); ++k) spoil(root, here.items[k], visit);
  for (std::size_t k = 0; k < here.members.size(); ++k) spoil(root, here.members[k].value, visit);
}

/// Refusals of what values mean together, which a schema cannot say.
bool beyond_schema(const std::string& message) {
  for (const char* what :
       {"only one can be meant", "give this, or", "beside it", "exchange them", "must have a direction",
        "must be whole numbers", "\"point\" is missing", "leave this or", "a gear has"})
    if (message.find(what) != std::string::npos) return true;
  return false;
}

TEST(SceneSchema, AgreesWithTheReader) {
  const Validator validator(parse_json(scene_schema()));
  int accepted = 0, refused = 0;
  for (const char* name : {"jelly.json", "machine.json", "pour.json", "tower.json"}) {
    JsonValue scene = parse_json(read_text(source_folder() + "/examples/scenes/" + name));
    ASSERT_TRUE(validator.accepts(scene)) << name;
    spoil(scene, scene, [&](const JsonValue& spoilt) {
      const std::string text = to_text(spoilt);
      const Expected<SceneFile> read = parse_scene(text, "s.json", "");
      if (!read && beyond_schema(read.error().message)) return;
      ++(read ? accepted : refused);
      EXPECT_EQ(validator.accepts(spoilt), static_cast<bool>(read))
          << (read ? "accepted" : read.error().message) << text;
    });
    if (HasFailure()) return;
  }
  EXPECT_GT(accepted, 100);
  EXPECT_GT(refused, 2000);
}

TEST(SceneSchema, EveryJointAndShapeKindIsInIt) {
  const std::string schema = scene_schema();
  for (std::size_t k = 0; k < std::variant_size_v<JointKind>; ++k) {
    const JointKind kinds[] = {BallJoint{},      HingeJoint{},    PrismaticJoint{}, CylindricalJoint{},
                               FixedJoint{},     DistanceJoint{}, RopeJoint{},      SpringJoint{},
                               UniversalJoint{}, PlanarJoint{},   GearJoint{},      SixDofJoint{}};
    ASSERT_EQ(kinds[k].index(), k);
    EXPECT_NE(schema.find("[\"" + std::string(kind_name(kinds[k])) + "\"]"), std::string::npos);
  }
  EXPECT_EQ(geometry_names().size(), std::variant_size_v<Shape>);
  for (const char* name : geometry_names())
    EXPECT_NE(schema.find("[\"" + std::string(name) + "\"]"), std::string::npos) << name;
}

TEST(SceneSchema, TheCopyInTheDocumentsIsUpToDate) {
  EXPECT_EQ(read_text(source_folder() + "/docs/scene.schema.json"), scene_schema())
      << "write it anew: cairn schema > docs/scene.schema.json";
}

}  // namespace
}  // namespace cairn
