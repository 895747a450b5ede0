#include "kube/program_output.h"

#include <catch2/catch.hpp>
#include <stop_token>
#include <thread>

namespace dray::kube::program_output_test {
namespace {

using namespace std::chrono_literals;

Result<std::string> shell(const std::string& script, const Variables& variables = {},
                          std::chrono::milliseconds at_most = 60s) {
  return program_output({"sh", "-c", script}, variables, at_most);
}

TEST_CASE("what a program prints is given, however long") {
  CHECK(shell("echo here").value() == "here\n");
  CHECK(shell("i=0; while [ $i -lt 2000 ]; do echo 0123456789012345678901234567890123456789; "
              "i=$((i+1)); done")
            .value()
            .size() == 82'000);
}

TEST_CASE("it has our environment, with variables on top, and no standard input") {
  CHECK(shell("echo $A-$PATH", {{"A", "b"}, {"PATH", "/usr/bin"}}).value() == "b-/usr/bin\n");
  CHECK(shell("[ -n \"$PATH\" ] && cat").value().empty());
}

TEST_CASE("a program that fails is an error with what happened") {
  CHECK(shell("echo half; exit 3").error().message == "ended with 3");
  CHECK(shell("kill -TERM $$").error().message == "was ended by signal 15");
  const auto missing = program_output({"/no/such/program"}, {}, 1s);
  REQUIRE_FALSE(missing);
  CHECK(missing.error().code == ErrorCode::not_found);
  CHECK(program_output({"no-such-program"}, {}, 1s).error().code == ErrorCode::not_found);
}

TEST_CASE("a program that is not waited for any longer is killed") {
  std::stop_source stop;
  std::jthread later([&] { stop.request_stop(); });
  CHECK(program_output({"sh", "-c", "sleep 1000"}, {}, 1h, stop.get_token()).error().message ==
        "was not waited for any longer");
}

TEST_CASE("a program that does not end is killed") {
  CHECK(shell("sleep 1000", {}, 20ms).error().message == "gave no answer within 20 ms");
}

TEST_CASE("a program that says no more and does not end is killed") {
  CHECK(shell("exec >&-; sleep 1000", {}, 20ms).error().message == "did not end within 20 ms");
}

TEST_CASE("a program that prints without end is killed") {
  CHECK(shell("yes").error().message == "printed more than 1048576 bytes");
}

}  // namespace
}  // namespace dray::kube::program_output_test
