#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <utility>

#include "cel/eval/call_binding.h"
#include "cel/eval/cost_rules.h"
#include "cel/eval/evaluation.h"
#include "cel/eval/plan.h"
#include "cel/eval/shortcuts.h"
#include "cel/value/values.h"

namespace dray::cel {

ExprId Path::id() const {
  if (root == Root::conditional) {
    const ExprId after = then->id();
    return after == otherwise->id() ? after : own_id;
  }
  return qualifiers.empty() ? own_id : qualifiers.back().id;
}

namespace {

constexpr std::array<std::string_view, 10> conversions{
    "bool", "bytes", "double", "duration", "dyn", "int", "string", "timestamp", "type", "uint"};

class Lowering {
 public:
  explicit Lowering(Plan& plan) : plan_(plan) {}

  bool run(std::string& error) {
    plan_.root = node(plan_.ast.root);
    error = std::move(error_);
    return error.empty();
  }

 private:
  struct Variable {
    std::string_view name;
    int fold;
    Path::Root root;
  };

  [[nodiscard]] Arena& arena() { return plan_.ast.arena; }
  Node* make(NodeKind kind, ExprId id) {
    Node* made = arena().make<Node>();
    made->kind = kind;
    made->own_id = id;
    return made;
  }
  Node* constant(ExprId id, const Value& value) {
    Node* made = make(NodeKind::constant, id);
    made->constant = value;
    return made;
  }
  Path* make_path(Path::Root root, ExprId id) {
    Path& made = plan_.paths.emplace_back();
    made.root = root;
    made.own_id = id;
    return &made;
  }
  Node* path_node(Path* path) {
    Node* made = make(NodeKind::path, path->own_id);
    made->path = path;
    return made;
  }
  Node* fail(std::string message) {
    if (error_.empty()) error_ = std::move(message);
    return constant(0, Value{});
  }
  [[nodiscard]] bool failed() const { return !error_.empty(); }

  /// What a node gives without a device; an error value ends the lowering if `fatal`.
  Value value_now(const Node& node) {
    if (!plan_.folder) plan_.folder = std::make_shared<Evaluation>();
    return plan_.folder->fold_constant(plan_, node);
  }

  // --- expressions ---
  Node* node(Expr* e) {
    if (failed()) return constant(e->id, Value{});
    switch (e->kind) {
      case ExprKind::ident:
        return ident(e);
      case ExprKind::select:
        return select(e);
      case ExprKind::call:
        return call(e);
      case ExprKind::list:
        return list(e);
      case ExprKind::map:
        return map(e);
      case ExprKind::comprehension:
        return comprehension(e);
      default:
        return constant(e->id, e->literal);
    }
  }

  Node* ident(Expr* e) {
    if (const Type* type = plan_.checked.reference(e).type_value) {
      const std::string_view short_name = e->name.substr(e->name.starts_with('.') ? 1 : 0);
      if (short_name == "duration" || short_name == "timestamp") {
        return fail(fmt::format("reference to undefined type: {}", short_name));
      }
      return constant(e->id, Context::type(*type));
    }
    const std::string_view name = e->name;
    if (plan_.checked.type(e).kind() == TypeKind::type) {
      // cel-go takes every identifier of a type's type for the name of a type.
      const Type* named = find_type_name(name);
      if (named == nullptr) return fail(fmt::format("reference to undefined type: {}", name));
      return constant(e->id, Context::type(*named->params()[0]));
    }
    for (auto variable = scope_.rbegin(); variable != scope_.rend(); ++variable) {
      if (variable->name != name) continue;
      Path* path = make_path(variable->root, e->id);
      path->fold = variable->fold;
      return path_node(path);
    }
    const int variable = plan_.checked.reference(e).variable;
    Path* path = make_path(variable < 0 ? Path::Root::device : Path::Root::variable, e->id);
    path->fold = variable;
    return path_node(path);
  }

  /// The node as something that takes qualifiers.
  Node* as_path(Node* operand) {
    if (operand->kind == NodeKind::path) return operand;
    Path* path = make_path(Path::Root::value, operand->id());
    path->operand = operand;
    return path_node(path);
  }

  static void add_qualifier(Path& path, const Qualifier& qualifier) {
    if (path.root == Path::Root::conditional) {
      add_qualifier(*path.then, qualifier);
      add_qualifier(*path.otherwise, qualifier);
    } else {
      path.qualifiers.push_back(qualifier);
    }
  }

  Node* select(Expr* e) {
    Node* operand = as_path(node(e->operand));
    Qualifier qualifier{.id = e->id, .key = Value::of(e->name)};
    qualifier.test_only = e->test_only;
    add_qualifier(*operand->path, qualifier);
    if (!e->test_only) return operand;
    Node* made = make(NodeKind::has, e->id);
    made->path = operand->path;
    return made;
  }

  Node* index(Expr* e, std::span<Node*> args, bool optional) {
    Node* operand = as_path(args[0]);
    Qualifier qualifier{.id = e->id, .optional = optional};
    Node* key = args[1];
    if (key->kind == NodeKind::constant) {
      if (!is_key(key->constant)) {
        return fail(fmt::format("invalid qualifier type: {}", go_type(key->constant)));
      }
      qualifier.key = key->constant;
    } else if (key->kind == NodeKind::path || key->kind == NodeKind::has) {
      qualifier.computed = key->path;
    } else {
      qualifier.relative = true;
      Path* path = make_path(Path::Root::value, e->id);
      path->operand = key;
      qualifier.computed = path;
    }
    add_qualifier(*operand->path, qualifier);
    return operand;
  }

  static bool is_key(const Value& value) {
    switch (value.kind) {
      case Kind::boolean:
      case Kind::int64:
      case Kind::uint64:
      case Kind::float64:
      case Kind::string:
        return true;
      default:
        return false;
    }
  }

  Node* call(Expr* e) {
    std::vector<Node*> nodes;
    if (e->operand != nullptr) nodes.push_back(node(e->operand));
    for (Expr* arg : e->args) nodes.push_back(node(arg));
    if (failed()) return constant(e->id, Value{});
    const std::span<Node*> args = arena().copy(std::span<Node* const>(nodes));
    if (e->name == operators::logical_and) return operation(NodeKind::logical_and, e, args);
    if (e->name == operators::logical_or) return operation(NodeKind::logical_or, e, args);
    if (e->name == operators::equals) return operation(NodeKind::equal, e, args);
    if (e->name == operators::not_equals) return operation(NodeKind::not_equal, e, args);
    if (e->name == operators::conditional) return conditional(e, args);
    if (e->name == operators::index) return index(e, args, false);
    if (e->name == operators::optional_index || e->name == operators::optional_select) {
      return index(e, args, true);
    }
    return function_call(e, args);
  }

  Node* operation(NodeKind kind, Expr* e, std::span<Node*> args) {
    Node* made = make(kind, e->id);
    made->args = args;
    if (kind == NodeKind::equal) made->equal_cost = cost_rule(e->name, "equals");
    if (kind == NodeKind::not_equal) made->equal_cost = cost_rule(e->name, "not_equals");
    return made;
  }

  Path* path_of(Node* node) {
    if (node->kind == NodeKind::path || node->kind == NodeKind::has) return node->path;
    Path* path = make_path(Path::Root::value, node->id());
    path->operand = node;
    return path;
  }

  Node* conditional(Expr* e, std::span<Node*> args) {
    Path* path = make_path(Path::Root::conditional, e->id);
    path->operand = args[0];
    path->then = path_of(args[1]);
    path->otherwise = path_of(args[2]);
    return path_node(path);
  }

  Node* function_call(Expr* e, std::span<Node*> args) {
    const auto overloads = plan_.checked.reference(e).overloads;
    const std::string_view overload = overloads.size() == 1 ? overloads[0] : std::string_view{};
    if (const auto kind = optional_operation(e->name, overload, args.size())) {
      return operation(*kind, e, args);
    }
    Call* call = arena().make<Call>();
    call->function = e->name;
    call->overload = overload;
    call->args = args;
    call->cost = cost_rule(e->name, overload);
    if (cost_may_panic(call->cost)) plan_.always_tracked = true;
    if (overload == "in_map") find_presence(plan_, *call);
    bind_call(plan_, *call);
    Node* made = make(NodeKind::call, e->id);
    made->call = call;
    if (overload == "in_list") return constant_set(made);
    if (is_conversion(e->name) && args.size() == 1 && args[0]->kind == NodeKind::constant) {
      return folded_conversion(made);
    }
    if (std::string wrong; !bind_regex(plan_, *call, wrong)) return fail(std::move(wrong));
    fold_literal(*made);
    return made;
  }

  /// `quantity("40Gi")` is read once. Upstream reads it at every evaluation, so that a wrong text
  /// stays a run-time error, and the call its cost.
  void fold_literal(const Node& made) {
    constexpr std::array<std::string_view, 5> readers{"quantity", "semver", "ip", "cidr", "url"};
    Call& call = *made.call;
    const bool constant_args = !call.args.empty() && std::ranges::all_of(call.args, [](Node* arg) {
      return arg->kind == NodeKind::constant;
    });
    if (!constant_args || std::ranges::find(readers, call.function) == readers.end()) return;
    // As keys of a map, two such values are the same only if they are the same object.
    if (in_keys_ > 0) return;
    call.result = value_now(made);
    call.folded = true;
  }

  static std::optional<NodeKind> optional_operation(std::string_view function,
                                                    std::string_view overload, std::size_t args) {
    if (args != 2) return std::nullopt;
    if (function == "or" && (overload.empty() || overload == "optional_or_optional")) {
      return NodeKind::optional_or;
    }
    if (function == "orValue" && (overload.empty() || overload == "optional_orValue_value")) {
      return NodeKind::optional_or_value;
    }
    return std::nullopt;
  }

  static bool is_conversion(std::string_view function) {
    return std::ranges::find(conversions, function) != conversions.end();
  }

  Node* folded_conversion(Node* made) {
    const Value value = value_now(*made);
    if (value.is_error()) return fail(error_text(*value.error));
    return constant(made->own_id, value);
  }

  // --- `x in [constants]` ---
  Node* constant_set(Node* made) {
    const std::span<Node*> args = made->call->args;
    if (args[1]->kind != NodeKind::constant || !args[1]->constant.is(Kind::list)) return made;
    const ListValue& list = *args[1]->constant.list;
    if (list.size == 0) return constant(made->own_id, Value::of(false));
    ConstantSet set;
    for (std::uint32_t i = 0; i < list.size; ++i) {
      const Value item = list_at(plan_.folder->context, list, i);
      if (!is_key(item)) return made;  // the same types
      set.add(item);
    }
    plan_.sets.push_back(std::move(set));
    Node* in_set = make(NodeKind::in_set, made->own_id);
    in_set->args = args.subspan(0, 1);
    in_set->set = &plan_.sets.back();
    return in_set;
  }

  // --- containers ---
  Node* list(Expr* e) {
    std::vector<Node*> elements;
    bool all_constant = true;
    for (Expr* arg : e->args) {
      elements.push_back(node(arg));
      all_constant = all_constant && elements.back()->kind == NodeKind::constant;
    }
    Node* made = make(NodeKind::list, e->id);
    made->args = arena().copy(std::span<Node* const>(elements));
    if (e->optional_elements) made->optionals = e->optionals;
    return all_constant && !failed() ? constant(e->id, value_now(*made)) : made;
  }

  Node* map(Expr* e) {
    std::vector<Node*> parts;
    bool all_constant = true;
    bool any_optional = false;
    const std::span<bool> optionals = arena().array<bool>(e->entries.size());
    for (std::size_t i = 0; i < e->entries.size(); ++i) {
      ++in_keys_;
      parts.push_back(node(e->entries[i].key));
      --in_keys_;
      parts.push_back(node(e->entries[i].value));
      all_constant = all_constant && parts[2 * i]->kind == NodeKind::constant &&
                     parts[2 * i + 1]->kind == NodeKind::constant;
      optionals[i] = e->entries[i].optional;
      any_optional = any_optional || optionals[i];
    }
    Node* made = make(NodeKind::map, e->id);
    made->args = arena().copy(std::span<Node* const>(parts));
    if (any_optional) made->optionals = optionals;
    if (!all_constant || failed()) return made;
    const Value value = value_now(*made);
    // Upstream panics while making the program.
    if (value.is_error() && value.error->cancelled) return fail(error_text(*value.error));
    return constant(e->id, value);
  }

  Node* comprehension(Expr* e) {
    const Comprehension& from = *e->fold;
    Fold* fold = arena().make<Fold>();
    fold->index = plan_.folds++;
    fold->two_variables = !from.iter_var2.empty();
    fold->accu_init = node(from.accu_init);
    fold->range = node(from.range);
    const std::size_t outside = scope_.size();
    scope_.push_back({from.accu_var, fold->index, Path::Root::accumulator});
    if (from.iter_var != from.accu_var) {
      scope_.push_back({from.iter_var, fold->index, Path::Root::first_variable});
    }
    if (fold->two_variables && from.iter_var2 != from.accu_var) {
      scope_.push_back({from.iter_var2, fold->index, Path::Root::second_variable});
    }
    fold->condition = node(from.condition);
    fold->step = node(from.step);
    scope_.resize(outside + 1);
    fold->result = node(from.result);
    scope_.resize(outside);
    Node* made = make(NodeKind::fold, e->id);
    made->fold = fold;
    return made;
  }

  Plan& plan_;
  int in_keys_ = 0;  ///< how many keys of maps the expression at hand is in
  std::string error_;
  std::vector<Variable> scope_;
};

}  // namespace

bool lower(Plan& plan, std::string& error) {
  if (!Lowering(plan).run(error)) return false;
  find_shortcuts(plan);
  return true;
}

}  // namespace dray::cel
