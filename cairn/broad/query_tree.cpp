// SPDX-License-Identifier: MIT
#include "cairn/broad/query_tree.h"

#include <algorithm>

namespace cairn {

void QueryTree::resize(std::size_t count) {
  boxes_.resize(count);
  changed_.resize(count, 1);
}

void QueryTree::update(ThreadPool* pool) {
  tree_.take_count(static_cast<std::int32_t>(boxes_.size()));
  tree_.mark(changed_, pool, lanes_);
  tree_.update(boxes_, {}, lanes_, pool);
  std::fill(changed_.begin(), changed_.end(), std::uint8_t{0});
}

}  // namespace cairn
