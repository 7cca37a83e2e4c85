// SPDX-License-Identifier: MIT
// IslandParts: the islands of a problem, each as a problem of its own. What is solved of one cannot change another.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "cairn/graph/islands.h"
#include "cairn/problem/contact_problem.h"

namespace cairn {

/// An island with the numbering of its own problem.
struct IslandPart {
  ContactProblem problem;
  ContactSolution solution;
  std::vector<std::int32_t> bodies, contacts, joints, colours;  ///< numbers in the whole problem; colours as they are
  std::vector<std::int32_t> first_row;  ///< per joint of the part: its first row in the whole problem

  /// The answer of the part to the solution of the whole, which must have all its entries.
  void write_back(ContactSolution& whole) const;
};

/// What bodies do that nothing acts on, and entries for all impulses. Throws InputError where the warm start has
/// another number of them than the problem.
void begin_islands(const ContactProblem& problem, ContactSolution& solution);

/// Velocities and displacements of the impulses of an island.
void complete_island(const ContactProblem& island, ContactSolution& solution);

/// Keeps its memory from problem to problem.
class IslandParts {
 public:
  void find(const ContactProblem& problem, ThreadPool* pool);
  std::int32_t count() const { return islands_.count; }
  /// A body that nothing acts on is an island without members.
  bool is_empty(std::int32_t island) const;

  /// The island with the impulses of `solution`. Bodies that cannot move come along. `colours`: per contact, or empty.
  void extract(const ContactProblem& problem, const ContactSolution& solution, std::span<const std::int32_t> colours,
               std::int32_t island) {
    extract(problem, solution, colours, island, part_);
  }
  /// The same into a part of the caller's, whose memory is reused.
  void extract(const ContactProblem& problem, const ContactSolution& solution, std::span<const std::int32_t> colours,
               std::int32_t island, IslandPart& part);
  IslandPart& part() { return part_; }
  const IslandPart& part() const { return part_; }
  void write_back(ContactSolution& solution) const { part_.write_back(solution); }

 private:
  void add_contact(const ContactProblem& problem, const ContactSolution& solution,
                   std::span<const std::int32_t> colours, std::size_t contact, IslandPart& part);
  void add_joint(const ContactProblem& problem, const ContactSolution& solution, std::size_t joint, IslandPart& part);
  void renumber(const ContactProblem& problem, std::int32_t& body, IslandPart& part);

  IslandFinder finder_;
  Islands islands_;
  std::vector<Edge> edges_;            ///< contacts, then joints
  std::vector<std::int32_t> first_;    ///< per island: into members_; one more at the end
  std::vector<std::int32_t> members_;  ///< edges by island, in their order
  std::vector<std::int32_t> local_;    ///< per body of the whole problem: its number in the part that is made, else -1
  IslandPart part_;
};

}  // namespace cairn
