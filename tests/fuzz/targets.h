#pragma once

#include <span>
#include <string_view>

namespace dray::fuzz {

/// A parser of what comes from outside, with the properties that hold for whatever it gets: NAME is
/// run by libFuzzer as dray_NAME_fuzz, and over tests/fuzz/corpus/NAME by dray_fuzz_corpus_test. A
/// property that does not hold fails a DRAY_CHECK.
struct Target {
  std::string_view name;
  void (*run)(std::string_view input);
};

/// Each is defined in the file of its name.
void cel_compile(std::string_view input);
void cel_evaluate(std::string_view input);
void csv_trace(std::string_view input);
void exec_credential(std::string_view input);
void extender(std::string_view input);
void http_request(std::string_view input);
void http_response(std::string_view input);
void kubeconfig(std::string_view input);
void manifests(std::string_view input);
void object(std::string_view input);
void object_list(std::string_view input);
void packed(std::string_view input);
void policy_file(std::string_view input);
void quantity(std::string_view input);
void record_file(std::string_view input);
void record_line(std::string_view input);
void review(std::string_view input);
void watch_stream(std::string_view input);
void yaml(std::string_view input);

/// All of them, by name.
[[nodiscard]] std::span<const Target> targets();

}  // namespace dray::fuzz
