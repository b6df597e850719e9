// SPDX-License-Identifier: BSD-3-Clause
#include "base/rng.hpp"
#include "lab_documents.hpp"

#include <fstream>
#include <iterator>

#include <catch2/catch.hpp>

using namespace softfeb;
using namespace softfeb::config;
using namespace softfeb::config::test;

namespace {

/// Loads `text` and returns true if it could be loaded. Exceptions other than ConfigError end the test.
bool survives(const std::string& text, bool lab = false) {
  try {
    if (lab) {
      to_yaml(config::test::load_lab(text));
    } else {
      load(text);
    }
    return true;
  } catch (const ConfigError& e) {
    CHECK_FALSE(e.problems().empty());
    CHECK_FALSE(std::string(e.what()).empty());
    return false;
  }
}

std::string read(const std::string& path) {
  std::ifstream in(path);
  return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace

TEST_CASE("random bytes are refused with a message") {
  Rng rng(1);
  const std::string alphabet = ":-[]{},#&*!|>'\"%@` \n\t\r?aZ09\\~.=<\xff\xc3\xb5";
  for (int i = 0; i < 3000; ++i) {
    std::string text(rng.below(120), ' ');
    const bool any = rng.chance(1ULL << 31);
    for (char& c : text) c = any ? static_cast<char>(rng.below(256)) : alphabet[rng.below(alphabet.size())];
    survives(text);
  }
}

namespace {

/// Loads `runs` randomly damaged documents, and returns how many of them could be loaded.
int damage(Rng rng, const std::vector<std::string>& originals, int runs, bool lab) {
  int loaded = 0;
  for (int i = 0; i < runs; ++i) {
    std::string text = originals[rng.below(originals.size())];
    for (std::uint64_t n = 1 + rng.below(4); n > 0; --n) {
      const std::size_t at = rng.below(text.size());
      switch (rng.below(4)) {
        case 0:
          text.erase(at, rng.below(20));
          break;
        case 1:
          text[at] = static_cast<char>(rng.below(256));
          break;
        case 2:
          text.insert(at, text.substr(rng.below(text.size()), rng.below(60)));
          break;
        default:
          text.resize(at + 1);
      }
    }
    loaded += survives(text, lab) ? 1 : 0;
  }
  return loaded;
}

}  // namespace

// Some documents must load, for example those in which only comments are damaged. Otherwise, no document
// would test the code behind the parser.
TEST_CASE("damaged configurations are refused with a message, or load") {
  CHECK(damage(Rng(2), {kBase, read(SOFTFEB_CONF_DIR "/reference.yaml")}, 1500, false) > 0);
}

TEST_CASE("damaged topologies are refused with a message, or load") {
  CHECK(damage(Rng(3), {kLabBase, read(SOFTFEB_CONF_DIR "/lab/reference.yaml")}, 1500, true) > 0);
}

TEST_CASE("documents of unreasonable size or depth") {
  CHECK_FALSE(survives(""));
  CHECK_FALSE(survives("# nothing\n"));
  CHECK_FALSE(survives("just a word"));
  CHECK_FALSE(survives("[1, 2]"));
  CHECK_FALSE(survives(std::string(100'000, '[')));
  CHECK_FALSE(survives(std::string(100'000, '{')));
  CHECK_FALSE(survives(std::string(100'000, '-')));
  CHECK_FALSE(survives("a: &a [x, *a]\n"));
  CHECK_FALSE(survives("a: &a {b: *a}\n"));
  std::string laughs = "a0: &a0 [x,x,x,x,x,x,x,x,x,x]\n";
  for (int i = 1; i < 12; ++i) {
    const std::string before = "*a" + std::to_string(i - 1);
    laughs += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [";
    for (int j = 0; j < 10; ++j) laughs += (j == 0 ? "" : ",") + before;
    laughs += "]\n";
  }
  CHECK_FALSE(survives(laughs));
  std::string wide;
  for (int i = 0; i < 20'000; ++i) wide += "k" + std::to_string(i) + ": 1\n";
  CHECK_FALSE(survives(wide));
}
