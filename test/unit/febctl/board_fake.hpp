// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "board/metadata.hpp"
#include "catalogue.hpp"
#include "register_port.hpp"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace softfeb::test {

/// Returns the registers of the firmware, as listed in the reference map of test/vectors.
std::vector<febctl::Register> reference_registers();
/// Returns the catalogue of the firmware's registers.
const febctl::Catalogue& catalogue();

/// A simple board in memory. It stores the words of all registers and protects read-only bits. A metadata
/// server answers requests to RoceEngine, and bursts of the dispatcher complete immediately.
class BoardFake final : public febctl::RegisterPort {
 public:
  explicit BoardFake(const febctl::Catalogue& catalogue, const board::MetadataLimits& limits = {});

  febctl::Bytes read(febctl::Range range) override;
  std::vector<febctl::ReadResult> read_many(std::span<const febctl::Range> ranges) override;
  void write(std::uint32_t address, ByteSpan data) override;
  void post(std::uint32_t address, ByteSpan data) override;

  /// Accesses in order, for example "W 00000004 4" and "R 00000004 4".
  std::vector<std::string> log;
  std::vector<std::string> requests;  ///< requests on the metadata bus, each as 40 bytes in hex
  std::map<std::uint32_t, std::uint32_t> words;
  std::uint32_t decode_error_at = 1;  ///< address of a word that returns a decode error; 1: no word
  std::uint32_t stuck_at = 1;         ///< address of a word that ignores writes; 1: no word
  bool silent_bus = false;            ///< whether the metadata bus leaves requests without a response
  std::uint64_t lost = 0;             ///< how many requests of the next burst never complete
  const board::MetadataServer& metadata() const { return metadata_; }

 private:
  void store(std::uint32_t address, std::uint32_t value);
  void on_send_metadata(std::uint32_t before, std::uint32_t now);
  void on_dispatch(std::uint32_t before, std::uint32_t now);

  const febctl::Catalogue& catalogue_;
  board::MetadataServer metadata_;
};

}  // namespace softfeb::test
