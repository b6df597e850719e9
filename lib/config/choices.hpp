// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "config/run_config.hpp"
#include "config/section.hpp"
#include "fabric/config.hpp"

/// The configuration keywords of each enumeration.
namespace softfeb::config::choices {

inline const Choices<fabric::MultipathConfig::Mode> kMultipathMode{
    {{"hash", fabric::MultipathConfig::Mode::kHash},
     {"hash_threshold", fabric::MultipathConfig::Mode::kHashThreshold},
     {"round_robin", fabric::MultipathConfig::Mode::kRoundRobin},
     {"random", fabric::MultipathConfig::Mode::kRandom}}};
inline const Choices<bool> kScheduler{{{"dwrr", false}, {"wrr", true}}};
inline const Choices<fabric::HashField> kHashField{{{"source_ip", fabric::kHashSourceIp},
                                                    {"destination_ip", fabric::kHashDestinationIp},
                                                    {"protocol", fabric::kHashProtocol},
                                                    {"source_port", fabric::kHashSourcePort},
                                                    {"destination_port", fabric::kHashDestinationPort},
                                                    {"dest_qp", fabric::kHashDestQp}}};

inline const Choices<HugePages> kHugepages{{{"auto", HugePages::kAuto}, {"no", HugePages::kNo}}};
inline const Choices<IdlePolicy> kIdle{
    {{"spin", IdlePolicy::kSpin}, {"pause", IdlePolicy::kPause}, {"sleep", IdlePolicy::kSleep}}};
inline const Choices<FlowControl> kFlowControl{{{"off", FlowControl::kOff},
                                                {"rx", FlowControl::kRx},
                                                {"tx", FlowControl::kTx},
                                                {"full", FlowControl::kFull},
                                                {"leave", FlowControl::kLeave}}};
inline const Choices<Promiscuous> kPromiscuous{
    {{"auto", Promiscuous::kAuto}, {"on", Promiscuous::kOn}, {"off", Promiscuous::kOff}}};
inline const Choices<std::optional<SteeringTier>> kSteering{{{"auto", std::nullopt},
                                                             {"off", SteeringTier::kSoftware},
                                                             {"t2", SteeringTier::kUdp},
                                                             {"t3", SteeringTier::kBth}}};
inline const Choices<TxSegments> kTxSegments{{{"auto", TxSegments::kAuto}, {"one", TxSegments::kOne}}};
inline const Choices<Pacing> kPacing{
    {{"software", Pacing::kSoftware}, {"queue_rate", Pacing::kQueueRate}, {"timestamp", Pacing::kTimestamp}}};
inline const Choices<faults::Direction> kFaultDirection{
    {{"tx", faults::Direction::kTx}, {"rx", faults::Direction::kRx}}};
inline const Choices<faults::ResponseKind> kResponseKind{{{"ack", faults::ResponseKind::kAck},
                                                          {"nak", faults::ResponseKind::kNak},
                                                          {"rnr", faults::ResponseKind::kRnr},
                                                          {"cnp", faults::ResponseKind::kCnp}}};
inline const Choices<roce::Operation> kWriteOperation{{{"write_first", roce::Operation::kWriteFirst},
                                                       {"write_middle", roce::Operation::kWriteMiddle},
                                                       {"write_last", roce::Operation::kWriteLast},
                                                       {"write_last_imm", roce::Operation::kWriteLastImm},
                                                       {"write_only", roce::Operation::kWriteOnly},
                                                       {"write_only_imm", roce::Operation::kWriteOnlyImm}}};
inline const Choices<faults::ActionKind> kFaultAction{{{"drop", faults::ActionKind::kDrop},
                                                       {"duplicate", faults::ActionKind::kDuplicate},
                                                       {"reorder", faults::ActionKind::kReorder},
                                                       {"delay", faults::ActionKind::kDelay},
                                                       {"corrupt", faults::ActionKind::kCorrupt},
                                                       {"truncate", faults::ActionKind::kTruncate},
                                                       {"mark_ce", faults::ActionKind::kMarkCe},
                                                       {"set_ecn", faults::ActionKind::kSetEcn},
                                                       {"set_dscp", faults::ActionKind::kSetDscp},
                                                       {"set_ttl", faults::ActionKind::kSetTtl},
                                                       {"replay", faults::ActionKind::kReplay}}};
inline const Choices<switchtest::RigKind> kRig{{{"virtual", switchtest::RigKind::kVirtual},
                                                {"rings", switchtest::RigKind::kRings},
                                                {"ports", switchtest::RigKind::kPorts}}};
inline const Choices<switchtest::Effort> kEffort{{{"quick", switchtest::Effort::kQuick},
                                                  {"standard", switchtest::Effort::kStandard},
                                                  {"rfc", switchtest::Effort::kRfc}}};
inline const Choices<bool> kFaultIcrc{{{"stale", false}, {"right", true}}};
inline const Choices<CaptureMode> kCaptureMode{
    {{"start", CaptureMode::kFirst}, {"error", CaptureMode::kOnError}}};
inline const Choices<CaptureDirection> kCaptureDirection{
    {{"both", CaptureDirection::kBoth}, {"rx", CaptureDirection::kRx}, {"tx", CaptureDirection::kTx}}};
inline const Choices<roce::Ecn> kEcn{{{"not-ect", roce::Ecn::kNotEct},
                                      {"ect0", roce::Ecn::kEct0},
                                      {"ect1", roce::Ecn::kEct1},
                                      {"ce", roce::Ecn::kCe}}};
inline const Choices<roce::CnpScope> kCnpScope{
    {{"qp", roce::CnpScope::kQp}, {"ip_pair", roce::CnpScope::kIpPair}}};
inline const Choices<bool> kNotify{{{"receiver", false}, {"sender", true}}};
inline const Choices<bool> kOrdering{{{"psn", false}, {"any", true}}};
inline const Choices<WindowsConfig::Layout> kWindowLayout{
    {{"window", WindowsConfig::Layout::kWindow}, {"stream", WindowsConfig::Layout::kStream}}};
inline const Choices<detector::TriggerSourceConfig::Kind> kTriggerSource{
    {{"random", detector::TriggerSourceConfig::Kind::kRandom},
     {"periodic", detector::TriggerSourceConfig::Kind::kPeriodic},
     {"list", detector::TriggerSourceConfig::Kind::kList}}};
inline const Choices<bool> kTriggerMode{{{"clock", false}, {"message", true}}};
inline const Choices<detector::EventType> kEventType{{{"unknown", detector::EventType::kUnknown},
                                                      {"flatfield", detector::EventType::kFlatfield},
                                                      {"sky_pedestal", detector::EventType::kSkyPedestal},
                                                      {"daq", detector::EventType::kDaq},
                                                      {"subarray", detector::EventType::kSubarray}}};
inline const Choices<detector::PayloadKind> kEventKind{{{"counter", detector::PayloadKind::kCounter},
                                                        {"waveform12", detector::PayloadKind::kWaveform12},
                                                        {"waveform16", detector::PayloadKind::kWaveform16},
                                                        {"roi", detector::PayloadKind::kRoi},
                                                        {"replay", detector::PayloadKind::kReplay},
                                                        {"beamlets", detector::PayloadKind::kBeamlets}}};
inline const Choices<detector::FragmentSizes::Shape> kSizeShape{
    {{"fixed", detector::FragmentSizes::Shape::kFixed},
     {"uniform", detector::FragmentSizes::Shape::kUniform},
     {"exponential", detector::FragmentSizes::Shape::kExponential}}};
inline const Choices<bool> kBusy{{{"veto", true}, {"drop", false}}};
inline const Choices<bool> kCheck{{{"payload", true}, {"none", false}}};
inline const Choices<roce::TimingProfile> kTiming{
    {{"standard", roce::TimingProfile::kStandard}, {"firmware", roce::TimingProfile::kFirmware}}};
inline const Choices<IcrcMethod> kIcrc{{{"known", IcrcMethod::kKnown}, {"full", IcrcMethod::kFull}}};
inline const Choices<roce::Transport> kTransport{
    {{"RC", roce::Transport::kRc}, {"UC", roce::Transport::kUc}}};
inline const Choices<roce::WrOpcode> kVerb{
    {{"write", roce::WrOpcode::kWrite}, {"write_imm", roce::WrOpcode::kWriteImm}}};
inline const Choices<SignalPolicy> kSignaled{
    {{"all", SignalPolicy::kAll}, {"last", SignalPolicy::kLast}, {"none", SignalPolicy::kNone}}};
inline const Choices<board::PayloadKind> kPayload{{{"counter", board::PayloadKind::kCounter},
                                                   {"zero", board::PayloadKind::kZero},
                                                   {"prbs31", board::PayloadKind::kPrbs31}}};
inline const Choices<bool> kTraffic{{{"messages", false}, {"beamlets", true}}};
inline const Choices<ArrivalsConfig::Queue> kQueue{
    {{"qp", ArrivalsConfig::Queue::kQp}, {"group", ArrivalsConfig::Queue::kGroup}}};

inline const Choices<board::TrafficGenSettings::Mode> kTrafficGenMode{
    {{"write", board::TrafficGenSettings::Mode::kWrite}, {"udp", board::TrafficGenSettings::Mode::kUdp}}};

inline const Choices<roce::PauseMode> kPauseMode{
    {{"off", roce::PauseMode::kOff}, {"pause", roce::PauseMode::kPause}, {"pfc", roce::PauseMode::kPfc}}};
inline const Choices<bool> kMarkingAt{{{"enqueue", false}, {"dequeue", true}}};
inline const Choices<bool> kNotEct{{{"pass", false}, {"drop", true}}};
inline const Choices<fabric::WatchdogConfig::Action> kWatchdogAction{
    {{"drop", fabric::WatchdogConfig::Action::kDrop}, {"forward", fabric::WatchdogConfig::Action::kForward}}};
inline const Choices<bool> kNeighbours{{{"resolve", false}, {"static", true}}};
inline const Choices<bool> kTrust{{{"dscp", false}, {"pcp", true}}};

inline const Choices<DcqcnSlots> kDcqcnSlots{
    {{"configured_first", DcqcnSlots::kConfiguredFirst}, {"bus_first", DcqcnSlots::kBusFirst}}};

inline const Choices<CongestionConfig::Scope> kCongestionScope{
    {{"qp", CongestionConfig::Scope::kQp},
     {"board", CongestionConfig::Scope::kBoard},
     {"ip_pair", CongestionConfig::Scope::kIpPair}}};
inline const Choices<bool> kBucketStart{{{"empty", false}, {"full", true}}};

}  // namespace softfeb::config::choices
