// SPDX-License-Identifier: MIT
// JointElimination: a few contacts that load a mechanism, solved with its joints eliminated.
//
//   A_c = J_c (M^-1 - M^-1 J_0^T H^-1 J_0 M^-1) J_c^T,   H = J_0 M^-1 J_0^T + G       contact rows c, joint rows 0
//
// A sweep visits a contact with the mass of the two bodies it touches. Where a long mechanism or a heavy load hangs on
// one of them, the contact learns of that in many small steps. With few contacts A_c is small and costs one
// back-substitution per row; Gauss-Seidel on it, contact by contact with exact local solutions, ends after a few
// visits. The impulses found are where the sweeps over everything start.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "cairn/core/parallel.h"
#include "cairn/graph/islands.h"
#include "cairn/problem/contact_problem.h"
#include "cairn/solvers/ldl/ldl_joints.h"

namespace cairn {

/// Most contacts of an island that is solved so.
inline constexpr int kMostEliminated = 5;

class JointElimination {
 public:
  explicit JointElimination(const LdlSettings& settings) : joints_(settings) {}

  /// Sets the impulses of every island that has joints, none of them with bounds, and up to `most_contacts` contacts,
  /// without spin and with the same friction in all directions. The problem must be valid. Returns how many islands
  /// these are. An island in which joints alone hold a contact is left to the sweeps,
  /// and that contact begins from nothing: it would add to its impulse from step to step. A warm call with the
  /// same islands allocates nothing.
  int run(const ContactProblem& problem, int most_contacts, ContactSolution& solution, ThreadPool* pool);

 private:
  static constexpr int kRows = 3 * kMostEliminated;
  struct Small {
    int contacts = 0;
    std::array<std::int32_t, kMostEliminated> contact{};  ///< of the part
    std::array<double, kRows * kRows> a{};                ///< row major
    std::array<double, kRows> q{}, impulse{};
    double alone = 0;   ///< scratch: how far the normal of a contact gives way per impulse, joints aside
    bool held = false;  ///< the joints leave some contact no motion along its normal: its impulse would be 0 / 0
  };

  bool pick_islands(const ContactProblem& problem, int most_contacts, ThreadPool* pool);
  void copy_parts(const ContactProblem& problem, const ContactSolution& solution);
  std::int32_t local_body(const ContactProblem& problem, std::int32_t body);
  void respond(bool with_bias, ThreadPool* pool);
  void find_free_motion(ThreadPool* pool);
  void find_matrices(ThreadPool* pool);
  void take_impulses(ThreadPool* pool, ContactSolution& solution);

  LdlJoints joints_;
  IslandFinder finder_;
  Islands islands_;
  std::vector<Edge> edges_;
  std::vector<std::int32_t> contacts_in_, joints_in_;  ///< per island; -1: bounds or friction rule it out
  std::vector<std::int32_t> small_of_;                 ///< per island; -1: not solved here
  std::vector<Small> small_;
  ContactProblem part_;                                ///< the islands that are solved here
  std::vector<std::int32_t> local_;                    ///< per body of the problem, that of the part
  std::vector<std::int32_t> contact_from_, row_from_;  ///< per contact and joint row of the part, that of the problem
  std::vector<Velocity> velocity_;                     ///< per body of the part
  std::vector<double> rhs_, row_impulse_;              ///< per joint row of the part
};

}  // namespace cairn
