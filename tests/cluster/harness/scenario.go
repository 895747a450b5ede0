package harness

import (
	"fmt"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"sigs.k8s.io/yaml"
)

// Scenario is a file of objects and what must become of its pods.
type Scenario struct {
	Name      string                 `json:"name"`
	File      string                 `json:"file"`
	Inventory string                 `json:"inventory,omitempty"` // a file with more nodes and slices
	Gates     []string               `json:"gates,omitempty"`     // feature gates that it needs
	Steps     string                 `json:"steps,omitempty"`     // "", "ordered" or "set-conditions"
	Upstream  string                 `json:"upstream,omitempty"`  // in words: how kube-scheduler alone fails
	Pods      map[string]Expectation `json:"pods"`
}

// Expectation says what must become of a pod. Empty fields are not checked; Why and Warn are for readers.
type Expectation struct {
	Bound    bool              `json:"bound"`
	Nodes    []string          `json:"nodes,omitempty"`    // globs; one must match
	Devices  map[string]string `json:"devices,omitempty"`  // request, or several with |, -> pattern for each of its devices
	Count    int               `json:"count,omitempty"`    // devices of all requests
	Same     [][]string        `json:"same,omitempty"`     // attribute, requests: one value
	Distinct [][]string        `json:"distinct,omitempty"` // attribute, requests: all values differ
	Consumed map[string]string `json:"consumed,omitempty"` // capacity -> what each device gives
	Admin    bool              `json:"admin,omitempty"`    // admin access on each device
	Binding  []string          `json:"binding,omitempty"`  // binding conditions on a device
	SameNode bool              `json:"samenode,omitempty"` // as the scenario's other pods that say so
	Extended int               `json:"extended,omitempty"` // devices behind extended resources
	Why      string            `json:"why,omitempty"`
	Warn     string            `json:"warn,omitempty"`
}

// LoadScenarios reads a list of them.
func LoadScenarios(file string) ([]Scenario, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var all []Scenario
	return all, yaml.UnmarshalStrict(text, &all)
}

// Outcome is what the API server holds about a pod.
type Outcome struct {
	Pod    corev1.Pod
	Claims []resourcev1.ResourceClaim
}

// results are the devices allocated to a pod.
func (o *Outcome) results() []resourcev1.DeviceRequestAllocationResult {
	var all []resourcev1.DeviceRequestAllocationResult
	for _, claim := range o.Claims {
		if claim.Status.Allocation != nil {
			all = append(all, claim.Status.Allocation.Devices.Results...)
		}
	}
	return all
}

// Check returns what of the expectation is not met.
func (e *Expectation) Check(outcome Outcome, inventory Inventory) []string {
	if !e.Bound {
		return checkUnplaced(&outcome)
	}
	c := checker{inventory: inventory, results: outcome.results()}
	if !Bound(&outcome.Pod) {
		return []string{"not bound: " + Describe(&outcome.Pod)}
	}
	for i := range outcome.Claims {
		c.wrong = append(c.wrong, CheckClaim(&outcome.Claims[i], &outcome.Pod)...)
	}
	c.node(e.Nodes, outcome.Pod.Spec.NodeName)
	c.exist()
	for requests, pattern := range e.Devices {
		c.devices(requests, pattern)
	}
	if e.Count > 0 && len(c.results) != e.Count {
		c.complain("%d devices, want %d", len(c.results), e.Count)
	}
	for _, rule := range e.Same {
		if values := c.values(rule[0], rule[1:]); len(slices.Compact(slices.Sorted(slices.Values(values)))) != 1 {
			c.complain("%s of %v must be the same, is %v", rule[0], rule[1:], values)
		}
	}
	for _, rule := range e.Distinct {
		values := c.values(rule[0], rule[1:])
		if len(values) == 0 || len(slices.Compact(slices.Sorted(slices.Values(values)))) != len(values) {
			c.complain("%s of %v must differ, is %v", rule[0], rule[1:], values)
		}
	}
	for name, want := range e.Consumed {
		c.consumed(name, want)
	}
	c.extras(e, &outcome)
	return c.wrong
}

func checkUnplaced(outcome *Outcome) []string {
	var wrong []string
	if Bound(&outcome.Pod) {
		wrong = append(wrong, "bound to "+outcome.Pod.Spec.NodeName+", must not be")
	}
	if Refusal(&outcome.Pod) == "" {
		wrong = append(wrong, "no reason given: "+Describe(&outcome.Pod))
	}
	for _, claim := range outcome.Claims {
		if claim.Status.Allocation != nil {
			wrong = append(wrong, "claim "+claim.Name+" is allocated, must not be")
		}
	}
	return wrong
}

type checker struct {
	inventory Inventory
	results   []resourcev1.DeviceRequestAllocationResult
	wrong     []string
}

func (c *checker) complain(format string, args ...any) {
	c.wrong = append(c.wrong, fmt.Sprintf(format, args...))
}

func (c *checker) node(globs []string, node string) {
	if len(globs) > 0 && !slices.ContainsFunc(globs, func(glob string) bool {
		ok, err := path.Match(glob, node)
		return ok && err == nil
	}) {
		c.complain("node %s, want one of %v", node, globs)
	}
}

func (c *checker) exist() {
	for _, r := range c.results {
		if c.inventory.Device(r.Driver, r.Pool, r.Device) == nil {
			c.complain("device %s/%s/%s does not exist", r.Driver, r.Pool, r.Device)
		}
	}
}

func (c *checker) of(requests []string) []resourcev1.DeviceRequestAllocationResult {
	return slices.DeleteFunc(slices.Clone(c.results), func(r resourcev1.DeviceRequestAllocationResult) bool {
		return !slices.Contains(requests, r.Request)
	})
}

func (c *checker) devices(requests, pattern string) {
	want, err := regexp.Compile("^(?:" + pattern + ")$")
	if err != nil {
		c.complain("pattern of %s: %v", requests, err)
		return
	}
	results := c.of(strings.Split(requests, "|"))
	if len(results) == 0 {
		c.complain("no device for request %s", requests)
	}
	for _, r := range results {
		if !want.MatchString(r.Device) {
			c.complain("request %s: device %s does not match %s", r.Request, r.Device, pattern)
		}
	}
}

// values of an attribute, one for each device of these requests.
func (c *checker) values(attribute string, requests []string) []string {
	var values []string
	for _, request := range requests {
		results := c.of([]string{request})
		if len(results) == 0 {
			c.complain("no device for request %s", request)
		}
		for _, r := range results {
			value := c.inventory.Attribute(r.Driver, r.Pool, r.Device, attribute)
			if value == "" {
				c.complain("device %s/%s/%s has no attribute %s", r.Driver, r.Pool, r.Device, attribute)
			}
			values = append(values, value)
		}
	}
	return values
}

func (c *checker) consumed(name, want string) {
	quantity, err := resource.ParseQuantity(want)
	if err != nil {
		c.complain("consumed %s: %v", name, err)
		return
	}
	if len(c.results) == 0 {
		c.complain("no device consumes %s", name)
	}
	for _, r := range c.results {
		got, ok := r.ConsumedCapacity[resourcev1.QualifiedName(name)]
		if !ok {
			got, ok = r.ConsumedCapacity[resourcev1.QualifiedName(r.Driver+"/"+name)]
		}
		if !ok || got.Cmp(quantity) != 0 {
			c.complain("device %s: consumed %s is %s, want %s", r.Device, name, got.String(), want)
		}
	}
}

func (c *checker) extras(e *Expectation, outcome *Outcome) {
	if e.Admin {
		for _, r := range c.results {
			if r.AdminAccess == nil || !*r.AdminAccess {
				c.complain("device %s without admin access", r.Device)
			}
		}
	}
	for _, condition := range e.Binding {
		if !slices.ContainsFunc(c.results, func(r resourcev1.DeviceRequestAllocationResult) bool {
			return slices.Contains(r.BindingConditions, condition)
		}) {
			c.complain("no device with binding condition %s", condition)
		}
	}
	if e.Extended > 0 {
		if outcome.Pod.Status.ExtendedResourceClaimStatus == nil {
			c.complain("no claim for extended resources")
		} else if len(c.results) != e.Extended {
			c.complain("%d devices behind extended resources, want %d", len(c.results), e.Extended)
		}
	}
}

// CheckSameNode returns an error text if pods that must share a node do not.
func (s *Scenario) CheckSameNode(outcomes map[string]Outcome) []string {
	nodes := map[string]bool{}
	for name, e := range s.Pods {
		if e.SameNode {
			nodes[outcomes[name].Pod.Spec.NodeName] = true
		}
	}
	if len(nodes) > 1 {
		return []string{fmt.Sprintf("pods must share a node, are on %v", nodes)}
	}
	return nil
}
