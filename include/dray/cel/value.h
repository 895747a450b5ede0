#pragma once

#include <cstdint>
#include <string_view>

#include "dray/base/quantity.h"
#include "dray/cel/semver.h"

namespace dray::cel {

/// What a Value holds. The order is no promise.
enum class Kind : std::uint8_t {
  null,
  boolean,
  int64,
  uint64,
  float64,
  string,
  bytes,
  list,
  map,
  type,
  duration,
  timestamp,
  optional,
  quantity,
  semver,
  ip,
  cidr,
  url,
  format,
  error,
};

class Type;
struct ListValue;
struct MapValue;
struct OptionalValue;
struct TimestampValue;
struct IpAddress;
struct CidrBlock;
struct UrlValue;
struct NamedFormat;
struct ErrorValue;

/// One CEL value in 16 bytes. Scalars are inline; everything else points at memory owned by the
/// Program (constants), the DeviceShape (attributes) or the evaluation's arena, so a Value is good
/// as long as those are. Never null where a pointer kind is set.
struct Value {
  Kind kind = Kind::null;
  /// Quantity: whether Go holds it by pointer-to-value (add, sub), which upstream's equality sees.
  bool computed = false;
  std::uint32_t size = 0;  ///< bytes of a string
  union {
    bool boolean;
    std::int64_t int64;
    std::uint64_t uint64;
    double float64;
    std::int64_t nanoseconds;  ///< duration
    const char* chars;
    const ListValue* list;
    const MapValue* map;
    const OptionalValue* optional;
    const TimestampValue* timestamp;
    const Type* type;
    const Quantity* quantity;
    const Semver* semver;
    const IpAddress* ip;
    const CidrBlock* cidr;
    const UrlValue* url;
    const NamedFormat* format;
    const ErrorValue* error;
  };

  /// Null.
  constexpr Value() : int64(0) {}

  /// A value of the kind that goes with the type.
  [[nodiscard]] static constexpr Value of(bool value) {
    Value v;
    v.kind = Kind::boolean;
    v.boolean = value;
    return v;
  }
  [[nodiscard]] static constexpr Value of(std::int64_t value) {
    Value v;
    v.kind = Kind::int64;
    v.int64 = value;
    return v;
  }
  [[nodiscard]] static constexpr Value of(std::uint64_t value) {
    Value v;
    v.kind = Kind::uint64;
    v.uint64 = value;
    return v;
  }
  [[nodiscard]] static constexpr Value of(double value) {
    Value v;
    v.kind = Kind::float64;
    v.float64 = value;
    return v;
  }
  /// The text is not copied.
  [[nodiscard]] static constexpr Value of(std::string_view text, Kind kind = Kind::string) {
    Value v;
    v.kind = kind;
    v.chars = text.data();
    v.size = static_cast<std::uint32_t>(text.size());
    return v;
  }

  /// What is held; is_true() and is_false() are both false of what is no boolean.
  [[nodiscard]] constexpr bool is(Kind wanted) const { return kind == wanted; }
  [[nodiscard]] constexpr bool is_error() const { return kind == Kind::error; }
  [[nodiscard]] constexpr bool is_true() const { return kind == Kind::boolean && boolean; }
  [[nodiscard]] constexpr bool is_false() const { return kind == Kind::boolean && !boolean; }
  /// Of a string or bytes; good as long as what it points at.
  [[nodiscard]] constexpr std::string_view text() const { return {chars, size}; }
};

static_assert(sizeof(Value) == 16);

}  // namespace dray::cel
