// SPDX-License-Identifier: MIT
#include "cairn/record/page_frames.h"

#include <algorithm>
#include <bit>

namespace cairn {

namespace {

constexpr int kExact = 23;          // bits of a float's fraction
constexpr int kVelocityBits = 18;   // 2e-6 of the number
constexpr int kPointBits = 14;      // 3e-5
constexpr int kDirectionBits = 12;  // 1.2e-4

/// The bits of a number, rounded to so many of its fraction. What is not finite stays as it is.
std::uint32_t bits_of(double x, int bits) {
  const auto word = std::bit_cast<std::uint32_t>(static_cast<float>(x));
  const int drop = kExact - bits;
  if (drop == 0 || (word & 0x7f800000u) == 0x7f800000u) return word;
  const std::uint32_t half = 1u << (drop - 1), rounded = (word + half) >> drop << drop;
  return (rounded & 0x7f800000u) == 0x7f800000u ? word : rounded;
}

}  // namespace

void PageColumn::add(std::uint32_t word) {
  for (std::string& plane : bytes_) plane += static_cast<char>(word & 255u), word >>= 8;
}

void PageColumn::write(ByteWriter& out) const {
  for (const std::string& plane : bytes_) out.raw(plane);
}

void PageFrames::put(PageColumn& column, std::uint32_t& before, double x, int bits) {
  const std::uint32_t now = bits_of(x, bits);
  column.add(now - before);
  before = now;
  bytes_ += 4;
}

void PageFrames::add_bodies(const MotionFrame& frame) {
  std::size_t place = 0;
  for (std::size_t b = 0; b < moves_.size(); ++b) {
    if (!moves_[b]) continue;
    pose_bits_.resize(std::max(pose_bits_.size(), 7 * place + 7));
    velocity_bits_.resize(std::max(velocity_bits_.size(), 6 * place + 6));
    const Pose& p = frame.pose[b];
    const Velocity& v = frame.velocity[b];
    const double pose[] = {p.position.x,    p.position.y,    p.position.z,   p.orientation.w,
                           p.orientation.x, p.orientation.y, p.orientation.z};
    const double velocity[] = {v.linear.x, v.linear.y, v.linear.z, v.angular.x, v.angular.y, v.angular.z};
    for (std::size_t k = 0; k < 7; ++k) put(pose_[k], pose_bits_[7 * place + k], pose[k], kExact);
    for (std::size_t k = 0; k < 6; ++k) put(velocity_[k], velocity_bits_[6 * place + k], velocity[k], kVelocityBits);
    awake_ += static_cast<char>(frame.awake[b]);
    ++place;
  }
}

/// A contact is the one of the frame before that has the same bodies and the same number among theirs.
void PageFrames::add_contacts(const std::vector<FrameContact>& contacts) {
  std::map<Pair, std::vector<std::uint32_t>> now;
  std::vector<std::uint32_t> bits(9 * contacts.size());
  std::int32_t last = 0;
  for (std::size_t c = 0; c < contacts.size(); ++c) {
    const FrameContact& x = contacts[c];
    ends_[0].add(static_cast<std::uint32_t>(x.body_a - last));
    ends_[1].add(static_cast<std::uint32_t>(x.body_b - x.body_a));
    last = x.body_a;
    modes_ += static_cast<char>(x.mode);
    std::vector<std::uint32_t>& own = now[{x.body_a, x.body_b}];
    const auto before = contacts_before_.find({x.body_a, x.body_b});
    const bool known = before != contacts_before_.end() && own.size() < before->second.size();
    const std::size_t from = known ? 9 * std::size_t{before->second[own.size()]} : 0;
    const double v[] = {x.point.x,  x.point.y,   x.point.z,   x.normal.x, x.normal.y,
                        x.normal.z, x.impulse.x, x.impulse.y, x.impulse.z};
    for (std::size_t k = 0; k < 9; ++k) {
      std::uint32_t word = known ? contact_bits_[from + k] : 0;
      put(vectors_[k], word, v[k], k < 3 ? kPointBits : kDirectionBits);
      bits[9 * c + k] = word;
    }
    own.push_back(static_cast<std::uint32_t>(c));
  }
  contact_counts_.push_back(static_cast<std::uint32_t>(contacts.size()));
  contacts_before_ = std::move(now), contact_bits_ = std::move(bits);
}

void PageFrames::add_joints(const std::vector<JointReading>& joints) {
  joint_bits_.resize(std::max(joint_bits_.size(), 5 * joints.size()));
  for (std::size_t j = 0; j < joints.size(); ++j) {
    const JointReading& r = joints[j];
    const double x[] = {r.position, r.velocity, r.effort, r.force, r.torque};
    for (std::size_t k = 0; k < 5; ++k) put(joints_[k], joint_bits_[5 * j + k], x[k], kVelocityBits);
  }
}

void PageFrames::add(const MotionFrame& frame) {
  times_.push_back(frame.time), steps_.push_back(frame.step);
  add_bodies(frame);
  static const std::vector<FrameContact> kNone;
  add_contacts(contacts_ ? frame.contacts : kNone);
  add_joints(frame.joints);
}

void PageFrames::write(ByteWriter& out) const {
  out.size(times_, 16);
  for (const double time : times_) out.number(time);
  for (const std::int64_t step : steps_) out.number(step);
  for (const PageColumn& column : pose_) column.write(out);
  for (const PageColumn& column : velocity_) column.write(out);
  out.raw(awake_);
  for (const std::uint32_t count : contact_counts_) out.number(count);
  for (const PageColumn& column : ends_) column.write(out);
  out.raw(modes_);
  for (const PageColumn& column : vectors_) column.write(out);
  const std::size_t frames = std::max<std::size_t>(times_.size(), 1);
  out.number(static_cast<std::uint32_t>(joints_[0].size() / frames));
  for (const PageColumn& column : joints_) column.write(out);
}

}  // namespace cairn
