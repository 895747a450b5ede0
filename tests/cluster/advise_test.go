package cluster_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"dray.dev/dray/tests/cluster/harness"
)

// Mode advise: kube-scheduler's plugin DynamicResources allocates and kube-scheduler binds, by dray's filter and ranks.

// Our own scenarios.
func TestAdviseScenarios(t *testing.T) {
	startPair(t, pairOptions{advise: true})
	load(t, "testdata/inventory.yaml")
	for _, s := range scenarios(t, "testdata/scenarios.yaml") {
		t.Run(s.Name, func(t *testing.T) {
			if reason := notInAdvise[s.Name]; reason != "" {
				t.Skip(reason)
			}
			play(t, "testdata", s)
		})
	}
}

// notInAdvise are scenarios that only who chooses the devices can meet, and why.
var notInAdvise = map[string]string{
	"mig-placement":  "first fit puts the small partition where the large one needs room",
	"gang-lookahead": "first fit gives one pod the device that the other needs",
}

// The shared scenarios that need no gates.
func TestAdviseSharedScenarios(t *testing.T) {
	playShared(t, pairOptions{advise: true}, func(s harness.Scenario) bool {
		return len(s.Gates) == 0 && notInAdvise[s.Name] == ""
	})
}

const foretellDriver = "foretell.example.com"

// What dray foresees of devices is what the plugin allocates: random pods, many at a time, on devices that differ.
func TestAdviseForetells(t *testing.T) {
	pods := uint64(800)
	if testing.Short() {
		pods = 200
	}
	pods = numberFrom(t, "DRAY_FORETELL_PODS", pods)
	seed := numberFrom(t, "DRAY_CLUSTER_SEED", uint64(time.Now().Unix()/86400))
	t.Log("seed", seed)
	p := startPair(t, pairOptions{advise: true})
	create(t, foretellCluster())
	w := &foretellWorld{t: t, pair: p, random: rand.New(rand.NewPCG(seed, 14)), seen: map[string]bool{}}
	for w.made < int(pods) {
		w.burst(min(1+w.random.IntN(12), int(pods)-w.made))
		if w.random.IntN(3) == 0 || len(w.bound) > 40 {
			w.remove()
		}
	}
	eventually(t.Context(), t, "every allocated claim was foretold", func(ctx context.Context) (bool, error) {
		right, wrong := w.foretold(ctx)
		if wrong != 0 {
			return false, fmt.Errorf("%d claims as foretold, %d otherwise, of %d", right, wrong, len(w.seen))
		}
		return right >= len(w.seen), nil
	})
	right, wrong := w.foretold(t.Context())
	t.Logf("%d pods, %d of them bound; %d claims as foretold, %d otherwise", w.made, w.everBound, right, wrong)
	if w.everBound < int(pods)/3 {
		t.Errorf("only %d pods of %d were bound: too few to say anything", w.everBound, pods)
	}
}

// foretellCluster is YAML of six nodes whose devices differ in model, root, memory and what may be shared, and of
// templates that ask for them in every way.
func foretellCluster() string {
	text := []string{fmt.Sprintf(`
apiVersion: v1
kind: Namespace
metadata: {name: foretell}
---
apiVersion: resource.k8s.io/v1
kind: DeviceClass
metadata: {name: foretell}
spec: {selectors: [{cel: {expression: 'device.driver == "%[1]s" && device.attributes["%[1]s"].kind == "whole"'}}]}
---
apiVersion: resource.k8s.io/v1
kind: DeviceClass
metadata: {name: foretell-part}
spec: {selectors: [{cel: {expression: 'device.driver == "%[1]s" && device.attributes["%[1]s"].kind == "part"'}}]}
---
apiVersion: resource.k8s.io/v1
kind: DeviceClass
metadata: {name: foretell-share}
spec:
  selectors: [{cel: {expression: 'device.driver == "%[1]s" && device.attributes["%[1]s"].kind == "share"'}}]
---
apiVersion: resource.k8s.io/v1
kind: DeviceClass
metadata: {name: foretell-mark}
spec: {selectors: [{cel: {expression: 'device.driver == "%[1]s" && device.attributes["%[1]s"].kind == "mark"'}}]}
---
apiVersion: resource.k8s.io/v1
kind: ResourceClaimTemplate
metadata: {name: mark, namespace: foretell}
spec: {spec: {devices: {requests: [{name: a, exactly: {deviceClassName: foretell-mark}}]}}}
---
apiVersion: resource.k8s.io/v1
kind: DeviceClass
metadata: {name: foretell-extended}
spec:
  extendedResourceName: example.com/foretell
  selectors: [{cel: {expression: 'device.driver == "%[1]s" && device.attributes["%[1]s"].kind == "extended"'}}]
`, foretellDriver)}
	for n := range 6 {
		text = append(text, foretellNode(n), foretellSlices(n))
	}
	for _, name := range slices.Sorted(func(yield func(string) bool) {
		for name := range foretellTemplates {
			if !yield(name) {
				return
			}
		}
	}) {
		text = append(text, fmt.Sprintf(`
apiVersion: resource.k8s.io/v1
kind: ResourceClaimTemplate
metadata: {name: %s, namespace: foretell}
spec: {spec: {devices: %s}}
`, name, strings.ReplaceAll(foretellTemplates[name], "DRIVER", foretellDriver)))
	}
	return strings.Join(text, "---\n")
}

var foretellTemplates = map[string]string{
	"one":   `{requests: [{name: a, exactly: {deviceClassName: foretell}}]}`,
	"three": `{requests: [{name: a, exactly: {deviceClassName: foretell, count: 3}}]}`,
	"large": `{requests: [{name: a, exactly: {deviceClassName: foretell,
  selectors: [{cel: {expression: 'device.capacity["DRIVER"].memory.compareTo(quantity("40Gi")) >= 0'}}]}}]}`,
	"pair": `{requests: [{name: a, exactly: {deviceClassName: foretell}}, {name: b, exactly: {deviceClassName: foretell,
  selectors: [{cel: {expression: 'device.attributes["DRIVER"].model == "y"'}}]}}],
  constraints: [{requests: [a, b], matchAttribute: DRIVER/root}]}`,
	"apart": `{requests: [{name: a, exactly: {deviceClassName: foretell, count: 2}}],
  constraints: [{requests: [a], distinctAttribute: DRIVER/root}]}`,
	"first": `{requests: [{name: a, firstAvailable: [{name: two, deviceClassName: foretell, count: 2,
  selectors: [{cel: {expression: 'device.attributes["DRIVER"].model == "x"'}}]}, {name: one, deviceClassName: foretell}]}]}`,
	"part": `{requests: [{name: a, exactly: {deviceClassName: foretell-part}}]}`,
	"half": `{requests: [{name: a, exactly: {deviceClassName: foretell-part,
  selectors: [{cel: {expression: 'device.attributes["DRIVER"].model == "half"'}}]}}]}`,
	"share": `{requests: [{name: a, exactly: {deviceClassName: foretell-share,
  capacity: {requests: {memory: 3Gi}}}}]}`,
}

func foretellNode(n int) string {
	return fmt.Sprintf(`
apiVersion: v1
kind: Node
metadata: {name: f%[1]d, labels: {kubernetes.io/hostname: f%[1]d}}
status:
  capacity: {cpu: "64", memory: 64Gi, pods: "110"}
  allocatable: {cpu: "64", memory: 64Gi, pods: "110"}
  conditions: [{type: Ready, status: "True"}]
`, n)
}

func foretellSlices(n int) string {
	var whole, parts strings.Builder
	for d := range 6 + n%3 {
		model, memory := "x", 20*(1+(d+n)%3)
		if (d*5+n)%3 == 0 {
			model = "y"
		}
		fmt.Fprintf(&whole, "  - {name: w-%d, attributes: {kind: {string: whole}, model: {string: \"%s\"}, root: {string: r%d}}, "+
			"capacity: {memory: {value: %dGi}}}\n", d, model, (d+n)%3, memory)
	}
	fmt.Fprintf(&whole, "  - {name: mark, allowMultipleAllocations: true, attributes: {kind: {string: mark}}}\n")
	for d := range 2 {
		fmt.Fprintf(&whole, "  - {name: s-%d, allowMultipleAllocations: true, attributes: {kind: {string: share}}, "+
			"capacity: {memory: {value: 10Gi}}}\n", d)
		fmt.Fprintf(&whole, "  - {name: e-%d, attributes: {kind: {string: extended}}}\n", d)
	}
	for _, part := range []struct {
		name, model string
		takes       int
	}{{"p-0", "quarter", 1}, {"p-1", "half", 2}, {"p-2", "quarter", 1}, {"p-3", "full", 4}, {"p-4", "half", 2}} {
		fmt.Fprintf(&parts, "  - {name: %s, attributes: {kind: {string: part}, model: {string: %s}}, "+
			"consumesCounters: [{counterSet: card, counters: {units: {value: \"%d\"}}}]}\n", part.name, part.model, part.takes)
	}
	return fmt.Sprintf(`
apiVersion: resource.k8s.io/v1
kind: ResourceSlice
metadata: {name: foretell-f%[1]d}
spec:
  driver: %[2]s
  nodeName: f%[1]d
  pool: {name: f%[1]d, generation: 1, resourceSliceCount: 1}
  devices:
%[3]s---
apiVersion: resource.k8s.io/v1
kind: ResourceSlice
metadata: {name: foretell-parts-f%[1]d}
spec:
  driver: %[2]s
  nodeName: f%[1]d
  pool: {name: f%[1]d-parts, generation: 1, resourceSliceCount: 2}
  devices:
%[4]s---
apiVersion: resource.k8s.io/v1
kind: ResourceSlice
metadata: {name: foretell-counters-f%[1]d}
spec:
  driver: %[2]s
  nodeName: f%[1]d
  pool: {name: f%[1]d-parts, generation: 1, resourceSliceCount: 2}
  sharedCounters: [{name: card, counters: {units: {value: "4"}}}]
`, n, foretellDriver, whole.String(), parts.String())
}

type foretellWorld struct {
	t         *testing.T
	pair      *pair
	random    *rand.Rand
	made      int
	marks     int
	everBound int
	bound     []string
	seen      map[string]bool // claims of bound pods, by uid
}

// burst creates pods at once and waits until each is bound, or refused and taken away. One of them at most asks for
// shares: kube-scheduler 1.37 adds up the capacity of claims that its informer shows allocated and of those in flight,
// and a claim is both for a moment (claimTracker.GatherAllocatedState), in which nobody can tell where the next share goes.
func (w *foretellWorld) burst(count int) {
	t := w.t
	t.Helper()
	names := make([]string, 0, len(foretellTemplates))
	for name := range foretellTemplates {
		names = append(names, name)
	}
	slices.Sort(names)
	withoutShares := slices.DeleteFunc(slices.Clone(names), func(name string) bool { return name == "share" })
	var pods []*corev1.Pod
	for range count {
		templates := []string{names[w.random.IntN(len(names))]}
		if w.random.IntN(4) == 0 {
			templates = append(templates, names[w.random.IntN(len(names))])
		}
		if slices.Contains(templates, "share") {
			names = withoutShares
		}
		pod := podOf("foretell", fmt.Sprintf("p%d", w.made), harness.SchedulerName, templates...)
		if w.random.IntN(8) == 0 {
			pod.Spec.Containers[0].Resources.Requests["example.com/foretell"] = resource.MustParse("1")
			pod.Spec.Containers[0].Resources.Limits = corev1.ResourceList{"example.com/foretell": resource.MustParse("1")}
		}
		pods = append(pods, pod)
		w.made++
	}
	createPods(t, pods...)
	for _, pod := range pods {
		p, err := plane.WaitPod(t.Context(), "foretell", pod.Name, patience, func(p *corev1.Pod) bool {
			return harness.Bound(p) || harness.Refused(p)
		})
		if err != nil {
			t.Fatal(err)
		}
		if harness.Bound(p) {
			w.bound = append(w.bound, pod.Name)
			w.everBound++
			continue
		}
		deleteNow(t, "foretell", pod.Name)
	}
	w.note()
	w.settle()
}

// note keeps the claims of bound pods in mind. (A pod that is taken away may be bound in that moment.)
func (w *foretellWorld) note() {
	_, claims := allocated(w.t, "foretell")
	for i := range claims {
		for _, user := range claims[i].Status.ReservedFor {
			if slices.Contains(w.bound, user.Name) {
				w.seen[string(claims[i].UID)] = true
			}
		}
	}
}

// remove takes some pods away and waits until everybody has seen their devices free.
func (w *foretellWorld) remove() {
	t := w.t
	t.Helper()
	w.random.Shuffle(len(w.bound), func(i, j int) { w.bound[i], w.bound[j] = w.bound[j], w.bound[i] })
	gone := min(1+w.random.IntN(len(w.bound)+1), len(w.bound))
	for _, name := range w.bound[:gone] {
		deleteNow(t, "foretell", name)
	}
	w.bound = w.bound[gone:]
	w.settle()
}

// settle waits until no pod that went has a claim, and until dray and kube-scheduler have seen that.
func (w *foretellWorld) settle() {
	w.t.Helper()
	eventually(w.t.Context(), w.t, "devices of the pods that went are free", func(ctx context.Context) (bool, error) {
		list, err := plane.Client.CoreV1().Pods("foretell").List(ctx, metav1.ListOptions{})
		if err != nil {
			return false, err
		}
		_, claims := allocated(w.t, "foretell")
		left := slices.ContainsFunc(claims, func(c resourcev1.ResourceClaim) bool {
			return !slices.ContainsFunc(c.OwnerReferences, func(o metav1.OwnerReference) bool {
				return slices.Contains(w.bound, o.Name)
			})
		})
		return len(list.Items) == len(w.bound) && !left, nil
	})
	w.mark()
}

// mark has a pod bound whose claim is younger than all that was done to claims: who allocates it has seen that. Nobody
// else wants its device.
func (w *foretellWorld) mark() {
	t := w.t
	t.Helper()
	name := fmt.Sprintf("mark%d", w.marks)
	w.marks++
	createPods(t, podOf("foretell", name, harness.SchedulerName, "mark"))
	waitBound(t, "foretell", name)
	bound := w.bound
	w.bound = []string{name}
	w.note()
	w.bound = bound
	deleteNow(t, "foretell", name)
}

func (w *foretellWorld) foretold(ctx context.Context) (right, wrong int) {
	return metric(ctx, w.t, w.pair, `dray_foretold_claims_total{result="as_foretold"}`),
		metric(ctx, w.t, w.pair, `dray_foretold_claims_total{result="otherwise"}`)
}

// metric is a whole number of dray's metrics page; -1: it is not there.
func metric(ctx context.Context, t *testing.T, p *pair, name string) int {
	t.Helper()
	for line := range strings.Lines(page(ctx, t, p.dray.Admin+"/metrics")) {
		if rest, found := strings.CutPrefix(line, name+" "); found {
			value, err := strconv.ParseFloat(strings.TrimSpace(rest), 64)
			if err != nil {
				t.Fatal(err)
			}
			return int(value)
		}
	}
	return -1
}
