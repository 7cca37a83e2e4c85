// SPDX-License-Identifier: MIT
// PairOrder: contacts and joints sorted into pairs of bodies by what they are, not by where the caller lists them.
//
// Pairs ascend by the lower slot, then by the other body; the contacts of a pair ascend by their numbers, seen from the
// body with the lower index. Sums taken in this order have the same bits for any order of the contacts and whichever
// body of a contact is called a. Contacts that are equal in every number ascend by the impulses they begin from; where
// these are equal too they keep the order given, so that their impulses may be exchanged.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "cairn/core/parallel.h"
#include "cairn/graph/edges.h"
#include "cairn/problem/contact_problem.h"

namespace cairn {

/// All contacts and joint rows between two bodies: contacts[contact_begin .. contact_end) and the same of rows.
struct BodyPairRange {
  Edge edge;  ///< slots, the lower first; kNoVertex for a body that cannot move
  std::int32_t contact_begin = 0, contact_end = 0;
  std::int32_t row_begin = 0, row_end = 0;
};

/// Filled by `sort`, then perhaps by `join`; keeps its memory: warm calls allocate nothing.
class PairOrder {
 public:
  /// Contact impulses of a solution.
  using StartImpulses = std::span<const std::array<double, 4>>;

  /// `slot`: per body, kNoVertex if it cannot move. `start`: impulses per contact, or none. The result does not depend
  /// on the pool.
  void sort(const ContactProblem& problem, std::span<const std::int32_t> slot, std::int32_t slot_count,
            ThreadPool* pool, StartImpulses start = {});

  /// Joins neighbouring pairs into groups of up to `most`: from the first pair that is in none, bodies are visited in
  /// the order in which they came in, each brings its pairs. The pairs of a group follow each other afterwards.
  void join(std::int32_t most);

  /// In order; contacts and rows of bodies that cannot move come after all pairs and are in none.
  std::span<const std::int32_t> contacts() const { return contacts_; }
  std::span<const std::int32_t> rows() const { return rows_; }
  std::span<const BodyPairRange> pairs() const { return pairs_; }
  /// Group g is pairs()[group_start()[g] .. group_start()[g + 1]): one pair each unless joined.
  std::span<const std::int32_t> group_start() const { return group_start_; }

 private:
  void sort_contacts(const ContactProblem& problem, std::span<const std::int32_t> slot, ThreadPool* pool,
                     StartImpulses start);
  void sort_joints(const ContactProblem& problem, std::span<const std::int32_t> slot);
  void list_pairs(const ContactProblem& problem, std::span<const std::int32_t> slot);
  void list_groups(std::int32_t most);
  void take_pairs(std::int32_t body, std::int32_t most);
  void reorder();

  std::int32_t slot_count_ = 0;
  std::vector<std::int32_t> contacts_, rows_;
  std::vector<BodyPairRange> pairs_;
  std::vector<std::int32_t> group_start_;

  std::vector<std::int32_t> key_;    ///< per contact, then per joint: its lower slot, or slot_count_
  Lists contacts_at_, joints_at_;    ///< per key, sorted
  Lists pairs_at_;                   ///< per slot: its pairs, for joining
  std::vector<Edge> edges_;          ///< per pair, for joining
  std::vector<std::int64_t> next_;   ///< per slot: the first of its pairs that may be in no group
  std::vector<std::int32_t> taken_;  ///< pairs in the order of the groups
  std::vector<std::uint8_t> is_taken_;
  std::vector<std::int32_t> visited_by_;  ///< per slot: the last group that met it
  std::vector<std::int32_t> queue_;       ///< bodies of the group that grows
  std::vector<BodyPairRange> old_pairs_;
  std::vector<std::int32_t> old_contacts_, old_rows_;
};

}  // namespace cairn
