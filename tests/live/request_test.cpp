// SPDX-License-Identifier: MIT
// Requests of viewers: what is read, and what is refused with which words.
#include "cairn/live/request.h"

#include <gtest/gtest.h>

#include "tests/refusal.h"

namespace cairn {
namespace {

LiveRequest parse(const std::string& text) {
  JsonValue id;
  return parse_live_request(text, id);
}

TEST(LiveRequest, IdAndNameAreRead) {
  const LiveRequest request = parse(R"({"id": 7, "do": "seek", "step": 12})");
  EXPECT_EQ(request.id.number, 7);
  EXPECT_EQ(request.name, "seek");
  EXPECT_EQ(LiveArguments(request, {"step"}).whole("step", 0, 100), 12);
}

TEST(LiveRequest, WhatIsNoRequestIsRefusedWithItsIdIfThereIsOne) {
  for (const char* text : {"", "7", "[]", "{", "{\"do\": 3}", "{\"do\": \"play\"} x", "{\"do\": NaN}", "\xff\xfe"}) {
    JsonValue id;
    EXPECT_THROW(parse_live_request(text, id), InputError) << text;
    EXPECT_EQ(id.kind, JsonKind::null) << text;
  }
  JsonValue id;
  EXPECT_THROW(parse_live_request(R"({"id": 4})", id), InputError);
  EXPECT_EQ(id.number, 4);
  EXPECT_THROW(parse(std::string(100'000, '[')), InputError);
}

TEST(LiveRequest, ArgumentsAreChecked) {
  const LiveRequest request =
      parse(R"({"do": "x", "a": 1.5, "b": 1e300, "c": "text", "v": [1, 2, 3], "w": [1, 2], "u": [1, 2, "3"]})");
  const LiveArguments arguments(request, {"a", "b", "c", "v", "w", "u"});
  EXPECT_EQ(arguments.number("a", 0, 2), 1.5);
  EXPECT_EQ(arguments.vector("v", 10), (Vec3{1, 2, 3}));
  EXPECT_EQ(arguments.number_or("absent", 3, 0, 1), 3);
  EXPECT_NE(refusal([&] { arguments.number("b", 0, 2); }).find("[0, 2]"), std::string::npos);
  EXPECT_NE(refusal([&] { arguments.whole("a", 0, 2); }).find("whole"), std::string::npos);
  EXPECT_NE(refusal([&] { arguments.number("c", 0, 2); }).find("a number"), std::string::npos);
  EXPECT_NE(refusal([&] { arguments.number("absent", 0, 2); }).find("missing"), std::string::npos);
  EXPECT_NE(refusal([&] { arguments.vector("w", 10); }).find("three"), std::string::npos);
  EXPECT_NE(refusal([&] { arguments.vector("u", 10); }).find("three"), std::string::npos);
  EXPECT_NE(refusal([&] { arguments.vector("v", 2); }).find("up to 2"), std::string::npos);
}

TEST(LiveRequest, UnknownArgumentsNameTheNearest) {
  const LiveRequest request = parse(R"({"do": "seek", "stop": 1})");
  EXPECT_NE(refusal([&] { LiveArguments(request, {"step"}); }).find("did you mean 'step'"), std::string::npos);
  EXPECT_NE(refusal([&] { LiveArguments(request, {}); }).find("takes nothing"), std::string::npos);
}

TEST(LiveRequest, NamedValuesAreWrittenAsOnACommandLine) {
  const LiveRequest request = parse(R"({"do": "solver", "settings": {"a": 3, "b": 0.5, "c": "x", "d": true}})");
  const auto named = LiveArguments(request, {"settings"}).named_values("settings");
  const std::vector<std::pair<std::string, std::string>> expected{{"a", "3"}, {"b", "0.5"}, {"c", "x"}, {"d", "on"}};
  EXPECT_EQ(named, expected);
}

TEST(LiveRequest, AnswersAreOneLineOfJson) {
  EXPECT_EQ(to_line(live_answer(json_number(3))), R"({"id": 3, "ok": true})");
  EXPECT_EQ(live_error({}, "say \"what\"\n"), R"({"id": null, "error": "say \"what\"\u000a"})");
  EXPECT_EQ(to_line(json_real(1.0 / 0.0)), "null");
}

}  // namespace
}  // namespace cairn
