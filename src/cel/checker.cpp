#include "cel/checker.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <utility>

#include "cel/unify.h"

namespace dray::cel {

const DeviceTypes& device_types(const Environment& environment) {
  struct Made {
    TypePool pool;
    DeviceTypes types;
    Made(const Type& attribute, bool multiple, bool includes) {
      types.attribute = &attribute;
      types.inner = &pool.map(types::string, attribute);
      types.attributes = &pool.map(types::string, *types.inner);
      types.capacities = &pool.map(types::string, pool.map(types::string, types::quantity));
      types.allow_multiple = multiple;
      types.includes = includes;
    }
  };
  static const Made with_everything(types::dyn, true, true);
  static const Made new_with_multiple(types::any, true, false);
  static const Made new_plain(types::any, false, false);
  static const Made new_with_lists(types::dyn, false, true);
  if (environment.kind == Environment::Kind::stored) return with_everything.types;
  if (environment.list_type_attributes) {
    return environment.consumable_capacity ? with_everything.types : new_with_lists.types;
  }
  return environment.consumable_capacity ? new_with_multiple.types : new_plain.types;
}

namespace {

class Checker {
 public:
  Checker(Ast& ast, const Environment& environment, Checked& checked, SourceErrors& errors)
      : ast_(ast),
        environment_(environment),
        device_(device_types(environment)),
        out_(checked),
        errors_(errors),
        unify_(checked.pool) {
    out_.types.assign(ast.offsets.size(), &types::error);
    out_.references.assign(ast.offsets.size(), {});
    for (const FunctionDeclaration& function : environment.functions) declare(function);
  }

  void run() {
    check(ast_.root);
    for (const Type*& type : out_.types) type = &unify_.substitute(*type, true);
  }

 private:
  struct Local {
    std::string_view name;
    const Type* type;
  };

  void declare(const FunctionDeclaration& declared) {
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

  // --- results and errors ---
  [[nodiscard]] const Type& type_of(const Expr* e) const { return out_.type(e); }
  void set_type(const Expr* e, const Type& type) {
    out_.types[static_cast<std::size_t>(e->id)] = &type;
  }
  Checked::Reference& reference(const Expr* e) {
    return out_.references[static_cast<std::size_t>(e->id)];
  }
  void report(ExprId id, std::string message) {
    errors_.report(ast_.location(id), std::move(message));
  }
  void undeclared(const Expr* e, std::string_view name) {
    report(e->id, fmt::format("undeclared reference to '{}' (in container '{}')", name,
                              environment_.container));
  }
  void mismatch(const Expr* e, const Type& expected, const Type& actual) {
    report(e->id, fmt::format("expected type '{}' but found '{}'", checker_text(expected),
                              checker_text(actual)));
  }

  // --- names ---
  [[nodiscard]] const Local* find_local(std::string_view name) const {
    for (auto local = locals_.rbegin(); local != locals_.rend(); ++local) {
      if (local->name == name) return &*local;
    }
    return nullptr;
  }

  /// Makes `e` the global `name` if there is one: `device` or a type.
  bool resolve_global(Expr* e, std::string_view name, bool absolute, bool shadowed) {
    // The container's names come first, from the inside out.
    std::string scope = absolute ? std::string{} : environment_.container;
    while (!scope.empty()) {
      if (name_global(e, scope + "." + std::string(name), shadowed)) return true;
      const auto dot = scope.rfind('.');
      scope.resize(dot == std::string::npos ? 0 : dot);
    }
    return name_global(e, name, shadowed);
  }

  bool name_global(Expr* e, std::string_view name, bool shadowed) {
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

  void ident(Expr* e) {
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

  /// `a.b.c` of plain selects, or "".
  static std::string qualified_name(const Expr* e) {
    if (e->kind == ExprKind::ident) return std::string(e->name);
    if (e->kind != ExprKind::select || e->test_only) return {};
    std::string prefix = qualified_name(e->operand);
    return prefix.empty() ? prefix : prefix + "." + std::string(e->name);
  }

  bool qualified_ident(Expr* e) {
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

  // --- nodes ---
  void check(Expr* e) {
    switch (e->kind) {
      case ExprKind::unspecified:
        break;
      case ExprKind::literal:
        set_type(e, literal_type(e->literal));
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

  static const Type& literal_type(const Value& value) {
    switch (value.kind) {
      case Kind::boolean:
        return types::boolean;
      case Kind::int64:
        return types::int64;
      case Kind::uint64:
        return types::uint64;
      case Kind::float64:
        return types::float64;
      case Kind::string:
        return types::string;
      case Kind::bytes:
        return types::bytes;
      default:
        return types::null;
    }
  }

  void select(Expr* e) {
    if (!e->test_only && qualified_ident(e)) return;
    const Type& field = select_field(e, e->operand, e->name, false);
    set_type(e, e->test_only ? types::boolean : unify_.substitute(field, false));
  }

  const Type& select_field(const Expr* e, Expr* operand, std::string_view field, bool optional) {
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

  const Type& object_field(const Expr* e, const Type& object, std::string_view field) {
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

  void optional_select(Expr* e) {
    static constexpr std::array<std::string_view, 1> overload{"select_optional_field"};
    const Type& result = select_field(e, e->args[0], e->args[1]->literal.text(), true);
    set_type(e, unify_.substitute(result, false));
    reference(e).overloads = overload;
  }

  [[nodiscard]] const Function* find_declared(std::string_view name) const {
    if (name == "includes" && !device_.includes) return nullptr;
    const std::string_view plain = name.substr(name.starts_with('.') ? 1 : 0);
    const auto own = functions_.find(plain);
    return own != functions_.end() ? &own->second : find_function(plain);
  }

  void call(Expr* e) {
    if (e->name == operators::optional_select) return optional_select(e);
    for (Expr* arg : e->args) check(arg);
    if (e->operand == nullptr) {
      const Function* function = find_declared(e->name);
      if (function == nullptr) {
        undeclared(e, e->name);
        return set_type(e, types::error);
      }
      e->name = function->name;
      return resolve(e, *function);
    }
    if (const std::string prefix = qualified_name(e->operand); !prefix.empty()) {
      const Function* function = find_declared(prefix + "." + std::string(e->name));
      if (function != nullptr) {
        e->name = function->name;
        e->operand = nullptr;
        return resolve(e, *function);
      }
    }
    check(e->operand);
    const Function* function = find_declared(e->name);
    if (function == nullptr) {
      set_type(e, types::error);
      return undeclared(e, e->name);
    }
    resolve(e, *function);
  }

  void resolve(Expr* e, const Function& function) {
    if (function.name == operators::logical_and || function.name == operators::logical_or) {
      return resolve_logical(e, function);
    }
    std::vector<const Type*> args;
    if (e->operand != nullptr) args.push_back(&type_of(e->operand));
    for (const Expr* arg : e->args) args.push_back(&type_of(arg));
    const auto style = e->operand != nullptr ? Overload::Style::member : Overload::Style::global;
    const Type* result = nullptr;
    std::vector<std::string_view> matches;
    for (const Overload& overload : function.overloads) {
      if (overload.style != style) continue;
      const Type* own = match(overload, args);
      if (own == nullptr) continue;
      matches.push_back(overload.id);
      if (result == nullptr) {
        result = own;
      } else if (!result->is_dyn() && !same_type(*own, *result)) {
        result = &types::dyn;
      }
    }
    if (result == nullptr) {
      for (const Type*& arg : args) arg = &unify_.substitute(*arg, true);
      report(e->id,
             fmt::format("found no matching overload for '{}' applied to '{}'", function.name,
                         signature_text(args, style == Overload::Style::member)));
      return set_type(e, types::error);
    }
    set_type(e, *result);
    reference(e).overloads = ast_.arena.copy(std::span<const std::string_view>(matches));
  }

  void resolve_logical(Expr* e, const Function& function) {
    bool failed = false;
    for (const Expr* arg : e->args) {
      if (unify_.assignable(type_of(arg), types::boolean)) continue;
      mismatch(arg, types::boolean, type_of(arg));
      failed = true;
    }
    if (failed) return set_type(e, types::error);
    set_type(e, types::boolean);
    const std::array matches{function.overloads[0].id};
    reference(e).overloads = ast_.arena.copy(std::span<const std::string_view>(matches));
  }

  /// The result type if `args` fit the overload.
  const Type* match(const Overload& overload, std::span<const Type* const> args) {
    if (overload.args.size() != args.size()) {
      unify_.skip_variables(overload.params.size());
      return nullptr;
    }
    if (overload.params.empty()) {
      return unify_.assignable(args, overload.args) ? overload.result : nullptr;
    }
    std::vector<const Type*> variables;
    for (std::size_t i = 0; i < overload.params.size(); ++i) {
      variables.push_back(&unify_.fresh_variable());
    }
    std::vector<const Type*> wanted;
    for (const Type* arg : overload.args) {
      wanted.push_back(&instantiate(*arg, overload.params, variables));
    }
    if (!unify_.assignable(args, wanted)) return nullptr;
    return &unify_.substitute(instantiate(*overload.result, overload.params, variables), false);
  }

  const Type& instantiate(const Type& type, std::span<const Type* const> params,
                          std::span<const Type* const> variables) {
    for (std::size_t i = 0; i < params.size(); ++i) {
      if (&type == params[i]) return *variables[i];
    }
    if (type.params().empty()) return type;
    std::vector<const Type*> inner;
    for (const Type* param : type.params()) {
      inner.push_back(&instantiate(*param, params, variables));
    }
    switch (type.kind()) {
      case TypeKind::list:
        return out_.pool.list(*inner[0]);
      case TypeKind::map:
        return out_.pool.map(*inner[0], *inner[1]);
      case TypeKind::type:
        return out_.pool.type_of(*inner[0]);
      default:
        return out_.pool.opaque(type.name(), inner);
    }
  }

  /// What `?x` adds to a list or map: the type inside the optional.
  const Type& unwrapped(const Expr* e) {
    const Type& type = type_of(e);
    if (type.is_optional()) return *type.params()[0];
    if (!type.is_dyn()) mismatch(e, out_.pool.optional(type), type);
    return type;
  }

  const Type& join(const Type* previous, const Type& current) {
    if (previous == nullptr) return current;
    if (unify_.assignable(*previous, current)) return Unifier::most_general(*previous, current);
    return types::dyn;  // Kubernetes' validators tell of mixed literals
  }

  void list(Expr* e) {
    const Type* element = nullptr;
    for (std::size_t i = 0; i < e->args.size(); ++i) {
      check(e->args[i]);
      const Type& own = e->optionals[i] ? unwrapped(e->args[i]) : type_of(e->args[i]);
      element = &join(element, own);
    }
    set_type(e, out_.pool.list(element != nullptr ? *element : unify_.fresh_variable()));
  }

  void map(Expr* e) {
    const Type* key = nullptr;
    const Type* value = nullptr;
    for (const Entry& entry : e->entries) {
      check(entry.key);
      key = &join(key, type_of(entry.key));
      check(entry.value);
      const Type& own = entry.optional ? unwrapped(entry.value) : type_of(entry.value);
      value = &join(value, own);
    }
    if (key == nullptr) {
      key = &unify_.fresh_variable();
      value = &unify_.fresh_variable();
    }
    set_type(e, out_.pool.map(*key, *value));
  }

  /// No type of the environment can be made from fields.
  void object(Expr* e) {
    const std::string_view name = e->name.substr(e->name.starts_with('.') ? 1 : 0);
    set_type(e, types::error);
    if (find_type_name(name) == nullptr) return undeclared(e, e->name);
    report(e->id, fmt::format("'{}' is not a message type", name));
    for (const Entry& field : e->entries) {
      check(field.value);
      report(field.id, fmt::format("unexpected failed resolution of '{}'", name));
    }
  }

  void comprehension(Expr* e) {
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

  void expect(const Expr* e, const Type& type) {
    if (!unify_.assignable(type, type_of(e))) mismatch(e, type, type_of(e));
  }

  Ast& ast_;
  const Environment& environment_;
  const DeviceTypes& device_;
  Checked& out_;
  SourceErrors& errors_;
  Unifier unify_;
  std::vector<Local> locals_;
  std::map<std::string_view, Function> functions_;
};

}  // namespace

void check(Ast& ast, const Environment& environment, Checked& checked, SourceErrors& errors) {
  Checker(ast, environment, checked, errors).run();
}

}  // namespace dray::cel
