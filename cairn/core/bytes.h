// SPDX-License-Identifier: MIT
// Bytes: numbers as bytes and back, the same on every machine. Each number has the width of its type, least significant
// byte first; real numbers are written as their bits.
//
// ByteWriter and ByteReader take the same calls, so that one function says what is written and read, and in which
// order.
#pragma once

#include <bit>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>

#include "cairn/core/errors.h"
#include "cairn/core/index.h"

namespace cairn {

namespace detail {

template <std::size_t kBytes>
using Bits = std::conditional_t<
    kBytes == 1, std::uint8_t,
    std::conditional_t<kBytes == 2, std::uint16_t, std::conditional_t<kBytes == 4, std::uint32_t, std::uint64_t>>>;

}  // namespace detail

class ByteWriter {
 public:
  static constexpr bool kReads = false;

  template <class T>
  void number(const T& x) {
    static_assert((std::is_arithmetic_v<T> || std::is_enum_v<T>)&&sizeof(T) <= 8);
    using Bits = detail::Bits<sizeof(T)>;
    const auto bits = std::bit_cast<Bits>(x);
    char word[sizeof(T)];
    for (std::size_t k = 0; k < sizeof(T); ++k) word[k] = static_cast<char>(std::uint64_t{bits} >> (8 * k));
    bytes_.append(word, sizeof(T));
  }

  /// The length of what follows. The reader must be told how few bytes an element takes at `least`.
  template <class Container>
  void size(const Container& c, std::size_t) {
    number(static_cast<std::uint64_t>(c.size()));
  }
  void text(std::string_view s) {
    size(s, 1);
    bytes_ += s;
  }
  void raw(std::string_view s) { bytes_ += s; }

  const std::string& bytes() const { return bytes_; }
  std::string take() { return std::move(bytes_); }

 private:
  std::string bytes_;
};

/// Throws InputError where the bytes end too early or are no value of their type.
class ByteReader {
 public:
  static constexpr bool kReads = true;

  explicit ByteReader(std::string_view bytes) : rest_(bytes) {}

  template <class T>
  void number(T& x) {
    static_assert((std::is_arithmetic_v<T> || std::is_enum_v<T>)&&sizeof(T) <= 8);
    using Bits = detail::Bits<sizeof(T)>;
    std::uint64_t bits = 0;
    const std::string_view word = raw(sizeof(T));
    for (std::size_t k = 0; k < sizeof(T); ++k) bits |= std::uint64_t{static_cast<unsigned char>(word[k])} << (8 * k);
    if constexpr (std::is_same_v<T, bool>) {
      require(bits <= 1, "a yes or no is neither");
      x = bits == 1;
    } else {
      x = std::bit_cast<T>(static_cast<Bits>(bits));
    }
  }
  template <class T>
  T get() {
    T x{};
    number(x);
    return x;
  }

  /// Makes room for as many elements as follow. A count that the rest cannot hold, at `least` bytes each, is refused
  /// before anything is allocated.
  template <class Container>
  void size(Container& c, std::size_t least) {
    c.resize(count(least));
  }
  std::size_t count(std::size_t least) {
    const auto n = get<std::uint64_t>();
    require(n <= rest_.size() / least, "a count is larger than what follows can hold");
    return to_index(n);
  }
  void text(std::string& s) { s = raw(count(1)); }
  std::string_view raw(std::size_t length) {
    require(length <= rest_.size(), "the data end too early");
    const std::string_view bytes = rest_.substr(0, length);
    rest_.remove_prefix(length);
    return bytes;
  }

  bool finished() const { return rest_.empty(); }

 private:
  std::string_view rest_;
};

}  // namespace cairn
