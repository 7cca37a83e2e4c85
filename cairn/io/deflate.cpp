// SPDX-License-Identifier: MIT
#include "cairn/io/deflate.h"

#include <zlib.h>

#include <algorithm>
#include <limits>

#include "cairn/core/errors.h"
#include "cairn/core/index.h"

namespace cairn {

namespace {

constexpr std::size_t kPiece = std::size_t{1} << 18;
constexpr int kLevel = 8, kBareWindow = -15, kMemory = 9;  // a negative window: no head and no sum

}  // namespace

std::string deflate(std::string_view bytes) {
  z_stream stream{};
  require(deflateInit2(&stream, kLevel, Z_DEFLATED, kBareWindow, kMemory, Z_DEFAULT_STRATEGY) == Z_OK,
          "zlib cannot begin: is there memory left?");
  std::string out, piece(kPiece, '\0');
  int state = Z_OK;
  while (state != Z_STREAM_END) {
    if (stream.avail_in == 0 && !bytes.empty()) {
      const std::size_t size = std::min<std::size_t>(bytes.size(), std::numeric_limits<uInt>::max());
      stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
      stream.avail_in = static_cast<uInt>(size);
      bytes.remove_prefix(size);
    }
    stream.next_out = reinterpret_cast<Bytef*>(piece.data());
    stream.avail_out = static_cast<uInt>(piece.size());
    state = ::deflate(&stream, bytes.empty() ? Z_FINISH : Z_NO_FLUSH);
    out.append(piece, 0, piece.size() - to_index(stream.avail_out));
  }
  deflateEnd(&stream);
  return out;
}

}  // namespace cairn
