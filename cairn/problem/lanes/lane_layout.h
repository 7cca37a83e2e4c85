// SPDX-License-Identifier: MIT
// LaneLayout: which lane every manifold of a step stands in.
//
// Manifolds that may be solved side by side and are of one kind share groups of kLanes. A stage is a run of groups no
// two manifolds of which share a body that can move. Stages are solved one after the other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "cairn/core/index.h"
#include "cairn/problem/lanes/lane_fields.h"

namespace cairn {

/// Islands that a solver treats alike make a batch; stages belong to one batch each.
inline constexpr int kMostBatches = 8;

/// What a manifold may stand beside.
struct LanePlace {
  static constexpr std::int32_t kNoColour = -1;

  int batch = 0;                    ///< of its island
  std::int32_t colour = kNoColour;  ///< of its pair of bodies; kNoColour: it gets a stage of its own
  int ordinal = 0;                  ///< how many manifolds of its pair come before it
};

/// Kind and place of a manifold as one number. Manifolds with the same key share groups, and those whose keys differ in
/// nothing but the kind share a stage.
class LaneKey {
 public:
  LaneKey() = default;
  LaneKey(int kind, const LanePlace& place) {
    const std::uint32_t low = static_cast<std::uint32_t>(kind) | static_cast<std::uint32_t>(place.batch) << kKindBits;
    bits_ = place.colour < 0 || place.ordinal >= (1 << kOrdinalBits)
                ? kAlone | low
                : static_cast<std::uint32_t>(place.colour) << (kOrdinalBits + kBatchBits + kKindBits) |
                      static_cast<std::uint32_t>(place.ordinal) << (kBatchBits + kKindBits) | low;
  }

  int kind() const { return static_cast<int>(bits_ & ((1u << kKindBits) - 1)); }
  /// Its lane has fields for restitution, spin, anisotropic friction and bodies that move by themselves.
  bool is_extra() const { return lane_kind(kind()).extra; }
  int batch() const { return static_cast<int>(bits_ >> kKindBits & (kMostBatches - 1)); }
  /// It shares neither group nor stage with any other manifold.
  bool is_alone() const { return bits_ >= kAlone; }
  /// Equal for manifolds of one stage, if they are not alone.
  std::uint32_t stage() const { return bits_ >> kKindBits; }
  /// Keys of manifolds that are not alone, as an index. Equal stages follow each other.
  std::uint32_t number() const { return bits_; }
  static LaneKey from_number(std::uint32_t number) {
    LaneKey key;
    key.bits_ = number;
    return key;
  }
  friend bool operator==(LaneKey, LaneKey) = default;

 private:
  /// Of keys, lowest first; then the colour.
  static constexpr std::uint32_t kKindBits = 4, kBatchBits = 3, kOrdinalBits = 4;
  static_assert(kMostBatches == 1 << kBatchBits && kLaneKinds <= 1 << kKindBits);
  static constexpr std::uint32_t kAlone = 0xffff0000u;

  std::uint32_t bits_ = 0;
};

struct LaneGroup {
  std::uint32_t first = 0;   ///< of its fields, in units of kLanes floats
  std::uint32_t record = 0;  ///< the first of its kLanes records, in floats
  std::uint16_t kind = 0;
  std::uint16_t lanes = 0;  ///< in use, from 0
};

/// groups[first .. first + count) may be solved side by side.
struct LaneStage {
  std::int32_t first = 0, count = 0;
  std::int32_t batch = 0;
};

/// Where one manifold of the caller stands.
struct LaneSlot {
  std::uint32_t first = 0;   ///< of its fields, in floats
  std::uint32_t record = 0;  ///< in floats
  std::uint32_t kind = 0;
};

struct LaneLayout {
  std::vector<LaneGroup> groups;
  std::vector<LaneStage> stages;
  std::vector<LaneSlot> slots;     ///< per manifold
  std::uint32_t field_count = 0;   ///< of all groups, in units of kLanes floats
  std::uint32_t record_count = 0;  ///< floats of the records of all groups

  /// Groups, stages and slots for manifolds with the given keys.
  void make_layout(std::span<const LaneKey> keys);
  /// Whether manifolds i, i + 1, ... of the layout have these keys.
  bool has_keys(std::size_t i, std::span<const LaneKey> keys) const {
    if (keys.empty() || i + keys.size() > keys_.size()) return keys.empty();
    return std::memcmp(keys.data(), keys_.data() + i, keys.size_bytes()) == 0;
  }
  /// Whether these are the keys of the layout.
  bool is_layout_of(std::span<const LaneKey> keys) const { return keys.size() == keys_.size() && has_keys(0, keys); }

 private:
  void count_keys();
  void add_group(int kind, std::uint32_t lanes);
  void make_groups();
  LaneSlot place_alone(LaneKey key);
  LaneSlot place_in_group(LaneKey key);

  std::vector<LaneKey> keys_;             ///< per manifold
  std::vector<std::uint32_t> with_key_;   ///< scratch, per number of a key: how many manifolds have it
  std::vector<std::uint32_t> next_lane_;  ///< scratch, per number of a key: group times kLanes plus lane
};

}  // namespace cairn
