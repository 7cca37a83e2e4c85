// SPDX-License-Identifier: MIT
#include "cairn/io/problem_file.h"

#include <gtest/gtest.h>
#include <hdf5.h>

#include <cmath>
#include <cstring>
#include <fstream>
#include <limits>

#include "cairn/core/index.h"
#include "cairn/problem/residual.h"
#include "scenes/ball_lattices.h"
#include "tests/io/spoiler.h"
#include "tests/io/temporary_folder.h"
#include "tests/published_set.h"

namespace cairn {
namespace {

ContactProblem with_joints_and_spin() {
  ContactProblem problem = scenes::ball_grid(2);
  problem.dt = 1.0 / 300.0;
  problem.stabilisation = {0.1, 0.3, 1e-4, 2.5, 0.75};
  problem.bodies[0].inverse_inertia = {0.3, 0.2, 0.1, 0.01, -0.02, 1.0 / 3.0 * 0.01};
  problem.bodies[1].velocity = {{1.0 / 3.0, -0.1, 1e-300}, {-0.0, 0.7, 1e30}};
  problem.contacts[0].spin_radius = 0.05;
  problem.contacts[1].friction2 = 0.25;
  problem.contacts[2].gap = -1e-3;
  problem.contacts[3].restitution = 0.4;
  problem.joints = {{0, 1, 0, 2}, {2, 8, 2, 1}};
  problem.joint_rows.resize(3);
  problem.joint_rows[0].linear_a = {-1, 0.1, 0.2};
  problem.joint_rows[1].angular_b = {0.5, 0.6, 0.7};
  problem.joint_rows[1].compliance = 1e-7;
  problem.joint_rows[1].damping = 30;
  problem.joint_rows[2].lower = 0;
  problem.joint_rows[2].error = 1e-5;
  problem.joint_rows[2].target_velocity = -2;
  return problem;
}

/// Writes, reads in both ways and compares: equal means equal in every bit but the sign of zero.
void expect_round_trip(ProblemFile file, bool standard) {
  TemporaryFolder folder;
  const std::string path = folder.file("problem.hdf5");
  file.title = "a title";
  file.description = "two\nlines";
  file.guess.assign(to_index(impulse_count(file)), 1.0 / 3.0);
  file.solution.assign(file.guess.size(), 1e-7);
  const Expected<WriteReport> written = write_problem(file, path);
  ASSERT_TRUE(written) << written.error().message;
  EXPECT_EQ(written->notes.empty(), standard);
  EXPECT_EQ(folder.entries(), 1u);
  for (const bool isolated : {false, true}) {
    const Expected<ProblemFile> back = isolated ? read_problem(path) : read_problem_in_process(path);
    ASSERT_TRUE(back) << back.error().message;
    EXPECT_TRUE(back->problem == file.problem);
    EXPECT_EQ(back->title, file.title);
    EXPECT_EQ(back->description, file.description);
    EXPECT_EQ(back->math_info, "");
    EXPECT_EQ(back->guess, file.guess);
    EXPECT_EQ(back->solution, file.solution);
    EXPECT_TRUE(back->notes.empty()) << back->notes[0];
  }
}

std::string bytes_of(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream out;
  out << in.rdbuf();
  return out.str();
}

TEST(ProblemFile, ContactProblemsComeBackBitForBit) {
  expect_round_trip({.problem = scenes::ball_grid(3)}, true);
  expect_round_trip({.problem = with_joints_and_spin()}, false);
  expect_round_trip({.problem = scenes::ball_pile(4)}, true);
  expect_round_trip({.problem = ContactProblem{}}, true);
}

TEST(ProblemFile, VersionOneHadNoDamping) {
  TemporaryFolder folder;
  const std::string path = folder.file("problem.hdf5");
  ContactProblem problem = with_joints_and_spin();
  ASSERT_TRUE(write_problem({.problem = problem}, path));
  {
    Spoiler old(path);
    old.remove("/cairn_contact/row_damping");
    old.entry("/cairn_contact/version", 0, 1);
  }
  problem.joint_rows[1].damping = 0;
  const Expected<ProblemFile> back = read_problem(path);
  ASSERT_TRUE(back) << back.error().message;
  EXPECT_TRUE(std::get<ContactProblem>(back->problem) == problem);
}

TEST(ProblemFile, AssembledProblemsComeBackBitForBit) {
  DelassusProblem plain = to_delassus(scenes::ball_grid(3));
  expect_round_trip({.problem = plain}, true);
  plain.friction[2].t = 0.125;
  expect_round_trip({.problem = plain}, false);
  ContactProblem spin = with_joints_and_spin();
  spin.joints.clear();
  spin.joint_rows.clear();
  expect_round_trip({.problem = to_delassus(spin)}, false);
}

TEST(ProblemFile, GlobalProblemsComeBackBitForBit) {
  Expected<GlobalProblem> global = to_global(scenes::ball_grid(3));
  ASSERT_TRUE(global);
  expect_round_trip({.problem = *global}, true);
  const std::vector<std::int64_t> i{0, 5}, j{0, 1};
  const std::vector<double> x{1, -1};
  global->g = from_triplets(global->m.rows, 2, i, j, x);
  global->b = {0.1, 0.2};
  expect_round_trip({.problem = *global}, true);
}

TEST(ProblemFile, TheStandardFormBesideAContactProblemIsTheSameProblem) {
  // Kinematic ground, overlap, approach and a point mass: all of it must be in f and w.
  ContactProblem problem = scenes::ball_grid(2);
  problem.bodies.back().velocity = {{0.1, 0.2, 0.3}, {0, 0, 1}};
  problem.bodies[0].inverse_inertia = {0.003, 0.002, 0.004, 0.001, 0, 0.0005};
  problem.bodies[1].inverse_inertia = {};
  problem.contacts[1].gap = -0.01;
  problem.contacts[2].restitution = 0.5;
  problem.bodies[2].velocity.linear = {0, 0, -2};
  TemporaryFolder folder;
  const std::string path = folder.file("problem.hdf5");
  ASSERT_TRUE(write_problem({.problem = problem}, path));
  const hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
  H5Ldelete(file, "/cairn_contact", H5P_DEFAULT);
  H5Fclose(file);
  Expected<ProblemFile> back = read_problem(path);
  ASSERT_TRUE(back) << back.error().message;
  const Expected<DelassusProblem> standard = to_delassus(std::get<GlobalProblem>(back->problem));
  ASSERT_TRUE(standard);
  const DelassusProblem ours = to_delassus(problem);
  ASSERT_EQ(standard->q.size(), ours.q.size());
  for (std::size_t k = 0; k < ours.q.size(); ++k) EXPECT_NEAR(standard->q[k], ours.q[k], 1e-13);
  EXPECT_EQ(standard->friction, ours.friction);
  for (std::int64_t r = 0; r < ours.w.rows(); ++r)
    for (int k = 0; k < 9; ++k)
      EXPECT_NEAR(standard->w.diagonal_block(r)[k], ours.w.diagonal_block(r)[k], 1e-12 * ours.w.diagonal_block(r)[0]);
}

TEST(ProblemFile, EqualContentGivesEqualBytesAndExistingFilesAreKept) {
  TemporaryFolder folder;
  const ProblemFile file{.problem = scenes::ball_grid(2)};
  ASSERT_TRUE(write_problem(file, folder.file("a")));
  ASSERT_TRUE(write_problem(file, folder.file("b")));
  EXPECT_EQ(bytes_of(folder.file("a")), bytes_of(folder.file("b")));
  const ProblemFile other{.problem = scenes::ball_grid(3)};
  const Expected<WriteReport> refused = write_problem(other, folder.file("a"));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, ErrorKind::io);
  EXPECT_NE(refused.error().message.find("exists already"), std::string::npos);
  EXPECT_EQ(bytes_of(folder.file("a")), bytes_of(folder.file("b")));
  ASSERT_TRUE(write_problem(other, folder.file("a"), {.overwrite = true}));
  EXPECT_TRUE(read_problem(folder.file("a"))->problem == other.problem);
  EXPECT_EQ(folder.entries(), 2u);
}

TEST(ProblemFile, AFailedWriteLeavesNothingBehind) {
  TemporaryFolder folder;
  ProblemFile file{.problem = scenes::ball_grid(2)};
  EXPECT_EQ(write_problem(file, folder.file("absent/a")).error().kind, ErrorKind::io);
  file.guess = {1, 2};
  EXPECT_NE(write_problem(file, folder.file("a")).error().message.find("the guess has 2"), std::string::npos);
  file.guess.clear();
  std::get<ContactProblem>(file.problem).bodies[0].velocity.linear.x = std::numeric_limits<double>::quiet_NaN();
  EXPECT_NE(write_problem(file, folder.file("a")).error().message.find("body 0"), std::string::npos);
  EXPECT_EQ(folder.entries(), 0u);
}

// ---- the public set: an outside reader, an outside solver and an outside ruler must agree with ours ----

double attribute(hid_t object, const char* name) {
  double value = -1;
  const hid_t id = H5Aopen(object, name, H5P_DEFAULT);
  H5Aread(id, H5T_NATIVE_DOUBLE, &value);
  H5Aclose(id);
  return value;
}

TEST(ProblemFile, PublishedProblemsAndTheirBestAnswersAgreeWithTheRuler) {
  const std::string folder = published_folder();
  const std::vector<PublishedProblem> listed = published_problems();
  if (listed.empty()) GTEST_SKIP() << "no FCLIB problems in " << folder << "; set CAIRN_FCLIB to their folder";
  EXPECT_EQ(listed.size(), 39u);
  const hid_t best = H5Fopen((folder + "/best_known_r.h5").c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
  ASSERT_GE(best, 0);
  std::size_t broken_solutions = 0, triangles = 0;
  for (const auto& [name, contacts, sweeps] : listed) {
    SCOPED_TRACE(name);
    const Expected<ProblemFile> file = read_problem(folder + "/" + name + ".hdf5");
    ASSERT_TRUE(file) << file.error().message;
    for (const std::string& note : file->notes) {
      broken_solutions += note.find("all zeros") != std::string::npos;
      triangles += note.find("triangle") != std::string::npos;
    }
    const DelassusProblem problem = assembled(*file);
    EXPECT_EQ(problem.contact_count(), contacts);
    EXPECT_NO_THROW(validate(problem));
    EXPECT_EQ(problem.w.diagonal.size(), to_index(contacts));

    const hid_t dataset = H5Dopen2(best, name.c_str(), H5P_DEFAULT);
    ASSERT_GE(dataset, 0);
    std::vector<double> r(problem.q.size());
    H5Dread(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, r.data());
    const Measures measures = residual(problem, r);
    const double abh = attribute(dataset, "err_abh"), unit_free = attribute(dataset, "err_unitfree");
    EXPECT_NEAR(measures.natural_map, abh, std::max(0.01 * abh, 1e-12));
    // Divided by the diagonal of W, so the round-off of the elimination of stiff rods shows at 2e-11.
    EXPECT_NEAR(measures.unit_free, unit_free, std::max(0.01 * unit_free, 1e-10));
    H5Dclose(dataset);
  }
  H5Fclose(best);
  EXPECT_EQ(broken_solutions, 4u);  // of the README's column "stored solution"
  EXPECT_EQ(triangles, 1u);         // CubeH8
}

}  // namespace
}  // namespace cairn
