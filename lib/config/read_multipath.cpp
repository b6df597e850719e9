// SPDX-License-Identifier: BSD-3-Clause
#include "config/choices.hpp"
#include "config/draft.hpp"

namespace softfeb::config {
namespace {

/// Reads the list of header fields that the hash covers.
void read_fields(Section& s, fabric::MultipathConfig& multipath) {
  const Node* const node = s.find("hash");
  if (node == nullptr) return;
  std::uint8_t fields = 0;
  for (const Node& field : s.list("hash")) {
    fabric::HashField one{};
    if (s.scalar(field, one, choices::kHashField)) fields = static_cast<std::uint8_t>(fields | one);
  }
  if (node->kind == Node::Kind::kList && node->children.empty()) {
    s.reading().problem(node->where, "the hash covers no field",
                        "write for example [source_ip, destination_ip, source_port], or remove `hash`");
  }
  multipath.fields = fields;
}

}  // namespace

void read_multipath(Section s, fabric::MultipathConfig& multipath) {
  s.read("mode", multipath.mode, choices::kMultipathMode);
  read_fields(s, multipath);
  s.read("seed", multipath.seed, integer(0, UINT32_MAX));
  s.read("polarised", multipath.polarised, parse_bool);
  s.close();
}

}  // namespace softfeb::config
