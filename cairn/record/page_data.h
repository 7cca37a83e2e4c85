// SPDX-License-Identifier: MIT
// A recording packed for the page that plays it (docs/recordings.md has the layout): little-endian, single precision,
// equal surfaces once, poses only of what moves, and all of it compressed. The page's reader is
// viewer/src/recording.js.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cairn/core/bytes.h"
#include "cairn/record/page_frames.h"
#include "cairn/record/pictures.h"
#include "cairn/record/recording.h"

namespace cairn {

inline constexpr const char* kPageMagic = "CAIRNPG2";

struct PageSettings {
  std::vector<PictureCamera> cameras{};  ///< views of the scene; the first is the one to begin with
  std::string joints{};                  ///< page_joints
  bool contacts = true;                  ///< keep contacts
  std::size_t max_bytes = 150'000'000;   ///< of the packed data
};

/// Frames are packed one by one, so that no more of a long recording than the page itself is ever in memory.
class PagePacker {
 public:
  /// Both must outlive the packer; `bodies` are those of the recording, in its order.
  PagePacker(const RecordingInfo& info, const BodyPictures& bodies, const PageSettings& settings = {});

  /// InputError when the page would become larger than allowed, or the frame has other bodies.
  void add(const MotionFrame& frame);
  /// All of it, and behind the frames `more`, which is compressed with them. InputError without any frame, or when it
  /// is larger than allowed.
  std::string take(std::string_view more = {});

 private:
  void check_size(std::size_t bytes, const char* state) const;
  void write_head(ByteWriter& out) const;
  void write_statistics(ByteWriter& out) const;

  const RecordingInfo& info_;
  const BodyPictures& bodies_;
  PageSettings settings_;
  std::vector<Pose> first_;  ///< poses of the first frame, where bodies that do not move stay
  PageFrames frames_;
};

/// The part of a page that says what bodies look like: surfaces, equal ones once, then per body its name, shapes,
/// whether it moves, mass, surface and pose. The live viewer gets the same.
void write_page_bodies(ByteWriter& out, std::span<const RecordedBody> list, const BodyPictures& bodies,
                       std::span<const Pose> poses);
/// Single precision: position, then the quaternion from its real part on.
void write_page_vector(ByteWriter& out, const Vec3& v);
void write_page_pose(ByteWriter& out, const Pose& pose);

/// Kind, name, bodies, frames, and of the free direction, where there is one, its limits and drive. names: per joint of
/// the world, or empty.
std::string page_joints(const World& world, std::span<const std::string> names);

/// Name, position, target, up and field of view of each.
void write_page_cameras(ByteWriter& out, std::span<const PictureCamera> cameras);

/// RFC 4648, with padding.
std::string to_base64(std::string_view bytes);

}  // namespace cairn
