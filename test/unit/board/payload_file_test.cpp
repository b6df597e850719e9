// SPDX-License-Identifier: BSD-3-Clause
#include "base/rng.hpp"
#include "support/payload_check.hpp"
#include "temporary_directory.hpp"

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include <catch2/catch.hpp>
#include <sys/stat.h>
#include <unistd.h>

using namespace softfeb;
using namespace softfeb::board;
using softfeb::test::check_every_packet;
using softfeb::test::FilledPayload;

namespace {

/// A temporary directory that is removed with its contents.
struct Files : test::TemporaryDirectory {
  std::string file(const char* name) const { return (path() / name).string(); }
};

std::vector<std::uint8_t> write_random(const std::string& path, std::size_t size) {
  std::vector<std::uint8_t> content(size);
  Rng rng(size);
  for (auto& b : content) b = static_cast<std::uint8_t>(rng.next());
  std::ofstream out(path, std::ios::binary);
  out.write(reinterpret_cast<const char*>(content.data()), static_cast<std::streamsize>(size));
  REQUIRE(out.flush().good());
  return content;
}

PayloadSpec file_spec(const std::string& path, std::uint32_t message_length, std::uint32_t pmtu = 1024) {
  return {.kind = PayloadKind::kFile, .message_length = message_length, .pmtu = pmtu, .path = path};
}

}  // namespace

TEST_CASE("file: its messages in order are the file, also in the second pass", "[payload]") {
  const Files dir;
  const std::size_t size = GENERATE(1U, 3U, 1023U, 1024U, 5000U, 100'003U);
  const std::uint32_t length = GENERATE(1U, 1000U, 4096U, 5000U, 200'000U);
  if (size / length > 10'000) return;  // skip one-byte messages of the large file
  const auto content = write_random(dir.file("data"), size);
  FilledPayload filled(file_spec(dir.file("data"), length));
  CHECK(filled.source->arena_bytes() == size);

  std::vector<std::uint8_t> sent;
  const std::uint64_t messages = filled.source->plan().messages_per_pass();
  for (std::uint64_t n = 0; n < 2 * messages; ++n) {
    const auto message = check_every_packet(*filled.source, n, 1024);
    sent.insert(sent.end(), message.begin(), message.end());
  }
  auto twice = content;
  twice.insert(twice.end(), content.begin(), content.end());
  CHECK(sent == twice);
}

TEST_CASE("file: a file larger than one read is read completely", "[payload]") {
  const Files dir;
  const auto content = write_random(dir.file("data"), (std::size_t{33} << 20) + 5);
  FilledPayload filled(file_spec(dir.file("data"), 1U << 20, 4096));
  CHECK(filled.arena == content);
  CHECK(filled.source->plan().messages_per_pass() == 34);
  check_every_packet(*filled.source, 32, 4096);
  CHECK(check_every_packet(*filled.source, 33, 4096).size() == 5);
}

TEST_CASE("file: nothing beyond its end, no CRC where no packet begins", "[payload]") {
  const Files dir;
  write_random(dir.file("data"), 2500);
  FilledPayload filled(file_spec(dir.file("data"), 1000, 256));
  const PayloadSource& source = *filled.source;
  CHECK(source.bytes(2000, 500) != nullptr);
  CHECK(source.bytes(2000, 501) == nullptr);
  // a slot has 1000 bytes, and the file does not fill the third slot
  CHECK(source.bytes(2500, 1) == nullptr);
  CHECK(source.bytes(2999, 1) == nullptr);
  CHECK(source.bytes(3000, 1) == source.bytes(0, 1));
  CHECK(source.crc(1000, 256).has_value());
  CHECK_FALSE(source.crc(1001, 256).has_value());
  CHECK_FALSE(source.crc(1000, 255).has_value());
  CHECK_FALSE(source.crc(2500, 1).has_value());
  CHECK_FALSE(source.crc(UINT64_MAX, 4096).has_value());
}

TEST_CASE("file: later changes of the file do not affect the payload", "[payload]") {
  const Files dir;
  const auto content = write_random(dir.file("data"), 4000);
  FilledPayload filled(file_spec(dir.file("data"), 4000));
  std::ofstream(dir.file("data"), std::ios::trunc) << "something else";
  CHECK(check_every_packet(*filled.source, 0, 1024) == content);
}

TEST_CASE("file: unusable files are reported with the fix", "[payload]") {
  const Files dir;
  const std::string path = dir.file("data");
  const auto refused = [&](const char* what) {
    CHECK_THROWS_WITH(make_payload(file_spec(path, 1000)), Catch::Contains(path) && Catch::Contains(what));
  };
  refused("no such file");
  std::ofstream{path};
  refused("empty");
  std::filesystem::remove(path);
  std::filesystem::create_directory(path);
  refused("not a regular file");
  std::filesystem::remove(path);
  REQUIRE(::mkfifo(path.c_str(), 0600) == 0);
  refused("not a regular file");
  std::filesystem::remove(path);
  write_random(path, 10);
  CHECK_THROWS_WITH(make_payload(file_spec(path, 0)), Catch::Contains(path) && Catch::Contains("at least 1"));
  CHECK_THROWS_WITH(make_payload(file_spec("", 1000)), Catch::Contains("without a path"));
  std::filesystem::permissions(path, std::filesystem::perms::none);
  if (::geteuid() != 0) refused("permission denied");  // root could read the file even without permission
}

TEST_CASE("file: a file truncated while reading is an error", "[payload]") {
  const Files dir;
  write_random(dir.file("data"), 4000);
  const auto source = make_payload(file_spec(dir.file("data"), 1000));
  REQUIRE(std::filesystem::file_size(dir.file("data")) == 4000);
  std::filesystem::resize_file(dir.file("data"), 1500);
  std::vector<std::uint8_t> arena(source->arena_bytes());
  CHECK_THROWS_WITH(source->fill(arena), Catch::Contains("was truncated") && Catch::Contains("1500 of 4000"));
  CHECK(source->bytes(0, 1) == nullptr);
}
