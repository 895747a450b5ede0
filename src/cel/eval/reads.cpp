#include <algorithm>
#include <set>
#include <vector>

#include "cel/eval/plan.h"

namespace dray::cel {

namespace {

/// Follows `device` through selects, constant indexes and cel.bind.
class ReadFinder {
 public:
  Reads run(const Expr* root) {
    use(root);
    reads_.names.assign(names_.begin(), names_.end());
    return std::move(reads_);
  }

 private:
  /// How much of a path to an attribute an expression is.
  struct Place {
    enum class Depth { none, device, half, domain };
    Depth depth = Depth::none;
    Half half = Half::attribute;
    std::string_view domain{};
  };
  using Depth = Place::Depth;
  struct Local {
    std::string_view name;
    Place place;
  };

  /// An expression whose value is looked at as a whole.
  void use(const Expr* e) {
    if (visit(e).depth != Depth::none) reads_.everything = true;
  }

  Place visit(const Expr* e) {
    switch (e->kind) {
      case ExprKind::ident:
        return ident(e->name);
      case ExprKind::select:
        return step(visit(e->operand), e->name);
      case ExprKind::call:
        return call(e);
      case ExprKind::comprehension:
        return comprehension(*e->fold);
      default:
        break;
    }
    for (const Expr* arg : e->args) use(arg);
    for (const Entry& entry : e->entries) {
      use(entry.key);
      use(entry.value);
    }
    return {};
  }

  [[nodiscard]] Place ident(std::string_view name) const {
    for (auto local = locals_.rbegin(); local != locals_.rend(); ++local) {
      if (local->name == name) return local->place;
    }
    return name == "device" || name == ".device" ? Place{Depth::device} : Place{};
  }

  Place step(const Place& from, std::string_view key) {
    switch (from.depth) {
      case Depth::device:
        if (key == "attributes") return {Depth::half, Half::attribute};
        if (key == "capacity") return {Depth::half, Half::capacity};
        if (key == "driver") reads_.driver = true;
        if (key == "allowMultipleAllocations") reads_.allow_multiple = true;
        return {};
      case Depth::half:
        return {Depth::domain, from.half, key};
      case Depth::domain:
        names_.insert({from.half, std::string(from.domain), std::string(key)});
        return {};
      case Depth::none:
        break;
    }
    return {};
  }

  Place call(const Expr* e) {
    const bool indexes = e->name == operators::index || e->name == operators::optional_index ||
                         e->name == operators::optional_select;
    if (indexes) {
      const Place from = visit(e->args[0]);
      const Expr* key = e->args[1];
      if (key->kind == ExprKind::literal && key->literal.is(Kind::string)) {
        return step(from, key->literal.text());
      }
      use(key);
      if (from.depth != Depth::none) reads_.everything = true;
      return {};
    }
    if (e->operand != nullptr) use(e->operand);
    for (const Expr* arg : e->args) use(arg);
    return {};
  }

  Place comprehension(const Comprehension& fold) {
    use(fold.range);
    const bool binds = fold.range->kind == ExprKind::list && fold.range->args.empty() &&
                       fold.condition->kind == ExprKind::literal;
    Place bound;
    if (binds) {
      bound = visit(fold.accu_init);
    } else {
      use(fold.accu_init);
    }
    const std::size_t outside = locals_.size();
    locals_.push_back({fold.accu_var, bound});
    if (!binds) {
      locals_.push_back({fold.iter_var, {}});
      locals_.push_back({fold.iter_var2, {}});
      use(fold.condition);
      use(fold.step);
      locals_.resize(outside + 1);
    }
    const Place result = visit(fold.result);
    locals_.resize(outside);
    return result;
  }

  Reads reads_;
  std::set<Name> names_;
  std::vector<Local> locals_;
};

}  // namespace

Reads find_reads(const Ast& ast) {
  return ReadFinder().run(ast.root);
}

}  // namespace dray::cel
