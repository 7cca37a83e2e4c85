// SPDX-License-Identifier: MIT
// JSON with places: what is accepted and refused, where values stand, and what is written back. nlohmann's parser is
// the oracle of the grammar.
#include "cairn/io/json_text.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <nlohmann/json.hpp>

#include "cairn/core/errors.h"

namespace cairn {
namespace {

std::string refusal(std::string_view text) {
  try {
    parse_json(text);
    return "";
  } catch (const InputError& error) {
    return error.what();
  }
}

TEST(JsonText, ValuesKnowTheirPlaces) {
  const JsonValue json = parse_json("// head\n{\n  \"a\": [1, /* two */ -2.5e1],\n\t\"b\": {\"c\": \"x\\u00e9\\n\"}}");
  EXPECT_EQ(json.place, (JsonPlace{2, 1}));
  const JsonMember* a = json.find("a");
  ASSERT_NE(a, nullptr);
  EXPECT_EQ(a->place, (JsonPlace{3, 3}));
  EXPECT_EQ(a->value.place, (JsonPlace{3, 8}));
  ASSERT_EQ(a->value.items.size(), 2u);
  EXPECT_EQ(a->value.items[1].number, -25.0);
  EXPECT_EQ(a->value.items[1].place, (JsonPlace{3, 22}));
  EXPECT_EQ(json.find("b")->value.find("c")->value.text, "x\xc3\xa9\n");
  EXPECT_EQ(json.find("missing"), nullptr);
}

TEST(JsonText, RefusalsSayWhere) {
  EXPECT_EQ(refusal("").substr(0, 4), "1:1:");
  EXPECT_EQ(refusal(" \n\t").substr(0, 4), "2:2:");
  EXPECT_EQ(refusal("\xef\xbb\xbf").substr(0, 4), "1:1:");  // a byte order mark alone
  EXPECT_NE(refusal("{} {}").find("1:4: expected the end"), std::string::npos);
  EXPECT_NE(refusal("{\"a\": 1,\n \"a\": 2}").find("2:2: the key \"a\" was already given at 1:2"), std::string::npos);
  EXPECT_NE(refusal("[1, 2").find("got the end of the file"), std::string::npos);
  EXPECT_NE(refusal("/* never").find("no end"), std::string::npos);
}

TEST(JsonText, DepthIsLimitedBeforeTheStackIs) {
  const auto kind = [](const std::string& text) {
    try {
      parse_json(text);
    } catch (const InputError& error) {
      return error.kind();
    }
    return ErrorKind::unsupported;
  };
  EXPECT_EQ(kind(std::string(100'000, '[')), ErrorKind::limit);
  std::string deep;
  for (int i = 0; i < 100'000; ++i) deep += "{\"a\":";
  EXPECT_EQ(kind(deep), ErrorKind::limit);
  const std::string fits = std::string(kMostJsonDepth, '[') + "1" + std::string(kMostJsonDepth, ']');
  EXPECT_NO_THROW(parse_json(fits));
  EXPECT_EQ(kind("[" + fits + "]"), ErrorKind::limit);
}

TEST(JsonText, CountAndSizeAreLimited) {
  std::string many = "[0";
  for (std::int64_t k = 0; k < kMostJsonValues; ++k) many += ",0";
  EXPECT_NE(refusal(many + "]").find("the limit"), std::string::npos);
  EXPECT_NE(refusal("\"" + std::string(kMostJsonBytes, 'x') + "\"").find("the limit"), std::string::npos);
}

TEST(JsonText, NumbersOfTheGrammarOnly) {
  EXPECT_EQ(parse_json("-0").number, 0.0);
  EXPECT_FALSE(std::signbit(parse_json("-0").number));
  for (const char* bad : {"NaN", "Infinity", "-Infinity", "1e999", "-1e999", "1e-400", "00", "01", "+1", "0x10", "1.",
                          ".5", "1e", "1e+", "--1", "1_000"})
    EXPECT_NE(refusal(bad), "") << bad;
  const std::string digits(400, '9');
  EXPECT_NE(refusal(digits), "");                                    // beyond double
  EXPECT_EQ(parse_json("0." + digits).number, 1.0);                  // rounded
  EXPECT_EQ(parse_json("1" + std::string(300, '0')).number, 1e300);  // no fixed buffer
}

/// In the manner of the JSON test suites: y is accepted, n is refused.
TEST(JsonText, AgreesWithTheOracleOnTheGrammar) {
  const char* cases[] = {"[]",
                         "{}",
                         "[1,]",
                         "{\"a\":1,}",
                         "[1 2]",
                         "{\"a\" 1}",
                         "{a:1}",
                         "{'a':1}",
                         "[\"\\u00\"]",
                         "[\"\\x\"]",
                         "[\"\\ud800\"]",
                         "[\"\\ud834\\udd1e\"]",
                         "[\"\\udd1e\"]",
                         "[\"\x01\"]",
                         "[\"\xff\"]",
                         "[\"\xc0\xaf\"]",
                         "[\"\xed\xa0\x80\"]",
                         "[\"\xf4\x90\x80\x80\"]",
                         "[\"\xe2\x82\xac\"]",
                         "tru",
                         "true",
                         "nul",
                         "null",
                         "[true,false]",
                         "[,1]",
                         "[1,,2]",
                         "]",
                         "}",
                         "\"",
                         "\"a",
                         "[\"a]",
                         "{\"a\":}",
                         "{:1}",
                         "{\"a\":1 \"b\":2}",
                         "[1]x",
                         "1 1",
                         " 1 ",
                         "\"\\\"\"",
                         "[1e5]",
                         "[1E+2]",
                         "[-]",
                         "[- 1]",
                         "[0.1.2]",
                         "\xef\xbb\xbf[]",
                         "\xfe\xff",
                         "[\"a\tb\"]",
                         "[\"\\t\"]",
                         "{\"\":0}",
                         "[\"\\/\"]",
                         "[\"\x7f\"]"};
  for (const char* text : cases)
    EXPECT_EQ(refusal(text).empty(), nlohmann::json::accept(std::string(text))) << text << " -> " << refusal(text);
}

TEST(JsonText, TheCharacterZeroIsRefusedWhereItStands) {
  // JSON allows it, but names end there for everything behind us.
  EXPECT_EQ(refusal("{\n  \"name\": \"ab\\u0000c\"}").find("2:14: strings must not contain the character 0"), 0u)
      << refusal("{\n  \"name\": \"ab\\u0000c\"}");
  EXPECT_EQ(refusal("{\"\\u0000\": 1}").find("1:3: "), 0u);
  EXPECT_EQ(refusal("[\"\\u0001\"]"), "");
}

RC_GTEST_PROP(JsonText, RandomTextAgreesWithTheOracle, ()) {
  const auto text =
      *rc::gen::container<std::string>(rc::gen::elementOf(std::string("[]{},:\"\\0123e.-+ tfnulrase/*u")));
  const bool ours = refusal(text).empty();
  const bool theirs = nlohmann::json::accept(text, true);
  // The oracle knows neither our limits on doubles and keys nor the end of a comment at the end of the text.
  if (ours) RC_ASSERT(theirs);
}

RC_GTEST_PROP(JsonText, WhatIsWrittenReadsBack, (const std::vector<double>& numbers, const std::string& bytes)) {
  JsonValue object = json_object();
  JsonValue& list = add_member(object, "numbers", json_array());
  for (const double x : numbers) list.items.push_back(json_number(x));
  std::string text;
  for (const char c : bytes)
    if ((c & 0x7f) != 0) text += static_cast<char>(c & 0x7f);  // 0 is refused
  add_member(object, "text", json_text(text));
  add_member(object, "flag", json_flag(true));
  RC_ASSERT(same_content(parse_json(to_text(object)), object));
  RC_ASSERT(same_content(parse_json(to_line(object)), object));
}

}  // namespace
}  // namespace cairn
