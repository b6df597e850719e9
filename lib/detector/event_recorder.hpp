// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/bytes.hpp"
#include "detector/event_builder.hpp"
#include "detector/event_header.hpp"

#include <cstdint>
#include <optional>

namespace softfeb::detector {

/// Receives the accepted fragments and the closed events of one builder, each fragment before its event
/// closes. Pass it to the builder as its sink, and add all fragments through add().
class EventRecorder : public EventSink {
 public:
  /// Calls builder.add(), and records the fragment if it is accepted. `header` and `payload` have passed
  /// read_event_header(); they are used only during the call.
  FragmentVerdict add(EventBuilder& builder, Time now, const Fragment& fragment, const EventHeader& header,
                      ByteSpan payload);
  void on_closed(const ClosedEvent& event) final;

 protected:
  virtual void record_fragment(const EventHeader& header, ByteSpan payload) = 0;
  /// `latency`: from trigger to completion; empty unless the event is complete.
  virtual void record_closed(const ClosedEvent& event, std::optional<Time> latency) = 0;

 private:
  /// The fragment that the builder is judging. It may complete its event, which then closes first.
  struct Pending {
    const EventHeader* header = nullptr;
    ByteSpan payload;
    Time trigger = 0;
  };

  Pending pending_;
};

/// Pieces of a board that have arrived.
std::uint32_t count_pieces(const ClosedEvent& event, std::uint32_t board);

}  // namespace softfeb::detector
