#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cel/text/net_text.h"
#include "cel/text/time_text.h"
#include "cel/value/arena.h"
#include "cel/value/type.h"
#include "dray/cel/device_shape.h"
#include "dray/cel/value.h"

namespace dray::cel {

struct ListValue {
  enum class Form : std::uint8_t {
    plain,
    joined,   ///< `a + b`, not copied: adding must stay cheap
    growing,  ///< the accumulator of a comprehension: adding changes it in place
  };
  Form form = Form::plain;
  std::uint32_t size = 0;
  std::uint32_t capacity = 0;       ///< growing
  const Value* items = nullptr;     ///< plain, growing
  const ListValue* left = nullptr;  ///< joined
  const ListValue* right = nullptr;
  /// Growing: the value and its items as the one who adds to them changes them.
  ListValue* self = nullptr;
  Value* room = nullptr;
};

struct MapEntry {
  Value key;
  Value value;
};

struct MapValue {
  enum class Form : std::uint8_t {
    plain,
    growing,  ///< the accumulator of a comprehension
    device,   ///< the variable itself: four keys
    domains,  ///< device.attributes or device.capacity: an unknown domain is an empty map
    names,    ///< one domain of them
  };
  Form form = Form::plain;
  Half half = Half::attribute;  ///< domains, names
  bool known = true;            ///< names: the domain exists
  std::uint32_t size = 0;
  std::uint32_t capacity = 0;         ///< growing
  std::uint32_t sorted = 0;           ///< growing: so many are sorted, the rest is not yet
  const MapEntry* entries = nullptr;  ///< plain, growing: sorted by key
  const DeviceShape* device = nullptr;
  int first = 0;  ///< names: the device's columns
  /// Growing: the value and its entries as the one who adds to them changes them.
  MapValue* self = nullptr;
  MapEntry* room = nullptr;
};

struct OptionalValue {
  bool present = false;
  Value value;
};

/// net/url.URL's parts; the views point into the arena.
struct UrlValue {
  std::string_view scheme, host, path, escaped_path, raw_query, text;
};

struct ErrorValue {
  enum class Code : std::uint8_t { text, no_such_key, index_out_of_bounds };
  Code code = Code::text;
  bool cancelled = false;  ///< nothing absorbs it
  std::string_view text;
  Value argument;
};

/// What a run of a program works on: its memory, its device, how it failed for good.
class Context {
 public:
  Arena arena;
  const DeviceShape* device = nullptr;
  const ErrorValue* cancelled = nullptr;  ///< set once; the run ends with it

  /// More memory than any accepted expression needs; upstream has no such limit and grows.
  static constexpr std::size_t memory_limit = std::size_t{256} * 1024 * 1024;

  // --- errors ---
  [[nodiscard]] Value error(std::string_view text);
  [[nodiscard]] Value no_such_key(const Value& key);
  [[nodiscard]] Value index_out_of_bounds(const Value& index);
  /// The bare `no such overload`; an error given is passed on.
  [[nodiscard]] static Value no_such_overload();
  [[nodiscard]] static Value no_such_overload(const Value& value) {
    return value.is_error() ? value : no_such_overload();
  }
  /// Ends the run with an error that nothing absorbs.
  Value cancel(std::string_view text);
  /// A panic of upstream: `internal error: text`.
  Value panic(std::string_view text) { return cancel("internal error: " + std::string(text)); }
  /// False (and the run cancelled) if `bytes` more would be too much.
  [[nodiscard]] bool afford(std::size_t bytes);

  // --- values ---
  [[nodiscard]] Value string(std::string_view text) { return made_text(text, Kind::string); }
  /// The text with each byte changed.
  [[nodiscard]] Value string(std::string_view text, char (*change)(char));
  [[nodiscard]] Value bytes(std::string_view text) { return made_text(text, Kind::bytes); }
  [[nodiscard]] Value list(std::span<const Value> items);
  /// Takes entries in any order; of equal keys the last one counts.
  [[nodiscard]] Value map(std::span<MapEntry> entries);
  [[nodiscard]] Value optional(const Value& value);
  [[nodiscard]] static Value none();
  [[nodiscard]] Value timestamp(std::int64_t seconds, std::int32_t nanoseconds, std::int32_t zone);
  [[nodiscard]] static Value duration(std::int64_t nanoseconds);
  [[nodiscard]] static Value type(const Type& type);
  [[nodiscard]] Value ip(const IpAddress& address);
  [[nodiscard]] Value cidr(const CidrBlock& block);
  /// Quantities and semvers own memory: they live until the next clear().
  [[nodiscard]] Value quantity(Quantity quantity, bool computed);
  [[nodiscard]] Value semver(Semver version);
  [[nodiscard]] Value growing_list();
  [[nodiscard]] Value growing_map();

  void clear();

 private:
  [[nodiscard]] Value made_text(std::string_view text, Kind kind);

  std::vector<std::unique_ptr<Quantity>> quantities_;
  std::vector<std::unique_ptr<Semver>> semvers_;
};

}  // namespace dray::cel
