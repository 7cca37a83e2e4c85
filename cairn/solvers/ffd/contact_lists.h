// SPDX-License-Identifier: MIT
// ContactLists: the contacts at each body that can move, made by threads without locks.
//
// Contacts are counted per body, the counts are summed, then each contact takes places in the lists of its two bodies.
// Which place it gets depends on the threads, so each list is sorted afterwards, by what the contacts are and not by
// their numbers: first those with bodies that cannot move, then by the other body, the arm and the normal. Hence the
// same bits for any number of threads and any order of the contacts.
#pragma once

#include <span>
#include <vector>

#include "cairn/problem/contact_problem.h"

namespace cairn {

/// How much a contact has to say to one of its bodies.
enum class SideRank : std::uint8_t {
  hard,  ///< the other body cannot move
  firm,  ///< the other body is held by such a one, or by one that is held
  soft,  ///< the other body may give way
};

/// A contact as one of its two bodies sees it.
struct ContactSide {
  std::int32_t contact = 0;
  bool is_b = false;  ///< the body is body_b of the contact
  SideRank rank = SideRank::soft;
};

class ContactLists {
 public:
  /// Keeps its memory.
  void make(const ContactProblem& problem, ThreadPool* pool);

  /// By rank, hard ones first.
  std::span<ContactSide> operator[](std::size_t body) {
    return {sides_.data() + start_[body], to_index(start_[body + 1] - start_[body])};
  }
  /// The number of sides of all bodies before this one.
  std::int64_t first(std::size_t body) const { return start_[body]; }
  std::size_t size() const { return sides_.size(); }
  /// The length of the longest list.
  std::size_t longest(ThreadPool* pool) const;

 private:
  void count(const ContactProblem& problem, ThreadPool* pool);
  void sum_counts(ThreadPool* pool);

  std::vector<std::int32_t> taken_;   ///< per body: sides counted, then sides placed
  std::vector<std::int64_t> start_;   ///< per body, and the end
  std::vector<std::int64_t> blocks_;  ///< scratch of the sums
  std::vector<ContactSide> sides_;
};

}  // namespace cairn
