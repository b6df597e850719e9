// SPDX-License-Identifier: BSD-3-Clause
// Tests that each case fails if the target has the wrong behaviour for which the case was written, and that
// few other cases fail. The target is a responder that is independent of softfeb's (model_target.hpp).
#include "model_target.hpp"
#include "sanitized.hpp"

#include <array>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

using namespace softfeb;
using namespace softfeb::conformance;

namespace {

using M = test::Mutation;

struct Mutant {
  M mutation;
  const char* cases;      ///< ids of cases that must fail; at most kMost cases may fail in total
  const char* more = "";  ///< tells which cases fail if there are more than kMost
};
constexpr std::size_t kMost = 8;

constexpr Mutant kMutants[] = {
    {M::kForeignMac, "NET-17"},
    {M::kForeignVlan, "NET-19"},
    {M::kPriorityTagDropped, "NET-18"},
    {M::kRoceV1, "NET-21"},
    {M::kVersionIgnored, "NET-24"},
    {M::kOptionsAccepted, "NET-10"},
    {M::kIpChecksumIgnored, "NET-06"},
    {M::kEthernetPaddingRefused, "LEN-26"},
    {M::kFragmentsAccepted, "NET-11"},
    {M::kReassembles, "NET-12"},
    {M::kDfIgnored, "NET-09"},
    {M::kDestIpIgnored, "NET-02"},
    {M::kLowTtlDropped, "CRC-05 NET-13"},
    {M::kTtlMustBe64, "CRC-05 NET-13"},
    {M::kDscpMustBe0, "CRC-04 NET-14 CRC-16"},
    {M::kCeDropped, "NET-15 CNP-19 CNP-20", "every case that marks packets"},
    {M::kEct1Dropped, "CRC-14 NET-15 CNP-05"},
    {M::kV6Dropped, "CRC-16 NET-22 NET-23"},
    {M::kFlowLabelDropped, "CRC-16 NET-23"},
    {M::kUdpLengthIgnored, "LEN-27"},
    {M::kDestPortIgnored, "NET-05"},
    {M::kSourcePort0Dropped, "NET-04"},
    {M::kUdpChecksumMustBe0, "CRC-06 NET-07"},
    {M::kUdpChecksumIgnored, "NET-08"},
    {M::kIcrcIgnored, "CRC-01 CRC-02 CRC-03 CRC-07 CRC-10 CRC-11 CRC-12 CRC-13 CRC-14 CRC-15 CNP-10 LOS-07",
     "every case with a wrong iCRC"},
    {M::kIcrc0Accepted, "CRC-01"},
    {M::kIcrcWithoutOnes, "CRC-02"},
    {M::kIcrcCountsByte4, "CRC-03"},
    {M::kIdNotCovered, "CRC-07"},
    {M::kFlagsNotCovered, "CRC-08 NET-09"},
    {M::kSourceIpNotCovered, "CRC-09 NET-01 CNP-11"},
    {M::kSourcePortNotCovered, "CRC-10 CRC-14"},
    {M::kReservedBitsNotCovered, "CRC-11 CRC-14"},
    {M::kLengthNotCovered, "CRC-12 CRC-14"},
    {M::kPayloadNotCovered, "CRC-13 CRC-14 CRC-15"},
    {M::kIcrcErrorsNotCounted, "CRC-15"},
    {M::kMissingIcrcAccepted, "LEN-25"},
    {M::kTverIgnored, "HDR-05"},
    {M::kPkeyIgnored, "HDR-06"},
    {M::kLimitedMemberRefused, "HDR-07 CNP-03"},
    {M::kSourceIpIgnored, "NET-01 CNP-11"},
    {M::kUnknownQpAnswered, "HDR-11 CNP-11"},
    {M::kSolicitedDropped, "HDR-01 IMM-12"},
    {M::kMigReq0Dropped, "HDR-02 HDR-04"},
    {M::kMigReqMustStay, "HDR-04"},
    {M::kReservedBitsChecked, "HDR-08"},
    {M::kBecnAnswered, "HDR-09 HDR-10 CRC-14"},
    {M::kByte4MustBe0, "HDR-10"},
    {M::kInitReceives, "BAS-18"},
    {M::kRtrIsDeaf, "BAS-17 BAS-18"},
    {M::kErrorAcknowledges, "MEM-14 BAS-19 OPS-01 LEN-01", "every case that ends in the error state"},
    {M::kErrorNaksAgain, "MEM-14 BAS-19 OPS-01 LEN-01", "every case that ends in the error state"},
    {M::kDestroyedAnswers, "BAS-19"},
    {M::kErrorSpreads, "MEM-15"},
    {M::kPsnDoesNotWrap, "PSN-01 PSN-02"},
    {M::kPsnWrapsAtHalf, "PSN-03"},
    {M::kNakForEachPacket, "PSN-05", "every case with two packets behind a gap"},
    {M::kNakReceivedPsn, "PSN-04 LOS-01 LOS-02 LOS-06 LOS-09 LOS-12", "every case with a gap"},
    {M::kNakNeverArmed, "PSN-06 PSN-19"},
    {M::kDuplicateArmsNak, "PSN-07"},
    {M::kNoNakBeforeFirstPacket, "PSN-08 PSN-22"},
    {M::kGapWritten, "PSN-04", "every case with a gap"},
    {M::kOrderBeforePsn, "PSN-09 OTH-10 LOS-05"},
    {M::kNoAckForDuplicates, "PSN-10 PSN-21 LOS-04", "every case with a duplicate"},
    {M::kDuplicateAckOwnPsn, "PSN-21 PSN-24"},
    {M::kDuplicateWritten, "PSN-10", "every case with a duplicate"},
    {M::kDuplicateFirstRestarts, "PSN-12 LOS-08"},
    {M::kDuplicateMiddleCounts, "PSN-13 LOS-03"},
    {M::kDuplicateValidated, "PSN-14"},
    {M::kDuplicateCompletes, "PSN-15"},
    {M::kDuplicateNeedsReceive, "PSN-15"},
    {M::kDuplicatesIgnoredInGap, "PSN-07"},
    {M::kBeforeFirstAcked, "PSN-16"},
    {M::kEvery64thAckMissing, "ACK-05 PSN-24"},
    {M::kAckReservedBits, "ACK-01"},
    {M::kAckDscpOfRequest, "ACK-02 NET-14"},
    {M::kAckToSourceMac, "NET-03"},
    {M::kTooManyCredits, "ACK-07"},
    {M::kMsnCountsFirst, "ACK-04", "every message that is not complete"},
    {M::kMsnCountsRequested, "ACK-03 ACK-08"},
    {M::kMsnOfMiddle, "ACK-04 PSN-13"},
    {M::kMsnOfNak, "ACK-08 MEM-12", "every NAK behind a complete message"},
    {M::kLatePlacement, "ACK-10"},
    {M::kMiddleWithoutFirst, "OPS-01 OPS-10"},
    {M::kLastWithoutFirst, "OPS-02"},
    {M::kLastImmWithoutFirst, "OPS-03"},
    {M::kFirstInMessage, "OPS-04"},
    {M::kOnlyInMessage, "OPS-05"},
    {M::kOnlyImmInMessage, "OPS-06"},
    {M::kSendInWrite, "OPS-07"},
    {M::kSendMiddleInWrite, "OPS-08"},
    {M::kReadInMessage, "OPS-09"},
    {M::kWriteInSend, "OPS-11"},
    {M::kReservedDropped, "OPS-12"},
    {M::kResponsesNaked, "OPS-13"},
    {M::kOtherServiceNaked, "OPS-14 UC-19"},
    {M::kCnpMovesPsn, "OPS-15"},
    {M::kInvalidateAcknowledged, "OPS-16"},
    {M::kOffsetHas16Bits, "BAS-05 BAS-16 MEM-09 CNP-20 CNP-21"},
    {M::kPmtuIgnored, "BAS-10 BAS-11 BAS-12 BAS-13 BAS-14 LEN-05 LEN-07 LEN-12", "five path MTUs"},
    {M::kPmtu256Is512, "BAS-10"},
    {M::kPmtu512Is256, "BAS-11"},
    {M::kPmtu2048Is1024, "BAS-13"},
    {M::kPmtu4096Is2048, "BAS-14"},
    {M::kShortFirstAccepted, "BAS-15 LEN-06 LEN-09 LEN-22"},
    {M::kWholeMessageInFirst, "LEN-09"},
    {M::kShortMiddleAccepted, "LEN-11 LEN-22"},
    {M::kMiddleInsteadOfLast, "LEN-19"},
    {M::kShortOnlyAccepted, "LEN-01 LEN-03 LEN-21 UC-14"},
    {M::kLongOnlyCut, "LEN-02 LEN-05 LEN-20 LEN-21"},
    {M::kEmptyOnlyAccepted, "LEN-03"},
    {M::kPayloadWithLength0, "LEN-04"},
    {M::kLastLengthIgnored, "LEN-15 LEN-17 LEN-18"},
    {M::kLongLastCut, "LEN-16"},
    {M::kEmptyLastAccepted, "LEN-14"},
    {M::kLength31Bits, "LEN-10"},
    {M::kPadWritten, "BAS-04 BAS-06", "every payload that is padded"},
    {M::kDirtyPadWritten, "LEN-23"},
    {M::kPadCountIgnored, "LEN-20 LEN-21 LEN-22"},
    {M::kShortHeadersNaked, "LEN-24"},
    {M::kAddressAligned, "BAS-07"},
    {M::kZeroLengthRefused, "BAS-08"},
    {M::kRkeyCheckedAtLength0, "BAS-09 IMM-03"},
    {M::kRkeyIgnored, "MEM-01"},
    {M::kRkeyBit0Ignored, "MEM-01"},
    {M::kReadOnlyWritten, "MEM-02"},
    {M::kOtherDomainWritten, "MEM-03"},
    {M::kDeregisteredWritten, "MEM-04"},
    {M::kLowerBoundIgnored, "MEM-05"},
    {M::kUpperBoundIgnored, "MEM-06 MEM-10 MEM-13"},
    {M::kEndAccepted, "MEM-07"},
    {M::kAddressWraps, "MEM-08"},
    {M::kLastByteRefused, "BAS-05 MEM-09 CNP-20 CNP-21"},
    {M::kFirstPacketBounds, "MEM-10 MEM-13"},
    {M::kWriteAccessIgnored, "MEM-11"},
    {M::kBadKeyDropped, "MEM-01", "every access error"},
    {M::kImmediateByteOrder, "IMM-01 IMM-11", "every immediate"},
    {M::kImmediateTwice, "IMM-01", "every completion"},
    {M::kImmediateWithoutCompletion, "IMM-02 IMM-07"},
    {M::kLengthOfLastPacket, "IMM-02 IMM-07"},
    {M::kEmptyImmediateWithoutReceive, "IMM-13"},
    {M::kPlainWriteConsumes, "IMM-01"},
    {M::kRnrConsumes, "IMM-04 IMM-07 IMM-13"},
    {M::kRnrOnce, "IMM-05"},
    {M::kRnrCodeFixed, "IMM-08"},
    {M::kRnrWritten, "IMM-04"},
    {M::kRnrFatal, "IMM-04"},
    {M::kNakBehindRnr, "IMM-06 IMM-13"},
    {M::kRefusedCompletes, "OPS-03 OPS-06 LEN-18 IMM-10"},
    {M::kFlushSucceeds, "IMM-10 OPS-03"},
    {M::kEveryCompletionSolicited, "IMM-12"},
    {M::kNoSolicitedEvents, "IMM-12"},
    {M::kSendCompletesEmpty, "OTH-01"},
    {M::kLongSendAccepted, "OTH-02"},
    {M::kReadMsnMissing, "OTH-03 OTH-06 OTH-09"},
    {M::kReadAccessIgnored, "OTH-04"},
    {M::kReadResourcesIgnored, "OTH-05"},
    {M::kReadAheadAnswered, "OTH-10"},
    {M::kAtomicTwice, "OTH-07"},
    {M::kUnalignedAtomic, "OTH-08"},
    {M::kAtomicAccessIgnored, "OTH-08"},
    {M::kUcMiddleLost, "UC-01"},
    {M::kUcAcknowledged, "UC-02"},
    {M::kUcNeedsExpectedPsn, "UC-03 UC-04", "every gap on UC"},
    {M::kUcDropsOlder, "UC-05 UC-07"},
    {M::kUcStaysCut, "UC-08 UC-09 UC-10 UC-18"},
    {M::kUcCutForEver, "UC-13"},
    {M::kUcOrderFatal, "UC-11"},
    {M::kUcErrorFatal, "UC-14 UC-15 UC-16 UC-19"},
    {M::kUcLengthIgnored, "UC-14"},
    {M::kUcRkeyIgnored, "UC-15"},
    {M::kUcNeedsReceive, "UC-16"},
    {M::kUcCutCompletes, "UC-17"},
    {M::kUcTakesRc, "UC-19"},
    {M::kNoCnp, "CNP-01", "every case that needs CNPs"},
    {M::kCnpWithoutBecn, "CNP-02", "every CNP: the checker of the form"},
    {M::kCnpWithoutPkey, "CNP-02 CNP-03"},
    {M::kCnpPsn, "CNP-02"},
    {M::kCnpReservedBytes, "CNP-02"},
    {M::kCnpCe, "CNP-04"},
    {M::kCnpForEct, "CRC-14 CNP-05"},
    {M::kCnpAtEnd, "CNP-06"},
    {M::kCnpForFirstOnly, "CNP-07"},
    {M::kNoCnpForDuplicate, "CNP-08"},
    {M::kNoCnpBehindGap, "CNP-09"},
    {M::kCnpForWrongIcrc, "CNP-10"},
    {M::kCnpForForeignAddress, "CNP-11"},
    {M::kNoCnpOnUc, "CNP-12"},
    {M::kCnpForNak, "CNP-18", "every case with a gap"},
    {M::kCeNotWritten, "CNP-20", "every case that marks packets"},
    {M::kCnpsGoOn, "CNP-21"},
};

/// With these mutations, the baseline fails, so no other case is run. Here, the member `cases` contains the
/// beginning of the reason.
constexpr Mutant kWithoutBaseline[] = {
    {M::kTosCovered, "no WRITE was acknowledged", ""},
    {M::kTtlCovered, "no WRITE was acknowledged", ""},
    {M::kByte4Covered, "no WRITE was acknowledged", ""},
    {M::kAckNextPsn, "BAS-01 failed", ""},
    {M::kLastAckNextPsn, "BAS-03 failed", ""},
    {M::kAckWithAckReq, "BAS-01 failed", ""},
    {M::kAckWithoutDf, "BAS-01 failed", ""},
    {M::kAckPkey, "BAS-01 failed", ""},
    {M::kMsnCountsPackets, "BAS-03 failed", ""},
    {M::kFullOnlyRefused, "BAS-02 failed", ""},
    {M::kLastMisplaced, "BAS-03 failed", ""},
};

/// Cases without a mutant. HDR-03 sends the same packets as BAS-01, so each mutation that makes HDR-03 fail
/// also makes the baseline fail.
constexpr std::array<std::string_view, 1> kNotTested = {"HDR-03"};

std::set<std::string> split_ids(const char* text) {
  std::istringstream in(text);
  std::set<std::string> out;
  for (std::string id; in >> id;) out.insert(id);
  return out;
}

std::uint64_t packets_of(const Case& c) {
  std::uint64_t sum = 0;
  for (const Part& part : c.parts) {
    for (const Step& step : part.steps)
      sum += step.kind == Step::Kind::kEveryBit ? 1000 : step.times * step.packets.size();
  }
  for (const TrafficSpec& spec : c.traffic) {
    const std::uint64_t packets = spec.message == 0 ? 1024 : spec.message / spec.pmtu + 1;
    sum += spec.duration != 0 ? 10'000 : spec.qps * spec.messages * packets;
  }
  return sum;
}

/// Returns all cases that the target can pass. Cases that send hundreds of packets take most of the time, so
/// they are left out unless they are in `wanted`.
std::vector<const Case*> cases_for(const Catalogue& catalogue, const std::set<std::string>& wanted) {
  constexpr std::uint64_t kMany = 300;
  std::vector<const Case*> out;
  for (const Case* c : select(catalogue, {.destructive = true})) {
    if (packets_of(*c) < kMany || wanted.count(c->id) != 0) out.push_back(c);
  }
  return out;
}

SuiteResult run_mutant(const Catalogue& catalogue, M mutation, const std::vector<const Case*>& cases) {
  test::ModelTarget target(mutation);
  const SuiteConfig config{.cases = cases, .profile = {}, .target = "model"};
  return run_in_virtual_time(catalogue, config, target.virtual_target());
}

std::set<std::string> failed_cases(const SuiteResult& result) {
  std::set<std::string> out;
  for (const CaseResult& r : result.cases) {
    CHECK(r.verdict != Verdict::kInconclusive);
    CHECK(r.verdict != Verdict::kNotRun);
    if (r.verdict == Verdict::kFail) out.insert(r.of->id);
  }
  return out;
}

std::string joined(const std::set<std::string>& ids) {
  std::string out;
  for (const std::string& id : ids) out += id + " ";
  return out;
}

bool needs_a_mutant(const Case& c, const CaseResult& without_mutation) {
  return c.level == Level::kShall && without_mutation.verdict == Verdict::kPass &&
         std::find(kNotTested.begin(), kNotTested.end(), c.id) == kNotTested.end();
}

}  // namespace

TEST_CASE("the model passes every case that it can run", "[model]") {
  const Catalogue catalogue;
  Selection selection{.destructive = true};
  if (test::kSanitized) selection.cases = {"!LOS"};
  const SuiteResult result = run_mutant(catalogue, M::kNone, select(catalogue, selection));
  CHECK(result.no_baseline.value_or("") == "");
  for (const CaseResult& r : result.cases) {
    INFO(r.of->id << ": " << r.reason);
    CHECK((r.verdict == Verdict::kPass || r.verdict == Verdict::kMeasured ||
           r.verdict == Verdict::kNotApplicable));
  }
  CHECK(totals_of(result).pass >= 200);
}

TEST_CASE("every mutation is in a table once", "[mutants]") {
  std::set<M> seen;
  for (const Mutant& m : kMutants) CHECK(seen.insert(m.mutation).second);
  for (const Mutant& m : kWithoutBaseline) CHECK(seen.insert(m.mutation).second);
  CHECK(seen.size() == static_cast<std::size_t>(M::kCount) - 1);
}

TEST_CASE("each mutant fails its cases, and each case has a mutant", "[mutants]") {
  const Catalogue catalogue;
  std::set<std::string> noticed;
  for (const Mutant& m : kMutants) {
    const std::set<std::string> wanted = split_ids(m.cases);
    const SuiteResult result = run_mutant(catalogue, m.mutation, cases_for(catalogue, wanted));
    INFO("mutation " << static_cast<unsigned>(m.mutation) << ", which " << m.cases << " must notice");
    CHECK(result.no_baseline.value_or("") == "");
    CHECK(result.dead.value_or("") == "");
    const std::set<std::string> failed = failed_cases(result);
    INFO("failed: " << joined(failed));
    CHECK_FALSE(wanted.empty());
    for (const std::string& id : wanted) CHECK((failed.count(id) != 0 || id.empty()));
    const bool many = *m.more != '\0';
    CHECK((failed.size() > kMost) == many);
    noticed.insert(failed.begin(), failed.end());
  }
  const SuiteResult right = run_mutant(catalogue, M::kNone, select(catalogue, {.destructive = true}));
  for (const Mutant& m : kWithoutBaseline) noticed.insert(std::string(m.cases).substr(0, 6));
  for (const CaseResult& r : right.cases) {
    INFO(r.of->id << " cannot fail: no mutant fails it");
    CHECK((!needs_a_mutant(*r.of, r) || noticed.count(r.of->id) != 0));
  }
}

TEST_CASE("a mutant that fails the baseline is not judged", "[mutants]") {
  const Catalogue catalogue;
  for (const Mutant& m : kWithoutBaseline) {
    const SuiteResult result = run_mutant(catalogue, m.mutation, cases_for(catalogue, {}));
    INFO("mutation " << static_cast<unsigned>(m.mutation) << ": " << m.cases);
    REQUIRE(result.no_baseline);
    CHECK(result.no_baseline->rfind(m.cases, 0) == 0);
    CHECK(totals_of(result).not_run == result.cases.size());
  }
}
