// SPDX-License-Identifier: BSD-3-Clause
#include "conformance/expectation.hpp"

#include <deque>
#include <string>

#include <catch2/catch.hpp>

using namespace softfeb;
using namespace softfeb::conformance;
using Catch::Matchers::Contains;

namespace {

constexpr roce::Psn kFirst = 0xfffffe;  // the PSN e; e+2 wraps to 0

/// Returns an answer with the PSN e + `psn`.
Answer answer(std::uint8_t opcode, std::uint32_t psn, std::optional<roce::Aeth> aeth = std::nullopt) {
  Answer out;
  out.opcode = opcode;
  out.psn = (kFirst + psn) & roce::kPsnMask;
  out.aeth = aeth;
  return out;
}
Answer ack(std::uint32_t psn, std::uint32_t msn = 0, std::uint8_t credits = roce::Aeth::kNoCredits) {
  return answer(0x11, psn, roce::Aeth{.syndrome = credits, .msn = msn});
}
Answer nak(std::uint8_t syndrome, std::uint32_t psn, std::uint32_t msn = 0) {
  return answer(0x11, psn, roce::Aeth{.syndrome = syndrome, .msn = msn});
}
const Answer kCnp = answer(0x81, 0);

/// A matcher together with the expectation that it matches.
class Judge {
 public:
  explicit Judge(const char* text, std::uint64_t repetition = 0)
      : expectation_(Expectation::parse(text)),
        matcher_(expectation_, {.e = kFirst, .pmtu = 1024, .size = 4096, .i = repetition}) {}
  Judge(const Judge&) = delete;
  Judge& operator=(const Judge&) = delete;

  bool take(const Answer& a) { return matcher_.take(a); }
  bool complete() const { return matcher_.complete(); }
  std::string missing() const { return matcher_.missing(); }

 private:
  Expectation expectation_;
  Matcher matcher_;
};

}  // namespace

TEST_CASE("an expectation is parsed", "[expectation]") {
  const Expectation e = Expectation::parse(" ACK e+1 msn 2 | none ; RNR e msn 1 code 12;CNPS");
  REQUIRE(e.items.size() == 3);
  CHECK(e.items[0].text == "ACK e+1 msn 2 | none");
  REQUIRE(e.items[0].alternatives.size() == 2);
  const AnswerPattern& first = e.items[0].alternatives[0];
  CHECK(first.kind == AnswerPattern::Kind::kAck);
  CHECK(first.first == Expression::parse("e+1"));
  CHECK(first.msn == Expression::parse("2"));
  CHECK_FALSE(first.last);
  CHECK(e.items[0].alternatives[1].kind == AnswerPattern::Kind::kNone);
  CHECK(e.items[1].alternatives[0].code == Expression::parse("12"));
  CHECK(e.items[2].alternatives[0].repeated);
  CHECK(Expectation::parse("ACK credits 3").items[0].alternatives[0].credits == Expression::parse("3"));
  CHECK(Expectation::parse("ACKS e").items[0].alternatives[0].last == Expression::parse("e"));
  CHECK(Expectation::parse("silence").items.empty());
  CHECK(Expectation::parse(" silence ").items.empty());
}

TEST_CASE("a wrong expectation is refused, and the message says why", "[expectation]") {
  struct Row {
    const char* text;
    const char* what;
  };
  const Row rows[] = {
      {"", "an expectation is empty; fix: write silence"},
      {" ; ", "an expectation is empty"},
      {"ack e", "unknown kind"},
      {"NAK65 e", "unknown kind"},
      {"silence; ACK e", "unknown kind"},
      {"ACK e msn", "'msn' has no value"},
      {"ACK e code 3", "'code' does not belong here"},
      {"NAK60 e credits 3", "'credits' does not belong here"},
      {"ACK e e+1", "'e+1' has no value"},
      {"ACK e x 1", "'x' does not belong here"},
      {"NAK60 e..e+1", "only ACKs have a range of PSNs"},
      {"ACKS", "ACKS need a PSN"},
      {"ACK e..", "it is empty"},
      {"ACK ..e", "it is empty"},
      {"none e", "none has neither a PSN nor an MSN"},
      {"any msn 3", "any has neither a PSN nor an MSN"},
      {"CNP e", "CNP has neither a PSN nor an MSN"},
      {"ACK e|CNP", "a CNP is an alternative only to none"},
      {"ACK e|CNPS|none", "a CNP is an alternative only to none"},
      {"any; ACK e", "it follows any, which takes every answer"},
      {"ACK e | ; ; x", "unknown kind"},
  };
  for (const Row& row : rows) {
    INFO(row.text);
    CHECK_THROWS_WITH(Expectation::parse(row.text), Contains(row.what));
    CHECK_THROWS_AS(Expectation::parse(row.text), NotationError);
  }
  CHECK_THROWS_WITH(Expectation::parse("NAK65 e"), Contains("fix: write for example ACK e+1 msn 2"));
}

TEST_CASE("silence means no answer", "[matcher]") {
  Judge judge("silence");
  CHECK(judge.complete());
  CHECK_FALSE(judge.take(ack(0)));
  CHECK_FALSE(judge.take(kCnp));
}

TEST_CASE("an answer needs its kind, PSN and MSN", "[matcher]") {
  Judge judge("ACK e+3 msn 2");
  CHECK(judge.missing() == "ACK e+3 msn 2");
  CHECK_FALSE(judge.take(ack(2, 2)));
  CHECK_FALSE(judge.take(ack(3, 1)));
  CHECK_FALSE(judge.take(nak(0x60, 3, 2)));
  CHECK_FALSE(judge.take(nak(0x2c, 3, 2)));
  CHECK_FALSE(judge.take(answer(0x10, 3, roce::Aeth{.msn = 2})));
  CHECK_FALSE(judge.take(answer(0x11, 3)));  // an ACK without AETH
  CHECK_FALSE(judge.complete());
  CHECK(judge.take(ack(3, 2)));
  CHECK(judge.complete());
  CHECK(judge.missing().empty());
  CHECK_FALSE(judge.take(ack(3, 2)));  // the ACK is expected only once
}

TEST_CASE("MSNs are compared modulo 2^24", "[matcher]") {
  Judge judge("ACK e msn 0x1000001");
  CHECK(judge.take(ack(0, 1)));
}

TEST_CASE("an answer without PSN may have any", "[matcher]") {
  Judge judge("ACK msn 4");
  CHECK_FALSE(judge.take(ack(9, 3)));
  CHECK(judge.take(ack(77, 4)));
}

TEST_CASE("NAKs have their syndrome", "[matcher]") {
  for (std::uint8_t k = 0; k <= 4; ++k) {
    const std::string text = "NAK6" + std::to_string(k) + " e+1";
    INFO(text);
    for (std::uint8_t other = 0; other <= 4; ++other) {
      Judge judge(text.c_str());
      CHECK(judge.take(nak(static_cast<std::uint8_t>(0x60 + other), 1)) == (k == other));
    }
  }
}

TEST_CASE("an RNR NAK may have a timer code", "[matcher]") {
  Judge judge("RNR e code 12");
  CHECK_FALSE(judge.take(nak(0x20 | 11, 0)));
  CHECK_FALSE(judge.take(nak(0x60, 0)));
  CHECK(judge.take(nak(0x20 | 12, 0)));
  Judge any("RNR e");
  CHECK(any.take(nak(0x20, 0)));
}

TEST_CASE("an ACK may be left out if a later answer acknowledges its PSN", "[matcher]") {
  Judge judge("ACK e msn 1; ACK e+1 msn 2; ACK e+2 msn 3");
  CHECK(judge.take(ack(0, 1)));
  CHECK(judge.take(ack(2, 3)));
  CHECK(judge.complete());
  CHECK_FALSE(judge.take(ack(1, 2)));  // too late, because ACK e+2 has already come

  Judge last("ACK e msn 1; ACK e+1 msn 2");
  CHECK(last.take(ack(1, 2)));
  CHECK(last.complete());

  // A NAK acknowledges only the packets before its PSN.
  Judge before("ACK e+1; NAK60 e+2");
  CHECK(before.take(nak(0x60, 2)));
  CHECK(before.complete());
  Judge at("ACK e+2; NAK60 e+2");
  CHECK_FALSE(at.take(nak(0x60, 2)));
  CHECK(at.missing() == "ACK e+2; NAK60 e+2");

  // A NAK must not be left out, even if a later answer acknowledges its PSN.
  Judge needed("NAK60 e+1; ACK e+2");
  CHECK_FALSE(needed.take(ack(2)));
}

TEST_CASE("a range takes ACKs in order until its last PSN", "[matcher]") {
  Judge judge("ACK e..e+5 msn 6; ACK e+6");
  CHECK_FALSE(judge.take(nak(0x60, 0)));
  CHECK(judge.take(ack(1, 99)));  // the MSN is required only of the last ACK of the range
  CHECK_FALSE(judge.take(ack(0, 1)));
  CHECK(judge.take(ack(1, 2)));
  CHECK(judge.take(ack(4, 5)));
  CHECK(judge.missing() == "ACK e..e+5 msn 6; ACK e+6");
  CHECK_FALSE(judge.take(ack(5, 5)));
  CHECK(judge.take(ack(5, 6)));
  CHECK(judge.missing() == "ACK e+6");
  CHECK_FALSE(judge.take(ack(5, 6)));
  CHECK(judge.take(ack(6)));
  CHECK(judge.complete());
  Judge outside("ACK e..e+5");
  CHECK_FALSE(outside.take(ack(6)));
  CHECK_FALSE(outside.take(answer(0x11, 0xffffff, roce::Aeth{})));  // the PSN is e-1
}

TEST_CASE("a range may be coalesced with what follows", "[matcher]") {
  Judge judge("ACK e..e+5; NAK60 e+6");
  CHECK(judge.take(ack(2)));
  CHECK(judge.take(nak(0x60, 6)));
  CHECK(judge.complete());
}

TEST_CASE("ACKS are one or more ACKs", "[matcher]") {
  Judge judge("ACKS e..e");
  CHECK_FALSE(judge.complete());
  CHECK(judge.take(ack(0)));
  CHECK(judge.complete());
  CHECK(judge.take(ack(0)));
  CHECK(judge.complete());
  CHECK_FALSE(judge.take(ack(1)));
  Judge followed("ACKS e..e+1; ACK e+2");
  CHECK(followed.take(ack(0)));
  CHECK(followed.missing() == "ACKS e..e+1; ACK e+2");
  CHECK(followed.take(ack(1)));
  CHECK(followed.missing() == "ACK e+2");
  CHECK(followed.take(ack(2)));
  CHECK(followed.complete());
}

TEST_CASE("one of several alternatives comes", "[matcher]") {
  Judge judge("ACK e msn 0|NAK62 e|NAK62 e+1; ACK e+9");
  CHECK_FALSE(judge.take(nak(0x61, 0)));
  CHECK(judge.take(nak(0x62, 1)));
  CHECK_FALSE(judge.take(nak(0x62, 0)));
  CHECK(judge.take(ack(9)));
  CHECK(judge.complete());
  // This item cannot be left out, because one of its alternatives is not an ACK.
  Judge skipped("ACK e|NAK62 e; ACK e+9");
  CHECK_FALSE(skipped.take(ack(9)));
}

TEST_CASE("none makes an item optional", "[matcher]") {
  Judge judge("NAK60 e | none; ACK e+1");
  CHECK(judge.missing() == "ACK e+1");
  CHECK(judge.take(ack(1)));
  CHECK(judge.complete());
  Judge both("NAK60 e | none; ACK e+1");
  CHECK(both.take(nak(0x60, 0)));
  CHECK_FALSE(both.take(nak(0x60, 0)));
  CHECK(both.take(ack(1)));
  Judge nothing("none");
  CHECK(nothing.complete());
  CHECK_FALSE(nothing.take(ack(0)));
}

TEST_CASE("any takes all further answers", "[matcher]") {
  Judge judge("ACK e; any");
  CHECK_FALSE(judge.take(nak(0x60, 0)));
  CHECK(judge.take(ack(0)));
  CHECK(judge.complete());
  for (int k = 0; k < 3; ++k) CHECK(judge.take(nak(0x61, 7)));
  CHECK(judge.take(answer(0x0a, 3)));
  CHECK(judge.take(kCnp));
  CHECK(judge.complete());
  Judge alternative("NAK61 e|any");
  CHECK(alternative.complete());
  CHECK(alternative.take(kCnp));
  Judge with_cnp("any; CNP");
  CHECK(with_cnp.missing() == "CNP");
  CHECK(with_cnp.take(ack(0)));
  CHECK(with_cnp.take(kCnp));
  CHECK(with_cnp.complete());
}

TEST_CASE("CNPs may come at any place in the sequence", "[matcher]") {
  Judge judge("CNP; ACK e; CNP");
  CHECK(judge.take(ack(0)));
  CHECK(judge.missing() == "CNP; CNP");
  CHECK(judge.take(kCnp));
  CHECK(judge.take(kCnp));
  CHECK(judge.complete());
  CHECK_FALSE(judge.take(kCnp));
  Judge first("ACK e; CNP");
  CHECK(first.take(kCnp));
  CHECK(first.take(ack(0)));
  CHECK(first.complete());
}

TEST_CASE("CNPS are one or more CNPs", "[matcher]") {
  Judge judge("CNPS");
  CHECK_FALSE(judge.complete());
  for (int k = 0; k < 5; ++k) CHECK(judge.take(kCnp));
  CHECK(judge.complete());
}

TEST_CASE("a CNP may be optional, in either order", "[matcher]") {
  for (const char* const text : {"ACK e; CNP|none", "ACK e; none|CNP", "none | CNP; ACK e"}) {
    INFO(text);
    Judge judge(text);
    CHECK(judge.take(ack(0)));
    CHECK(judge.complete());
    CHECK(judge.take(kCnp));
    CHECK_FALSE(judge.take(kCnp));
  }
  Judge many("none|CNPS");
  CHECK(many.complete());
  CHECK(many.take(kCnp));
  CHECK(many.take(kCnp));
}

TEST_CASE("an ACK grants no more credits than expected", "[matcher]") {
  struct Row {
    std::uint8_t code;  ///< encoded credit count (IBA table 45)
    std::uint64_t credits;
  };
  for (const Row row : {Row{0, 0}, Row{1, 1}, Row{2, 2}, Row{3, 3}, Row{4, 4}, Row{5, 6}, Row{6, 8},
                        Row{7, 12}, Row{8, 16}, Row{13, 96}, Row{29, 24'576}, Row{30, 32'768}}) {
    INFO(static_cast<unsigned>(row.code));
    Judge enough(("ACK e credits " + std::to_string(row.credits)).c_str());
    CHECK(enough.take(ack(0, 0, row.code)));
    if (row.credits == 0) continue;
    Judge less(("ACK e credits " + std::to_string(row.credits - 1)).c_str());
    CHECK_FALSE(less.take(ack(0, 0, row.code)));
  }
  Judge none("ACK e credits 0");
  CHECK(none.take(ack(0, 0, 31)));  // code 31 means that the ACK has no credit count
}

TEST_CASE("READ responses and atomic acknowledgements", "[matcher]") {
  Judge judge(
      "READ_FIRST e msn 1|READ_FIRST e msn 0; READ_MIDDLE e+1; READ_LAST e+2 msn 1; READ_ONLY e+3; "
      "ATOMIC_ACK e+4 msn 3");
  CHECK_FALSE(judge.take(answer(0x0d, 0, roce::Aeth{.msn = 2})));
  CHECK(judge.take(answer(0x0d, 0, roce::Aeth{.msn = 0})));
  CHECK_FALSE(judge.take(answer(0x0f, 2, roce::Aeth{.msn = 1})));  // READ_MIDDLE cannot be left out
  CHECK(judge.take(answer(0x0e, 1)));
  CHECK(judge.take(answer(0x0f, 2, roce::Aeth{.msn = 1})));
  CHECK(judge.take(answer(0x10, 3, roce::Aeth{})));
  CHECK(judge.take(answer(0x12, 4, roce::Aeth{.msn = 3})));
  CHECK(judge.complete());
}

TEST_CASE("the repetition is known to the matcher", "[matcher]") {
  Judge judge("ACK e+i msn i+1", 5);
  CHECK_FALSE(judge.take(ack(4, 5)));
  CHECK(judge.take(ack(5, 6)));
}
