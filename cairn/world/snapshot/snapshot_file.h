// SPDX-License-Identifier: MIT
// The file around a snapshot: named sections between a head and a tail, all of it under checksums.
//
//   head     "cairnwld", u32 format version
//   section  name (u64 length, letters), u64 length, 2 x u64 hash of the content, content; any number of them
//   tail     "cairnend", u64 length of the whole file, 2 x u64 hash of all bytes before it
//
// All numbers least significant byte first. Knows nothing of worlds.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace cairn {

inline constexpr std::uint32_t kSnapshotVersion = 5;

struct SnapshotSection {
  std::string name;
  std::string content;
};

std::string pack_sections(std::span<const SnapshotSection> sections);

/// The contents of the sections, which must be those named, in that order. Throws InputError that says what is wrong
/// with the file; the views are into `file`.
std::vector<std::string_view> unpack_sections(std::string_view file, std::span<const char* const> names);

}  // namespace cairn
