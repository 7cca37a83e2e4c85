// SPDX-License-Identifier: MIT
#include "cairn/live/request.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "cairn/core/errors.h"
#include "cairn/core/names.h"

namespace cairn {

LiveRequest parse_live_request(std::string_view text, JsonValue& id) {
  LiveRequest request;
  request.all = parse_json(text);
  if (request.all.kind != JsonKind::object) fail_input("a request is an object: {\"id\": 1, \"do\": \"play\"}");
  if (const JsonMember* given = request.all.find("id"))
    if (given->value.kind == JsonKind::number) request.id = id = given->value;
  const JsonMember* name = request.all.find("do");
  if (name == nullptr || name->value.kind != JsonKind::string)
    fail_input("a request says what to do: {\"id\": 1, \"do\": \"play\"}");
  request.name = name->value.text;
  return request;
}

LiveArguments::LiveArguments(const LiveRequest& request, std::initializer_list<const char*> known) : request_(request) {
  std::vector<std::string> names(known.begin(), known.end());
  for (const JsonMember& member : request.all.members) {
    if (member.key == "id" || member.key == "do") continue;
    if (std::find(names.begin(), names.end(), member.key) != names.end()) continue;
    if (names.empty()) fail_input(fmt::format("{} takes nothing, not '{}'", request.name, member.key));
    fail_input(fmt::format("{}: there is no '{}'{}", request.name, member.key, did_you_mean(member.key, names)));
  }
}

void LiveArguments::refuse(const char* key, const std::string& what) const {
  fail_input(fmt::format("{}: {} {}", request_.name, key, what));
}

const JsonValue& LiveArguments::value(const char* key, JsonKind kind) const {
  const JsonMember* member = request_.all.find(key);
  if (member == nullptr) refuse(key, "is missing");
  if (member->value.kind != kind)
    refuse(key, fmt::format("must be {}, not {}", to_string(kind), to_string(member->value.kind)));
  return member->value;
}

double LiveArguments::number(const char* key, double least, double most) const {
  const double x = value(key, JsonKind::number).number;
  if (!(x >= least && x <= most)) refuse(key, fmt::format("is {}, it must lie in [{:g}, {:g}]", x, least, most));
  return x;
}

double LiveArguments::number_or(const char* key, double otherwise, double least, double most) const {
  return has(key) ? number(key, least, most) : otherwise;
}

std::int64_t LiveArguments::whole(const char* key, std::int64_t least, std::int64_t most) const {
  const double x = number(key, static_cast<double>(least), static_cast<double>(most));
  if (x != std::floor(x)) refuse(key, fmt::format("is {}, it must be a whole number", x));
  return static_cast<std::int64_t>(x);
}

bool LiveArguments::flag(const char* key) const { return value(key, JsonKind::boolean).flag; }

std::string LiveArguments::text(const char* key) const { return value(key, JsonKind::string).text; }

Vec3 LiveArguments::vector(const char* key, double largest) const {
  const JsonValue& list = value(key, JsonKind::array);
  if (list.items.size() != 3) refuse(key, "must be three numbers [x, y, z]");
  for (const JsonValue& item : list.items)
    if (item.kind != JsonKind::number || !(std::fabs(item.number) <= largest))
      refuse(key, fmt::format("must be three numbers up to {:g}", largest));
  return {list.items[0].number, list.items[1].number, list.items[2].number};
}

std::vector<std::pair<std::string, std::string>> LiveArguments::named_values(const char* key) const {
  std::vector<std::pair<std::string, std::string>> named;
  if (!has(key)) return named;
  for (const JsonMember& member : value(key, JsonKind::object).members) {
    const JsonValue& x = member.value;
    if (x.kind == JsonKind::number)
      named.emplace_back(member.key, fmt::format("{}", x.number));
    else if (x.kind == JsonKind::string)
      named.emplace_back(member.key, x.text);
    else if (x.kind == JsonKind::boolean)
      named.emplace_back(member.key, x.flag ? "on" : "off");
    else
      refuse(key, fmt::format("has a value for {} that is no number, text or flag", member.key));
  }
  return named;
}

std::vector<std::string> LiveArguments::texts(const char* key) const {
  std::vector<std::string> texts;
  if (!has(key)) return texts;
  for (const JsonValue& item : value(key, JsonKind::array).items) {
    if (item.kind != JsonKind::string) refuse(key, "must be an array of names");
    texts.push_back(item.text);
  }
  return texts;
}

JsonValue live_answer(const JsonValue& id) {
  JsonValue answer = json_object();
  add_member(answer, "id", id);
  add_member(answer, "ok", json_flag(true));
  return answer;
}

std::string live_error(const JsonValue& id, const std::string& message) {
  JsonValue answer = json_object();
  add_member(answer, "id", id);
  add_member(answer, "error", json_text(message));
  return to_line(answer);
}

std::string live_note(const std::string& message) {
  JsonValue note = json_object();
  add_member(note, "note", json_text(message));
  return to_line(note);
}

JsonValue json_real(double x) { return std::isfinite(x) ? json_number(x) : JsonValue{}; }

JsonValue json_vector(const Vec3& v) { return json_array({json_real(v.x), json_real(v.y), json_real(v.z)}); }

}  // namespace cairn
