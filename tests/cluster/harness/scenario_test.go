package harness

import (
	"os"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/yaml"
)

// claim is what a well treated pod on n0 holds: rows change it.
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

// examples is the table that the reader in C++ is held to as well.
const examples = "../../cases/scenarios/"

func TestExamplesOfExpectations(t *testing.T) {
	objects, err := Load(examples + "inventory.yaml")
	if err != nil {
		t.Fatal(err)
	}
	slices := make([]resourcev1.ResourceSlice, len(objects))
	for i, object := range objects {
		if err := runtime.DefaultUnstructuredConverter.FromUnstructured(object.Object, &slices[i]); err != nil {
			t.Fatal(err)
		}
	}
	inventory := NewInventory(slices)
	text, err := os.ReadFile(examples + "examples.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		var row struct {
			Name     string                 `json:"name"`
			Gates    []string               `json:"gates"`
			Pods     map[string]Expectation `json:"pods"`
			Observed map[string]Observed    `json:"observed"`
			Wrong    []string               `json:"wrong"`
		}
		parse(t, line, &row)
		t.Run(row.Name, func(t *testing.T) {
			got := append(UnknownGates(row.Gates), Unmet(row.Pods, row.Observed, inventory)...)
			if strings.Join(got, "\n") != strings.Join(row.Wrong, "\n") {
				t.Errorf("got %q, want %q", got, row.Wrong)
			}
		})
	}
}

func TestCheckClaim(t *testing.T) {
	pod := corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "p", UID: "u"}, Spec: corev1.PodSpec{NodeName: "n0"}}
	rows := []struct{ name, replace, with, want string }{
		{"all is well", "", "", ""},
		{"reserved for another", "uid: u", "uid: v", "claim c: not reserved for pod p"},
		{"no finalizer", "delete-protection", "other", "claim c: no finalizer " + Finalizer},
		{"no allocation", "allocation:", "other:", "claim c: no allocation"},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			var one resourcev1.ResourceClaim
			parse(t, strings.Replace(claim, row.replace, row.with, 1), &one)
			if got := strings.Join(CheckClaim(&one, &pod), "; "); got != row.want {
				t.Errorf("got %q, want %q", got, row.want)
			}
		})
	}
}

func TestObservedOf(t *testing.T) {
	var own, extended resourcev1.ResourceClaim
	parse(t, claim, &own)
	parse(t, strings.Replace(claim, "name: c,", "name: d,", 1), &extended)
	pod := corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "p", UID: "u"}, Spec: corev1.PodSpec{NodeName: "n0"},
		Status: corev1.PodStatus{ExtendedResourceClaimStatus: &corev1.PodExtendedResourceClaimStatus{ResourceClaimName: "d"}}}
	event := func(uid, kind string) corev1.Event {
		return corev1.Event{Type: kind, Message: kind + " " + uid,
			InvolvedObject: corev1.ObjectReference{UID: types.UID(uid)}}
	}
	got := ObservedOf(&pod, []resourcev1.ResourceClaim{own, {}, extended},
		[]corev1.Event{event("u", "Normal"), event("v", "Warning"), event("u", "Warning")})
	if got.Node != "n0" || len(got.Devices) != 4 || got.Extended != 2 || strings.Join(got.Warnings, ";") != "Warning u" {
		t.Errorf("got %+v", got)
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
