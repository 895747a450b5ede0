package cluster_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"dray.dev/dray/tests/cluster/harness"
)

const (
	longSeeds  = 12 // workloads of a long run
	faultSteps = 12 // things that happen to one of them
)

// What of a test is for the long run only: `go test` without -short.
func longOnly(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("for the long run")
	}
}

// firstSeed is DRAY_CLUSTER_SEED, or advances with the date, so that each day looks at other workloads.
func firstSeed(t *testing.T) uint64 {
	t.Helper()
	seed := numberFrom(t, "DRAY_CLUSTER_SEED", uint64(time.Now().Unix()/(24*60*60))*longSeeds)
	t.Logf("DRAY_CLUSTER_SEED=%d repeats these workloads", seed)
	return seed
}

// The shared scenarios once more, as an operator would deploy the pair: mutual TLS, and the service account's token.
func TestSharedScenariosAsDeployed(t *testing.T) {
	longOnly(t)
	playShared(t, pairOptions{DrayOptions: harness.DrayOptions{TLS: true, Token: true}},
		func(s harness.Scenario) bool { return len(s.Gates) == 0 })
}

// Pods come and go while dray is killed, at random; in the end as many run as there are devices, each with its own.
func TestWorkloadsThroughFaults(t *testing.T) {
	longOnly(t)
	first := firstSeed(t)
	for i := range uint64(longSeeds) {
		seed := first + i
		t.Run(strconv.FormatUint(seed, 10), func(t *testing.T) {
			w := newWorkload(t, seed)
			for range faultSteps {
				w.step(t)
			}
			w.check(t)
		})
	}
}

// workload is a cluster with pods of one device each.
type workload struct {
	pair      *pair
	random    *rand.Rand
	namespace string
	devices   int
	pods      []string
	made      int
}

func newWorkload(t *testing.T, seed uint64) *workload {
	t.Helper()
	w := &workload{pair: startPair(t, pairOptions{}), random: rand.New(rand.NewPCG(seed, 0)),
		namespace: fmt.Sprintf("faults-%d", seed)}
	nodes, each := 2+w.random.IntN(8), 1+w.random.IntN(8)
	w.devices = nodes * each
	create(t, fleet(manyDriver, nodes, each, "64").All())
	create(t, oneDeviceTemplate(w.namespace, manyDriver))
	w.add(t, 1+w.random.IntN(w.devices))
	return w
}

func (w *workload) add(t *testing.T, count int) {
	t.Helper()
	var pods []*corev1.Pod
	for range count {
		name := fmt.Sprintf("p%d", w.made)
		w.made++
		w.pods = append(w.pods, name)
		pods = append(pods, podOf(w.namespace, name, harness.SchedulerName, "one"))
	}
	createPods(t, pods...)
}

func (w *workload) step(t *testing.T) {
	t.Helper()
	switch chosen := w.random.IntN(10); {
	case chosen < 3:
		w.pair.dray.Kill()
		if err := w.pair.dray.Start(t.Context()); err != nil {
			t.Fatal(err)
		}
	case chosen < 6 && len(w.pods) > 0:
		at := w.random.IntN(len(w.pods))
		deleteNow(t, w.namespace, w.pods[at])
		w.pods = slices.Delete(w.pods, at, at+1)
	case chosen < 9:
		w.add(t, 1+w.random.IntN(1+w.devices/3))
	default:
		waitMany(t, w.namespace, min(len(w.pods), w.devices), 2*time.Minute)
	}
}

func (w *workload) check(t *testing.T) {
	t.Helper()
	want := min(len(w.pods), w.devices)
	if bound := waitMany(t, w.namespace, want, 2*time.Minute); bound != want {
		t.Errorf("%d pods are bound, want %d", bound, want)
	}
	inventory, err := plane.ReadInventory(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	list, err := plane.Client.CoreV1().Pods(w.namespace).List(t.Context(), metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	one := harness.MustExpect("{bound: true, count: 1}")
	devices := map[string]string{}
	for _, each := range list.Items {
		if !harness.Bound(&each) {
			continue
		}
		_, _, observed, err := plane.Observe(t.Context(), w.namespace, each.Name)
		if err != nil {
			t.Fatal(err)
		}
		for _, text := range one.Unmet(observed, inventory) {
			t.Errorf("pod %s: %s", each.Name, text)
		}
		for _, r := range observed.Devices {
			device := r.Pool + "/" + r.Device
			if r.Pool != observed.Node || devices[device] != "" {
				t.Errorf("pod %s on %s has %s, and so has %q", each.Name, observed.Node, device, devices[device])
			}
			devices[device] = each.Name
		}
	}
}
