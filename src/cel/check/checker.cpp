#include "cel/check/checker.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "cel/check/checker_rules.h"
#include "cel/value/values.h"

namespace dray::cel {

namespace {

/// What Kubernetes makes of fields, protocol buffers' messages above all, and dray does not.
constexpr std::array<std::string_view, 21> objects{
    "duration",
    "google.protobuf.Any",
    "google.protobuf.BoolValue",
    "google.protobuf.BytesValue",
    "google.protobuf.DoubleValue",
    "google.protobuf.Duration",
    "google.protobuf.Empty",
    "google.protobuf.FloatValue",
    "google.protobuf.Int32Value",
    "google.protobuf.Int64Value",
    "google.protobuf.ListValue",
    "google.protobuf.StringValue",
    "google.protobuf.Struct",
    "google.protobuf.Timestamp",
    "google.protobuf.UInt32Value",
    "google.protobuf.UInt64Value",
    "google.protobuf.Value",
    "kubernetes.DRADevice",
    "list",
    "null_type",
    "timestamp",
};

}  // namespace

void Checker::run() {
  check(ast_.root);
  for (const Type*& type : out_.types) type = &unify_.substitute(*type, true);
}

void Checker::declare(const FunctionDeclaration& declared) {
  Function& function = functions_[declared.name];
  function.name = declared.name;
  for (const FunctionDeclaration::Overload& from : declared.overloads) {
    std::string signature = "(";
    for (const std::string& arg : from.args) {
      signature += (signature.size() > 1 ? "; " : "") + arg;
    }
    Overload overload{.id = from.id,
                      .style = from.member ? Overload::Style::member : Overload::Style::global};
    read_signature(out_.pool, signature + ") -> " + from.result, overload);
    function.overloads.push_back(std::move(overload));
  }
}

void Checker::set_type(const Expr* e, const Type& type) {
  out_.types[static_cast<std::size_t>(e->id)] = &type;
}

Checked::Reference& Checker::reference(const Expr* e) {
  return out_.references[static_cast<std::size_t>(e->id)];
}

void Checker::report(ExprId id, std::string message) {
  errors_.report(ast_.location(id), std::move(message));
}

void Checker::undeclared(const Expr* e, std::string_view name) {
  report(e->id, fmt::format("undeclared reference to '{}' (in container '{}')", name,
                            environment_.container));
}

void Checker::mismatch(const Expr* e, const Type& expected, const Type& actual) {
  report(e->id, fmt::format("expected type '{}' but found '{}'", checker_text(expected),
                            checker_text(actual)));
}

const Checker::Local* Checker::find_local(std::string_view name) const {
  for (auto local = locals_.rbegin(); local != locals_.rend(); ++local) {
    if (local->name == name) return &*local;
  }
  return nullptr;
}

bool Checker::resolve_global(Expr* e, std::string_view name, bool absolute, bool shadowed) {
  // The container's names come first, from the inside out.
  std::string scope = absolute ? std::string{} : environment_.container;
  while (!scope.empty()) {
    if (name_global(e, scope + "." + std::string(name), shadowed)) return true;
    const auto dot = scope.rfind('.');
    scope.resize(dot == std::string::npos ? 0 : dot);
  }
  return name_global(e, name, shadowed);
}

bool Checker::name_global(Expr* e, std::string_view name, bool shadowed) {
  const Type* named = find_type_name(name);
  const auto& variables = environment_.variables;
  const auto variable = std::ranges::find(variables, name, &Variable::name);
  if (variable != variables.end()) {
    set_type(e, read_type(out_.pool, variable->type));
    reference(e).variable = static_cast<int>(variable - variables.begin());
  } else if (name == "device") {
    set_type(e, types::device);
  } else if (named != nullptr) {
    set_type(e, *named);
    reference(e).type_value = named->params()[0];
  } else {
    return false;
  }
  reference(e).ident = true;
  e->kind = ExprKind::ident;
  e->operand = nullptr;
  e->name = ast_.arena.copy((shadowed ? "." : "") + std::string(name));
  return true;
}

void Checker::ident(Expr* e) {
  const bool absolute = e->name.starts_with('.');
  const std::string_view name = e->name.substr(absolute ? 1 : 0);
  const Local* local = find_local(name);
  if (local != nullptr && !absolute) {
    set_type(e, *local->type);
    reference(e).ident = true;
    return;
  }
  if (resolve_global(e, name, absolute, local != nullptr)) return;
  undeclared(e, e->name);
  set_type(e, types::error);
}

std::string Checker::qualified_name(const Expr* e) {
  if (e->kind == ExprKind::ident) return std::string(e->name);
  if (e->kind != ExprKind::select || e->test_only) return {};
  std::string prefix = qualified_name(e->operand);
  return prefix.empty() ? prefix : prefix + "." + std::string(e->name);
}

bool Checker::qualified_ident(Expr* e) {
  const Expr* root = e;
  while (root->kind == ExprKind::select && !root->test_only) root = root->operand;
  if (root->kind != ExprKind::ident) return false;
  const bool absolute = root->name.starts_with('.');
  const Local* local = find_local(root->name.substr(absolute ? 1 : 0));
  if (local != nullptr && !absolute) return false;
  const std::string name = qualified_name(e);
  return resolve_global(e, std::string_view(name).substr(absolute ? 1 : 0), absolute,
                        local != nullptr);
}

void Checker::check(Expr* e) {
  switch (e->kind) {
    case ExprKind::unspecified:
      break;
    case ExprKind::literal:
      set_type(e, cel::type_of(e->literal));
      break;
    case ExprKind::ident:
      ident(e);
      break;
    case ExprKind::select:
      select(e);
      break;
    case ExprKind::call:
      call(e);
      break;
    case ExprKind::list:
      list(e);
      break;
    case ExprKind::map:
      map(e);
      break;
    case ExprKind::object:
      object(e);
      break;
    case ExprKind::comprehension:
      comprehension(e);
      break;
  }
}

void Checker::select(Expr* e) {
  if (!e->test_only && qualified_ident(e)) return;
  const Type& field = select_field(e, e->operand, e->name, false);
  set_type(e, e->test_only ? types::boolean : unify_.substitute(field, false));
}

const Type& Checker::select_field(const Expr* e, Expr* operand, std::string_view field,
                                  bool optional) {
  check(operand);
  const Type& operand_type = unify_.substitute(type_of(operand), false);
  const bool was_optional = operand_type.is_optional();
  const Type& target = was_optional ? *operand_type.params()[0] : operand_type;
  const Type* result = &types::dyn;
  switch (target.kind()) {
    case TypeKind::map:
      result = target.params()[1];
      break;
    case TypeKind::object:
      result = &object_field(e, target, field);
      break;
    case TypeKind::param:
      static_cast<void>(unify_.assignable(types::dyn, target));
      break;
    default:
      if (!target.is_dyn() && target.kind() != TypeKind::error) {
        report(e->id,
               fmt::format("type '{}' does not support field selection", checker_text(target)));
      }
  }
  return was_optional || optional ? out_.pool.optional(*result) : *result;
}

const Type& Checker::object_field(const Expr* e, const Type& object, std::string_view field) {
  if (object.name() != types::device.name()) {
    report(e->id, fmt::format("unexpected failed resolution of '{}'", object.name()));
    return types::error;
  }
  if (field == "attributes") return *device_.attributes;
  if (field == "capacity") return *device_.capacities;
  if (field == "driver") return types::string;
  if (field == "allowMultipleAllocations" && device_.allow_multiple) return types::boolean;
  report(e->id, fmt::format("undefined field '{}'", field));
  return types::error;
}

void Checker::optional_select(Expr* e) {
  static constexpr std::array<std::string_view, 1> overload{"select_optional_field"};
  const Type& result = select_field(e, e->args[0], e->args[1]->literal.text(), true);
  set_type(e, unify_.substitute(result, false));
  reference(e).overloads = overload;
}

const Type& Checker::unwrapped(const Expr* e) {
  const Type& type = type_of(e);
  if (type.is_optional()) return *type.params()[0];
  if (!type.is_dyn()) mismatch(e, out_.pool.optional(type), type);
  return type;
}

const Type* Checker::join(const Type* previous, const Type* current) {
  if (previous == nullptr) return current;
  if (unify_.assignable(*previous, *current)) return &Unifier::most_general(*previous, *current);
  return &types::dyn;  // Kubernetes' validators tell of mixed literals
}

void Checker::list(Expr* e) {
  const Type* element = nullptr;
  for (std::size_t i = 0; i < e->args.size(); ++i) {
    check(e->args[i]);
    const Type& own = e->optionals[i] ? unwrapped(e->args[i]) : type_of(e->args[i]);
    element = join(element, &own);
  }
  set_type(e, out_.pool.list(element != nullptr ? *element : unify_.fresh_variable()));
}

void Checker::map(Expr* e) {
  const Type* key = nullptr;
  const Type* value = nullptr;
  for (const Entry& entry : e->entries) {
    check(entry.key);
    key = join(key, &type_of(entry.key));
    check(entry.value);
    const Type& own = entry.optional ? unwrapped(entry.value) : type_of(entry.value);
    value = join(value, &own);
  }
  if (key == nullptr) {
    key = &unify_.fresh_variable();
    value = &unify_.fresh_variable();
  }
  set_type(e, out_.pool.map(*key, *value));
}

void Checker::object(Expr* e) {
  const std::string_view name = e->name.substr(e->name.starts_with('.') ? 1 : 0);
  set_type(e, types::error);
  if (std::ranges::binary_search(objects, name)) {
    return report(e->id, fmt::format("making an object of type '{}' is not supported", name));
  }
  const Type* named = find_type_name(name);
  if (named == nullptr) return undeclared(e, e->name);
  report(e->id, fmt::format("'{}' is not a message type", name));
  // Upstream asks for the fields all the same: of opaque types in vain, of a map any will do.
  const TypeKind kind = named->params()[0]->kind();
  for (const Entry& field : e->entries) {
    check(field.value);
    if (kind == TypeKind::opaque || kind == TypeKind::type || kind == TypeKind::object) {
      report(field.id, fmt::format("unexpected failed resolution of '{}'", name));
    } else if (kind != TypeKind::map) {
      report(field.id, fmt::format("undefined field '{}'", field.field));
    }
    if (field.optional) unwrapped(field.value);
  }
}

void Checker::comprehension(Expr* e) {
  const Comprehension& fold = *e->fold;
  check(fold.range);
  check(fold.accu_init);
  const Type& range = unify_.substitute(type_of(fold.range), false);
  const Type& accu = type_of(fold.accu_init);
  const bool two = !fold.iter_var2.empty();
  const Type* first = &types::dyn;
  const Type* second = &types::dyn;
  switch (range.kind()) {
    case TypeKind::list:
      second = range.params()[0];
      first = two ? &types::int64 : second;
      break;
    case TypeKind::map:
      first = range.params()[0];
      second = range.params()[1];
      break;
    case TypeKind::dyn:
    case TypeKind::error:
    case TypeKind::param:
      static_cast<void>(unify_.assignable(types::dyn, range));
      break;
    default:
      report(fold.range->id,
             fmt::format("expression of type '{}' cannot be range of a comprehension "
                         "(must be list, map, or dynamic)",
                         checker_text(range)));
      first = second = &types::error;
  }
  const std::size_t outside = locals_.size();
  locals_.push_back({fold.accu_var, &accu});
  locals_.push_back({fold.iter_var, first});
  if (two) locals_.push_back({fold.iter_var2, second});
  check(fold.condition);
  expect(fold.condition, types::boolean);
  check(fold.step);
  expect(fold.step, accu);
  locals_.resize(outside + 1);
  check(fold.result);
  locals_.resize(outside);
  set_type(e, unify_.substitute(type_of(fold.result), false));
}

void Checker::expect(const Expr* e, const Type& type) {
  if (!unify_.assignable(type, type_of(e))) mismatch(e, type, type_of(e));
}

void check(Ast& ast, const Environment& environment, Checked& checked, SourceErrors& errors) {
  Checker(ast, environment, checked, errors).run();
}

}  // namespace dray::cel
