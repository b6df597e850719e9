// SPDX-License-Identifier: BSD-3-Clause
#include "study/command.hpp"

#include "base/error.hpp"

#include <string>

#include <catch2/catch.hpp>

using namespace softfeb::study;

TEST_CASE("A command gets its input and returns its output and status") {
  const CommandResult result = run_command({"sh", "-c", "tr a-z A-Z; exit 3"}, "some words\n", true, "dash");
  CHECK(result.status == 3);
  CHECK(result.output == "SOME WORDS\n");
}

TEST_CASE("Large input and output of a command do not block each other") {
  const std::string text(1 << 20, 'x');
  CHECK(run_command({"cat"}, text, true, "coreutils").output == text);
}

TEST_CASE("A signal that ends a command is part of its status") {
  CHECK(run_command({"sh", "-c", "kill -KILL $$"}, "", true, "dash").status == 128 + 9);
}

TEST_CASE("The error for a missing program names its package") {
  CHECK_THROWS_WITH(run_command({"no-such-program"}, "", true, "some-package"),
                    Catch::Contains("cannot run no-such-program") && Catch::Contains("some-package"));
}

TEST_CASE("A shell reads quoted words unchanged") {
  for (const std::string word : {"plain", "", "two words", "it's", "$HOME \"x\" `y` \\ *", "a=b,c:d/e-1.5"}) {
    CAPTURE(word);
    const std::string script = "printf %s " + shell_quoted(word);
    CHECK(run_command({"sh", "-c", script}, "", true, "dash").output == word);
  }
  CHECK(shell_quoted("run.duration=30ms") == "run.duration=30ms");
  CHECK(shell_quoted(Arguments{"a", "b c"}) == "a 'b c'");
}

TEST_CASE("Words are separated by blanks") {
  CHECK(words_of(" -p  long --mem=2G ") == Arguments{"-p", "long", "--mem=2G"});
  CHECK(words_of("").empty());
}
