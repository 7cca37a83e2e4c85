// SPDX-License-Identifier: MIT
// GeometryTable: the hulls, height fields, meshes and compounds of a world, each once, as a snapshot lists them. Shapes
// that shared their data before share them again.
#pragma once

#include <map>
#include <vector>

#include "cairn/core/bytes.h"
#include "cairn/geometry/shape.h"

namespace cairn {

class GeometryTable {
 public:
  /// Lists the data of a shape, unless they are listed; those of its children before its own.
  void add(const Shape& shape);

  void save(ByteWriter& out) const;
  void load(ByteReader& in);

  /// A shape of any kind; data by their number in the table.
  void save_shape(ByteWriter& out, const Shape& shape) const;
  Shape load_shape(ByteReader& in) const;

 private:
  std::vector<Shape> listed_;
  std::map<const void*, std::uint32_t> number_;  ///< of the data in the table; looked up, never walked over
};

}  // namespace cairn
