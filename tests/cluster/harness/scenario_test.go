package harness

import (
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"
)

const published = `
- metadata: {name: old}
  spec:
    driver: gpu.example.com
    pool: {name: n0, generation: 1, resourceSliceCount: 1}
    devices: [{name: gone}]
- metadata: {name: new}
  spec:
    driver: gpu.example.com
    pool: {name: n0, generation: 2, resourceSliceCount: 1}
    devices:
    - {name: gpu-0, attributes: {root: {string: a}, index: {int: 0}}}
    - {name: gpu-1, attributes: {gpu.example.com/root: {string: a}, index: {int: 1}}}
    - {name: gpu-2, attributes: {root: {string: b}}}
`

// claim is what a well treated pod on n0 holds; rows change it.
const claim = `
metadata: {name: c, finalizers: [resource.kubernetes.io/delete-protection]}
status:
  reservedFor: [{resource: pods, name: p, uid: u}]
  allocation:
    devices:
      results:
      - {request: x, driver: gpu.example.com, pool: n0, device: gpu-0, consumedCapacity: {cores: "30"}}
      - {request: y/small, driver: gpu.example.com, pool: n0, device: gpu-1, consumedCapacity: {gpu.example.com/cores: "30"}}
`

func TestExpectation(t *testing.T) {
	rows := []struct {
		name, expected string
		replace, with  string // in the claim
		want           string // part of the complaint; empty: none
	}{
		{"all is well", "{bound: true, nodes: [other, 'n*'], count: 2, devices: {x: 'gpu-\\d', z|y/small: gpu-1}}", "", "", ""},
		{"node", "{bound: true, nodes: ['m*']}", "", "", "node n0, want one of"},
		{"count", "{bound: true, count: 3}", "", "", "2 devices, want 3"},
		{"pattern is for the whole name", "{bound: true, devices: {x: gpu}}", "", "", "does not match gpu"},
		{"request without a device", "{bound: true, devices: {z: '.*'}}", "", "", "no device for request z"},
		{"same", "{bound: true, same: [[gpu.example.com/root, x, y/small]]}", "", "", ""},
		{"not the same", "{bound: true, same: [[gpu.example.com/root, x, y/small]]}", "gpu-1", "gpu-2", "must be the same"},
		{"same of an unknown attribute", "{bound: true, same: [[gpu.example.com/color, x]]}", "", "", "has no attribute"},
		{"distinct", "{bound: true, distinct: [[gpu.example.com/index, x, y/small]]}", "", "", ""},
		{"not distinct", "{bound: true, distinct: [[gpu.example.com/root, x, y/small]]}", "", "", "must differ"},
		{"consumed", "{bound: true, consumed: {cores: '30'}}", "", "", ""},
		{"consumed in another notation", "{bound: true, consumed: {cores: 30000m}}", "", "", ""},
		{"consumed less", "{bound: true, consumed: {cores: '31'}}", "", "", "consumed cores is 30, want 31"},
		{"admin access is missing", "{bound: true, admin: true}", "", "", "without admin access"},
		{"binding condition is missing", "{bound: true, binding: [Ready]}", "", "", "no device with binding condition"},
		{"extended resources without a claim", "{bound: true, extended: 2}", "", "", "no claim for extended"},
		{"device of an old generation", "{bound: true}", "gpu-1", "gone", "does not exist"},
		{"reserved for another", "{bound: true}", "uid: u", "uid: v", "not reserved for pod p"},
		{"no finalizer", "{bound: true}", "delete-protection", "other", "no finalizer"},
		{"no allocation", "{bound: true}", "allocation:", "other:", "no allocation"},
		{"bound against expectation", "{bound: false}", "", "", "bound to n0, must not be"},
		{"allocated against expectation", "{bound: false}", "", "", "claim c is allocated, must not be"},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			var expected Expectation
			outcome := Outcome{Pod: corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "p", UID: "u"},
				Spec: corev1.PodSpec{NodeName: "n0"}}, Claims: make([]resourcev1.ResourceClaim, 1)}
			var inventory []resourcev1.ResourceSlice
			parse(t, row.expected, &expected)
			parse(t, strings.Replace(claim, row.replace, row.with, 1), &outcome.Claims[0])
			parse(t, published, &inventory)
			got := strings.Join(expected.Check(outcome, NewInventory(inventory)), "; ")
			if row.want == "" && got != "" || !strings.Contains(got, row.want) {
				t.Errorf("got %q, want %q", got, row.want)
			}
		})
	}
}

func parse(t *testing.T, text string, into any) {
	t.Helper()
	if err := yaml.Unmarshal([]byte(text), into); err != nil {
		t.Fatal(err)
	}
}

func TestAuditorSeesADoubleUse(t *testing.T) {
	var first, second resourcev1.ResourceClaim
	parse(t, claim, &first)
	parse(t, strings.Replace(claim, "name: c,", "name: d,", 1), &second)
	a := &Auditor{holders: map[string]map[string]bool{}, held: map[string][]string{}}
	a.note(&first, false)
	a.note(&first, false) // an update of the same claim
	a.note(&first, true)
	a.note(&second, false) // the devices were free again
	if len(a.found) != 0 {
		t.Errorf("found %v", a.found)
	}
	a.note(&first, false)
	if len(a.found) != 2 || !strings.Contains(a.found[0], "gpu.example.com/n0/gpu-0 is allocated to /c /d") {
		t.Errorf("found %v", a.found)
	}
}
