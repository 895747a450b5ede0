#include "cel/eval/call_binding.h"

#include <array>
#include <utility>

#include "cel/eval/functions.h"

namespace dray::cel {

void bind_call(Plan& plan, Call& call) {
  constexpr std::array forms{CallForm::none, CallForm::one, CallForm::two};
  call.form = call.args.size() < forms.size() ? forms[call.args.size()] : CallForm::many;
  const FunctionBinding* binding = find_binding(call.function);
  if (binding == nullptr) return;
  call.lazy_errors = binding->lazy_errors;
  if (binding->singleton != nullptr) {
    call.trait = binding->trait;
    if (binding->singleton_form == CallForm::many) call.form = CallForm::many;
    const std::array bound{BoundOverload{.run = binding->singleton}};
    call.candidates = plan.ast.arena.copy(std::span<const BoundOverload>(bound));
    return;
  }
  const std::span<const BoundOverload> all = binding->overloads;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all[i].id != call.overload && all.size() != 1) continue;
    if (binding->variadic[i] && !call.args.empty()) call.form = CallForm::many;
    call.candidates = all.subspan(i, 1);
    return;
  }
  call.candidates = all;
  call.form = CallForm::many;
}

bool bind_regex(Plan& plan, Call& call, std::string& error) {
  const bool is_match = call.function == "matches";
  if (!is_match && call.function != "find" && call.function != "findAll") return true;
  if (call.args.size() < 2 || call.args[1]->kind != NodeKind::constant) return true;
  const Value& pattern = call.args[1]->constant;
  if (!pattern.is(Kind::string)) return true;
  auto regex = Regex::compile(pattern.text(), is_match ? RegexUse::match : RegexUse::find, error);
  if (!regex) return false;
  plan.regexes.push_back(*std::move(regex));
  call.regex = &plan.regexes.back();
  // cel-go calls the compiled form without its guards.
  call.form = CallForm::many;
  call.trait = Trait::none;
  const std::array bound{BoundOverload{.run = call.candidates[0].run}};
  call.candidates = plan.ast.arena.copy(std::span<const BoundOverload>(bound));
  return true;
}

}  // namespace dray::cel
