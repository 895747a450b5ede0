package celoracle

import (
	"fmt"
	"strings"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/types"
)

// macro is a macro that gives the type, or nil if none of those that were tried does.
func (g *generator) macro(kind *types.Type, depth int) *expression {
	switch {
	case g.random.IntN(6) == 0:
		return g.bound(kind, depth)
	case kind == types.BoolType:
		return g.quantifier(depth)
	case kind.Kind() == types.ListKind:
		return g.listMacro(kind, depth)
	case kind.Kind() == types.MapKind:
		return g.mapMacro(kind, depth)
	case isOptional(kind):
		element := randomType(g.random, 1)
		name, end := g.bind(element)
		defer end()
		target := g.of(cel.OptionalType(element), depth)
		if g.random.IntN(2) == 0 {
			return around(kind, "%.optMap("+name+", %)", target, g.of(kind.Parameters()[0], depth))
		}
		return around(kind, "%.optFlatMap("+name+", %)", target, g.of(kind, depth))
	}
	return nil
}

// bind brings a variable into scope until `end` is called; its range is made before that.
func (g *generator) bind(kind *types.Type) (name string, end func()) {
	name = fmt.Sprintf("x%d", len(g.scope))
	if g.random.IntN(15) == 0 && len(g.scope) > 0 {
		name = g.scope[len(g.scope)-1].name // hides another one
	}
	before := len(g.scope)
	g.scope = append(g.scope, variable{name, kind})
	return name, func() { g.scope = g.scope[:before] }
}

func (g *generator) bound(kind *types.Type, depth int) *expression {
	inner := randomType(g.random, 1)
	value := g.of(inner, depth)
	name, end := g.bind(inner)
	defer end()
	return around(kind, "cel.bind("+name+", %, %)", value, g.of(kind, depth))
}

// container is a list or a map to go over, and the types of its index or key and of its elements.
func (g *generator) container(depth int) (over *expression, key, value *types.Type) {
	if g.random.IntN(4) == 0 {
		if g.random.IntN(2) == 0 {
			return leaf(types.DynType, pick(g.random, []string{`device.attributes["d.io"]`, "device.attributes", `device.capacity["d.io"]`})),
				types.StringType, types.DynType
		}
		made := types.NewMapType(types.StringType, randomType(g.random, 0))
		return g.of(made, depth), types.StringType, made.Parameters()[1]
	}
	element := randomType(g.random, 1)
	return g.of(types.NewListType(element), depth), types.IntType, element
}

// wrong is a macro that is not written as it should be, or a construct that no other rule makes.
func (g *generator) wrong(depth int) *expression {
	one, two := g.of(randomType(g.random, 1), depth), g.of(randomType(g.random, 1), depth)
	pattern := pick(g.random, []string{"%.all(1, %)", "%.map(x.y, %)", "%.exists(__result__, %)", "%.all(x, x, %)", "has(%)", "has(%, %)",
		"%.filter(x, x > %)", "%.map(x)", "%.existsOne(k, k, %)", "cel.bind(1, %, %)", "cel.bind(a, %)", "%.optMap(x.y, %)",
		"%.sortBy(x, x.%)", "%.transformMapEntry(k, v, %)", "%.transformMap(k, v, true, {k: %})", "%.exists_one(x, x == %)",
		"{%: 1, %: 2}", "{'a': %, 'a': %}", "[%, %]", "Nope{a: %}", "int{a: %}", "net.IP{}", "timestamp{seconds: %}", "nope.Nope{a: %}", ".device == %", "x.exists(x, %)", "%.?a.b",
		"%[?0].?a == %", "(%).x.y", "%.`a-b` == %", "%.a[0]", "% in %", "-% == %", "!!%", "% ? % : 1", "dyn(%).a.map(x, x)", "all(%)",
		"%.cel.bind(a, 1, a)", "%.nope(%)", "nope(%, %)", "type(%) == type(%)", "[%].map(x, has(x.a))", "{'a': %}.?a.orValue(%)",
		"[[%], [%]].flatten()", "{1: %}.exists(k, v, v == %)", "optional.of(%) == optional.of(%)", "[%] == [%]", "% == % // the end"})
	return around(types.DynType, pattern, []*expression{one, two}[:min(2, strings.Count(pattern, "%"))]...)
}

func (g *generator) quantifier(depth int) *expression {
	over, key, value := g.container(depth)
	macro := pick(g.random, []string{"all", "exists", "exists", "exists_one", "existsOne"})
	if g.random.IntN(3) == 0 {
		first, endFirst := g.bind(key)
		defer endFirst()
		second, endSecond := g.bind(value)
		defer endSecond()
		if macro == "exists_one" {
			macro = pick(g.random, []string{"exists_one", "existsOne"})
		}
		return around(types.BoolType, "%."+macro+"("+first+", "+second+", %)", over, g.of(types.BoolType, depth))
	}
	element := value
	if key == types.StringType {
		element = key
	}
	name, end := g.bind(element)
	defer end()
	return around(types.BoolType, "%."+macro+"("+name+", %)", over, g.of(types.BoolType, depth))
}

func (g *generator) listMacro(kind *types.Type, depth int) *expression {
	result := kind.Parameters()[0]
	switch g.random.IntN(4) {
	case 0:
		over := g.of(kind, depth)
		name, end := g.bind(result)
		defer end()
		if g.random.IntN(2) == 0 {
			return around(kind, "%.filter("+name+", %)", over, g.of(types.BoolType, depth))
		}
		return around(kind, "%.sortBy("+name+", %)", over, g.of(pick(g.random, commonTypes), depth))
	case 1:
		over, key, value := g.container(depth)
		first, endFirst := g.bind(key)
		defer endFirst()
		second, endSecond := g.bind(value)
		defer endSecond()
		if g.random.IntN(2) == 0 {
			return around(kind, "%.transformList("+first+", "+second+", %)", over, g.of(result, depth))
		}
		return around(kind, "%.transformList("+first+", "+second+", %, %)", over, g.of(types.BoolType, depth),
			g.of(result, depth))
	}
	over, key, value := g.container(depth)
	if key == types.StringType {
		value = key
	}
	name, end := g.bind(value)
	defer end()
	if g.random.IntN(2) == 0 {
		return around(kind, "%.map("+name+", %)", over, g.of(result, depth))
	}
	return around(kind, "%.map("+name+", %, %)", over, g.of(types.BoolType, depth), g.of(result, depth))
}

func (g *generator) mapMacro(kind *types.Type, depth int) *expression {
	over, key, value := g.container(depth)
	first, endFirst := g.bind(key)
	defer endFirst()
	second, endSecond := g.bind(value)
	defer endSecond()
	names := first + ", " + second
	if g.random.IntN(2) == 0 {
		entry := around(kind, "{%: %}", g.of(kind.Parameters()[0], depth), g.of(kind.Parameters()[1], depth))
		if g.random.IntN(2) == 0 {
			return around(kind, "%.transformMapEntry("+names+", %)", over, entry)
		}
		return around(kind, "%.transformMapEntry("+names+", %, %)", over, g.of(types.BoolType, depth), entry)
	}
	if g.random.IntN(2) == 0 {
		return around(kind, "%.transformMap("+names+", %)", over, g.of(kind.Parameters()[1], depth))
	}
	return around(kind, "%.transformMap("+names+", %, %)", over, g.of(types.BoolType, depth),
		g.of(kind.Parameters()[1], depth))
}
