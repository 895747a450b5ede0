#pragma once

namespace dray {

/// What happens when an invariant is broken: the handler is called (the service stops writing and
/// turns unready); without one, or when it returns, the program aborts. Set once, before threads.
using BrokenInvariantHandler = void (*)(const char* condition, const char* file, int line);
/// Installs the handler; null: none.
void set_broken_invariant_handler(BrokenInvariantHandler handler) noexcept;

/// What DRAY_CHECK calls. Any thread.
[[noreturn]] void broken_invariant(const char* condition, const char* file, int line) noexcept;

}  // namespace dray

/// An invariant of dray's own code; always on. Bad input is a Result, never this.
#define DRAY_CHECK(condition)             \
  (static_cast<bool>(condition) ? void(0) \
                                : ::dray::broken_invariant(#condition, __FILE__, __LINE__))
