// SPDX-License-Identifier: MIT
#include "cairn/io/deflate.h"

#include <gtest/gtest.h>

#include <string>

#include "cairn/core/random.h"
#include "tests/record/inflated.h"

namespace cairn {
namespace {

TEST(Deflate, ComesBackWhole) {
  Random random(131);
  std::string noise(100000, '\0');
  for (char& c : noise) c = static_cast<char>(random.below(256));
  const std::string zeros(1000000, '\0');
  for (const std::string& text : {std::string(), std::string("a"), noise, zeros}) {
    const std::string small = deflate(text);
    EXPECT_EQ(inflated(small), text) << text.size() << " bytes";
  }
  EXPECT_LT(deflate(zeros).size(), 2000u);
  EXPECT_LT(deflate(noise).size(), noise.size() + 100) << "what cannot be made smaller hardly grows";
}

}  // namespace
}  // namespace cairn
