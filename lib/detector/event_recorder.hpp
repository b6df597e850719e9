// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/bytes.hpp"
#include "detector/event_builder.hpp"
#include "detector/event_header.hpp"

#include <cstdint>
#include <optional>

namespace softfeb::detector {

/// Records the accepted fragments and the closed events of one builder. Each fragment is recorded before its
/// event. Pass this object to the builder as its sink, and pass all fragments through add().
class EventRecorder : public EventSink {
 public:
  /// Calls builder.add(), and records the fragment if it is accepted. `header` and `payload` must have passed
  /// read_event_header(); they are used only during the call.
  FragmentVerdict add(EventBuilder& builder, Time now, const Fragment& fragment, const EventHeader& header,
                      ByteSpan payload);
  void on_closed(const ClosedEvent& event) final;

 protected:
  virtual void record_fragment(const EventHeader& header, ByteSpan payload) = 0;
  /// `latency` is the time from the trigger to the completion of the event; empty if the event is not
  /// complete.
  virtual void record_closed(const ClosedEvent& event, std::optional<Time> latency) = 0;

 private:
  /// The fragment that add() has passed to the builder. If this fragment completes its event, the builder
  /// calls on_closed() before EventBuilder::add() returns. on_closed() must then record the fragment first.
  struct Pending {
    const EventHeader* header = nullptr;
    ByteSpan payload;
    Time trigger = 0;
  };

  Pending pending_;
};

/// Number of pieces that have arrived from a board.
std::uint32_t count_pieces(const ClosedEvent& event, std::uint32_t board);

}  // namespace softfeb::detector
