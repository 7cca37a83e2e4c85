// SPDX-License-Identifier: MIT
// Files that are wrong on purpose: each is one clear error that names the dataset, and HDF5 prints nothing.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <hdf5.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <limits>
#include <sstream>

#include "cairn/core/random.h"
#include "cairn/io/problem_file.h"
#include "scenes/ball_lattices.h"
#include "tests/io/spoiler.h"
#include "tests/io/temporary_folder.h"

namespace cairn {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr H5Z_filter_t kForeignFilter = 32123;

/// Two contacts in three dimensions, 6 x 6.
DelassusProblem small_problem() {
  DelassusProblem p;
  p.w.row_start = {0, 1, 3};
  p.w.column = {0, 0, 1};
  p.w.values.assign(27, 0.0);
  for (const std::size_t k : {0u, 4u, 8u, 18u, 22u, 26u}) p.w.values[k] = 2;
  p.w.values[9] = 0.5;
  find_diagonal(p.w);
  p.q = {-1, 0, 0, -1, 0.5, 0};
  p.friction = {{0.5, 0.5, 0}, {0.25, 0.25, 0}};
  return p;
}

GlobalProblem small_global() {
  const std::vector<std::int64_t> i{0, 1, 2};
  const std::vector<double> x{2, 2, 2};
  GlobalProblem p;
  p.m = p.h = from_triplets(3, 3, i, i, x);
  p.f = {1, 2, 3};
  p.w = {0, 0, 0};
  p.mu = {0.5};
  return p;
}

struct BadCase {
  const char* name;
  std::function<void(Spoiler&)> spoil;
  std::vector<const char*> expected;  ///< parts of the message
};

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

/// Both ways of reading must refuse the file with the same message, and HDF5 must stay silent.
void expect_refused(const std::string& path, const std::vector<const char*>& expected) {
  testing::internal::CaptureStderr();
  const Expected<ProblemFile> here = read_problem_in_process(path);
  const Expected<ProblemFile> there = read_problem(path);
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
  ASSERT_FALSE(here);
  ASSERT_FALSE(there);
  EXPECT_EQ(here.error().message, there.error().message);
  EXPECT_EQ(here.error().kind, there.error().kind);
  EXPECT_TRUE(contains(here.error().message, path)) << here.error().message;
  for (const char* part : expected) EXPECT_TRUE(contains(here.error().message, part)) << here.error().message;
}

void run_cases(const ProblemFile& valid, const std::vector<BadCase>& cases) {
  TemporaryFolder folder;
  const std::string good = folder.file("good.hdf5"), bad = folder.file("bad.hdf5");
  ASSERT_TRUE(write_problem(valid, good));
  ASSERT_TRUE(read_problem_in_process(good));
  for (const BadCase& c : cases) {
    SCOPED_TRACE(c.name);
    std::filesystem::copy_file(good, bad, std::filesystem::copy_options::overwrite_existing);
    {
      Spoiler spoiler(bad);
      c.spoil(spoiler);
    }
    expect_refused(bad, c.expected);
  }
}

TEST(ProblemFileBad, MatrixSizesAndIndices) {
  run_cases(
      {.problem = small_problem()},
      {
          {"m negative",
           [](Spoiler& s) { s.entry("/fclib_local/W/m", 0, -6); },
           {"/fclib_local/W/m is -6", "expected 0 to"}}  // namespace
          ,
          {"n negative",
           [](Spoiler& s) { s.entry("/fclib_local/W/n", 0, -1); }  // namespace cairn
           ,
           {"/fclib_local/W/n is -1"}},
          {"m not 3 x contacts",
           [](Spoiler& s) { s.entry("/fclib_local/W/m", 0, 7); },
           {"/fclib_local/W/m is 7, expected 6"}},
          {"nzmax negative",
           [](Spoiler& s) { s.entry("/fclib_local/W/nzmax", 0, -1); },
           {"/fclib_local/W/nzmax is -1"}},
          {"nzmax overflows",
           [](Spoiler& s) { s.ints("/fclib_local/W/nzmax", {INT64_MAX}); },
           {"/fclib_local/W/nzmax is 922"}},
          {"m overflows", [](Spoiler& s) { s.ints("/fclib_local/W/m", {INT64_MAX}); }, {"/fclib_local/W/m is 922"}},
          {"nz -3",
           [](Spoiler& s) { s.entry("/fclib_local/W/nz", 0, -3); },
           {"/fclib_local/W/nz is -3", "expected -1"}},
          {"nz beyond nzmax", [](Spoiler& s) { s.entry("/fclib_local/W/nz", 0, 1000); }, {"/fclib_local/W/nz is 1000"}},
          {"triplets, arrays missing",
           [](Spoiler& s) {
             s.entry("/fclib_local/W/nz", 0, 7);
             s.remove("/fclib_local/W/i");
           },
           {"/fclib_local/W/i is missing"}},
          {"triplets, p too short",
           [](Spoiler& s) { s.entry("/fclib_local/W/nz", 0, 20); },
           {"/fclib_local/W/p has 7"}},
          {"index too large",
           [](Spoiler& s) { s.entry("/fclib_local/W/i", 4, 6); },
           {"/fclib_local/W/i[4] is 6", "[0, 6)"}},
          {"index negative", [](Spoiler& s) { s.entry("/fclib_local/W/i", 0, -1); }, {"/fclib_local/W/i[0] is -1"}},
          {"index of 64 bits",
           [](Spoiler& s) { s.ints("/fclib_local/W/i", std::vector<std::int64_t>(27, 1LL << 40)); },
           {"/fclib_local/W/i[0] is 1099511627776"}},
          {"p descends",
           [](Spoiler& s) { s.entry("/fclib_local/W/p", 2, 1); },
           {"/fclib_local/W/p[2] is 1, expected 3"}},
          {"p starts late",
           [](Spoiler& s) { s.entry("/fclib_local/W/p", 0, 1); },
           {"/fclib_local/W/p[0] is 1, expected 0"}},
          {"p runs past nzmax", [](Spoiler& s) { s.entry("/fclib_local/W/p", 6, 28); }, {"/fclib_local/W/p[6] is 28"}},
          {"p too short",
           [](Spoiler& s) {
             s.ints("/fclib_local/W/p", {0, 27});
           },
           {"/fclib_local/W/p has 2 entries, expected 7"}},
          {"x too short",
           [](Spoiler& s) {
             s.reals("/fclib_local/W/x", {1, 2});
           },
           {"/fclib_local/W/x has 2 entries"}},
          {"x missing", [](Spoiler& s) { s.remove("/fclib_local/W/x"); }, {"/fclib_local/W/x is missing"}},
          {"m missing", [](Spoiler& s) { s.remove("/fclib_local/W/m"); }, {"/fclib_local/W/m is missing"}},
          {"x nan", [](Spoiler& s) { s.entry("/fclib_local/W/x", 3, kNan); }, {"/fclib_local/W/x[3] is nan"}},
          {"x infinite", [](Spoiler& s) { s.entry("/fclib_local/W/x", 3, HUGE_VAL); }, {"/fclib_local/W/x[3] is inf"}},
          {"duplicates overflow",
           [](Spoiler& s) {
             s.entry("/fclib_local/W/i", 1, 0);
             s.entry("/fclib_local/W/x", 0, 1.7e308);
             s.entry("/fclib_local/W/x", 1, 1.7e308);
           },
           {"/fclib_local/W/x has duplicates"}},
      });
}

TEST(ProblemFileBad, VectorsAndGroups) {
  run_cases(
      {.problem = small_problem()},
      {
          {"spacedim 0",
           [](Spoiler& s) { s.entry("/fclib_local/spacedim", 0, 0); },
           {"/fclib_local/spacedim is 0, expected 2"}},
          {"spacedim 1", [](Spoiler& s) { s.entry("/fclib_local/spacedim", 0, 1); }, {"/fclib_local/spacedim is 1"}},
          {"spacedim 4", [](Spoiler& s) { s.entry("/fclib_local/spacedim", 0, 4); }, {"/fclib_local/spacedim is 4"}},
          {"spacedim 5",
           [](Spoiler& s) { s.entry("/fclib_local/spacedim", 0, 5); },
           {"/fclib_local/spacedim is 5", "rolling"}},
          {"spacedim has two entries",
           [](Spoiler& s) {
             s.ints("/fclib_local/spacedim", {3, 3});
           },
           {"/fclib_local/spacedim has 2"}},
          {"spacedim real",
           [](Spoiler& s) { s.reals("/fclib_local/spacedim", {3}); },
           {"/fclib_local/spacedim must hold integers"}},
          {"mu missing",
           [](Spoiler& s) { s.remove("/fclib_local/vectors/mu"); },
           {"/fclib_local/vectors/mu is missing"}},
          {"mu too long",
           [](Spoiler& s) {
             s.reals("/fclib_local/vectors/mu", {1, 1, 1});
           },
           {"vectors/q has 6 entries, expected 9"}},
          {"mu negative",
           [](Spoiler& s) { s.entry("/fclib_local/vectors/mu", 1, -0.5); },
           {"/fclib_local/vectors/mu[1] is -0.5"}},
          {"mu nan",
           [](Spoiler& s) { s.entry("/fclib_local/vectors/mu", 0, kNan); },
           {"/fclib_local/vectors/mu[0] is nan"}},
          {"mu integer",
           [](Spoiler& s) {
             s.ints("/fclib_local/vectors/mu", {1, 1});
           },
           {"/fclib_local/vectors/mu must hold floating"}},
          {"mu a group",
           [](Spoiler& s) {
             s.remove("/fclib_local/vectors/mu");
             s.group("/fclib_local/vectors/mu");
           },
           {"/fclib_local/vectors/mu must be a dataset"}},
          {"q nan",
           [](Spoiler& s) { s.entry("/fclib_local/vectors/q", 5, kNan); },
           {"/fclib_local/vectors/q[5] is nan"}},
          {"q missing", [](Spoiler& s) { s.remove("/fclib_local/vectors/q"); }, {"/fclib_local/vectors/q is missing"}},
          {"vectors missing",
           [](Spoiler& s) { s.remove("/fclib_local/vectors"); },
           {"/fclib_local/vectors is missing"}},
          {"vectors a dataset",
           [](Spoiler& s) { s.reals("/fclib_local/vectors", {1}); },
           {"/fclib_local/vectors must be a group"}},
          {"W missing", [](Spoiler& s) { s.remove("/fclib_local/W"); }, {"/fclib_local/W is missing"}},
          {"W a dataset", [](Spoiler& s) { s.reals("/fclib_local/W", {1}); }, {"/fclib_local/W must be a group"}},
          {"fclib_local a dataset", [](Spoiler& s) { s.reals("/fclib_local", {1}); }, {"/fclib_local must be a group"}},
          {"no problem", [](Spoiler& s) { s.remove("/fclib_local"); }, {"holds no problem"}},
          {"rolling",
           [](Spoiler& s) {
             s.remove("/fclib_local");
             s.group("/fclib_global_rolling");
           },
           {"/fclib_global_rolling", "not supported"}},
          {"V without s", [](Spoiler& s) { s.group("/fclib_local/V"); }, {"/fclib_local/vectors/s is missing"}},
      });
}

TEST(ProblemFileBad, DataThatIsElsewhereIsRefusedUnopened) {
  run_cases({.problem = small_problem()},
            {
                {"external link",
                 [](Spoiler& s) {
                   s.remove("/fclib_local/W");
                   H5Lcreate_external("other.h5", "/W", s.file(), "/fclib_local/W", H5P_DEFAULT, H5P_DEFAULT);
                 },
                 {"/fclib_local/W is an external link"}},
                {"soft link that loops",
                 [](Spoiler& s) {
                   s.remove("/fclib_local/W/x");
                   H5Lcreate_soft("/fclib_local/W/x", s.file(), "/fclib_local/W/x", H5P_DEFAULT, H5P_DEFAULT);
                 },
                 {"/fclib_local/W/x is a soft link"}},
                {"soft link as the root",
                 [](Spoiler& s) {
                   s.remove("/fclib_local");
                   H5Lcreate_soft("/fclib_local/..", s.file(), "/fclib_local", H5P_DEFAULT, H5P_DEFAULT);
                 },
                 {"/fclib_local is a soft link"}},
                {"external storage",
                 [](Spoiler& s) {
                   const hid_t plist = H5Pcreate(H5P_DATASET_CREATE);
                   H5Pset_external(plist, "/etc/hostname", 0, 48);
                   s.dataset("/fclib_local/vectors/q", {6}, H5T_NATIVE_DOUBLE, nullptr, plist);
                   H5Pclose(plist);
                 },
                 {"/fclib_local/vectors/q keeps its data in an external file"}},
                {"virtual dataset",
                 [](Spoiler& s) {
                   const hid_t plist = H5Pcreate(H5P_DATASET_CREATE);
                   const hsize_t size[1] = {6};
                   const hid_t space = H5Screate_simple(1, size, nullptr);
                   H5Pset_virtual(plist, space, "other.h5", "/q", space);
                   s.dataset("/fclib_local/vectors/q", {6}, H5T_NATIVE_DOUBLE, nullptr, plist);
                   H5Sclose(space);
                   H5Pclose(plist);
                 },
                 {"/fclib_local/vectors/q is a virtual dataset"}},
                {"foreign filter",
                 [](Spoiler& s) {
                   const H5Z_class2_t filter{H5Z_CLASS_T_VERS,
                                             kForeignFilter,
                                             1,
                                             1,
                                             "foreign",
                                             nullptr,
                                             nullptr,
                                             [](unsigned, std::size_t, const unsigned*, std::size_t bytes, std::size_t*,
                                                void**) { return bytes; }};
                   H5Zregister(&filter);
                   const hid_t plist = H5Pcreate(H5P_DATASET_CREATE);
                   const hsize_t chunk[1] = {6};
                   H5Pset_chunk(plist, 1, chunk);
                   H5Pset_filter(plist, kForeignFilter, 0, 0, nullptr);
                   const std::vector<double> q(6, 1.0);
                   s.dataset("/fclib_local/vectors/q", {6}, H5T_NATIVE_DOUBLE, q.data(), plist);
                   H5Pclose(plist);
                   H5Fflush(s.file(), H5F_SCOPE_GLOBAL);
                   H5Zunregister(kForeignFilter);
                 },
                 {"/fclib_local/vectors/q uses filter 32123"}},
            });
}

TEST(ProblemFileBad, ExtentsThatAreNotReal) {
  run_cases({.problem = small_problem()},
            {
                {"2^62 entries",
                 [](Spoiler& s) { s.chunked("/fclib_local/vectors/mu", {1ULL << 62}, {1024}); },
                 {"/fclib_local/vectors/mu declares 4611686018427387904 entries"}},
                {"more than the file holds",
                 [](Spoiler& s) { s.chunked("/fclib_local/vectors/mu", {1ULL << 27}, {1024}); },
                 {"/fclib_local/vectors/mu declares 1073741824 bytes, more than a file of"}},
                {"huge chunks",
                 [](Spoiler& s) { s.chunked("/fclib_local/vectors/mu", {(1ULL << 28) + 1}, {(1ULL << 28) + 1}); },
                 {"/fclib_local/vectors/mu has chunks of 268435457 entries"}},
                {"chunks the file cannot hold",
                 [](Spoiler& s) { s.chunked("/fclib_local/vectors/mu", {1ULL << 27}, {1ULL << 27}); },
                 {"/fclib_local/vectors/mu declares 1073741824 bytes"}},
                {"rank 2",
                 [](Spoiler& s) {
                   s.dataset("/fclib_local/vectors/mu", {2, 1}, H5T_NATIVE_DOUBLE, nullptr);
                 },
                 {"/fclib_local/vectors/mu has rank 2, expected 1"}},
                {"rank 32",
                 [](Spoiler& s) {
                   s.dataset("/fclib_local/vectors/mu", std::vector<hsize_t>(32, 1), H5T_NATIVE_DOUBLE, nullptr);
                 },
                 {"/fclib_local/vectors/mu has rank 32, expected 1"}},
                {"chunks of rank 32",
                 [](Spoiler& s) {
                   s.chunked("/fclib_local/vectors/mu", std::vector<hsize_t>(31, 1), std::vector<hsize_t>(31, 1));
                 },
                 {"/fclib_local/vectors/mu has chunks of rank"}},
                {"strings",
                 [](Spoiler& s) { s.dataset("/fclib_local/vectors/mu", {2}, H5T_C_S1, nullptr); },
                 {"/fclib_local/vectors/mu must hold floating-point"}},
            });
}

TEST(ProblemFileBad, GlobalAndContactProblems) {
  run_cases(
      {.problem = small_global()},
      {
          {"f missing",
           [](Spoiler& s) { s.remove("/fclib_global/vectors/f"); },
           {"/fclib_global/vectors/f is missing"}},
          {"f too short",
           [](Spoiler& s) { s.reals("/fclib_global/vectors/f", {1}); },
           {"/fclib_global/M/m is 3, expected 1"}},
          {"w too long",
           [](Spoiler& s) {
             s.reals("/fclib_global/vectors/w", {1, 2, 3, 4});
           },
           {"/fclib_global/vectors/w has 4"}},
          {"M missing", [](Spoiler& s) { s.remove("/fclib_global/M"); }, {"/fclib_global/M is missing"}},
          {"H narrow", [](Spoiler& s) { s.entry("/fclib_global/H/n", 0, 2); }, {"/fclib_global/H/n is 2, expected 3"}},
          {"G without b", [](Spoiler& s) { s.group("/fclib_global/G"); }, {"/fclib_global/vectors/b is missing"}},
          {"spacedim 4", [](Spoiler& s) { s.entry("/fclib_global/spacedim", 0, 4); }, {"/fclib_global/spacedim is 4"}},
      });
  run_cases(
      {.problem = scenes::ball_grid(2)},
      {
          {"version", [](Spoiler& s) { s.entry("/cairn_contact/version", 0, 3); }, {"/cairn_contact/version is 3"}},
          {"field missing",
           [](Spoiler& s) { s.remove("/cairn_contact/contact_arms"); },
           {"/cairn_contact/contact_arms is missing"}},
          {"field short",
           [](Spoiler& s) { s.reals("/cairn_contact/body_velocity", {1}); },
           {"/cairn_contact/body_velocity has 1"}},
          {"body outside",
           [](Spoiler& s) { s.entry("/cairn_contact/contact_bodies", 0, 9); },
           {"/cairn_contact: contact 0: bodies 9"}},
          {"frame skew",
           [](Spoiler& s) { s.entry("/cairn_contact/contact_frame", 0, 9); },
           {"/cairn_contact: contact 0: normal"}},
          {"dt negative", [](Spoiler& s) { s.entry("/cairn_contact/time_step", 0, -1); }, {"/cairn_contact: dt is -1"}},
          {"dt nan",
           [](Spoiler& s) { s.entry("/cairn_contact/time_step", 0, kNan); },
           {"/cairn_contact/time_step[0] is nan"}},
          {"ints of 64 bits",
           [](Spoiler& s) { s.ints("/cairn_contact/contact_bodies", std::vector<std::int64_t>(32, 1LL << 32)); },
           {"/cairn_contact/contact_bodies[0] is 4294967296"}},
      });
}

TEST(ProblemFileBad, OptionalPartsThatDoNotFitAreIgnoredWithANote) {
  TemporaryFolder folder;
  const std::string path = folder.file("problem.hdf5");
  ProblemFile file{.problem = small_problem()};
  file.guess.assign(6, 1.0);
  file.solution.assign(6, 1.0);
  const auto notes_after = [&](const std::function<void(Spoiler&)>& spoil) -> std::string {
    EXPECT_TRUE(write_problem(file, path, {.overwrite = true}));
    {
      Spoiler spoiler(path);
      spoil(spoiler);
    }
    const Expected<ProblemFile> back = read_problem(path);
    EXPECT_TRUE(back);
    if (!back) return back.error().message;
    EXPECT_TRUE(back->problem == file.problem);
    std::string notes;
    for (const std::string& note : back->notes) notes += note + "\n";
    return notes;
  };
  EXPECT_TRUE(contains(notes_after([](Spoiler&) {}), "W is not symmetric"));
  EXPECT_TRUE(
      contains(notes_after([](Spoiler& s) { s.reals("/guesses/1/r", {1}); }), "guess is ignored: /guesses/1/r has 1"));
  EXPECT_TRUE(
      contains(notes_after([](Spoiler& s) { s.entry("/guesses/1/r", 0, kNan); }), "guess is ignored: /guesses/1/r[0]"));
  EXPECT_TRUE(
      contains(notes_after([](Spoiler& s) { s.reals("/solution/r", {1}); }), "solution is ignored: /solution/r has 1"));
  EXPECT_TRUE(
      contains(notes_after([](Spoiler& s) { s.reals("/solution/r", std::vector<double>(6, 0.0)); }), "all zeros"));
  EXPECT_TRUE(contains(notes_after([](Spoiler& s) { s.ints("/fclib_local/info/title", {1}); }), "title is ignored"));
}

TEST(ProblemFileBad, EqualitiesOfALocalFileAreEliminatedUnlessTheyAreSingular) {
  // One equality on the first normal row: V = e_0, R = 4, s = 8; so W_00 = 2 - 1/4 and q_0 = -1 - 2.
  TemporaryFolder folder;
  const std::string path = folder.file("problem.hdf5");
  ASSERT_TRUE(write_problem({.problem = small_problem()}, path));
  {
    Spoiler s(path);
    for (const std::string m : {"/fclib_local/V", "/fclib_local/R"}) {
      s.group(m);
      s.ints(m + "/m", {m.back() == 'V' ? 6 : 1});
      for (const char* name : {"/n", "/nzmax", "/nz"}) s.ints(m + name, {1});
      for (const char* name : {"/i", "/p"}) s.ints(m + name, {0});
      s.reals(m + "/x", {m.back() == 'V' ? 1.0 : 4.0});
    }
    s.reals("/fclib_local/vectors/s", {8});
  }
  const Expected<ProblemFile> back = read_problem(path);
  ASSERT_TRUE(back) << back.error().message;
  DelassusProblem expected = small_problem();
  expected.w.values[0] = 1.75;
  expected.q[0] = -3;
  EXPECT_TRUE(std::get<DelassusProblem>(back->problem) == expected);
  EXPECT_TRUE(contains(back->notes.at(0), "1 equalities"));
  { Spoiler(path).reals("/fclib_local/R/x", {0}); }
  expect_refused(path, {"/fclib_local/R: R is singular"});
}

TEST(ProblemFileBad, UnsortedAndDuplicateTripletsAreTheSameMatrix) {
  TemporaryFolder folder;
  const std::string path = folder.file("problem.hdf5");
  ASSERT_TRUE(write_problem({.problem = small_global()}, path));
  {
    Spoiler s(path);
    s.ints("/fclib_global/M/nz", {5});
    s.ints("/fclib_global/M/nzmax", {9});
    s.ints("/fclib_global/M/i", {2, 0, 1, 2, 0, 77});  // behind nz: not read
    s.ints("/fclib_global/M/p", {2, 0, 1, 2, 0, 77});
    s.reals("/fclib_global/M/x", {0.5, 1, 2, 1.5, 1, kNan});
  }
  const Expected<ProblemFile> back = read_problem(path);
  ASSERT_TRUE(back) << back.error().message;
  EXPECT_TRUE(std::get<GlobalProblem>(back->problem) == small_global());
}

TEST(ProblemFileBad, FilesThatAreNotProblems) {
  TemporaryFolder folder;
  const std::string empty = folder.file("empty"), text = folder.file("text"), pipe = folder.file("pipe");
  std::ofstream(empty).close();
  std::ofstream(text) << std::string(5000, 'x');
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  expect_refused(empty, {"0 bytes"});
  expect_refused(text, {"is not an HDF5 file"});
  expect_refused(pipe, {"is not a regular file"});
  expect_refused(folder.file("."), {"is not a regular file"});
  expect_refused(folder.file("absent"), {"No such file"});
  EXPECT_EQ(read_problem(folder.file("absent")).error().kind, ErrorKind::io);

  const std::string locked = folder.file("locked.hdf5");
  ASSERT_TRUE(write_problem({.problem = small_problem()}, locked));
  const int descriptor = ::open(locked.c_str(), O_RDWR);
  ASSERT_EQ(::flock(descriptor, LOCK_EX), 0);
  expect_refused(locked, {"is locked"});
  ::close(descriptor);
  ASSERT_EQ(::chmod(locked.c_str(), 0400), 0);
  EXPECT_TRUE(read_problem(locked));
}

TEST(ProblemFileBad, Hdf5PrintsAgainAfterwards) {
  TemporaryFolder folder;
  H5E_auto2_t before = nullptr, after = nullptr;
  void* data = nullptr;
  H5Eget_auto2(H5E_DEFAULT, &before, &data);
  ASSERT_NE(before, nullptr);
  EXPECT_FALSE(read_problem_in_process(folder.file("absent")));
  std::ofstream(folder.file("text")) << "text";
  EXPECT_FALSE(read_problem_in_process(folder.file("text")));
  H5Eget_auto2(H5E_DEFAULT, &after, &data);
  EXPECT_EQ(before, after);
  unsigned plugins = 0;
  H5PLget_loading_state(&plugins);
  EXPECT_NE(plugins, 0u);
}

std::string bytes_of(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream out;
  out << in.rdbuf();
  return out.str();
}

void store(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary | std::ios::trunc)
      .write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

TEST(ProblemFileBad, EveryTruncationIsAnError) {
  TemporaryFolder folder;
  const std::string good = folder.file("good.hdf5"), bad = folder.file("bad.hdf5");
  ASSERT_TRUE(write_problem({.problem = small_problem()}, good));
  const std::string bytes = bytes_of(good);
  for (std::size_t size = 0; size < bytes.size(); size += size < 256 ? 7 : 211) {
    store(bad, bytes.substr(0, size));
    EXPECT_FALSE(read_problem_in_process(bad)) << size;
  }
  store(bad, bytes.substr(0, bytes.size() - 1));
  expect_refused(bad, {"cannot be opened: truncated"});
}

/// Reads `count` copies of a file with one byte changed in each.
void flip_bytes(const std::string& good, const std::string& bad, int count, std::uint64_t seed) {
  const std::string bytes = bytes_of(good);
  Random random(seed);
  int values = 0, errors = 0, deaths = 0;
  for (int k = 0; k < count; ++k) {
    std::string spoilt = bytes;
    const auto place = static_cast<std::size_t>(random.uniform() * static_cast<double>(bytes.size()));
    const auto mask = static_cast<char>(1 + static_cast<int>(random.uniform() * 255));
    spoilt[place] = static_cast<char>(spoilt[place] ^ mask);
    store(bad, spoilt);
    const Expected<ProblemFile> back = read_problem(bad, {.time_limit = 3});
    (back ? values : errors) += 1;
    if (back) continue;
    EXPECT_TRUE(contains(back.error().message, bad));
    deaths += contains(back.error().message, "reading it");
  }
  EXPECT_GT(values, 0);
  EXPECT_GT(errors, 0);
  // HDF5 itself may die of a flipped byte or loop for ever, rarely; our own code must not, and would show as more.
  EXPECT_LE(deaths, count / 100) << "of " << errors << " errors";
  testing::Test::RecordProperty("deaths", deaths);
}

TEST(ProblemFileBad, FlippedBytesNeverHarmTheHost) {
  TemporaryFolder folder;
  const std::string good = folder.file("good.hdf5"), bad = folder.file("bad.hdf5");
  ASSERT_TRUE(write_problem({.problem = small_problem()}, good));
  flip_bytes(good, bad, 1000, 20);
  {
    Spoiler s(good);
    s.chunked("/fclib_local/W/x", {27}, {9}, small_problem().w.values.data(), 6);
    s.text("/fclib_local/info/title", "a title of variable length");
  }
  flip_bytes(good, bad, 1000, 21);
}

}  // namespace
}  // namespace cairn
