package harness

import (
	"encoding/json"
	"fmt"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"

	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"sigs.k8s.io/yaml"
)

// Expectation says what must become of a pod. tests/cases/scenarios/README.md explains the fields; its examples.jsonl
// holds this reader and the one in C++ (tests/cases/expectation.cpp) to the same answers.
type Expectation struct {
	Bound    bool              `json:"bound"`
	Nodes    []string          `json:"nodes,omitempty"`
	Devices  map[string]string `json:"devices,omitempty"`
	Count    *int              `json:"count,omitempty"`
	Same     [][]string        `json:"same,omitempty"`
	Distinct [][]string        `json:"distinct,omitempty"`
	Consumed map[string]string `json:"consumed,omitempty"`
	Admin    bool              `json:"admin,omitempty"`
	Binding  []string          `json:"binding,omitempty"`
	SameNode bool              `json:"samenode,omitempty"`
	Extended *int              `json:"extended,omitempty"`
	Why      string            `json:"why,omitempty"`
	Warn     string            `json:"warn,omitempty"`

	said []string // the fields that it has, sorted
}

// UnmarshalJSON keeps in mind which fields there were.
func (e *Expectation) UnmarshalJSON(text []byte) error {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(text, &fields); err != nil {
		return err
	}
	type plain Expectation
	if err := json.Unmarshal(text, (*plain)(e)); err != nil {
		return err
	}
	e.said = slices.Sorted(maps.Keys(fields))
	return nil
}

// MustExpect reads an expectation that stands in a test's text.
func MustExpect(text string) Expectation {
	var e Expectation
	if err := yaml.UnmarshalStrict([]byte(text), &e); err != nil {
		panic(err)
	}
	return e
}

// Observed is what has become of a pod.
type Observed struct {
	Node     string                                     `json:"node,omitempty"`    // empty: it was not placed
	Refusal  string                                     `json:"refusal,omitempty"` // why it was not
	Devices  []resourcev1.DeviceRequestAllocationResult `json:"devices,omitempty"`
	Extended int                                        `json:"extended,omitempty"` // of the devices: behind extended resources
	Warnings []string                                   `json:"warnings,omitempty"`
}

// Unmet returns what of the expectations of a scenario's pods is not met; each text begins with its pod.
func Unmet(pods map[string]Expectation, observed map[string]Observed, inventory Inventory) []string {
	var wrong, nodes []string
	for _, name := range slices.Sorted(maps.Keys(pods)) {
		expected := pods[name]
		seen, ok := observed[name]
		if !ok {
			wrong = append(wrong, name+": no such pod")
			continue
		}
		for _, text := range expected.Unmet(seen, inventory) {
			wrong = append(wrong, name+": "+text)
		}
		if expected.SameNode && seen.Node != "" {
			nodes = append(nodes, seen.Node)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(observed)) {
		if _, ok := pods[name]; !ok {
			wrong = append(wrong, name+": nothing is expected of it")
		}
	}
	slices.Sort(nodes)
	if nodes = slices.Compact(nodes); len(nodes) > 1 {
		wrong = append(wrong, "pods must share a node, are on "+strings.Join(nodes, ", "))
	}
	return wrong
}

// Unmet returns what of the expectation is not met.
func (e *Expectation) Unmet(observed Observed, inventory Inventory) []string {
	c := checker{Expectation: e, observed: observed, inventory: inventory}
	switch {
	case !c.wellFormed():
	case !e.Bound:
		c.unplaced()
	case observed.Node == "":
		c.complain("not bound: %s", observed.Refusal)
	default:
		c.node()
		c.devices()
		c.attributes()
		c.consumed()
		c.extras()
	}
	return c.wrong
}

type checker struct {
	*Expectation
	observed  Observed
	inventory Inventory
	wrong     []string
}

func (c *checker) complain(format string, args ...any) {
	c.wrong = append(c.wrong, fmt.Sprintf(format, args...))
}

// ofBound are the fields that mean something for a bound pod only.
var ofBound = []string{"nodes", "devices", "count", "same", "distinct", "admin", "binding", "consumed", "samenode",
	"extended", "warn"}

func (c *checker) wellFormed() bool {
	for _, field := range c.said {
		if field != "bound" && field != "why" && !slices.Contains(ofBound, field) {
			c.complain("unknown field %s", field)
		}
	}
	if !slices.Contains(c.said, "bound") {
		c.complain("bound is not said")
		return false
	}
	if !c.Bound && !slices.Contains(c.said, "why") {
		c.complain("why is not said")
	}
	for _, field := range c.said {
		if c.Bound && field == "why" || !c.Bound && slices.Contains(ofBound, field) {
			c.complain("%s means nothing where bound is %v", field, c.Bound)
		}
	}
	return len(c.wrong) == 0
}

func (c *checker) unplaced() {
	if c.observed.Node != "" {
		c.complain("bound to %s, must not be", c.observed.Node)
	}
	if len(c.observed.Devices) > 0 {
		c.complain("has %d devices, must have none", len(c.observed.Devices))
	}
	if c.observed.Node == "" && c.observed.Refusal == "" {
		c.complain("no reason given")
	}
}

func (c *checker) node() {
	matches := func(glob string) bool {
		ok, err := path.Match(glob, c.observed.Node)
		return ok && err == nil
	}
	if len(c.Nodes) > 0 && !slices.ContainsFunc(c.Nodes, matches) {
		c.complain("node %s, want one of %s", c.observed.Node, strings.Join(c.Nodes, ", "))
	}
}

// of are the devices of these requests.
func (c *checker) of(requests ...string) []resourcev1.DeviceRequestAllocationResult {
	return slices.DeleteFunc(slices.Clone(c.observed.Devices), func(r resourcev1.DeviceRequestAllocationResult) bool {
		return !slices.Contains(requests, r.Request)
	})
}

func nameOf(r resourcev1.DeviceRequestAllocationResult) string {
	return r.Driver + "/" + r.Pool + "/" + r.Device
}

func (c *checker) devices() {
	for _, r := range c.observed.Devices {
		if c.inventory.Device(r.Driver, r.Pool, r.Device) == nil {
			c.complain("no device %s", nameOf(r))
		}
	}
	for _, requests := range slices.Sorted(maps.Keys(c.Devices)) {
		pattern := c.Devices[requests]
		found := c.of(strings.Split(requests, "|")...)
		if len(found) == 0 {
			c.complain("no device for request %s", requests)
		}
		want, err := regexp.Compile("^(?:" + pattern + ")$")
		if err != nil {
			c.complain("pattern of %s: %v", requests, err)
			continue
		}
		for _, r := range found {
			if !want.MatchString(r.Device) {
				c.complain("request %s: device %s is not %s", r.Request, r.Device, pattern)
			}
		}
	}
	if c.Count != nil && len(c.observed.Devices) != *c.Count {
		c.complain("%d devices, want %d", len(c.observed.Devices), *c.Count)
	}
}

// valuesOf are the values of a rule's attribute, one for each device of its requests that has it.
func (c *checker) valuesOf(rule []string) []string {
	var values []string
	for _, request := range rule[1:] {
		found := c.of(request)
		if len(found) == 0 {
			c.complain("no device for request %s", request)
		}
		for _, r := range found {
			if value := c.inventory.Attribute(r.Driver, r.Pool, r.Device, rule[0]); value != "" {
				values = append(values, value)
			} else {
				c.complain("device %s has no attribute %s", nameOf(r), rule[0])
			}
		}
	}
	return values
}

func (c *checker) attributes() {
	rule := func(rule []string, same bool) {
		values := c.valuesOf(rule)
		different := len(slices.Compact(slices.Sorted(slices.Values(values))))
		want, words := len(values), "all different"
		if same {
			want, words = 1, "one"
		}
		if len(values) == 0 || different != want {
			c.complain("%s of %s: %d values among %d devices, want %s", rule[0], strings.Join(rule[1:], ", "), different,
				len(values), words)
		}
	}
	for _, each := range c.Same {
		rule(each, true)
	}
	for _, each := range c.Distinct {
		rule(each, false)
	}
}

func (c *checker) consumed() {
	for _, name := range slices.Sorted(maps.Keys(c.Consumed)) {
		want, err := resource.ParseQuantity(c.Consumed[name])
		if err != nil {
			c.complain("consumed %s: %v", name, err)
			continue
		}
		if len(c.observed.Devices) == 0 {
			c.complain("no device consumes %s", name)
		}
		for _, r := range c.observed.Devices {
			if got, ok := findQualified(r.ConsumedCapacity, r.Driver, name); !ok || got.Cmp(want) != 0 {
				c.complain("device %s does not consume %s of %s", nameOf(r), c.Consumed[name], name)
			}
		}
	}
}

func (c *checker) extras() {
	for _, r := range c.observed.Devices {
		if c.Admin && (r.AdminAccess == nil || !*r.AdminAccess) {
			c.complain("device %s without admin access", nameOf(r))
		}
	}
	for _, condition := range c.Binding {
		if !slices.ContainsFunc(c.observed.Devices, func(r resourcev1.DeviceRequestAllocationResult) bool {
			return slices.Contains(r.BindingConditions, condition)
		}) {
			c.complain("no device with binding condition %s", condition)
		}
	}
	if c.Extended != nil && c.observed.Extended != *c.Extended {
		c.complain("%d devices behind extended resources, want %d", c.observed.Extended, *c.Extended)
	}
	if c.Warn != "" && !slices.ContainsFunc(c.observed.Warnings, func(said string) bool {
		return strings.Contains(said, c.Warn)
	}) {
		c.complain("no warning %q", c.Warn)
	}
}
