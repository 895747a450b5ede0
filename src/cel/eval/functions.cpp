#include "cel/eval/functions.h"

#include <map>

#include "cel/check/declarations.h"

namespace dray::cel {

namespace {

class Bindings {
 public:
  Bindings() {
    for (const auto rows :
         {operator_bindings(), conversion_bindings(), time_bindings(), string_bindings(),
          format_bindings(), list_bindings(), kubernetes_list_bindings(), set_bindings(),
          optional_bindings(), quantity_bindings(), semver_bindings(), regex_bindings(),
          net_bindings(), url_bindings(), named_format_bindings()}) {
      for (const BindingRow& row : rows) by_id_.emplace(row.id, &row);
    }
    for (const auto rows : {standard_overloads(), library_overloads()}) {
      for (const OverloadText& row : rows) add(row.function);
    }
  }

  [[nodiscard]] const FunctionBinding* find(std::string_view function) const {
    const auto found = functions_.find(function);
    return found == functions_.end() ? nullptr : &found->second;
  }

 private:
  void add(std::string_view name) {
    if (functions_.contains(name)) return;
    FunctionBinding& binding = functions_[name];
    if (const auto row = by_id_.find("=" + std::string(name)); row != by_id_.end()) {
      binding.singleton = row->second->run;
      binding.trait = row->second->trait;
      if (row->second->variadic) binding.singleton_form = CallForm::many;
      return;
    }
    for (const Overload& overload : find_function(name)->overloads) {
      const auto row = by_id_.find(overload.id);
      BoundOverload bound{.id = overload.id, .types = overload.args};
      if (row != by_id_.end()) {
        bound.run = row->second->run;
        if (row->second->unguarded) bound.types = {};
      }
      binding.overloads.push_back(bound);
      binding.variadic.push_back(row != by_id_.end() && row->second->variadic);
    }
    binding.lazy_errors = name == operators::not_strictly_false;
  }

  std::map<std::string_view, const BindingRow*, std::less<>> by_id_;
  std::map<std::string_view, FunctionBinding> functions_;
};

}  // namespace

const FunctionBinding* find_binding(std::string_view function) {
  static const Bindings bindings;
  return bindings.find(function);
}

}  // namespace dray::cel
