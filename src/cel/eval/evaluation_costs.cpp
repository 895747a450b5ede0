#include "cel/eval/cost_rules.h"
#include "cel/eval/evaluation.h"

// What a node has cost once it has a value.

namespace dray::cel {

void Evaluation::check_cost() {
  if (costs.exceeded()) context.cancel("operation cancelled: actual cost limit exceeded");
}

void Evaluation::observe_path(const Path& path, bool has) {
  if (path.root == Path::Root::conditional) {
    costs.drop(path.otherwise->id());
    costs.drop(path.then->id());
    costs.drop(path.operand->id());
  } else {
    costs.drop(path.id());
    costs.add(1);
  }
  if (has) costs.subtract_one();
}

void Evaluation::observe(const Node& node, const Value& value) {
  if (context.cancelled != nullptr) return;
  switch (node.kind) {
    case NodeKind::path:
    case NodeKind::has:
      observe_path(*node.path, node.kind == NodeKind::has);
      break;
    case NodeKind::logical_and:
    case NodeKind::logical_or:
      for (const Node* term : node.args) costs.drop(term->id());
      break;
    case NodeKind::fold:
      costs.drop(node.fold->range->id());
      break;
    case NodeKind::equal:
    case NodeKind::not_equal:
      if (costs.drop_args(node.args, observed_)) {
        costs.add(call_cost(context, node.equal_cost, observed_, value));
      }
      break;
    case NodeKind::call:
      if (costs.drop_args(node.call->args, observed_)) {
        costs.add(call_cost(context, node.call->cost, observed_, value));
      }
      break;
    case NodeKind::list:
    case NodeKind::map:
      static_cast<void>(costs.drop_args(node.args, observed_));
      costs.add(node.kind == NodeKind::list ? 10 : 30);
      break;
    default:
      break;
  }
  costs.push(node.id(), value);
  check_cost();
}

}  // namespace dray::cel
