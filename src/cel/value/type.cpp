#include "cel/value/type.h"

#include <utility>

namespace dray::cel {

namespace types {
const Type any(TypeKind::any, "google.protobuf.Any");
const Type boolean(TypeKind::boolean, "bool");
const Type bytes(TypeKind::bytes, "bytes");
const Type float64(TypeKind::float64, "double");
const Type duration(TypeKind::duration, "google.protobuf.Duration");
const Type dyn(TypeKind::dyn, "dyn");
const Type error(TypeKind::error, "error");
const Type int64(TypeKind::int64, "int");
const Type null(TypeKind::null, "null_type");
const Type string(TypeKind::string, "string");
const Type timestamp(TypeKind::timestamp, "google.protobuf.Timestamp");
const Type type(TypeKind::type, "type");
const Type uint64(TypeKind::uint64, "uint");
const Type list_of_dyn(TypeKind::list, "list", {&dyn});
const Type map_of_dyn(TypeKind::map, "map", {&dyn, &dyn});
const Type optional_of_dyn(TypeKind::opaque, "optional_type", {&dyn});
const Type quantity(TypeKind::object, "kubernetes.Quantity");
const Type semver(TypeKind::object, "kubernetes.Semver");
const Type ip(TypeKind::opaque, "net.IP");
const Type cidr(TypeKind::opaque, "net.CIDR");
const Type url(TypeKind::object, "kubernetes.URL");
const Type named_format(TypeKind::object, "kubernetes.NamedFormat");
const Type device(TypeKind::object, "kubernetes.DRADevice");
}  // namespace types

bool same_type(const Type& a, const Type& b) {
  if (&a == &b) return true;
  if (a.kind() != b.kind() || a.params().size() != b.params().size() || a.name() != b.name()) {
    return false;
  }
  for (std::size_t i = 0; i < a.params().size(); ++i) {
    if (!same_type(*a.params()[i], *b.params()[i])) return false;
  }
  return true;
}

bool assignable_type(const Type& to, const Type& from) {
  if (&to == &from || to.is_dyn() || to.kind() == TypeKind::param) return true;
  if (to.kind() != from.kind() || to.name() != from.name() ||
      to.params().size() != from.params().size()) {
    return false;
  }
  for (std::size_t i = 0; i < to.params().size(); ++i) {
    if (!assignable_type(*to.params()[i], *from.params()[i])) return false;
  }
  return true;
}

namespace {

template <class Format>
std::string with_params(const Type& type, Format format) {
  std::string text = type.name();
  if (type.params().empty()) return text;
  const char* separator = "(";
  for (const Type* param : type.params()) {
    text += separator;
    text += format(*param);
    separator = ", ";
  }
  return text + ")";
}

}  // namespace

std::string checker_text(const Type& type) {
  switch (type.kind()) {
    case TypeKind::any:
      return "any";
    case TypeKind::duration:
      return "duration";
    case TypeKind::error:
      return "!error!";
    case TypeKind::null:
      return "null";
    case TypeKind::timestamp:
      return "timestamp";
    default:
      return with_params(type, checker_text);
  }
}

std::string signature_text(std::span<const Type* const> arguments, bool member) {
  std::string text;
  if (member) {
    text = checker_text(*arguments[0]) + ".";
    arguments = arguments.subspan(1);
  }
  text += "(";
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (i != 0) text += ", ";
    text += checker_text(*arguments[i]);
  }
  return text + ")";
}

std::string plain_text(const Type& type) {
  if (type.kind() == TypeKind::param) return "<" + type.name() + ">";
  return with_params(type, plain_text);
}

const Type& TypePool::list(const Type& element) {
  return types_.emplace_back(TypeKind::list, "list", std::vector{&element});
}

const Type& TypePool::map(const Type& key, const Type& value) {
  return types_.emplace_back(TypeKind::map, "map", std::vector{&key, &value});
}

const Type& TypePool::type_of(const Type& value) {
  return types_.emplace_back(TypeKind::type, "type", std::vector{&value});
}

const Type& TypePool::opaque(std::string name, std::vector<const Type*> params) {
  return types_.emplace_back(TypeKind::opaque, std::move(name), std::move(params));
}

const Type& TypePool::variable(int number) {
  return types_.emplace_back(TypeKind::param, "_var" + std::to_string(number),
                             std::vector<const Type*>{}, number);
}

const Type& TypePool::parameter(std::string name) {
  return types_.emplace_back(TypeKind::param, std::move(name));
}

const Type& TypePool::object(std::string name) {
  return types_.emplace_back(TypeKind::object, std::move(name));
}

}  // namespace dray::cel
