// SPDX-License-Identifier: MIT
#include "cairn/solvers/ldl/ldl_cache.h"

#include <algorithm>

#include "cairn/core/hash.h"

namespace cairn {

namespace {

constexpr std::int64_t kRoundsKept = 100;

std::uint64_t hash_of(const LdlStructure& structure) {
  StateHasher hasher;
  const auto add = [&](std::int64_t value) { hasher.add(static_cast<std::uint64_t>(value)); };
  for (const bool full : structure.is_full) add(full ? 1 : 0);
  for (const LdlBlock& b : structure.blocks) {
    add(b.body_a);
    add(b.body_b);
    add(b.degree * 4 + (b.acts_on_a ? 2 : 0) + (b.acts_on_b ? 1 : 0));
  }
  return hasher.finish().low;
}

}  // namespace

void LdlCache::begin_round() {
  ++round_;
  std::erase_if(entries_, [&](const Entry& entry) { return entry.used + kRoundsKept < round_; });
}

void LdlCache::find(const LdlStructure& structure, Entry& hint) {
  const bool is_right = hint.program && hint.program->structure() == structure;
  const std::uint64_t hash = is_right ? hint.hash : hash_of(structure);
  const auto by_hash = [](const Entry& entry, std::uint64_t value) { return entry.hash < value; };
  auto at = std::lower_bound(entries_.begin(), entries_.end(), hash, by_hash);
  while (at != entries_.end() && at->hash == hash && !(at->program->structure() == structure)) ++at;
  if (at == entries_.end() || at->hash != hash)
    at = entries_.insert(at, {hash, next_id_++, round_, std::make_shared<const LdlProgram>(structure, settings_)});
  at->used = round_;
  if (!is_right || hint.id != at->id) hint = *at;
}

}  // namespace cairn
