// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "latency/stamps.hpp"

#include <cstdint>
#include <ostream>

#include <ns3/tag.h>
#include <ns3/type-id.h>

namespace softfeb::ns3model {

/// Marks the last packet of a message whose times are recorded (engine::TxFrame::message).
class MessageTag : public ns3::Tag {
 public:
  explicit MessageTag(latency::MessageKey key = 0) : key_(key) {}

  static ns3::TypeId GetTypeId() {
    static const ns3::TypeId id =
        ns3::TypeId("softfeb::MessageTag").SetParent<ns3::Tag>().AddConstructor<MessageTag>();
    return id;
  }
  ns3::TypeId GetInstanceTypeId() const override { return GetTypeId(); }
  std::uint32_t GetSerializedSize() const override { return sizeof key_; }
  void Serialize(ns3::TagBuffer out) const override { out.WriteU64(key_); }
  void Deserialize(ns3::TagBuffer in) override { key_ = in.ReadU64(); }
  void Print(std::ostream& out) const override { out << "message " << key_; }

  latency::MessageKey key() const { return key_; }

 private:
  latency::MessageKey key_;
};

}  // namespace softfeb::ns3model
