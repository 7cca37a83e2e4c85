// SPDX-License-Identifier: MIT
#include "cairn/world/snapshot/snapshot_file.h"

#include <fmt/core.h>

#include "cairn/core/bytes.h"
#include "cairn/core/hash.h"

namespace cairn {

namespace {

constexpr std::string_view kHead = "cairnwld", kTail = "cairnend";
constexpr std::size_t kTailSize = 8 + 8 + 16;

template <class Bytes>
void write_hash(ByteWriter& out, const Bytes& bytes) {
  const Hash128 hash = hash_bytes(bytes);
  out.number(hash.high);
  out.number(hash.low);
}

Hash128 read_hash(ByteReader& in) {
  Hash128 hash;
  in.number(hash.high);
  in.number(hash.low);
  return hash;
}

void check_head(ByteReader& in) {
  require(in.raw(kHead.size()) == kHead, "this is no snapshot of a world");
  const auto version = in.get<std::uint32_t>();
  if (version == kSnapshotVersion) return;
  fail_input(fmt::format("the snapshot has format version {} and this program reads version {}: {}", version,
                         kSnapshotVersion, version > kSnapshotVersion ? "use a newer program" : "save it anew"),
             ErrorKind::unsupported);
}

void check_tail(std::string_view file) {
  ByteReader in(file.substr(file.size() - kTailSize));
  require(in.raw(kTail.size()) == kTail, "its end is missing: it was cut short, added to or damaged");
  const auto length = in.get<std::uint64_t>();
  if (length != file.size())
    fail_input(fmt::format("it says that it has {} bytes, but it has {}", length, file.size()));
  require(read_hash(in) == hash_bytes(file.substr(0, file.size() - kTailSize)), "its checksum is wrong: it is damaged");
}

std::string_view read_section(ByteReader& in, std::string_view expected) {
  std::string name;
  in.text(name);
  // A damaged name may be anything, so it is not shown.
  if (name != expected) fail_input(fmt::format("the section {} is missing or not in its place", expected));
  const auto length = in.get<std::uint64_t>();
  const Hash128 hash = read_hash(in);
  const std::string_view content = in.raw(length);
  if (!(hash == hash_bytes(content)))
    fail_input(fmt::format("section {}: its checksum is wrong: it is damaged", expected));
  return content;
}

}  // namespace

std::string pack_sections(std::span<const SnapshotSection> sections) {
  ByteWriter out;
  out.raw(kHead);
  out.number(kSnapshotVersion);
  for (const SnapshotSection& section : sections) {
    out.text(section.name);
    out.number(static_cast<std::uint64_t>(section.content.size()));
    write_hash(out, section.content);
    out.raw(section.content);
  }
  ByteWriter tail;
  tail.raw(kTail);
  tail.number(static_cast<std::uint64_t>(out.bytes().size() + kTailSize));
  write_hash(tail, out.bytes());
  out.raw(tail.bytes());
  return out.take();
}

std::vector<std::string_view> unpack_sections(std::string_view file, std::span<const char* const> names) {
  ByteReader head(file);
  check_head(head);
  require(file.size() >= kHead.size() + 4 + kTailSize, "it was cut short");
  check_tail(file);
  ByteReader in(file.substr(kHead.size() + 4, file.size() - kHead.size() - 4 - kTailSize));
  std::vector<std::string_view> contents;
  for (const char* name : names) contents.push_back(read_section(in, name));
  require(in.finished(), "there is more in it than the sections it must have");
  return contents;
}

}  // namespace cairn
