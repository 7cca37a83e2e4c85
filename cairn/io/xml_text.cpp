// SPDX-License-Identifier: MIT
#include "cairn/io/xml_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <pugixml.hpp>

#include "cairn/core/errors.h"
#include "cairn/core/index.h"

namespace cairn {

namespace {

/// One pass over the tags before the parser sees them. Its messages have no file in front.
class BoundsCheck {
 public:
  explicit BoundsCheck(std::string_view text) : text_(text) {}

  void run() {
    check_bytes();
    while ((at_ = text_.find('<', at_)) != std::string_view::npos) {
      if (!skip("<!--", "-->") && !skip("<![CDATA[", "]]>") && !skip("<?", "?>")) tag();
    }
  }

 private:
  [[noreturn]] void fail(std::size_t at, const std::string& what, ErrorKind kind = ErrorKind::bad_input) const {
    fail_input(fmt::format("{}: {}", line_and_column(text_, at), what), kind);
  }

  void check_bytes() const {
    if (text_.substr(0, 2) == "\xff\xfe" || text_.substr(0, 2) == "\xfe\xff")
      fail(0, "this is UTF-16; save it as UTF-8");
    std::size_t first = text_.substr(0, 3) == "\xef\xbb\xbf" ? 3 : 0;
    first = text_.find_first_not_of(" \t\r\n", first);
    if (first == std::string_view::npos) fail(0, "the file is empty");
    if (text_[first] != '<')
      fail(first, fmt::format("this is no XML: expected '<', got the byte 0x{:02x}",
                              static_cast<unsigned char>(text_[first])));
    if (const std::size_t zero = text_.find('\0'); zero != std::string_view::npos)
      fail(zero, "this is no XML: it contains a NUL byte");
    check_references();
  }

  /// &#0; and &#x00; would end names early.
  void check_references() const {
    for (std::size_t at = text_.find("&#"); at != std::string_view::npos; at = text_.find("&#", at + 2)) {
      const std::size_t digits = at + (text_.substr(at + 2, 1) == "x" ? 3 : 2);
      const std::size_t end = text_.find_first_not_of('0', digits);
      if (end != std::string_view::npos && end > digits && text_[end] == ';')
        fail(at, "this is no XML: it contains a reference to the character 0");
    }
  }

  bool skip(std::string_view begin, std::string_view end) {
    if (text_.substr(at_, begin.size()) != begin) return false;
    const std::size_t found = text_.find(end, at_ + begin.size());
    if (found == std::string_view::npos) fail(at_, fmt::format("expected '{}' before the end of the file", end));
    at_ = found + end.size();
    return true;
  }

  void tag() {
    if (text_.substr(at_, 2) == "<!") fail(at_, "document types and entities are not read; take the <!...> out");
    char quote = 0;
    std::size_t end = at_ + 1;
    for (;; ++end) {
      if (end >= text_.size()) fail(at_, "this tag has no end");
      if (end - at_ > kMostXmlTag)
        fail(at_, fmt::format("this tag is longer than {} bytes, which is the limit", kMostXmlTag), ErrorKind::limit);
      const char c = text_[end];
      if (quote != 0 && c == quote)
        quote = 0;
      else if (quote == 0 && (c == '"' || c == '\''))
        quote = c;
      else if (quote == 0 && c == '>')
        break;
    }
    if (text_[at_ + 1] == '/')
      --depth_;
    else if (text_[end - 1] != '/')
      ++depth_;
    if (depth_ > kMostXmlDepth)
      fail(at_, fmt::format("nested more than {} levels deep, which is the limit", kMostXmlDepth), ErrorKind::limit);
    at_ = end + 1;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  int depth_ = 0;
};

pugi::xml_node as_node(void* node) { return pugi::xml_node(static_cast<pugi::xml_node_struct*>(node)); }

}  // namespace

struct XmlDocument::Parsed {
  pugi::xml_document document;
};

std::string line_and_column(std::string_view text, std::size_t at) {
  const std::string_view before = text.substr(0, std::min(at, text.size()));
  const auto lines = std::count(before.begin(), before.end(), '\n');
  const std::size_t newline = before.rfind('\n');
  return fmt::format("{}:{}", lines + 1, before.size() - (newline == std::string_view::npos ? 0 : newline + 1) + 1);
}

XmlDocument::XmlDocument(const std::string& text, const std::string& file)
    : text_(text), file_(file), parsed_(std::make_unique<Parsed>()) {
  if (text.size() > kMostXmlBytes)
    fail_input(fmt::format("{}: it has {} bytes, the limit is {}", file, text.size(), kMostXmlBytes), ErrorKind::limit);
  try {
    BoundsCheck(text_).run();
  } catch (const InputError& error) {
    fail_input(fmt::format("{}:{}", file, error.what()), error.kind());
  }
  const pugi::xml_parse_result result =
      parsed_->document.load_buffer(text_.data(), text_.size(), pugi::parse_default, pugi::encoding_utf8);
  if (!result)
    fail_input(fmt::format("{}:{}: this is no XML: {}", file, line_and_column(text_, to_index(result.offset)),
                           result.description()));
}

XmlDocument::~XmlDocument() = default;

XmlElement XmlDocument::root() const {
  XmlElement element;
  element.node_ = parsed_->document.document_element().internal_object();
  element.document_ = this;
  return element;
}

std::string XmlElement::name() const { return as_node(node_).name(); }
bool XmlElement::has(const char* attribute) const { return !as_node(node_).attribute(attribute).empty(); }
std::string XmlElement::get(const char* attribute) const { return as_node(node_).attribute(attribute).value(); }

XmlElement XmlElement::child(const char* name) const {
  XmlElement element = *this;
  element.node_ = as_node(node_).child(name).internal_object();
  return element;
}

std::vector<XmlElement> XmlElement::children() const {
  std::vector<XmlElement> result;
  for (const pugi::xml_node& node : as_node(node_).children()) {
    if (node.type() != pugi::node_element) continue;
    XmlElement element = *this;
    element.node_ = node.internal_object();
    result.push_back(element);
  }
  return result;
}

std::vector<XmlElement> XmlElement::children(const char* name) const {
  std::vector<XmlElement> all = children();
  std::erase_if(all, [&](const XmlElement& e) { return e.name() != name; });
  return all;
}

std::string XmlElement::place() const {
  const auto offset = as_node(node_).offset_debug();
  return fmt::format("{}:{}", document_->file_, line_and_column(document_->text_, offset < 0 ? 0 : to_index(offset)));
}

void XmlElement::fail(const std::string& what) const {
  const std::string called = get("name");
  fail_input(fmt::format("{}: {}{}: {}", place(), name(), called.empty() ? "" : fmt::format(" \"{}\"", called), what));
}

std::vector<double> XmlElement::numbers(const char* attribute, std::size_t count) const {
  if (!has(attribute)) fail(fmt::format("the attribute {} is missing", attribute));
  const std::string text = get(attribute);
  std::vector<double> result;
  const char *at = text.data(), *end = text.data() + text.size();
  const auto refuse = [&] {
    fail(fmt::format("{} must be {} finite number{} separated by blanks, got \"{}\"", attribute, count,
                     count == 1 ? "" : "s", text.substr(0, 60)));
  };
  for (;;) {
    while (at < end && (*at == ' ' || *at == '\t' || *at == '\n' || *at == '\r')) ++at;
    if (at == end) break;
    if (*at == '+') ++at;
    double value = 0;
    const auto [stop, error] = std::from_chars(at, end, value);
    const bool ended = stop == end || *stop == ' ' || *stop == '\t' || *stop == '\n' || *stop == '\r';
    if (error != std::errc{} || !ended || !std::isfinite(value)) refuse();
    result.push_back(value);
    at = stop;
  }
  if (result.size() != count) refuse();
  return result;
}

}  // namespace cairn
