// SPDX-License-Identifier: BSD-3-Clause
#include "fabric/link_rules.hpp"

#include "fabric/facts.hpp"

namespace softfeb::fabric {

Frame* RuledFrames::copy(const Frame* frame) {
  Frame* const copy = store_.copy(*frame);
  if (copy != nullptr) copy_facts(*frame, *copy);
  return copy;
}

MutableByteSpan RuledFrames::writable(Frame* frame) {
  const MutableByteSpan bytes = store_.writable(*frame);
  if (bytes.size() >= kMacSize) std::copy_n(bytes.begin(), kMacSize, destination_.begin());
  return bytes;
}

void RuledFrames::edited(Frame* frame, std::size_t size) {
  if (size != frame->length) store_.shorten(*frame, static_cast<std::uint32_t>(size));
  read_facts(*frame, cc_port_);
  if (!std::equal(destination_.begin(), destination_.end(), frame->header))
    frame->destination = addresses_.find(frame->header);
}

LinkRules::LinkRules(const LinkFaults& faults, const RuledFrames& frames)
    : frames_(frames), actions_(frames_, {faults.rules, faults.qps}, faults.hold) {}

}  // namespace softfeb::fabric
