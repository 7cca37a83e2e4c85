// SPDX-License-Identifier: MIT
#include "cairn/io/wire.h"

#include <gtest/gtest.h>

#include "cairn/core/index.h"
#include "cairn/core/random.h"
#include "scenes/ball_lattices.h"

namespace cairn {
namespace {

std::vector<ProblemFile> samples() {
  std::vector<ProblemFile> files(3);
  files[0].problem = scenes::ball_grid(2);
  files[1].problem = to_delassus(scenes::ball_grid(2));
  files[2].problem = to_global(scenes::ball_grid(2)).value_or_throw();
  for (ProblemFile& file : files) {
    file.title = "title";
    file.notes = {"one", ""};
    file.guess.assign(to_index(impulse_count(file)), 0.1);
  }
  return files;
}

TEST(Wire, ValuesAndErrorsArriveAsTheyWere) {
  for (const ProblemFile& file : samples()) {
    const Expected<ProblemFile> back = decode(encode(file));
    ASSERT_TRUE(back);
    EXPECT_TRUE(back->problem == file.problem);
    EXPECT_EQ(back->title, file.title);
    EXPECT_EQ(back->notes, file.notes);
    EXPECT_EQ(back->guess, file.guess);
    EXPECT_TRUE(back->solution.empty());
  }
  const Expected<ProblemFile> error = decode(encode(Error{ErrorKind::limit, "too large"}));
  ASSERT_FALSE(error);
  EXPECT_EQ(error.error().kind, ErrorKind::limit);
  EXPECT_EQ(error.error().message, "too large");
}

TEST(Wire, DamagedBytesAreRefusedOrAreAnotherValidProblem) {
  Random random(5);
  for (const ProblemFile& file : samples()) {
    const std::string bytes = encode(file);
    for (std::size_t size = 0; size < bytes.size(); size += 1 + bytes.size() / 200)
      EXPECT_THROW((void)decode(bytes.substr(0, size)), InputError) << size;
    EXPECT_THROW((void)decode(bytes + "x"), InputError);
    for (int k = 0; k < 500; ++k) {
      std::string spoilt = bytes;
      spoilt[static_cast<std::size_t>(random.uniform() * static_cast<double>(bytes.size()))] ^= 0x55;
      try {
        (void)decode(spoilt);
      } catch (const InputError&) {
        // refused: as good as a value
      }
    }
  }
}

}  // namespace
}  // namespace cairn
