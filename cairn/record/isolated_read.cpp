// SPDX-License-Identifier: MIT
#include "cairn/record/isolated_read.h"

#include <fmt/format.h>

#include "cairn/io/isolate.h"

namespace cairn {

Expected<std::string> read_isolated(const std::string& path, double time_limit,
                                    const std::function<void(ByteWriter&)>& work) {
  const Expected<std::string> bytes = run_isolated(
      [&] {
        ByteWriter out;
        try {
          ByteWriter content;
          work(content);
          out.number(true);
          out.raw(content.bytes());
        } catch (const InputError& error) {
          out.number(false);
          out.number(error.kind());
          out.text(error.what());
        }
        return out.take();
      },
      time_limit);
  if (!bytes)
    return Error{bytes.error().kind, fmt::format("{}: reading it {}: the file is damaged, or the machine is overloaded",
                                                 path, bytes.error().message)};
  ByteReader in(*bytes);
  if (in.get<bool>()) return bytes->substr(1);
  const auto kind = in.get<ErrorKind>();
  std::string message;
  in.text(message);
  return Error{kind, fmt::format("{}: {}", path, message)};
}

}  // namespace cairn
