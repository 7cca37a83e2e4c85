// SPDX-License-Identifier: MIT
// Handles: how users name things that live in dense arrays.
//
// A handle is an index and a generation. Removing a thing raises the generation of its slot, so a stale handle
// is recognised in O(1). A slot whose generation is used up is retired and never given out again, so that a wrap
// can never make an old handle valid.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "cairn/core/errors.h"

namespace cairn {

template <class Tag>
struct Handle {
  std::uint32_t index = std::numeric_limits<std::uint32_t>::max();
  std::uint32_t generation = 0;

  friend bool operator==(const Handle&, const Handle&) = default;
  friend auto operator<=>(const Handle&, const Handle&) = default;
};

/// Gives out and takes back handles. Free slots are reused last in, first out, so the order depends on the calls
/// alone.
template <class Tag>
class HandlePool {
 public:
  Handle<Tag> create() {
    if (!free_.empty()) {
      const std::uint32_t index = free_.back();
      free_.pop_back();
      live_[index] = true;
      return {index, generation_[index]};
    }
    if (generation_.size() >= std::numeric_limits<std::uint32_t>::max())
      fail_input("too many handles: at most 2^32 - 1 objects of one kind can exist", ErrorKind::limit);
    generation_.push_back(0);
    live_.push_back(true);
    return {static_cast<std::uint32_t>(generation_.size() - 1), 0};
  }

  /// False when the handle is stale, forged or null; nothing changes then.
  bool destroy(Handle<Tag> handle) {
    if (!is_valid(handle)) return false;
    live_[handle.index] = false;
    if (generation_[handle.index] != std::numeric_limits<std::uint32_t>::max()) {
      ++generation_[handle.index];
      free_.push_back(handle.index);
    }
    return true;
  }

  bool is_valid(Handle<Tag> handle) const {
    return handle.index < generation_.size() && live_[handle.index] && generation_[handle.index] == handle.generation;
  }

  /// The handle of whatever lives in a slot; a null handle if nothing does.
  Handle<Tag> at(std::size_t index) const {
    if (index >= generation_.size() || !live_[index]) return {};
    return {static_cast<std::uint32_t>(index), generation_[index]};
  }

  std::size_t slot_count() const { return generation_.size(); }

  /// All there is to know, for snapshots: equal states give out equal handles.
  struct State {
    std::vector<std::uint32_t> generation;  ///< per slot
    std::vector<std::uint8_t> live;         ///< per slot, 0 or 1
    std::vector<std::uint32_t> free;        ///< the last is reused first
  };
  State state() const { return {generation_, {live_.begin(), live_.end()}, free_}; }

  /// Takes over a state. Throws InputError unless every slot is either live, or free once, or used up; nothing has
  /// changed then.
  void restore(State state) {
    constexpr std::uint32_t kLast = std::numeric_limits<std::uint32_t>::max();
    require(state.live.size() == state.generation.size() && state.live.size() < kLast,
            "there must be one flag for every generation of a handle");
    std::vector<std::uint8_t> taken = state.live;
    for (const std::uint8_t flag : taken) require(flag <= 1, "a handle is neither live nor free");
    for (const std::uint32_t slot : state.free) {
      require(slot < taken.size(), "the list of free handles names one that does not exist");
      require(taken[slot] == 0, "the list of free handles names one twice, or one that is in use");
      taken[slot] = 1;
    }
    for (std::size_t i = 0; i < taken.size(); ++i)
      require(taken[i] == 1 || state.generation[i] == kLast, "a handle is neither in use nor in the list of free ones");
    live_.assign(state.live.begin(), state.live.end());
    generation_ = std::move(state.generation);
    free_ = std::move(state.free);
  }

 private:
  std::vector<std::uint32_t> generation_;  ///< per slot, the generation its next or current handle carries
  std::vector<bool> live_;                 ///< per slot
  std::vector<std::uint32_t> free_;        ///< slots to reuse, last in, first out
};

}  // namespace cairn
