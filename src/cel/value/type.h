#pragma once

#include <cstdint>
#include <deque>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace dray::cel {

/// The shape of a static type, as cel-go's types.Kind.
enum class TypeKind : std::uint8_t {
  any,
  boolean,
  bytes,
  float64,
  duration,
  dyn,
  error,
  int64,
  list,
  map,
  null,
  opaque,
  string,
  object,  ///< a struct: no traits but field access
  timestamp,
  type,
  param,  ///< a type variable
  uint64,
};

/// A type as the checker sees it. Immutable; lives in a TypePool or for ever.
class Type {
 public:
  Type(TypeKind kind, std::string name, std::vector<const Type*> params = {}, int variable = -1)
      : kind_(kind), variable_(variable), name_(std::move(name)), params_(std::move(params)) {}

  [[nodiscard]] TypeKind kind() const { return kind_; }
  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] std::span<const Type* const> params() const { return params_; }
  /// The number of a checker's type variable, or -1.
  [[nodiscard]] int variable() const { return variable_; }
  [[nodiscard]] bool is_dyn() const { return kind_ == TypeKind::dyn || kind_ == TypeKind::any; }
  [[nodiscard]] bool is_optional() const {
    return kind_ == TypeKind::opaque && name_ == "optional_type";
  }

 private:
  TypeKind kind_;
  int variable_;
  std::string name_;
  std::vector<const Type*> params_;
};

/// Same kind, name and parameters (cel-go's IsExactType).
[[nodiscard]] bool same_type(const Type& a, const Type& b);
/// cel-go's default IsAssignableType.
[[nodiscard]] bool assignable_type(const Type& to, const Type& from);
/// As in checker messages: `any`, `duration`, `null`, `list(int)`.
[[nodiscard]] std::string checker_text(const Type& type);
/// As in "applied to '(int, string)'": target first where there is one.
[[nodiscard]] std::string signature_text(std::span<const Type* const> arguments, bool member);
/// As the output type prints: `google.protobuf.Any`, `<A>`, `list(int)`.
[[nodiscard]] std::string plain_text(const Type& type);

/// The types that need no parameters.
namespace types {
extern const Type any, boolean, bytes, float64, duration, dyn, error, int64, null, string,
    timestamp, type, uint64, list_of_dyn, map_of_dyn, optional_of_dyn;
extern const Type quantity, semver, ip, cidr, url, named_format, device;
}  // namespace types

/// Owns the composed types of one compilation (or of the declarations).
class TypePool {
 public:
  const Type& list(const Type& element);
  const Type& map(const Type& key, const Type& value);
  const Type& optional(const Type& value) { return opaque("optional_type", {&value}); }
  const Type& type_of(const Type& value);
  const Type& opaque(std::string name, std::vector<const Type*> params);
  const Type& variable(int number);
  const Type& parameter(std::string name);
  const Type& object(std::string name);

 private:
  std::deque<Type> types_;
};

}  // namespace dray::cel
