#pragma once

#include <expected>
#include <string>
#include <string_view>
#include <utility>

namespace dray {

/// What kind of failure an Error is: what a caller may do about it.
enum class ErrorCode {
  invalid,      ///< the input is wrong; the same call fails again
  not_found,    ///< the object is not there
  conflict,     ///< somebody else changed the object meanwhile; read again and retry
  unsupported,  ///< valid, but not (yet) something that dray does; the message names it
  unavailable,  ///< the other side did not answer; may work later
  denied,       ///< the other side refuses us
  gone,         ///< a watch's resourceVersion is too old; list again
  internal,     ///< a rule that should always hold does not
};

/// `not_found`, for metrics and logs.
[[nodiscard]] constexpr std::string_view name(ErrorCode code) {
  switch (code) {
    case ErrorCode::invalid:
      return "invalid";
    case ErrorCode::not_found:
      return "not_found";
    case ErrorCode::conflict:
      return "conflict";
    case ErrorCode::unsupported:
      return "unsupported";
    case ErrorCode::unavailable:
      return "unavailable";
    case ErrorCode::denied:
      return "denied";
    case ErrorCode::gone:
      return "gone";
    case ErrorCode::internal:
      return "internal";
  }
  return "";
}

/// A bad input or a failed call. Its message names the object, in lower case and without a full
/// stop: `claim default/c0: request gpu: selector 2: no such key`. "Does not fit" is not an Error.
struct Error {
  ErrorCode code = ErrorCode::internal;
  std::string message;

  /// The same error seen from further out: `where: message`.
  [[nodiscard]] Error within(std::string_view where) && {
    message.insert(0, std::string(where) + ": ");
    return std::move(*this);
  }

  bool operator==(const Error&) const = default;
};

/// A value, or why there is none.
template <class T>
using Result = std::expected<T, Error>;

/// `return fail(ErrorCode::invalid, "...")` in any function that returns a Result.
[[nodiscard]] inline std::unexpected<Error> fail(ErrorCode code, std::string message) {
  return std::unexpected(Error{code, std::move(message)});
}

}  // namespace dray
