// SPDX-License-Identifier: BSD-3-Clause
// Tests that packets of the target are read and their fields are found, whatever the packets contain.
#include "conformance/answer.hpp"

#include "answer_frames.hpp"
#include "base/rng.hpp"
#include "conformance/field_check.hpp"

#include <catch2/catch.hpp>

using namespace softfeb;
using namespace softfeb::conformance;
using test::ack_frame;
using test::answer_frame;
using test::cnp_frame;
using test::read;

namespace {

using Bytes = std::vector<std::uint8_t>;

/// Returns a field of a frame that may be malformed.
std::optional<std::uint64_t> field_in(const Bytes& frame, std::string_view name) {
  Answer answer;
  answer.frame = frame;
  return field_of(answer, name);
}

Bytes with_tag(Bytes frame) {
  constexpr std::uint8_t kTag[] = {0x81, 0x00, 0x60, 0x07};
  frame.insert(frame.begin() + 12, std::begin(kTag), std::end(kTag));
  return frame;
}

}  // namespace

TEST_CASE("an acknowledgement is read", "[answer]") {
  for (const bool v6 : {false, true}) {
    const Bytes frame = ack_frame({.syndrome = 0x61, .msn = 0x010203}, 0x040506, 0x11, test::answer_path(v6));
    const auto answer = read(frame, 5 * kSecond);
    REQUIRE(answer);
    CHECK(answer->at == 5 * kSecond);
    CHECK(answer->opcode == 0x11);
    CHECK(answer->psn == 0x040506);
    CHECK(answer->dest_qp == 0x11);
    CHECK(answer->aeth == roce::Aeth{.syndrome = 0x61, .msn = 0x010203});
    CHECK_FALSE(answer->is_ack());
    CHECK_FALSE(answer->is_cnp());
    CHECK(answer->payload == 0);
    CHECK(answer->icrc_right);
    CHECK_FALSE(answer->truncated);
    CHECK(answer->frame == frame);
  }
  CHECK(read(ack_frame({}, 0, 1))->is_ack());
}

TEST_CASE("a CNP has 16 reserved bytes and no AETH", "[answer]") {
  const auto cnp = read(cnp_frame(0x12));
  REQUIRE(cnp);
  CHECK(cnp->is_cnp());
  CHECK_FALSE(cnp->aeth);
  CHECK(cnp->payload == 0);
  CHECK_FALSE(cnp->truncated);
  Bytes longer(roce::kCnpSize + 3);
  roce::encode_cnp(longer.data(), 1);
  CHECK(read(answer_frame(longer))->payload == 3);
  CHECK(read(answer_frame(Bytes(longer.begin(), longer.begin() + roce::kCnpSize - 1)))->truncated);
}

TEST_CASE("a READ response has a payload", "[answer]") {
  Bytes transport(roce::Bth::kSize + roce::Aeth::kSize + 8);
  roce::Bth{.opcode = 0x10, .pad_count = 3, .dest_qp = 7}.encode(transport.data());
  transport[12] = 0x1f;
  transport[15] = 9;
  const auto answer = read(answer_frame(transport));
  REQUIRE(answer);
  CHECK(answer->payload == 5);
  CHECK(answer->aeth == roce::Aeth{.msn = 9});
  transport[0] = 0x0e;  // MIDDLE has no AETH
  CHECK(read(answer_frame(transport))->payload == 9);
  CHECK_FALSE(read(answer_frame(transport))->aeth);
}

TEST_CASE("a packet that is too short for its headers is truncated", "[answer]") {
  const Bytes ack = {0x11, 0, 0xff, 0xff, 0, 0, 0, 1, 0, 0, 0, 5, 0x1f, 0, 0, 1};
  for (std::size_t size = 0; size <= ack.size(); ++size) {
    INFO(size);
    const auto answer =
        read(answer_frame(Bytes(ack.begin(), ack.begin() + static_cast<std::ptrdiff_t>(size))));
    REQUIRE(answer.has_value() == (size >= roce::Bth::kSize));
    if (!answer) continue;
    CHECK(answer->aeth.has_value() == (size == ack.size()));
    CHECK(answer->truncated == (size < ack.size()));
    CHECK(answer->is_ack() == (size == ack.size()));
  }
  Bytes pad = ack;
  pad[1] = 0x30;  // claims three pad bytes, but the packet ends with the AETH
  CHECK(read(answer_frame(pad))->truncated);
  CHECK(read(answer_frame(pad))->payload == 0);
}

TEST_CASE("the iCRC of an answer is checked", "[answer]") {
  Bytes frame = ack_frame({}, 1, 1);
  frame.back() ^= 1;
  CHECK_FALSE(read(frame)->icrc_right);
}

TEST_CASE("opcodes and PSNs are named", "[answer]") {
  CHECK(describe_opcode(0x0a) == "WRITE ONLY");
  CHECK(describe_opcode(0x2a) == "UC WRITE ONLY");
  CHECK(describe_opcode(0x81) == "CNP");
  CHECK(describe_opcode(0x15) == "opcode 0x15");
  CHECK(describe_opcode(0x4a) == "opcode 0x4A");
  CHECK(describe_opcode(0x1f) == "opcode 0x1F");
  CHECK(describe_opcode(0x11) == "ACK");
  CHECK(describe_opcode(0x11, roce::Aeth{.syndrome = 0x1f}) == "ACK");
  CHECK(describe_opcode(0x11, roce::Aeth{.syndrome = 0x62}) == "NAK 0x62");
  CHECK(describe_opcode(0x11, roce::Aeth{.syndrome = 0x2c}) == "RNR NAK");
  CHECK(describe_psn(5, 5) == "e");
  CHECK(describe_psn(8, 5) == "e+3");
  CHECK(describe_psn(4, 5) == "e-1");
  CHECK(describe_psn(0, 0xffffff) == "e+1");
  CHECK(describe_psn(0xffffff, 0) == "e-1");
  CHECK(describe_psn(0x800000, 0) == "0x800000");
}

TEST_CASE("the fields of an answer", "[field]") {
  const Bytes frame = ack_frame({.syndrome = 0x1f, .msn = 7}, 0x040506, 0x112233);
  struct Row {
    const char* name;
    std::uint64_t value;
  };
  const Row rows[] = {{"dmac", 0x02'0000'000001},
                      {"smac", 0x02'0000'000002},
                      {"ihl", 5},
                      {"dscp", 0},
                      {"ecn", 2},
                      {"df", 1},
                      {"mf", 0},
                      {"offset", 0},
                      {"ttl", 64},
                      {"sport", 0xc000},
                      {"dport", 4791},
                      {"udplen", 8 + 16 + 4},
                      {"udpsum", 0},
                      {"opcode", 0x11},
                      {"se", 0},
                      {"migreq", 0},
                      {"padcnt", 0},
                      {"tver", 0},
                      {"pkey", 0xffff},
                      {"byte4", 0},
                      {"destqp", 0x112233},
                      {"ackreq", 0},
                      {"res7", 0},
                      {"psn", 0x040506}};
  for (const Row& row : rows) {
    INFO(row.name);
    CHECK(is_answer_field(row.name));
    CHECK(field_in(frame, row.name) == row.value);
    CHECK(field_in(with_tag(frame), row.name) == row.value);
  }
  CHECK_FALSE(field_in(frame, "vid"));
  CHECK(field_in(with_tag(frame), "vid") == 7U);
  CHECK(field_in(with_tag(frame), "pcp") == 3U);
  CHECK_FALSE(field_in(frame, "value"));  // the packet ends before this field
  CHECK_FALSE(is_answer_field("rkey"));
  CHECK_FALSE(field_in(frame, "rkey"));
  CHECK_FALSE(field_in(ack_frame({}, 1, 1, test::answer_path(true)), "psn"));
}

TEST_CASE("each bit of a field is read", "[field]") {
  Bytes frame = ack_frame({}, 0, 0);
  const std::size_t bth = 42;
  frame[bth + 1] = 0xff;
  frame[bth + 8] = 0xff;
  CHECK(field_in(frame, "se") == 1U);
  CHECK(field_in(frame, "migreq") == 1U);
  CHECK(field_in(frame, "padcnt") == 3U);
  CHECK(field_in(frame, "tver") == 15U);
  CHECK(field_in(frame, "ackreq") == 1U);
  CHECK(field_in(frame, "res7") == 0x7fU);
  CHECK(field_in(frame, "psn") == 0U);
}

TEST_CASE("the reserved field of a CNP covers its 16 reserved bytes", "[field]") {
  const Bytes cnp = cnp_frame(1);
  CHECK(field_in(cnp, "reserved") == 0U);
  for (std::size_t k = 0; k < 16; ++k) {
    Bytes wrong = cnp;
    wrong[42 + roce::Bth::kSize + k] = 1;
    INFO(k);
    CHECK(field_in(wrong, "reserved").value_or(0) != 0);
  }
  Bytes cut = cnp;
  cut.resize(42 + roce::Bth::kSize + 15);
  CHECK_FALSE(field_in(cut, "reserved"));
}

TEST_CASE("the original value of an atomic operation", "[field]") {
  Bytes transport(roce::Bth::kSize + roce::Aeth::kSize);
  roce::Bth{.opcode = 0x12}.encode(transport.data());
  for (std::uint8_t k = 1; k <= 8; ++k) transport.push_back(k);
  CHECK(field_in(answer_frame(transport), "value") == 0x0102030405060708U);
}

TEST_CASE("the UDP checksum of an answer is 0 or right", "[field]") {
  const auto valid = [](const Bytes& frame) {
    Answer answer;
    answer.frame = frame;
    return udp_checksum_valid(answer);
  };
  Bytes frame = ack_frame({}, 1, 1);
  CHECK(valid(frame));
  std::uint32_t sum = 17 + (8 + 16 + 4);
  for (std::size_t k = 26; k < frame.size(); k += 2) sum += load_be16(&frame[k]);
  while (sum >> 16 != 0) sum = (sum & 0xffff) + (sum >> 16);
  store_be16(&frame[40], static_cast<std::uint16_t>(~sum));
  CHECK(valid(frame));
  frame[50] ^= 1;
  CHECK_FALSE(valid(frame));
  CHECK_FALSE(valid({}));
}

TEST_CASE("fields are read from frames of any length and content", "[field]") {
  Rng rng(1);
  const Bytes cnp = cnp_frame(1);
  std::uint64_t found = 0;
  for (int round = 0; round < 20'000; ++round) {
    // The allocation has exactly the size of the frame, so that a sanitizer notices each read past the end.
    Bytes frame(cnp.begin(), cnp.begin() + static_cast<std::ptrdiff_t>(rng.below(cnp.size() + 1)));
    for (std::uint64_t k = rng.below(4); k != 0 && !frame.empty(); --k)
      frame[rng.below(frame.size())] = static_cast<std::uint8_t>(rng.next());
    Answer answer;
    answer.frame = frame;
    for (const char* const name : {"vid", "ttl", "udplen", "psn", "reserved", "value", "dmac"})
      found += field_of(answer, name) ? 1 : 0;
    found += udp_checksum_valid(answer) ? 1 : 0;
    read(frame);
  }
  CHECK(found > 20'000);
}
