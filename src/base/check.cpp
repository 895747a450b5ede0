#include "dray/base/check.h"

#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>

namespace dray {
namespace {

/// Of each thread, because a check knows nothing but where it stands.
thread_local int throwing_depth = 0;

}  // namespace

ThrowingChecks::ThrowingChecks() {
  ++throwing_depth;
}
ThrowingChecks::~ThrowingChecks() {
  --throwing_depth;
}

void broken_invariant(const char* condition, const char* file, int line) {
  auto text = fmt::format("{}:{}: {}", file, line, condition);
  // In the middle of another exception's way out a second one would end the program without a word.
  if (throwing_depth > 0 && std::uncaught_exceptions() == 0) {
    throw BrokenInvariant{std::move(text)};
  }
  std::fprintf(stderr, "broken invariant: %s\n", text.c_str());
  std::abort();
}

}  // namespace dray
