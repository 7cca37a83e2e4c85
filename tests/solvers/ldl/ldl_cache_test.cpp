// SPDX-License-Identifier: MIT
#include "cairn/solvers/ldl/ldl_cache.h"

#include <gtest/gtest.h>

#include <vector>

namespace cairn {
namespace {

/// A chain of so many bodies, each joined to the one before by three rows; the first hangs on the world.
LdlStructure chain_structure(std::int32_t bodies) {
  LdlStructure structure;
  for (std::int32_t i = 0; i < bodies; ++i) {
    structure.is_full.push_back(true);
    structure.blocks.push_back({i - 1, i, 3, true, true});
  }
  return structure;
}

TEST(LdlCache, OneProgramPerStructure) {
  LdlCache cache({});
  cache.begin_round();
  std::vector<LdlCache::Entry> hints(40);
  for (std::size_t k = 0; k < hints.size(); ++k) {
    const LdlStructure structure = chain_structure(1 + static_cast<std::int32_t>(k % 10));
    cache.find(structure, hints[k]);
    ASSERT_NE(hints[k].program, nullptr);
    EXPECT_EQ(hints[k].program->structure(), structure) << "entry " << k;
    EXPECT_EQ(hints[k].program, hints[k % 10].program) << "equal structures share one, entry " << k;
  }
  EXPECT_EQ(cache.built(), 10);
  EXPECT_EQ(cache.size(), 10u);
}

TEST(LdlCache, AWrongHintIsReplaced) {
  LdlCache cache({});
  cache.begin_round();
  LdlCache::Entry hint;
  cache.find(chain_structure(3), hint);
  const auto first = hint.program;
  cache.find(chain_structure(4), hint);
  EXPECT_EQ(hint.program->structure(), chain_structure(4));
  cache.find(chain_structure(3), hint);
  EXPECT_EQ(hint.program, first);
  EXPECT_EQ(cache.built(), 2);
}

TEST(LdlCache, WhatNobodyAsksForIsForgotten) {
  LdlCache cache({});
  cache.begin_round();
  LdlCache::Entry used, unused;
  cache.find(chain_structure(3), used), cache.find(chain_structure(4), unused);
  for (int round = 0; round < 100; ++round) {
    cache.begin_round();
    cache.find(chain_structure(3), used);
  }
  EXPECT_EQ(cache.size(), 2u) << "after a hundred rounds";
  cache.begin_round();
  EXPECT_EQ(cache.size(), 1u);
  cache.find(chain_structure(4), unused);  // by its old entry, which still holds a program
  EXPECT_EQ(cache.size(), 2u);
  EXPECT_EQ(unused.program->structure(), chain_structure(4));
  EXPECT_EQ(cache.built(), 3);
}

}  // namespace
}  // namespace cairn
