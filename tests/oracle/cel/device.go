package celoracle

import (
	"errors"
	"iter"
	"maps"
	"math/rand/v2"
	"slices"

	"github.com/blang/semver/v4"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	apiservercel "k8s.io/apiserver/pkg/cel"
	dracel "k8s.io/dynamic-resource-allocation/cel"

	"dray.dev/dray/tests/oracle/cases"
)

// device is what a selector looks at, in the form of the case files and as Kubernetes has it.
type device struct {
	driver     string
	multiple   bool
	attributes map[string]attribute
	capacity   map[string]string
}

// attribute has one key: int, bool, string, version, or one of these in the plural; none where the value is missing.
type attribute map[string]any

var attributeValues = map[string][]any{
	"int":    {int64(0), int64(5), int64(-3), int64(42), int64(9223372036854775807)},
	"bool":   {true, false},
	"string": {"fish", "", "a", "NVIDIA A100-SXM4-80GB", "héllo", "1.2.3", "GPU-18db0e85", "abc abc"},
	"version": {"1.2.3", "550.54.15", "0.0.1", "1.2.3-alpha.1", "2.0.0+build.5",
		"18446744073709551615.0.0"},
	"ints":     {[]int64{1, 2, 3}, []int64{}, []int64{5}, []int64{3, 1, 3}},
	"bools":    {[]bool{true, false}, []bool{}},
	"strings":  {[]string{"a", "b"}, []string{}, []string{"fish", "fish", ""}},
	"versions": {[]string{"1.2.3", "1.2.4"}, []string{}},
}

// mostly is the kind that an attribute of a name has in most devices, so that expressions made for it work.
var mostly = map[string]string{"b": "bool", "b2": "bool", "i": "int", "j": "int", "n": "int", "s": "string",
	"s2": "string", "uuid": "string", "v": "version", "v2": "version", "il": "ints", "sl": "strings", "bl": "bools",
	"vl": "versions"}

var attributeKinds = slices.Sorted(maps.Keys(attributeValues))

func newDevice(random *rand.Rand) device {
	one := device{driver: pick(random, []string{"d.io", "d.io", "d.io", "other.io", ""}), multiple: random.IntN(3) == 0,
		attributes: map[string]attribute{}, capacity: map[string]string{}}
	kept := 8 // one in so many attributes is missing
	if random.IntN(25) == 0 {
		kept = 1 // no attributes
	}
	for _, name := range slices.Sorted(maps.Keys(mostly)) {
		kind := mostly[name]
		if random.IntN(10) == 0 {
			kind = pick(random, attributeKinds)
		}
		qualified := name
		switch random.IntN(kept) {
		case 0:
			continue
		case 1:
			qualified = pick(random, []string{"other.io/", "other.io/", "other.io/", "d.io/x/"}) + name
			if one.driver == "other.io" {
				qualified = "d.io/" + name
			}
		}
		one.attributes[qualified] = attribute{kind: pick(random, attributeValues[kind])}
	}
	switch random.IntN(60) {
	case 0:
		one.attributes["bad"] = attribute{"version": pick(random, []string{"1.2", "v1.2.3", "", "1.2.3.4", "01.0.0"})}
	case 1:
		one.attributes["bad"] = attribute{}
	case 2:
		one.attributes["bad"] = attribute{"versions": []string{"1.2.3", "x"}}
	}
	for _, name := range []string{"mem", "cores", "other.io/mem"} {
		if random.IntN(4) != 0 {
			one.capacity[name] = pick(random, []string{"40Gi", "1", "0", "1500m", "80Gi", "1e3", "-5", "9223372036854775807"})
		}
	}
	return one
}

func (d device) asCase() cases.Case {
	capacity := map[string]any{}
	for name, amount := range d.capacity {
		capacity[name] = cases.Case{"value": amount}
	}
	return cases.Case{"driver": d.driver, "allowMultipleAllocations": d.multiple, "attributes": d.attributes,
		"capacity": capacity}
}

// shuffled goes over a map in any order. Go's own range only turns the order of insertion, if the map is small: a map
// made in this order gives them all.
func shuffled[V any](from map[string]V) iter.Seq2[string, V] {
	names := slices.Collect(maps.Keys(from))
	rand.Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
	return func(yield func(string, V) bool) {
		for _, name := range names {
			if !yield(name, from[name]) {
				return
			}
		}
	}
}

func (d device) asInput() dracel.Device {
	input := dracel.Device{Driver: d.driver, AllowMultipleAllocations: &d.multiple,
		Attributes: map[resourceapi.QualifiedName]resourceapi.DeviceAttribute{},
		Capacity:   map[resourceapi.QualifiedName]resourceapi.DeviceCapacity{}}
	for name, one := range shuffled(d.attributes) {
		input.Attributes[resourceapi.QualifiedName(name)] = one.asInput()
	}
	for name, amount := range shuffled(d.capacity) {
		input.Capacity[resourceapi.QualifiedName(name)] =
			resourceapi.DeviceCapacity{Value: resource.MustParse(amount)}
	}
	return input
}

func (a attribute) asInput() resourceapi.DeviceAttribute {
	var input resourceapi.DeviceAttribute
	for kind, value := range a {
		switch kind {
		case "int":
			number := value.(int64)
			input.IntValue = &number
		case "bool":
			truth := value.(bool)
			input.BoolValue = &truth
		case "string":
			text := value.(string)
			input.StringValue = &text
		case "version":
			text := value.(string)
			input.VersionValue = &text
		case "ints":
			input.IntValues = value.([]int64)
		case "bools":
			input.BoolValues = value.([]bool)
		case "strings":
			input.StringValues = value.([]string)
		case "versions":
			input.VersionValues = value.([]string)
		}
	}
	return input
}

// converted is the value as Kubernetes hands it to cel-go.
func (a attribute) converted() (any, error) {
	for kind, value := range a {
		switch kind {
		case "version":
			parsed, err := semver.Parse(value.(string))
			return apiservercel.Semver{Version: parsed}, err
		case "versions":
			all := make([]apiservercel.Semver, len(value.([]string)))
			for i, text := range value.([]string) {
				parsed, err := semver.Parse(text)
				if err != nil {
					return nil, err
				}
				all[i] = apiservercel.Semver{Version: parsed}
			}
			return all, nil
		}
		return value, nil
	}
	return nil, errors.New("no value")
}

// smaller gives the device with one thing less.
func (d device) smaller() []device {
	var all []device
	without := func(change func(*device)) {
		copied := d
		copied.attributes, copied.capacity = maps.Clone(d.attributes), maps.Clone(d.capacity)
		change(&copied)
		all = append(all, copied)
	}
	for _, name := range slices.Sorted(maps.Keys(d.attributes)) {
		without(func(c *device) { delete(c.attributes, name) })
	}
	for _, name := range slices.Sorted(maps.Keys(d.capacity)) {
		without(func(c *device) { delete(c.capacity, name) })
	}
	if d.multiple {
		without(func(c *device) { c.multiple = false })
	}
	return all
}
