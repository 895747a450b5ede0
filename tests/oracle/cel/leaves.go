package celoracle

import (
	"strings"

	"github.com/google/cel-go/common/types"
)

// leaf is a variable in scope, something of the device, or a literal; lists and maps are written out.
func (g *generator) leaf(kind *types.Type, depth int) *expression {
	if g.random.IntN(3) != 0 {
		var fitting []string
		for _, one := range g.scope {
			if one.kind.String() == kind.String() || one.kind == types.DynType {
				fitting = append(fitting, one.name)
			}
		}
		if len(fitting) > 0 {
			return leaf(kind, pick(g.random, fitting))
		}
	}
	if g.random.IntN(3) != 0 {
		if text := g.ofDevice(kind); text != "" {
			return leaf(kind, text)
		}
	}
	switch {
	case kind.Kind() == types.ListKind:
		return g.list(kind, depth)
	case kind.Kind() == types.MapKind:
		return g.mapped(kind, depth)
	case isOptional(kind):
		if g.random.IntN(3) == 0 {
			return leaf(kind, "optional.none()")
		}
		return around(kind, pick(g.random, []string{"optional.of(%)", "optional.ofNonZeroValue(%)"}),
			g.of(kind.Parameters()[0], depth-1))
	}
	if all := literals[kind.TypeName()]; len(all) > 0 {
		return leaf(kind, pick(g.random, all))
	}
	return leaf(kind, "null")
}

func (g *generator) list(kind *types.Type, depth int) *expression {
	count := g.random.IntN(4)
	places := make([]string, count)
	kids := make([]*expression, count)
	for i := range count {
		places[i], kids[i] = "%", g.of(kind.Parameters()[0], min(depth-1, 1))
		if g.random.IntN(30) == 0 {
			places[i] = "?%"
		}
	}
	return around(kind, "["+strings.Join(places, ", ")+"]", kids...)
}

func (g *generator) mapped(kind *types.Type, depth int) *expression {
	count := g.random.IntN(3)
	places := make([]string, count)
	var kids []*expression
	for i := range count {
		places[i] = "%: %"
		if g.random.IntN(30) == 0 {
			places[i] = "?%: %"
		}
		kids = append(kids, g.of(kind.Parameters()[0], min(depth-1, 0)), g.of(kind.Parameters()[1], min(depth-1, 1)))
	}
	return around(kind, "{"+strings.Join(places, ", ")+"}", kids...)
}

// attributeNames are the names of the devices' attributes, by the type that they mostly have.
var attributeNames = map[string][]string{
	"bool": {"b", "b2"}, "int": {"i", "j", "n"}, "string": {"s", "s2", "uuid"}, "kubernetes.Semver": {"v", "v2"},
	"list(int)": {"il"}, "list(string)": {"sl"}, "list(bool)": {"bl"}, "list(kubernetes.Semver)": {"vl"},
	"dyn": {"b", "i", "s", "v", "il", "sl", "bl", "vl", "absent"},
}

// ofDevice is a look at the device that has mostly that type; empty where nothing has.
func (g *generator) ofDevice(kind *types.Type) string {
	domain := pick(g.random, []string{"d.io", "d.io", "d.io", "other.io", "absent.io"})
	inner := `device.attributes["` + domain + `"]`
	if g.random.IntN(8) == 0 {
		inner = "device.attributes[device.driver]"
	}
	name := kind.String()
	switch {
	case name == "string" && g.random.IntN(3) == 0:
		return "device.driver"
	case name == "bool" && g.random.IntN(2) == 0:
		return g.question(inner)
	case name == "kubernetes.Quantity":
		return `device.capacity["` + domain + `"].` + pick(g.random, []string{"mem", "cores", "absent"})
	case name == "map(string, dyn)" || kind == types.DynType && g.random.IntN(10) == 0:
		return inner
	case isOptional(kind):
		return pick(g.random, []string{
			`device.attributes[?"` + domain + `"].?` + pick(g.random, attributeNames["dyn"]),
			inner + ".?" + pick(g.random, attributeNames["dyn"]),
			inner + `[?"` + pick(g.random, attributeNames["dyn"]) + `"]`,
			`device.?driver`, `device.capacity["` + domain + `"].?mem`})
	}
	all := attributeNames[name]
	if len(all) == 0 {
		return ""
	}
	if g.random.IntN(12) == 0 {
		all = attributeNames["dyn"]
	}
	id := pick(g.random, all)
	switch g.random.IntN(6) {
	case 0:
		return inner + `["` + id + `"]`
	case 1:
		return inner + ".?" + id + ".orValue(" + pick(g.random, append([]string{"null"}, simplest(kind)...)) + ")"
	}
	return inner + "." + id
}

// question is something about the device that is a bool by declaration.
func (g *generator) question(inner string) string {
	id := pick(g.random, attributeNames["dyn"])
	return pick(g.random, []string{
		"has(" + inner + "." + id + ")", `"` + id + `" in ` + inner, "device.allowMultipleAllocations",
		`"d.io" in device.attributes`, `has(device.capacity["d.io"].mem)`, "has(device.attributes.absent)",
		inner + ".?" + id + ".hasValue()", "has(device.driver)", "has(" + inner + "." + id + ".x)",
		inner + "." + id + ".includes(" + pick(g.random, literals["dyn"]) + ")"})
}
