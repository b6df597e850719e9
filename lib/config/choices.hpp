// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "config/run_config.hpp"
#include "config/section.hpp"
#include "fabric/config.hpp"

/// The configuration keywords of each enumeration.
namespace softfeb::config::choices {

inline const Choices<Hugepages> kHugepages{{{"auto", Hugepages::kAuto}, {"no", Hugepages::kNo}}};
inline const Choices<Idle> kIdle{{{"spin", Idle::kSpin}, {"pause", Idle::kPause}, {"sleep", Idle::kSleep}}};
inline const Choices<FlowControl> kFlowControl{{{"off", FlowControl::kOff},
                                                {"rx", FlowControl::kRx},
                                                {"tx", FlowControl::kTx},
                                                {"full", FlowControl::kFull},
                                                {"leave", FlowControl::kLeave}}};
inline const Choices<Promiscuous> kPromiscuous{
    {{"auto", Promiscuous::kAuto}, {"on", Promiscuous::kOn}, {"off", Promiscuous::kOff}}};
inline const Choices<Steering> kSteering{
    {{"auto", Steering::kAuto}, {"off", Steering::kOff}, {"t2", Steering::kT2}, {"t3", Steering::kT3}}};
inline const Choices<TxSegments> kTxSegments{{{"auto", TxSegments::kAuto}, {"one", TxSegments::kOne}}};
inline const Choices<Pacing> kPacing{
    {{"software", Pacing::kSoftware}, {"queue_rate", Pacing::kQueueRate}, {"timestamp", Pacing::kTimestamp}}};
inline const Choices<CaptureTrigger> kCaptureTrigger{
    {{"start", CaptureTrigger::kStart}, {"error", CaptureTrigger::kError}}};
inline const Choices<CaptureDirection> kCaptureDirection{
    {{"both", CaptureDirection::kBoth}, {"rx", CaptureDirection::kRx}, {"tx", CaptureDirection::kTx}}};
inline const Choices<roce::Ecn> kEcn{{{"not-ect", roce::Ecn::kNotEct},
                                      {"ect0", roce::Ecn::kEct0},
                                      {"ect1", roce::Ecn::kEct1},
                                      {"ce", roce::Ecn::kCe}}};
inline const Choices<CnpScope> kCnpScope{{{"qp", CnpScope::kQp}, {"ip_pair", CnpScope::kIpPair}}};
inline const Choices<bool> kCheck{{{"payload", true}, {"none", false}}};
inline const Choices<roce::TimingProfile> kTiming{
    {{"standard", roce::TimingProfile::kStandard}, {"firmware", roce::TimingProfile::kFirmware}}};
inline const Choices<IcrcMethod> kIcrc{{{"known", IcrcMethod::kKnown}, {"full", IcrcMethod::kFull}}};
inline const Choices<roce::Transport> kTransport{
    {{"RC", roce::Transport::kRc}, {"UC", roce::Transport::kUc}}};
inline const Choices<roce::WrOpcode> kVerb{
    {{"write", roce::WrOpcode::kWrite}, {"write_imm", roce::WrOpcode::kWriteImm}}};
inline const Choices<Signaled> kSignaled{
    {{"all", Signaled::kAll}, {"last", Signaled::kLast}, {"none", Signaled::kNone}}};
inline const Choices<PayloadConfig::Kind> kPayload{{{"counter", PayloadConfig::Kind::kCounter},
                                                    {"zero", PayloadConfig::Kind::kZero},
                                                    {"prbs31", PayloadConfig::Kind::kPrbs31}}};

inline const Choices<PauseMode> kPauseMode{
    {{"off", PauseMode::kOff}, {"pause", PauseMode::kPause}, {"pfc", PauseMode::kPfc}}};
inline const Choices<fabric::PauseKind> kPause{{{"off", fabric::PauseKind::kOff},
                                                {"pause", fabric::PauseKind::kPause},
                                                {"pfc", fabric::PauseKind::kPfc}}};
inline const Choices<bool> kTrust{{{"dscp", false}, {"pcp", true}}};

inline const Choices<DcqcnSlots> kDcqcnSlots{
    {{"configured_first", DcqcnSlots::kConfiguredFirst}, {"bus_first", DcqcnSlots::kBusFirst}}};

/// Values of `dcqcn`. connectx is the paper's algorithm with ConnectX parameters.
enum class DcqcnName : std::uint8_t { kOff, kFirmware, kPaper, kConnectX };
inline const Choices<DcqcnName> kDcqcn{{{"off", DcqcnName::kOff},
                                        {"firmware", DcqcnName::kFirmware},
                                        {"paper", DcqcnName::kPaper},
                                        {"connectx", DcqcnName::kConnectX}}};
constexpr DcqcnConfig::Algorithm algorithm_of(DcqcnName name) {
  if (name == DcqcnName::kOff) return DcqcnConfig::Algorithm::kOff;
  return name == DcqcnName::kFirmware ? DcqcnConfig::Algorithm::kFirmware : DcqcnConfig::Algorithm::kPaper;
}
inline const Choices<DcqcnConfig::Scope> kDcqcnScope{{{"qp", DcqcnConfig::Scope::kQp},
                                                      {"board", DcqcnConfig::Scope::kBoard},
                                                      {"ip_pair", DcqcnConfig::Scope::kIpPair}}};
inline const Choices<bool> kBucketStart{{{"empty", false}, {"full", true}}};

}  // namespace softfeb::config::choices
