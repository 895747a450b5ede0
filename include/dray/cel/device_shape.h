#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dray/cel/value.h"
#include "dray/model/device.h"

namespace dray::cel {

/// Which half of `device` a name belongs to.
enum class Half : std::uint8_t { attribute, capacity };

/// `device.attributes["domain"].id` or `device.capacity["domain"].id`.
struct Name {
  Half half = Half::attribute;
  std::string domain;
  std::string id;

  auto operator<=>(const Name&) const = default;
};

/// Upstream's split of a qualified name: at the first `/`; without one the domain is the driver.
[[nodiscard]] Name split_name(Half half, std::string_view qualified, std::string_view driver);

/// The driver and the sorted names that a group of devices has in common. Immutable, interned: two
/// devices with the same driver and names have the same DeviceNames object.
class DeviceNames {
 public:
  /// `names` are sorted.
  DeviceNames(std::string driver, std::vector<Name> names);

  /// As the ResourceSlice says it.
  [[nodiscard]] const std::string& driver() const { return driver_; }
  /// Sorted; a name's place is its column.
  [[nodiscard]] std::span<const Name> names() const { return names_; }
  /// The column of a name, or -1.
  [[nodiscard]] int find(Half half, std::string_view domain, std::string_view id) const;
  /// The columns [first, last) of one domain; empty where the domain is not there.
  [[nodiscard]] std::pair<int, int> domain(Half half, std::string_view domain) const;
  /// Never used again: for caches by names.
  [[nodiscard]] std::uint64_t serial() const { return serial_; }

 private:
  std::uint64_t serial_;
  std::string driver_;
  std::vector<Name> names_;  // sorted
};

/// A converted attribute or capacity value. Equal values of one Interner are the same object.
struct InternedValue {
  Value value;
  std::shared_ptr<const void> storage;  ///< what `value` points into, if anything
};

/// Everything a selector can see of a device, interned: two devices that look alike to every
/// selector share one DeviceShape. Immutable; any thread may read it.
class DeviceShape {
 public:
  /// Which attributes and capacities it has; columns of at() are in their order.
  [[nodiscard]] const DeviceNames& names() const { return *names_; }
  /// Of names().
  [[nodiscard]] std::string_view driver() const { return names_->driver(); }
  /// As published: the device may be given to several.
  [[nodiscard]] bool allow_multiple_allocations() const { return allow_multiple_; }
  /// The value of a column of names().
  [[nodiscard]] const InternedValue& at(int column) const {
    return *values_[static_cast<std::size_t>(column)];
  }
  /// A device with an attribute that cannot be converted: every selector fails with this text, also
  /// `true`.
  [[nodiscard]] const std::optional<std::string>& conversion_error() const { return error_; }

  /// Dense, reused after the shape is gone; `serial` never is. For tables by shape.
  [[nodiscard]] std::uint32_t index() const { return index_; }
  [[nodiscard]] std::uint64_t serial() const { return serial_; }

 private:
  friend class Interner;
  std::shared_ptr<const DeviceNames> names_;
  std::vector<std::shared_ptr<const InternedValue>> values_;
  std::optional<std::string> error_;
  bool allow_multiple_ = false;
  std::uint32_t index_ = 0;
  std::uint64_t serial_ = 0;
};

/// Shared by all devices that look alike.
using DeviceShapeHandle = std::shared_ptr<const DeviceShape>;
/// As a ResourceSlice has them: by name, qualified or not.
using Capacities = std::map<std::string, DeviceCapacity, std::less<>>;

/// Turns published devices into shapes. One thread owns it (the cluster's strand); the handles that
/// it gives out may be held and dropped anywhere. What nobody holds any more goes at the next
/// sweep, which intern() starts by itself when the tables have doubled.
class Interner {
 public:
  Interner();
  ~Interner();
  Interner(const Interner&) = delete;
  Interner& operator=(const Interner&) = delete;

  /// Upstream's conversion (DeviceMatches), with its error texts. Where "x" and "driver/x" are both
  /// there, upstream takes either at random; here the qualified one wins.
  [[nodiscard]] DeviceShapeHandle intern(std::string_view driver, const Attributes& attributes,
                                         const Capacities& capacity, bool allow_multiple);
  /// The shape of a published device; equal devices get the same one.
  [[nodiscard]] DeviceShapeHandle intern(std::string_view driver, const Device& device) {
    return intern(driver, device.attributes, device.capacity, device.allow_multiple_allocations);
  }

  /// Drops what only the tables hold.
  void sweep();
  /// Shapes that are held by somebody or not swept yet.
  [[nodiscard]] std::size_t size() const;

 private:
  struct Tables;
  [[nodiscard]] DeviceShapeHandle share(std::shared_ptr<DeviceShape> shape);

  std::unique_ptr<Tables> tables_;
};

}  // namespace dray::cel
