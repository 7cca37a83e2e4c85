// SPDX-License-Identifier: MIT
// Fields: one description of an object of a scene file serves the reader, the writer and the schema.
//
//   void describe(Fields& f, Material& m) {
//     f.number("friction", m.friction, {0, 1e6}, "coefficient while sliding");
//     ...
//
// The reader fills the object from JSON and refuses keys that are not described. The writer makes JSON from the object.
// The schema writer makes a JSON Schema, with the values of the object as defaults. So all three know the same keys.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "cairn/math/pose.h"

namespace cairn {

/// A range of numbers. Both ends are allowed.
struct Range {
  double least = -std::numeric_limits<double>::infinity();
  double most = std::numeric_limits<double>::infinity();
};

enum class Need { optional, required };

inline constexpr std::size_t kMostText = 4096;  ///< bytes of a name or a description

/// Where something stands in a scene file: "pile.json:12:5: bodies[3]". It is empty for objects that were not read from
/// a file.
using Place = std::string;

class Fields;
using Describe = std::function<void(Fields&)>;

/// A list of any element type, as Fields handles it.
struct ListAccess {
  std::size_t size = 0;
  std::size_t least = 0, most = 0;            ///< allowed sizes
  std::function<void(std::size_t)> resize{};  ///< makes that many elements with default values
  std::function<void(std::size_t, Fields&)> describe{};
  Describe describe_fresh{};  ///< describes an element with default values
};

class Fields {
 public:
  virtual ~Fields() = default;

  virtual void number(const char* key, double& x, const Range& allowed, const char* help,
                      Need need = Need::optional) = 0;
  virtual void whole(const char* key, std::int64_t& x, std::int64_t least, std::int64_t most, const char* help,
                     Need need = Need::optional) = 0;
  virtual void flag(const char* key, bool& x, const char* help) = 0;
  virtual void text(const char* key, std::string& x, const char* help, Need need = Need::optional) = 0;
  /// A fixed number of numbers.
  virtual void numbers(const char* key, std::span<double> x, const Range& allowed, const char* help,
                       Need need = Need::optional) = 0;
  /// An array of rows with `width` numbers each. For width 1 it is an array of numbers.
  virtual void rows(const char* key, std::vector<double>& x, std::size_t width, const Range& allowed, bool integral,
                    const char* help, Need need = Need::optional) = 0;
  virtual void choice(const char* key, int& index, std::span<const char* const> names, const char* help,
                      Need need = Need::optional) = 0;
  /// Any number of the names. Bit k of `set` stands for name k.
  virtual void choices(const char* key, std::uint32_t& set, std::span<const char* const> names, const char* help) = 0;
  /// An object whose keys are not described here, such as the settings of a solver.
  virtual void named_values(const char* key, std::vector<std::pair<std::string, std::string>>& values,
                            const char* help) = 0;
  /// Pairs of strings.
  virtual void name_pairs(const char* key, std::vector<std::pair<std::string, std::string>>& pairs,
                          const char* help) = 0;
  virtual void object(const char* key, const Describe& describe, const char* help) = 0;
  virtual void list_access(const char* key, const ListAccess& list, const char* help) = 0;
  /// An object that has one of several forms. The value of `key` names the form, and `describe(k)` describes the fields
  /// of form k.
  virtual void variant(const char* key, int& index, std::span<const char* const> names,
                       const std::function<void(int)>& describe, const char* help) = 0;

  /// Gives the described object a type name, under which the schema defines it once.
  virtual void type(const char*) {}
  // Only the reader implements the next three. `refuse` is for values that each field alone allows, but not together.
  virtual void place(Place&) {}
  virtual bool given(const char*) const { return false; }
  virtual void refuse(const char* /*key*/, const std::string& /*why*/) {}

  void vector(const char* key, Vec3& v, double largest, const char* help, Need need = Need::optional) {
    double x[3] = {v.x, v.y, v.z};
    numbers(key, x, {-largest, largest}, help, need);
    v = {x[0], x[1], x[2]};
  }
  void quaternion(const char* key, Quat& q, const char* help) {
    double x[4] = {q.w, q.x, q.y, q.z};
    numbers(key, x, {-1.1, 1.1}, help);
    q = {x[0], x[1], x[2], x[3]};
  }
  template <class Enum>
  void named(const char* key, Enum& x, std::span<const char* const> names, const char* help,
             Need need = Need::optional) {
    int index = static_cast<int>(x);
    choice(key, index, names, help, need);
    x = static_cast<Enum>(index);
  }
  /// A list. `describe_item(Fields&, T&)` describes one element.
  template <class T, class DescribeItem>
  void list(const char* key, std::vector<T>& items, std::size_t least, std::size_t most, DescribeItem describe_item,
            const char* help) {
    ListAccess access{items.size(), least, most};
    access.resize = [&items](std::size_t n) { items.assign(n, T{}); };
    access.describe = [&items, describe_item](std::size_t k, Fields& f) { describe_item(f, items[k]); };
    access.describe_fresh = [describe_item](Fields& f) {
      T fresh{};
      describe_item(f, fresh);
    };
    list_access(key, access, help);
  }
};

}  // namespace cairn
