// SPDX-License-Identifier: MIT
// PageFrames: the frames of a page as columns that compress well. A number is written as the difference of its bits to
// those of the frame before, and the four bytes of all differences stand apart: most are zero.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "cairn/core/bytes.h"
#include "cairn/record/frame.h"

namespace cairn {

/// Whole numbers of 32 bits, whose bytes are written apart.
class PageColumn {
 public:
  void add(std::uint32_t word);
  std::size_t size() const { return bytes_[0].size(); }
  void write(ByteWriter& out) const;

 private:
  std::string bytes_[4];
};

class PageFrames {
 public:
  /// moves: which bodies have poses. contacts: whether they are kept.
  PageFrames(const std::vector<bool>& moves, bool contacts) : moves_(moves), contacts_(contacts) {}

  void add(const MotionFrame& frame);
  std::size_t count() const { return times_.size(); }
  /// Of everything so far, before it is compressed.
  std::size_t bytes() const { return bytes_; }
  void write(ByteWriter& out) const;

 private:
  /// A kept number of every frame, as a float with so many bits after the point.
  void put(PageColumn& column, std::uint32_t& before, double x, int bits);
  void add_bodies(const MotionFrame& frame);
  void add_contacts(const std::vector<FrameContact>& contacts);
  void add_joints(const std::vector<JointReading>& joints);

  const std::vector<bool>& moves_;
  bool contacts_;
  std::vector<double> times_;
  std::vector<std::int64_t> steps_;
  std::vector<std::uint32_t> contact_counts_;
  PageColumn pose_[7], velocity_[6], ends_[2], vectors_[9], joints_[5];
  std::string awake_, modes_;
  std::size_t bytes_ = 0;

  // The frame before: bits of every number, and contacts by their bodies.
  std::vector<std::uint32_t> pose_bits_, velocity_bits_, joint_bits_, contact_bits_;
  using Pair = std::pair<std::int32_t, std::int32_t>;
  std::map<Pair, std::vector<std::uint32_t>> contacts_before_;
};

}  // namespace cairn
