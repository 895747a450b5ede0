package celoracle

import (
	"context"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"
	"k8s.io/apimachinery/pkg/api/resource"
	apiservercel "k8s.io/apiserver/pkg/cel"
	"k8s.io/apiserver/pkg/cel/environment"
	dracel "k8s.io/dynamic-resource-allocation/cel"

	"dray.dev/dray/tests/oracle/cases"
)

// evaluation is bounded: what upstream does not end in time is no case.
const evaluationTime = 5 * time.Second

// form is how a pair is asked.
type form int

const (
	asSelector form = iota // CompileCELExpression and DeviceMatches, as the scheduler calls them
	asValue                // the value, of any type
	asNew                  // compiling only, as the API server does for new objects
	asNewLists             // the same with lists as attributes
)

func (f form) String() string {
	return []string{"selector", "value", "new object", "new object with lists"}[f]
}

// question is an expression, devices, and the form of the answer.
type question struct {
	expression *expression
	devices    []device
	form       form
}

// oracle answers as Kubernetes does.
type oracle struct {
	stored, fresh, freshLists *kubernetes
}

func newOracle() *oracle {
	lists := features
	lists.EnableListTypeAttributes = true
	return &oracle{newKubernetes(environment.StoredExpressions, features),
		newKubernetes(environment.NewExpressions, features), newKubernetes(environment.NewExpressions, lists)}
}

// answer is a case for each device; for an expression that does not compile, one. None where Kubernetes' compiler
// panics, as the validator of literals does for `[1, ?dyn(1)]`: there is nothing to agree with.
func (o *oracle) answer(asked question) (all []cases.Case) {
	defer func() {
		if recover() != nil {
			all = nil
		}
	}()
	text := asked.expression.String()
	switch asked.form {
	case asSelector:
		return o.match(text, asked.devices)
	case asNew, asNewLists:
		one := cases.Case{"expr": text, "env": "new", "features": cases.Case{"consumableCapacity": true,
			"listTypeAttributes": asked.form == asNewLists}}
		api := o.fresh
		if asked.form == asNewLists {
			api = o.freshLists
		}
		compiled := api.compile(api.env, text)
		compiled.tell(one)
		return []cases.Case{one}
	}
	return o.value(text, asked.devices)
}

func (o *oracle) match(text string, devices []device) []cases.Case {
	base, selector := o.selector(text)
	return o.matched(selector, base, devices)
}

func (o *oracle) selector(text string) (cases.Case, dracel.CompilationResult) {
	selector := dracel.GetCompiler(features).CompileCELExpression(text, dracel.Options{})
	base := cases.Case{"expr": text, "selector": true}
	if selector.Error != nil {
		base["compile_error"], base["error_type"] = selector.Error.Detail, string(selector.Error.Type)
		if selector.Error.Type == "" {
			base["error_type"] = "InternalError"
		}
		return base, selector
	}
	base["type"], base["max_cost"] = selector.OutputType.String(), selector.MaxCost
	return base, selector
}

func (o *oracle) matched(selector dracel.CompilationResult, base cases.Case, devices []device) []cases.Case {
	if selector.Error != nil {
		return []cases.Case{base}
	}
	var all []cases.Case
	for _, one := range devices {
		answer := with(base, one)
		run, cancel := context.WithTimeout(context.Background(), evaluationTime)
		matches, details, err := selector.DeviceMatches(run, one.asInput())
		cancel()
		if err != nil {
			answer["error"] = dracel.EnhanceRuntimeError(err).Error()
		} else {
			answer["matches"] = matches
		}
		if cost, counted := costOf(details, err); counted {
			answer["cost"] = cost
		}
		all = append(all, answer)
	}
	return all
}

func with(base cases.Case, one device) cases.Case {
	answer := cases.Case{"device": one.asCase()}
	for key, value := range base {
		answer[key] = value
	}
	return answer
}

func (o *oracle) value(text string, devices []device) []cases.Case {
	base := cases.Case{"expr": text}
	compiled := o.stored.compile(o.stored.env, text)
	compiled.tell(base)
	return o.evaluated(compiled, base, devices)
}

func (o *oracle) evaluated(compiled compiled, base cases.Case, devices []device) []cases.Case {
	if compiled.program == nil {
		return []cases.Case{base}
	}
	var all []cases.Case
	for _, one := range devices {
		all = append(all, o.evaluate(compiled, base, one))
	}
	return all
}

func (o *oracle) evaluate(compiled compiled, base cases.Case, one device) cases.Case {
	answer := with(base, one)
	variables, err := o.variables(one)
	if err != nil {
		panic(err) // such a device is asked for selectors only
	}
	run, cancel := context.WithTimeout(context.Background(), evaluationTime)
	defer cancel()
	value, details, err := compiled.program.ContextEval(run, variables)
	if err != nil {
		answer["error"] = err.Error()
	} else {
		answer["value"] = typed(value)
	}
	if cost, counted := costOf(details, err); counted {
		answer["cost"] = cost
	}
	return answer
}

// costOf is what an evaluation cost; where upstream's code panicked (and cel-go made an error of it), how far it had
// counted by then says nothing.
func costOf(details *cel.EvalDetails, err error) (uint64, bool) {
	if details == nil || details.ActualCost() == nil || err != nil && strings.HasPrefix(err.Error(), "internal error: ") {
		return 0, false
	}
	return *details.ActualCost(), true
}

// variables are the same that DeviceMatches makes.
func (o *oracle) variables(one device) (map[string]any, error) {
	attributes, capacity := map[string]any{}, map[string]any{}
	for name, attribute := range shuffled(one.attributes) {
		value, err := attribute.converted()
		if err != nil {
			return nil, err
		}
		domain, id := splitName(name, one.driver)
		if attributes[domain] == nil {
			attributes[domain] = map[string]any{}
		}
		attributes[domain].(map[string]any)[id] = value
	}
	for name, amount := range shuffled(one.capacity) {
		domain, id := splitName(name, one.driver)
		if capacity[domain] == nil {
			capacity[domain] = map[string]apiservercel.Quantity{}
		}
		parsed := resource.MustParse(amount)
		capacity[domain].(map[string]apiservercel.Quantity)[id] = apiservercel.Quantity{Quantity: &parsed}
	}
	adapter := o.stored.env.CELTypeAdapter()
	empty := adapter.NativeToValue(map[string]any{})
	withDefault := func(all map[string]any) ref.Val {
		return mapWithDefault{types.NewStringInterfaceMap(adapter, all), empty}
	}
	return map[string]any{"device": map[string]any{"driver": one.driver, "allowMultipleAllocations": one.multiple,
		"attributes": withDefault(attributes), "capacity": withDefault(capacity)}}, nil
}

func splitName(name, driver string) (domain, id string) {
	if domain, id, qualified := strings.Cut(name, "/"); qualified {
		return domain, id
	}
	return driver, name
}

// mapWithDefault gives an empty map for a domain that a device does not have.
type mapWithDefault struct {
	traits.Mapper
	missing ref.Val
}

func (m mapWithDefault) Find(key ref.Val) (ref.Val, bool) {
	if value, found := m.Mapper.Find(key); found {
		return value, true
	}
	return m.missing, true
}

// objects are the types that Kubernetes makes of fields beside google.protobuf's.
var objects = []string{"duration", "kubernetes.DRADevice", "list", "null_type", "timestamp"}

// makesObject says whether an expression makes an object of fields, which dray refuses: `timestamp{seconds: 1}`.
func (o *oracle) makesObject(asked question) bool {
	tree, issues := o.stored.env.Parse(asked.expression.String())
	if issues != nil {
		return false
	}
	found := false
	ast.PreOrderVisit(tree.NativeRep().Expr(), ast.NewExprVisitor(func(e ast.Expr) {
		if e.Kind() == ast.StructKind {
			name := strings.TrimPrefix(e.AsStruct().TypeName(), ".")
			found = found || slices.Contains(objects, name) || strings.HasPrefix(name, "google.protobuf.")
		}
	}))
	return found
}

// How often upstream is asked whether Go's order of maps decides on its answer: before a difference is told (with
// fourteen attributes, three that must come in one order do so once in 2184 times), and while it is made small.
const (
	ordersTold  = 20_000
	ordersSmall = 100
)

// settled says whether Kubernetes gives the same answer each time. Only where a map is gone over can it not; and the
// number of a type variable in an error's text depends on the order in which the checker takes those of an overload, as
// in `optional.none()[""].all(x, true)`.
func (o *oracle) settled(asked question, orders int) bool {
	first, again := o.answer(asked), o.again(asked)
	if len(first) > 0 && first[0]["device"] == nil {
		orders, again = ordersSmall, func() []cases.Case { return o.answer(asked) }
	}
	for range orders {
		if !reflect.DeepEqual(first, again()) {
			return false
		}
	}
	return true
}

// again gives the answer once more without compiling.
func (o *oracle) again(asked question) func() []cases.Case {
	text := asked.expression.String()
	if asked.form == asSelector {
		base, selector := o.selector(text)
		return func() []cases.Case { return o.matched(selector, base, asked.devices) }
	}
	base := cases.Case{"expr": text}
	compiled := o.stored.compile(o.stored.env, text)
	compiled.tell(base)
	return func() []cases.Case { return o.evaluated(compiled, base, asked.devices) }
}
