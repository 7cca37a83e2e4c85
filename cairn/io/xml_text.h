// SPDX-License-Identifier: MIT
// XML from strangers, read by pugixml behind checks that it does not make: no DTD, no entities but the five of XML, no
// nesting that could overflow a stack, no endless tags. Elements know their line and column.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace cairn {

inline constexpr std::size_t kMostXmlBytes = std::size_t{64} << 20;
inline constexpr int kMostXmlDepth = 64;
inline constexpr std::size_t kMostXmlTag = std::size_t{1} << 16;  ///< bytes from < to >

/// An element of a document, which must outlive it.
class XmlElement {
 public:
  XmlElement() = default;

  explicit operator bool() const { return node_ != nullptr; }
  std::string name() const;
  bool has(const char* attribute) const;
  std::string get(const char* attribute) const;  ///< empty where it is missing
  XmlElement child(const char* name) const;      ///< the first; none: empty
  std::vector<XmlElement> children() const;
  std::vector<XmlElement> children(const char* name) const;
  /// "file:line:column"
  std::string place() const;

  /// InputError "file:line:column: name: what".
  [[noreturn]] void fail(const std::string& what) const;
  /// Exactly `count` finite numbers separated by blanks; fails otherwise. The attribute must be there.
  std::vector<double> numbers(const char* attribute, std::size_t count) const;
  double number(const char* attribute) const { return numbers(attribute, 1)[0]; }

 private:
  friend class XmlDocument;
  void* node_ = nullptr;
  const class XmlDocument* document_ = nullptr;
};

class XmlDocument {
 public:
  /// `file` is what messages call it. Throws InputError.
  XmlDocument(const std::string& text, const std::string& file);
  ~XmlDocument();
  XmlDocument(const XmlDocument&) = delete;
  XmlDocument& operator=(const XmlDocument&) = delete;

  XmlElement root() const;

 private:
  friend class XmlElement;
  struct Parsed;
  std::string text_, file_;
  std::unique_ptr<Parsed> parsed_;
};

/// "line:column" of a place in a text.
std::string line_and_column(std::string_view text, std::size_t at);

}  // namespace cairn
