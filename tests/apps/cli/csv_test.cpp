// SPDX-License-Identifier: MIT
#include "apps/cli/csv.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>

#include "cairn/core/index.h"
#include "cairn/core/random.h"

namespace cairn::cli {
namespace {

namespace fs = std::filesystem;

class CsvFile : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "cairn-csv-XXXXXX").string();
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    folder_ = name;
  }
  void TearDown() override { fs::remove_all(folder_); }
  std::string path(const char* name) const { return (folder_ / name).string(); }
  std::size_t files() const {
    return to_index(std::distance(fs::directory_iterator(folder_), fs::directory_iterator()));
  }
  static std::string read(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  fs::path folder_;
};

TEST_F(CsvFile, IsWrittenWholeAndLeavesNothingBeside) {
  const auto done = write_text_file(path("a.csv"), "one\ntwo\n", false);
  ASSERT_TRUE(done) << done.error().message;
  EXPECT_EQ(read(path("a.csv")), "one\ntwo\n");
  EXPECT_EQ(files(), 1u);
}

TEST_F(CsvFile, IsNotOverwrittenUnlessForced) {
  ASSERT_TRUE(write_text_file(path("a.csv"), "old", false));
  const auto refused = write_text_file(path("a.csv"), "new", false);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, ErrorKind::io);
  EXPECT_NE(refused.error().message.find(path("a.csv")), std::string::npos);
  EXPECT_NE(refused.error().message.find("exists"), std::string::npos);
  EXPECT_EQ(read(path("a.csv")), "old");
  ASSERT_TRUE(write_text_file(path("a.csv"), "new", true));
  EXPECT_EQ(read(path("a.csv")), "new");
  EXPECT_EQ(files(), 1u);
}

TEST_F(CsvFile, ErrorsNameThePathAndTheCure) {
  const auto no_folder = write_text_file(path("none/a.csv"), "x", false);
  ASSERT_FALSE(no_folder);
  EXPECT_EQ(no_folder.error().kind, ErrorKind::io);
  EXPECT_NE(no_folder.error().message.find("there is no folder " + path("none")), std::string::npos);
  const auto folder = write_text_file(folder_.string(), "x", true);
  ASSERT_FALSE(folder);
  EXPECT_NE(folder.error().message.find("is a folder"), std::string::npos);
  EXPECT_FALSE(write_text_file("", "x", true));
  EXPECT_EQ(files(), 0u);
}

TEST_F(CsvFile, LinksAreFollowedAndDevicesWrittenTo) {
  ASSERT_TRUE(write_text_file(path("real"), "old", false));
  fs::create_symlink("real", path("link"));
  ASSERT_TRUE(write_text_file(path("link"), "new", true));
  EXPECT_TRUE(fs::is_symlink(path("link")));
  EXPECT_EQ(read(path("real")), "new");
  EXPECT_TRUE(write_text_file("/dev/null", "x", false));
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
}

TEST_F(CsvFile, AFullDiskIsAnError) {
  if (!fs::exists("/dev/full")) GTEST_SKIP() << "this system has no /dev/full";
  const auto full = write_text_file("/dev/full", "x", false);
  ASSERT_FALSE(full);
  EXPECT_EQ(full.error().kind, ErrorKind::io);
}

TEST(Csv, QuotesWhatNeedsIt) {
  Csv csv({"name", "a,b"});
  csv.cell("plain").cell("say \"no\"").end_row();
  csv.cell("two\nlines").cell(" padded").end_row();
  csv.cell("").cell(std::int64_t{-7}).end_row();
  EXPECT_EQ(csv.text(), "name,\"a,b\"\nplain,\"say \"\"no\"\"\"\n\"two\nlines\",\" padded\"\n,-7\n");
}

TEST(Csv, RowsHaveTheLengthOfTheHead) {
  Csv csv({"a", "b"});
  csv.cell(1);
  EXPECT_EQ(csv.text(), "a,b\n") << "an unfinished row is not shown";
  EXPECT_THROW(csv.end_row(), InputError);
  EXPECT_THROW(Csv({}), InputError);
}

TEST(Csv, DoublesReadBackToTheSameBits) {
  Random random(7);
  std::vector<double> values{0.0,  -0.0,   0.1, 1.0 / 3.0, 1e-308, 5e-324, std::numeric_limits<double>::max(),
                             1e22, -2.5e-8};
  for (int i = 0; i < 2000; ++i) values.push_back(std::ldexp(random.uniform() - 0.5, i % 600 - 300));
  for (const double value : values)
    EXPECT_EQ(std::bit_cast<std::uint64_t>(std::strtod(exact_number(value).c_str(), nullptr)),
              std::bit_cast<std::uint64_t>(value))
        << exact_number(value);
  EXPECT_EQ(exact_number(0.1), "0.1");
  EXPECT_EQ(exact_number(-std::nan("")), "nan");
  EXPECT_EQ(exact_number(-std::numeric_limits<double>::infinity()), "-inf");
}

}  // namespace
}  // namespace cairn::cli
