#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cel/value/type.h"

namespace dray::cel {

/// One way to call a function.
struct Overload {
  enum class Style : std::uint8_t { global, member };

  std::string_view id;
  Style style = Style::global;
  std::vector<const Type*> args{};  ///< a member's target first
  const Type* result = nullptr;
  std::vector<const Type*> params{};  ///< the distinct type parameters in args and result
};

struct Function {
  std::string_view name;
  std::vector<Overload> overloads;  ///< in the order of declaration, which error texts show
};

/// A row of the tables: `(string; int) -> string`.
struct OverloadText {
  std::string_view function;
  std::string_view id;
  Overload::Style style;
  std::string_view signature;
};
[[nodiscard]] std::span<const OverloadText> standard_overloads();
[[nodiscard]] std::span<const OverloadText> library_overloads();

/// The function of that name in Kubernetes' environment for stored objects, or null.
[[nodiscard]] const Function* find_function(std::string_view name);
/// The same in the one for new objects, which is made of its libraries in another order.
[[nodiscard]] const Function* find_new_function(std::string_view name);
/// Reads the types of an overload from `(string; <T>) -> bool`.
void read_signature(TypePool& pool, std::string_view signature, Overload& overload);
/// Reads a type as cel-go prints it: `map(string, list(int))`.
[[nodiscard]] const Type& read_type(TypePool& pool, std::string_view text);
/// The type that a global identifier names (`int`, `net.IP`), or null.
[[nodiscard]] const Type* find_type_name(std::string_view name);

}  // namespace dray::cel
