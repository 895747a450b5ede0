package celoracle

import (
	"fmt"
	"math/rand/v2"
	"sort"
	"strings"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/types"
)

// call is an overload that the environment declares, and how a call of it is written.
type call struct {
	name    string
	pattern string // `(% + %)`
	args    []*types.Type
	result  *types.Type
}

// generator makes expressions by their types, out of all that Kubernetes' environment declares. Now and then it takes a
// part of another type, hides it behind dyn(), or breaks it: for errors of the checker and at run time.
type generator struct {
	random *rand.Rand
	calls  []call
	scope  []variable
}

type variable struct {
	name string
	kind *types.Type
}

func newGenerator(env *cel.Env, random *rand.Rand) *generator {
	g := &generator{random: random}
	for name, function := range env.Functions() {
		for _, overload := range function.OverloadDecls() {
			if pattern, ok := written(name, overload.IsMemberFunction(), len(overload.ArgTypes())); ok {
				g.calls = append(g.calls, call{name, pattern, overload.ArgTypes(), overload.ResultType()})
			}
		}
	}
	// Map order is no order, and a seed must repeat.
	sort.Slice(g.calls, func(i, j int) bool { return fmt.Sprint(g.calls[i]) < fmt.Sprint(g.calls[j]) })
	return g
}

var operators = map[string]string{"!_": "!%", "-_": "-%", "_?_:_": "(% ? % : %)", "_[_]": "%[%]", "_[?_]": "%[?%]", "@in": "(% in %)"}

// written is the pattern of a function's call; not of functions that are never written, and of those that no value of
// a selector has.
func written(name string, member bool, args int) (string, bool) {
	if pattern, ok := operators[name]; ok {
		return pattern, true
	}
	authorization := " allowed check error errored fieldSelector group labelSelector namespace path reason resource " +
		"serviceAccount subresource name "
	switch {
	case name == "_?._", strings.Contains(authorization, " "+name+" "), strings.Contains(name, "@"), name == "in",
		name == "_in_", name == "__not_strictly_false__":
		return "", false
	case len(name) > 2 && name[0] == '_' && strings.HasSuffix(name, "_"):
		return "(% " + strings.Trim(name, "_") + " %)", true
	}
	places := strings.TrimSuffix(strings.Repeat("%, ", args), ", ")
	if member {
		return "%." + name + "(" + strings.TrimPrefix(strings.TrimPrefix(places, "%"), ", ") + ")", true
	}
	return name + "(" + places + ")", true
}

// selector is an expression as Kubernetes wants it: mostly of type bool.
func (g *generator) selector() *expression {
	kind := types.BoolType
	if g.random.IntN(20) == 0 {
		kind = types.DynType
	}
	return g.of(kind, 1+g.random.IntN(5))
}

// of makes an expression of a type.
func (g *generator) of(kind *types.Type, depth int) *expression {
	switch chosen := g.random.IntN(100); {
	case chosen < 2:
		kind = randomType(g.random, 2)
	case chosen < 5:
		return around(kind, "dyn(%)", g.of(randomType(g.random, 1), depth-1))
	case chosen < 6:
		if all := brokenLiterals[kind.TypeName()]; len(all) > 0 {
			return leaf(kind, "("+pick(g.random, all)+")")
		}
	}
	if depth <= 0 || g.random.IntN(8) == 0 {
		return g.leaf(kind, depth)
	}
	if g.random.IntN(40) == 0 {
		return g.wrong(depth - 1)
	}
	if g.random.IntN(5) == 0 {
		if made := g.macro(kind, depth-1); made != nil {
			return made
		}
	}
	if made := g.call(kind, depth-1); made != nil {
		return made
	}
	return g.leaf(kind, depth)
}

// call is a call of an overload that gives the type; of a few that would do, any one. Operators and rare functions have
// the same chance.
func (g *generator) call(kind *types.Type, depth int) *expression {
	for range 40 {
		one := g.calls[g.random.IntN(len(g.calls))]
		bound := map[string]*types.Type{}
		if !unify(one.result, kind, bound) {
			continue
		}
		// A type parameter alone gives anything: it would crowd out all else.
		if one.result.Kind() == types.TypeParamKind && g.random.IntN(6) != 0 {
			continue
		}
		return g.called(one, kind, bound, depth)
	}
	return nil
}

// library is a call of any function on texts and values of its own types.
func (g *generator) library(depth int) *expression {
	one := pick(g.random, g.calls)
	bound := map[string]*types.Type{}
	return g.called(one, g.substituted(one.result, bound), bound, depth)
}

// untyped is a call of any function on anything: mostly no such overload, when compiling or, behind dyn(), when run.
func (g *generator) untyped(depth int) *expression {
	one := pick(g.random, g.calls)
	kids := make([]*expression, len(one.args))
	for i := range one.args {
		kids[i] = g.receiver(one, i, g.of(randomType(g.random, 1), depth))
		if g.random.IntN(3) == 0 {
			kids[i] = around(types.DynType, "dyn(%)", kids[i])
		}
	}
	return around(types.DynType, one.pattern, kids...)
}

func (g *generator) called(one call, kind *types.Type, bound map[string]*types.Type, depth int) *expression {
	kids := make([]*expression, len(one.args))
	for i, arg := range one.args {
		kids[i] = g.argument(one, i, g.substituted(arg, bound), depth)
	}
	pattern := one.pattern
	// Without brackets, precedence decides.
	if strings.HasPrefix(pattern, "(") && g.random.IntN(8) == 0 {
		pattern = strings.TrimSuffix(strings.TrimPrefix(pattern, "("), ")")
	}
	return around(kind, pattern, kids...)
}

// argument is a part of a call; some functions are of interest only with the right texts, or dear to upstream with
// large numbers.
func (g *generator) argument(one call, index int, kind *types.Type, depth int) *expression {
	special := g.random.IntN(4) != 0
	if special && one.name == "lists.range" {
		return leaf(kind, pick(g.random, []string{"0", "3", "-1", "10", "1000001", "device.attributes['d.io'].i"}))
	}
	if text := textOf[one.name][index]; special && text != nil && kind == types.StringType {
		pattern := pick(g.random, []string{"%", "%", "%", "%", "dyn(%)", `(% + "")`})
		return around(kind, pattern, leaf(kind, quoted(g.random, text(g.random))))
	}
	return g.receiver(one, index, g.of(kind, depth))
}

// receiver puts brackets around what a function is called on where `-1.5.f()` and `a + b.f()` would be something else.
func (g *generator) receiver(one call, index int, made *expression) *expression {
	if index == 0 && (strings.HasPrefix(one.pattern, "%") || one.pattern == "!%" || one.pattern == "-%") {
		if text := made.String(); strings.HasPrefix(text, "-") || strings.HasPrefix(text, "!") || strings.Contains(text, " ") {
			return around(made.kind, "(%)", made)
		}
	}
	return made
}

func (g *generator) substituted(kind *types.Type, bound map[string]*types.Type) *types.Type {
	if kind.Kind() == types.TypeParamKind {
		if bound[kind.TypeName()] == nil {
			bound[kind.TypeName()] = randomType(g.random, 1)
		}
		return bound[kind.TypeName()]
	}
	params := kind.Parameters()
	if len(params) == 0 {
		return kind
	}
	inner := make([]*types.Type, len(params))
	for i, param := range params {
		inner[i] = g.substituted(param, bound)
	}
	switch {
	case kind.Kind() == types.ListKind:
		return types.NewListType(inner[0])
	case kind.Kind() == types.MapKind:
		return types.NewMapType(inner[0], inner[1])
	case isOptional(kind):
		return cel.OptionalType(inner[0])
	}
	return kind
}

// unify says whether a declared type can be a concrete one, and of which types its parameters then are.
func unify(declared, concrete *types.Type, bound map[string]*types.Type) bool {
	if declared.Kind() == types.TypeParamKind {
		if known := bound[declared.TypeName()]; known != nil {
			return known.String() == concrete.String()
		}
		bound[declared.TypeName()] = concrete
		return true
	}
	if declared.Kind() != concrete.Kind() || declared.TypeName() != concrete.TypeName() ||
		len(declared.Parameters()) != len(concrete.Parameters()) {
		return false
	}
	for i, param := range declared.Parameters() {
		if !unify(param, concrete.Parameters()[i], bound) {
			return false
		}
	}
	return true
}
