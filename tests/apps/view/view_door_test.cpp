// SPDX-License-Identifier: MIT
// Who may come in at the door of the viewer.
#include "apps/view/view_door.h"

#include <gtest/gtest.h>

namespace cairn::cli {
namespace {

const std::string kToken = "0123456789abcdef0123456789abcdef";

DoorRequest page_request() {
  DoorRequest r;
  r.is_get = r.http_1_1 = true;
  r.target = "/?token=" + kToken;
  r.host = "127.0.0.1:8642";
  return r;
}

DoorRequest live_request() {
  DoorRequest r = page_request();
  r.target = "/live?token=" + kToken;
  r.upgrade = true;
  r.origin = "http://127.0.0.1:8642";
  r.version = "13";
  r.key = "dGhlIHNhbXBsZSBub25jZQ==";
  return r;
}

int status(const DoorRequest& request, bool live = true) { return judge(request, kToken, live).status; }

TEST(ViewDoor, ThePageAndTheLiveRunNeedTheToken) {
  EXPECT_EQ(status(page_request()), 200);
  EXPECT_EQ(status(live_request()), 101);
  for (const std::string& query :
       {std::string(), std::string("?"), std::string("?token="), "?token=" + kToken + "0", "?token=" + kToken.substr(1),
        "?token=" + kToken.substr(0, 31) + "e", "?Token=" + kToken, "?token=" + kToken + "&token=" + kToken,
        "?token=x&token=" + kToken}) {
    DoorRequest page = page_request(), live = live_request();
    page.target = "/" + query, live.target = "/live" + query;
    EXPECT_EQ(status(page), 403) << query;
    EXPECT_EQ(status(live), 403) << query;
  }
  DoorRequest more = page_request();
  more.target = "/?x=1&token=" + kToken + "&y";
  EXPECT_EQ(status(more), 200);
}

TEST(ViewDoor, NothingElseIsServed) {
  for (const char* path :
       {"/favicon.ico", "/index.html", "//", "/../etc/passwd", "/live/", "/%6cive", "", "*", "http://127.0.0.1/"}) {
    DoorRequest r = page_request();
    r.target = path + ("?token=" + kToken);
    EXPECT_EQ(status(r), 404) << path;
  }
  EXPECT_EQ(status(live_request(), false), 404);  // a recording has no live run
}

TEST(ViewDoor, OnlyThisMachineByItsOwnNames) {
  for (const char* host : {"127.0.0.1", "127.0.0.1:1", "localhost", "localhost:65535"})
    EXPECT_TRUE(is_local_host(host)) << host;
  for (const char* host : {"", ":8642", "127.0.0.1.evil.org", "evil.org", "localhost.evil.org:8642", "127.0.0.1:",
                           "127.0.0.1:x", "127.0.0.1:123456", "127.0.0.2", "0.0.0.0", "[::1]", "LOCALHOST"})
    EXPECT_FALSE(is_local_host(host)) << host;
  DoorRequest r = page_request();
  r.host.reset();
  EXPECT_EQ(status(r), 403);
  r.host = "evil.org";
  EXPECT_EQ(status(r), 403);
}

TEST(ViewDoor, PagesOfOthersMayNotConnect) {
  DoorRequest r = live_request();
  for (const char* origin :
       {"https://evil.org", "null", "http://127.0.0.1.evil.org:8642", "http://127.0.0.1:8643", "http://localhost:8642",
        "https://127.0.0.1:8642", "http://127.0.0.1", "http://127.0.0.1:8642/", ""}) {
    r.origin = origin;
    EXPECT_EQ(status(r), 403) << origin;
  }
  r.origin.reset();
  EXPECT_EQ(status(r), 101);  // no browser: the token is enough
  r.origin_once = false;
  EXPECT_EQ(status(r), 403);
  // Over a tunnel the port is another one, on both sides.
  r = live_request();
  r.host = "localhost:9999", r.origin = "http://localhost:9999";
  EXPECT_EQ(status(r), 101);
}

TEST(ViewDoor, UpgradesMustBeWellFormed) {
  DoorRequest r = live_request();
  r.upgrade = false;
  EXPECT_EQ(status(r), 426);
  r = live_request();
  for (const char* version : {"", "8", "12", "14", "013", "13, 8"}) {
    r.version = version;
    EXPECT_EQ(status(r), 426) << version;
  }
  r = live_request();
  for (const char* key : {"", "short==", "dGhlIHNhbXBsZSBub25jZQ=", "dGhlIHNhbXBsZSBub25jZQ===",
                          "dGhlIHNhbXBsZSBub25jZR==", "dGhlIHNhbXBsZSBub25j*Q==", "dGhlIHNhbXBsZSBub25jZQAA"}) {
    r.key = key;
    EXPECT_EQ(status(r), 400) << key;
  }
  r = live_request();
  r.http_1_1 = false;
  EXPECT_EQ(status(r), 426);
}

TEST(ViewDoor, OnlyPlainGetsAreAnswered) {
  DoorRequest r = page_request();
  r.is_get = false;
  EXPECT_EQ(status(r), 405);
  r = page_request();
  r.has_body = true;
  EXPECT_EQ(status(r), 400);
}

TEST(ViewDoor, TokensAreRandomAndCompared) {
  const std::string a = make_token(), b = make_token();
  EXPECT_EQ(a.size(), 32u);
  EXPECT_EQ(a.find_first_not_of("0123456789abcdef"), std::string::npos);
  EXPECT_NE(a, b);
  EXPECT_TRUE(same_token(a, a));
  EXPECT_FALSE(same_token(a, b));
  EXPECT_FALSE(same_token("", a));
  EXPECT_FALSE(same_token(a + a, a));
  EXPECT_FALSE(same_token(a, ""));
}

}  // namespace
}  // namespace cairn::cli
