// SPDX-License-Identifier: MIT
// Requests to a session and what its answers hold, for tests of live runs.
#pragma once

#include <chrono>
#include <future>
#include <memory>
#include <string>

#include "cairn/live/session.h"

namespace cairn {

inline constexpr auto kLong = std::chrono::seconds(30);  ///< far longer than anything here takes

inline std::future<JsonValue> send(LiveSession& session, const std::string& text) {
  auto promise = std::make_shared<std::promise<JsonValue>>();
  JsonValue id;
  session.submit(parse_live_request(text, id),
                 [promise](const std::string& answer) { promise->set_value(parse_json(answer)); });
  return promise->get_future();
}

/// The answer; an empty one if none comes.
inline JsonValue ask(LiveSession& session, const std::string& text) {
  std::future<JsonValue> answer = send(session, text);
  if (answer.wait_for(kLong) != std::future_status::ready) return {};
  return answer.get();
}

inline double number(const JsonValue& answer, const char* key) {
  const JsonMember* member = answer.find(key);
  return member != nullptr ? member->value.number : -1;
}
inline std::string text(const JsonValue& answer, const char* key) {
  const JsonMember* member = answer.find(key);
  return member != nullptr ? member->value.text : "";
}

}  // namespace cairn
