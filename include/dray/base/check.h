#pragma once

#include <exception>
#include <optional>
#include <string>
#include <utility>

namespace dray {

/// An invariant of dray's own code that does not hold. Thrown by DRAY_CHECK, and only inside
/// run_checked(); the one exception that dray throws (docs/decisions/0007-broken-invariants.md).
/// No std::exception, so that whoever ends a library's exceptions does not end this one.
struct BrokenInvariant {
  std::string text;  ///< `FILE:LINE: CONDITION`
};

/// A check failed: throws BrokenInvariant inside run_checked(), else says so on standard error and
/// aborts. Any thread.
[[noreturn]] void broken_invariant(const char* condition, const char* file, int line);

/// While it lives, a check that fails on this thread throws instead of aborting.
class ThrowingChecks {
 public:
  ThrowingChecks();
  ~ThrowingChecks();
  ThrowingChecks(const ThrowingChecks&) = delete;
  ThrowingChecks& operator=(const ThrowingChecks&) = delete;
};

/// Runs `step` to its end, or until an invariant breaks in it, and then says which; a
/// std::exception that leaves it is one too. After that nothing may step again what `step` works
/// on: it may stand half changed. Any thread; may be nested.
template <class Step>
[[nodiscard]] std::optional<BrokenInvariant> run_checked(Step&& step) {
  const ThrowingChecks throwing;
  try {
    std::forward<Step>(step)();
  } catch (BrokenInvariant& broken) {
    return std::move(broken);
  } catch (const std::exception& thrown) {
    return BrokenInvariant{std::string("exception: ") + thrown.what()};
  }
  return std::nullopt;
}

}  // namespace dray

/// An invariant of dray's own code; always on. Bad input is a Result, never this. Outside of
/// run_checked(), and in a destructor or a noexcept function, the program aborts.
#define DRAY_CHECK(condition)             \
  (static_cast<bool>(condition) ? void(0) \
                                : ::dray::broken_invariant(#condition, __FILE__, __LINE__))
