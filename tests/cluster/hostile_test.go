package cluster_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/dynamic"

	"dray.dev/dray/tests/cluster/harness"
)

const (
	hostileClaims = 10_000
	hostileGroups = 5_000
	hostileRate   = 20 // writes a second while the other tenant works
	goodDriver    = "good.example.com"
	goodPods      = 300
	goodPause     = 400 * time.Millisecond
	goodLimit     = 2 * time.Second // p99 from POST to the node
	mostMemory    = 2 << 30         // of dray, bytes
)

var claimsResource = schema.GroupVersionResource{Group: "resource.k8s.io", Version: "v1", Resource: "resourceclaims"}
var definitions = schema.GroupVersionResource{Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions"}
var groupsResource = schema.GroupVersionResource{Group: "scheduling.x-k8s.io", Version: "v1alpha1", Resource: "podgroups"}

// A tenant's whole afternoon: claims with every odd value that the API server takes, PodGroups, marks that are dray's,
// pods that come and go. Beside it another tenant's pods are bound as ever.
func TestHostileTenant(t *testing.T) {
	longOnly(t)
	p := startPair(t, pairOptions{})
	// Without queues each may take what is free: the other tenant has devices that nobody else asks for.
	create(t, fleet(goodDriver, 20, 20, "").Slices())
	spendAfternoon(t, p, goodDriver)
}

// The same where both have a queue and ask for the same devices: what the hostile tenant took beyond its quota comes back as fast
// as the other one wants it.
func TestHostileTenantWithQueues(t *testing.T) {
	longOnly(t)
	policy, err := filepath.Abs("testdata/hostile-queues.yaml")
	if err != nil {
		t.Fatal(err)
	}
	p := startPair(t, pairOptions{DrayOptions: harness.DrayOptions{Args: []string{"--policy", policy}}})
	ctx, stop := context.WithCancel(t.Context())
	var kubelet sync.WaitGroup
	var ended atomic.Int64
	kubelet.Go(func() { endLeavingPods(ctx, "hostile", &ended) })
	spendAfternoon(t, p, manyDriver)
	stop()
	kubelet.Wait()
	t.Logf("%d pods of the hostile tenant were evicted", ended.Load())
	if ended.Load() == 0 {
		t.Error("nobody was evicted: the two never asked for the same devices")
	}
	if devices, _ := allocated(t, "good"); len(devices) != goodPods {
		t.Errorf("the other tenant has %d devices, want %d", len(devices), goodPods)
	}
}

// endLeavingPods plays the kubelet: pods that have a node and are being deleted are gone soon.
func endLeavingPods(ctx context.Context, namespace string, ended *atomic.Int64) {
	pods := plane.Client.CoreV1().Pods(namespace)
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		list, err := pods.List(ctx, metav1.ListOptions{ResourceVersion: "0"})
		if err != nil {
			continue
		}
		now := int64(0)
		for _, pod := range list.Items {
			if pod.DeletionTimestamp != nil && pod.Spec.NodeName != "" &&
				pods.Delete(ctx, pod.Name, metav1.DeleteOptions{GracePeriodSeconds: &now}) == nil {
				ended.Add(1)
			}
		}
	}
}

// spendAfternoon fills the cluster with the hostile tenant's objects, and holds to their limits the other tenant's pods, each
// with one device of a driver, and what dray needs meanwhile.
func spendAfternoon(t *testing.T, p *pair, driver string) {
	t.Helper()
	create(t, podGroupDefinition)
	t.Cleanup(func() { // and all that is of this kind
		if err := plane.Any.Resource(definitions).Delete(contextAfter(t), groupsResource.GroupResource().String(), metav1.DeleteOptions{}); err != nil {
			t.Error(err)
		}
	})
	create(t, fleet(manyDriver, 20, 20, "64").All())
	create(t, oneDeviceTemplate("good", driver)+"---"+oneDeviceTemplate("hostile", manyDriver))

	h := &hostile{client: plane.Any, random: rand.New(rand.NewPCG(firstSeed(t), 2))}
	h.fill(t)
	ctx, stop := context.WithCancel(t.Context())
	var games sync.WaitGroup
	games.Go(func() { h.play(ctx) })
	took := bindGoodPods(t)
	stop()
	games.Wait()
	t.Logf("hostile: %d claims and groups, %d writes taken, %d refused beside", h.filled.Load(), h.taken.Load(), h.refused.Load())

	slices.Sort(took)
	p99 := took[len(took)*99/100]
	t.Logf("the other tenant's pods: median %v, p99 %v, most %v", took[len(took)/2], p99, took[len(took)-1])
	if p99 > goodLimit {
		t.Errorf("p99 from POST to the node is %v, want %v at most", p99, goodLimit)
	}
	memory, err := p.dray.Memory()
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("dray has %d MiB", memory>>20)
	if memory > mostMemory {
		t.Errorf("dray has %d MiB, want %d at most", memory>>20, mostMemory>>20)
	}
	if !p.dray.Ready(t.Context()) {
		t.Error("dray is not ready")
	}
}

// bindGoodPods makes pods of one device one after another, and says how long each waited for its node.
func bindGoodPods(t *testing.T) []time.Duration {
	t.Helper()
	pods := plane.Client.CoreV1().Pods("good")
	events, err := pods.Watch(t.Context(), metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer events.Stop()
	made := map[string]time.Time{}
	var took []time.Duration
	next := time.NewTicker(goodPause)
	defer next.Stop()
	deadline := time.After(time.Duration(goodPods)*goodPause + 2*time.Minute)
	for len(took) < goodPods {
		select {
		case <-next.C:
			if len(made) == goodPods {
				continue
			}
			name := fmt.Sprintf("p%d", len(made))
			made[name] = time.Now()
			createPods(t, podOf("good", name, harness.SchedulerName, "one"))
		case event := <-events.ResultChan():
			pod, ok := event.Object.(*corev1.Pod)
			if !ok {
				t.Fatalf("watch: %v", event)
			}
			if event.Type == watch.Modified && harness.Bound(pod) && !made[pod.Name].IsZero() {
				took = append(took, time.Since(made[pod.Name]))
				made[pod.Name] = time.Time{} // counted
			}
		case <-deadline:
			t.Fatalf("%d of %d pods are bound", len(took), goodPods)
		}
	}
	return took
}

// hostile is a tenant that does what the API server lets it do.
type hostile struct {
	client                 dynamic.Interface
	random                 *rand.Rand
	filled, taken, refused atomic.Int64
}

// fill makes all claims and groups, as fast as they are taken.
func (h *hostile) fill(t *testing.T) {
	t.Helper()
	var objects []*unstructured.Unstructured
	for i := range hostileClaims {
		objects = append(objects, h.claim(fmt.Sprintf("c%d", i)))
	}
	for i := range hostileGroups {
		objects = append(objects, hostileObject("scheduling.x-k8s.io/v1alpha1", "PodGroup", fmt.Sprintf("g%d", i),
			map[string]any{"minMember": int64(1 + i%2000)}))
	}
	begin := time.Now()
	var complaint atomic.Value
	err := harness.Each(objects, 32, func(o *unstructured.Unstructured) error {
		if _, err := h.resource(o).Create(t.Context(), o, metav1.CreateOptions{}); err != nil {
			complaint.CompareAndSwap(nil, fmt.Sprintf("%s: %.300s", o.GetLabels()["odd"], err))
		} else {
			h.filled.Add(1)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d of %d taken in %v; the first refusal: %v", h.filled.Load(), len(objects), time.Since(begin), complaint.Load())
	if h.filled.Load() < hostileClaims/2+hostileGroups {
		t.Errorf("the API server takes only %d of these objects: they are not legal", h.filled.Load())
	}
}

func (h *hostile) resource(o *unstructured.Unstructured) dynamic.ResourceInterface {
	if o.GetKind() == "PodGroup" {
		return h.client.Resource(groupsResource).Namespace("hostile")
	}
	return h.client.Resource(claimsResource).Namespace("hostile")
}

// play writes at the hostile rate until it is told to stop.
func (h *hostile) play(ctx context.Context) {
	tick := time.NewTicker(time.Second / hostileRate)
	defer tick.Stop()
	for i := 0; ; i++ {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			if err := h.move(ctx, i); err != nil {
				h.refused.Add(1)
			} else {
				h.taken.Add(1)
			}
		}
	}
}

// move is one write.
func (h *hostile) move(ctx context.Context, i int) error {
	pods := plane.Client.CoreV1().Pods("hostile")
	switch i % 5 {
	case 0: // a pod that wants one of the odd claims
		pod := podOf("hostile", fmt.Sprintf("h%d", i), harness.SchedulerName)
		claim := fmt.Sprintf("c%d", h.random.IntN(hostileClaims))
		pod.Spec.ResourceClaims = []corev1.PodResourceClaim{{Name: "odd", ResourceClaimName: &claim}}
		_, err := pods.Create(ctx, pod, metav1.CreateOptions{})
		return err
	case 1: // a member of a group that will never be whole
		pod := podOf("hostile", fmt.Sprintf("h%d", i), harness.SchedulerName, "one")
		pod.Labels = map[string]string{"scheduling.x-k8s.io/pod-group": fmt.Sprintf("g%d", 100+h.random.IntN(hostileGroups-100))}
		_, err := pods.Create(ctx, pod, metav1.CreateOptions{})
		return err
	case 2: // marks that are dray's, and another's queue
		name := fmt.Sprintf("h%d", 5*h.random.IntN(1+i/5))
		patch := fmt.Sprintf(`{"metadata":{"labels":{"dray.dev/queue":"good","n":"%d"},"annotations":{"dray.dev/reservation":"n0"}}}`, i)
		_, err := pods.Patch(ctx, name, "application/merge-patch+json", []byte(patch), metav1.PatchOptions{})
		return err
	case 3: // a group object changes: its pods' jobs with it
		name := fmt.Sprintf("g%d", h.random.IntN(hostileGroups))
		patch := fmt.Sprintf(`{"spec":{"minMember":%d}}`, 1+h.random.IntN(5000))
		_, err := h.client.Resource(groupsResource).Namespace("hostile").Patch(ctx, name, "application/merge-patch+json",
			[]byte(patch), metav1.PatchOptions{})
		return err
	default: // pods go as they came
		now := int64(0)
		return pods.Delete(ctx, fmt.Sprintf("h%d", 5*h.random.IntN(1+i/5)), metav1.DeleteOptions{GracePeriodSeconds: &now})
	}
}

func hostileObject(version, kind, name string, spec map[string]any) *unstructured.Unstructured {
	return &unstructured.Unstructured{Object: map[string]any{"apiVersion": version, "kind": kind, "spec": spec,
		"metadata": map[string]any{"namespace": "hostile", "name": name}}}
}

// claim is one of the odd kinds, which its label names.
func (h *hostile) claim(name string) *unstructured.Unstructured {
	odd := oddClaims[h.random.IntN(len(oddClaims))]
	claim := hostileObject("resource.k8s.io/v1", "ResourceClaim", name, map[string]any{"devices": odd.devices(h.random)})
	if odd.name == "longest names" {
		claim.SetAnnotations(map[string]string{"x": strings.Repeat("x", 100_000)})
	}
	claim.SetLabels(map[string]string{"odd": strings.ReplaceAll(odd.name, " ", "-")})
	return claim
}

type oddClaim struct {
	name    string
	devices func(*rand.Rand) map[string]any
}

func exactly(more map[string]any) map[string]any {
	all := map[string]any{"deviceClassName": manyDriver}
	for key, value := range more {
		all[key] = value
	}
	return map[string]any{"name": "r", "exactly": all}
}

func requests(all ...any) map[string]any { return map[string]any{"requests": all} }

func selectors(count int, expression string) []any {
	all := make([]any, count)
	for i := range all {
		all[i] = map[string]any{"cel": map[string]any{"expression": expression}}
	}
	return all
}

var oddQuantities = []string{"0", "1", "1e18", "9223372036854775807", "1Ei", "0.000000001", "1e-9", "1e20000", "123456789123456789123456789",
	"999999999999999999999E", "1n", "7u", "+5", "1e+3"}

var oddClaims = []oddClaim{
	{"quantities", func(r *rand.Rand) map[string]any {
		amount := map[string]any{"memory": oddQuantities[r.IntN(len(oddQuantities))], "x.example.com/y": oddQuantities[r.IntN(len(oddQuantities))]}
		return requests(exactly(map[string]any{"capacity": map[string]any{"requests": amount}}))
	}},
	{"selectors at the limit of length, no two alike", func(r *rand.Rand) map[string]any {
		own := fmt.Sprintf("device.driver == \"no-%d\" || ", r.Uint32())
		return requests(exactly(map[string]any{"selectors": selectors(1, own+strings.Repeat(`device.driver == "no" || `, 390)+"false")}))
	}},
	{"selectors at the limit of cost", func(*rand.Rand) map[string]any {
		// Lists in lists, as far as the estimate lets them be.
		const loop = `[1,2,3,4,5,6,7,8,9,10].all(a, [1,2,3,4,5,6,7,8,9,10].all(b, [1,2,3,4,5,6,7,8,9,10].exists(c, a * b * c > 0)))`
		return requests(exactly(map[string]any{"selectors": selectors(8, loop)}))
	}},
	{"32 times 32", func(*rand.Rand) map[string]any {
		var all []any
		for i := range 32 {
			request := exactly(map[string]any{"selectors": selectors(32, fmt.Sprintf("device.driver != \"d%d\"", i))})
			request["name"] = fmt.Sprintf("r%d", i)
			all = append(all, request)
		}
		return requests(all...)
	}},
	{"alternatives", func(r *rand.Rand) map[string]any {
		var all []any
		for i := range 8 {
			all = append(all, map[string]any{"name": fmt.Sprintf("a%d", i), "deviceClassName": manyDriver, "count": int64(1 + r.IntN(32))})
		}
		return requests(map[string]any{"name": "r", "firstAvailable": all})
	}},
	{"constraints", func(*rand.Rand) map[string]any {
		devices := requests(exactly(map[string]any{"count": int64(20)}))
		var all []any
		for i := range 32 {
			all = append(all, map[string]any{"matchAttribute": fmt.Sprintf("resource.kubernetes.io/a%d", i)})
		}
		devices["constraints"] = all
		return devices
	}},
	{"more than there is", func(*rand.Rand) map[string]any { return requests(exactly(map[string]any{"count": int64(1) << 40})) }},
	{"all devices", func(*rand.Rand) map[string]any { return requests(exactly(map[string]any{"allocationMode": "All"})) }},
	{"longest names", func(*rand.Rand) map[string]any {
		request := exactly(map[string]any{"deviceClassName": strings.Repeat("a", 63) + strings.Repeat("."+strings.Repeat("b", 62), 3)})
		request["name"] = strings.Repeat("r", 63)
		return requests(request)
	}},
	{"no such class", func(r *rand.Rand) map[string]any {
		return requests(exactly(map[string]any{"deviceClassName": fmt.Sprintf("none-%d", r.IntN(1_000_000))}))
	}},
}

// podGroupDefinition is the kind of the coscheduling plugin, as far as it matters.
const podGroupDefinition = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: podgroups.scheduling.x-k8s.io
  annotations: {api-approved.kubernetes.io: "https://github.com/kubernetes-sigs/scheduler-plugins/pull/50"}
spec:
  group: scheduling.x-k8s.io
  scope: Namespaced
  names: {kind: PodGroup, listKind: PodGroupList, plural: podgroups, singular: podgroup}
  versions:
  - name: v1alpha1
    served: true
    storage: true
    schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}
`
