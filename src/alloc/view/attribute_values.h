#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "dray/base/aged_map.h"
#include "dray/base/sparse_vector.h"
#include "dray/cel/evaluator.h"
#include "dray/cel/program.h"
#include "dray/cluster/devices.h"

namespace dray::alloc {

/// Names a value among AttributeValues; 0: the device does not have the attribute.
using ValueId = std::uint32_t;
/// Stands for a derived attribute that cannot be computed; no value of AttributeValues.
inline constexpr ValueId value_error = UINT32_MAX;

/// Attribute values as constraints compare them. Remembers what each device shape says; bounded.
class AttributeValues {
 public:
  /// At most about so many answers are kept: 128 MiB, whatever attributes tenants name.
  static constexpr std::size_t most_known = 8'000'000;
  explicit AttributeValues(std::size_t most = most_known);

  struct Value {
    /// A value that is no list; without ListTypeAttributes nothing else ever matches.
    bool scalar = false;
    std::vector<std::uint32_t> elements;  ///< sorted; equal numbers: same type and value
  };
  [[nodiscard]] const Value& value(ValueId id) const { return values_[id]; }
  /// Whether the value is one, and not a list, an error or none.
  [[nodiscard]] bool is_scalar(ValueId id) const { return id != value_error && values_[id].scalar; }

  /// The value's text without its type; nothing for lists of several.
  [[nodiscard]] std::optional<std::string> text(ValueId id) const;
  /// Equal for values of one text, whatever their types; 0 for lists of several and
  /// what stands for unknown.
  [[nodiscard]] std::uint32_t text_number(ValueId id);
  /// -1 and "" are what drivers publish where they do not know (a NUMA node, a PCIe root).
  [[nodiscard]] bool stands_for_unknown(ValueId id) const;

  /// What is known of one attribute; good until trim().
  struct Column {
    struct Known {
      std::uint64_t serial = 0;
      ValueId id = 0;
    };
    std::string attribute;
    std::uint64_t names = 0;  ///< serial of the names that `place` is among
    int place = -1;           ///< of the attribute; -1: not there
    SparseVector<Known> by_shape;
  };
  [[nodiscard]] Column& column(const std::string& attribute);

  /// Upstream's lookup: the full name, or the bare one where the domain is the driver.
  [[nodiscard]] ValueId published(Column& column, const std::string& driver,
                                  const cluster::PublishedDevice& device);
  /// The attribute that `program` derives from the device (KEP-6080); an Error is CEL's.
  [[nodiscard]] Result<ValueId> derived(const cel::ProgramHandle& program,
                                        const cluster::PublishedDevice& device);

  /// Forgets what the attributes that came first say, one by one, when it has grown large: that is
  /// read again. Forgets all when there are too many values, and says so: ids given before are no
  /// good then.
  [[nodiscard]] bool trim();
  /// Answers that memory is held for; a column counts as a block of them.
  [[nodiscard]] std::size_t held() const { return held_; }

 private:
  [[nodiscard]] ValueId intern(const AttributeValue& value);
  [[nodiscard]] std::uint32_t element(std::string key);
  [[nodiscard]] ValueId intern_scalar(std::uint32_t element);
  [[nodiscard]] ValueId from_shape(Column& column, const cel::DeviceShape& shape);
  [[nodiscard]] AttributeValue read(const std::string& attribute, const cel::DeviceShape& shape,
                                    int column);

  cel::Evaluator evaluator_;
  std::vector<Value> values_;
  std::map<std::vector<std::uint32_t>, ValueId> lists_;
  std::vector<ValueId> scalars_;  ///< by element; 0: not yet one
  std::unordered_map<std::string, std::uint32_t> elements_;
  std::deque<std::string> element_keys_;
  std::unordered_map<std::string_view, std::uint32_t> texts_;  ///< of element_keys_
  std::vector<std::uint32_t> text_numbers_;                    ///< by element, as far as asked for
  AgedMap<std::string, Column> columns_;
  std::size_t held_ = 0;
  std::size_t most_;
};

}  // namespace dray::alloc
