// SPDX-License-Identifier: MIT
#include "cairn/core/bytes.h"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

namespace cairn {
namespace {

enum class Colour : std::uint8_t { red = 3 };

TEST(Bytes, LeastSignificantFirstAndAsWideAsTheType) {
  ByteWriter out;
  out.number(std::uint32_t{0x01020304});
  out.number(std::int16_t{-2});
  out.number(true);
  out.number(Colour::red);
  out.number(1.0);
  out.text("ab");
  const std::string expected("\4\3\2\1\xfe\xff\1\3\0\0\0\0\0\0\xf0\x3f\2\0\0\0\0\0\0\0ab", 26);
  EXPECT_EQ(out.bytes(), expected);
}

TEST(Bytes, EverythingComesBackBitForBit) {
  const double reals[] = {-0.0, 0.1, std::numeric_limits<double>::denorm_min(),
                          std::numeric_limits<double>::infinity()};
  const std::int64_t whole[] = {0, -1, std::numeric_limits<std::int64_t>::min()};
  ByteWriter out;
  for (const double x : reals) out.number(x);
  for (const std::int64_t x : whole) out.number(x);
  out.number(2.5f);
  out.text(std::string("a\0b", 3));
  ByteReader in(out.bytes());
  for (const double x : reals)
    EXPECT_EQ(std::bit_cast<std::uint64_t>(in.get<double>()), std::bit_cast<std::uint64_t>(x));
  for (const std::int64_t x : whole) EXPECT_EQ(in.get<std::int64_t>(), x);
  EXPECT_EQ(in.get<float>(), 2.5f);
  std::string text;
  in.text(text);
  EXPECT_EQ(text, std::string("a\0b", 3));
  EXPECT_TRUE(in.finished());
}

TEST(Bytes, WhatIsNotThereIsRefused) {
  EXPECT_THROW(ByteReader("abc").get<std::uint32_t>(), InputError);
  EXPECT_THROW(ByteReader("\2").get<bool>(), InputError);
  EXPECT_THROW(ByteReader("abc").raw(4), InputError);
  for (const std::uint64_t count :
       {std::uint64_t{3}, std::uint64_t{1} << 31, std::uint64_t{1} << 63, ~std::uint64_t{0}}) {
    ByteWriter out;
    out.number(count);
    out.raw("0123456789abcdef");  // two elements of 8 bytes
    std::vector<double> v;
    EXPECT_THROW(ByteReader(out.bytes()).size(v, 8), InputError) << count;
    EXPECT_EQ(v.capacity(), 0u);
  }
}

}  // namespace
}  // namespace cairn
