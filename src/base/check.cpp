#include "dray/base/check.h"

#include <atomic>
#include <cstdio>
#include <cstdlib>

namespace dray {
namespace {

std::atomic<BrokenInvariantHandler> installed{nullptr};

}  // namespace

void set_broken_invariant_handler(BrokenInvariantHandler handler) noexcept {
  installed = handler;
}

void broken_invariant(const char* condition, const char* file, int line) noexcept {
  if (const auto handler = installed.load()) handler(condition, file, line);
  std::fprintf(stderr, "%s:%d: broken invariant: %s\n", file, line, condition);
  std::abort();
}

}  // namespace dray
