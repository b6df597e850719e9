// SPDX-License-Identifier: BSD-3-Clause
#include "sha256.hpp"

#include <array>
#include <stdexcept>

#include <openssl/evp.h>

namespace softfeb::sink {

std::string sha256_hex(ByteSpan bytes) {
  std::array<std::uint8_t, EVP_MAX_MD_SIZE> digest;
  unsigned size = 0;
  if (EVP_Digest(bytes.data(), bytes.size(), digest.data(), &size, EVP_sha256(), nullptr) != 1)
    throw std::runtime_error("libcrypto cannot make a SHA-256");
  std::string hex;
  for (unsigned i = 0; i < size; ++i) {
    hex += "0123456789abcdef"[digest[i] >> 4];
    hex += "0123456789abcdef"[digest[i] & 15];
  }
  return hex;
}

}  // namespace softfeb::sink
