// SPDX-License-Identifier: MIT
// LdlCache: programs by structure, so that the symbolic phase runs once per kind of mechanism.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "cairn/solvers/ldl/ldl_program.h"

namespace cairn {

class LdlCache {
 public:
  struct Entry {
    std::uint64_t hash = 0;
    std::int64_t id = -1;   ///< in the order in which programs were made
    std::int64_t used = 0;  ///< the last round in which it was asked for
    std::shared_ptr<const LdlProgram> program;
  };

  explicit LdlCache(const LdlProgramSettings& settings) : settings_(settings) {}

  /// A new round: programs that nobody asked for in the last hundred rounds are forgotten.
  void begin_round();

  /// The program of a structure, made when it is not there. `hint`: an entry that may be the right one; becomes it.
  void find(const LdlStructure& structure, Entry& hint);

  std::int64_t built() const { return next_id_; }  ///< programs made so far
  std::size_t size() const { return entries_.size(); }

 private:
  LdlProgramSettings settings_;
  std::vector<Entry> entries_;  ///< by hash, then by age
  std::int64_t next_id_ = 0, round_ = 0;
};

}  // namespace cairn
