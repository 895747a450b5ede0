package cluster_test

import (
	"fmt"
	"path/filepath"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"dray.dev/dray/tests/cluster/harness"
)

const (
	standingPods = 20
	askedPods    = 40
)

// What a live dray says of pods beside those that run there is what then happens to them: the same are admitted, on the
// same nodes with the same devices. Nothing is held for them meanwhile.
func TestForetoldComesTrue(t *testing.T) {
	policy, err := filepath.Abs("testdata/fidelity.yaml")
	if err != nil {
		t.Fatal(err)
	}
	ports, err := harness.FreePorts(1)
	if err != nil {
		t.Fatal(err)
	}
	address := fmt.Sprintf("127.0.0.1:%d", ports[0])
	startPair(t, pairOptions{DrayOptions: harness.DrayOptions{Args: []string{"--policy", policy, "--dashboard-address", address}}})
	createFidelityCluster(t)
	createOneByOne(t, podsOf("standing", standingPods, "eight"))
	settledFates(t, standingPods)

	asked := podsOf("asked", askedPods, "one", "two", "large")
	ask := func() map[string]fate {
		return foretoldFates(t, "--server", "http://"+address, "--workload", "pods:"+inFolder(t, listOf(t, asked)), "--apart", "10s")
	}
	foretold := ask()
	if again := ask(); fmt.Sprint(again) != fmt.Sprint(foretold) {
		t.Errorf("asked again it says something else: %v, then %v", foretold, again)
	}
	createOneByOne(t, asked)
	happened := settledFates(t, standingPods+askedPods)
	for name := range happened {
		if _, was := foretold[name]; !was {
			delete(happened, name)
		}
	}
	compareFates(t, happened, foretold)
}

// podsOf are pods of one queue after the other, with the templates by turns.
func podsOf(name string, count int, templates ...string) []*corev1.Pod {
	var pods []*corev1.Pod
	for i := range count {
		pod := podOf(fidelityNamespace, fmt.Sprintf("%s-%02d", name, i), harness.SchedulerName, templates[i%len(templates)])
		pod.Labels = map[string]string{"dray.dev/queue": []string{"research", "product", "others"}[i%3]}
		pods = append(pods, pod)
	}
	return pods
}
