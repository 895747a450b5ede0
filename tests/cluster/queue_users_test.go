package cluster_test

import (
	"context"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"dray.dev/dray/tests/cluster/harness"
)

const twoTeams = `
apiVersion: v1
kind: Namespace
metadata: {name: first}
---
apiVersion: v1
kind: Namespace
metadata: {name: second}
---
apiVersion: v1
kind: ServiceAccount
metadata: {name: trainer, namespace: second}
`

func inQueue(namespace, queue, account string) *corev1.Pod {
	pod := podOf(namespace, "asks", harness.SchedulerName)
	if queue != "" {
		pod.Labels = map[string]string{"dray.dev/queue": queue}
	}
	pod.Spec.ServiceAccountName = account
	return pod
}

// A pod that names a queue which is not its own is refused when it is created, by what the leading dray writes of its
// policy; the pod of another scheduler, or of a queue for everybody, is nobody's business.
func TestAQueueOfOthersIsRefusedAtAdmission(t *testing.T) {
	create(t, twoTeams)
	maps := plane.Client.CoreV1().ConfigMaps("dray-system")
	if _, err := dryRun(t.Context(), inQueue("second", "first", "")); err != nil {
		t.Fatalf("refused before dray said anything: %v", err)
	}
	policy, err := filepath.Abs("testdata/queue-users.yaml")
	if err != nil {
		t.Fatal(err)
	}
	startPair(t, pairOptions{DrayOptions: harness.DrayOptions{Args: []string{"--policy", policy}}})
	t.Cleanup(func() {
		_, err := maps.Update(contextAfter(t), &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "dray-queue-users"}},
			metav1.UpdateOptions{})
		if err != nil {
			t.Error(err)
		}
	})
	eventually(t.Context(), t, "the first refusal", func(ctx context.Context) (bool, error) {
		_, err := dryRun(ctx, inQueue("second", "first", ""))
		return apierrors.IsForbidden(err), nil
	})
	rows := []struct {
		name, namespace, queue, account string
		refused                         string
	}{
		{"another namespace", "second", "first", "", "queue first is not for namespace second or service account second/"},
		{"its own namespace", "first", "first", "", ""},
		{"another service account", "second", "trainers", "", "queue trainers is not for namespace second"},
		{"its own service account", "second", "trainers", "trainer", ""},
		{"everybody's", "second", "open", "", ""},
		{"no queue", "second", "", "", ""},
		{"a queue that is not there", "second", "nowhere", "", ""},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			_, err := dryRun(t.Context(), inQueue(row.namespace, row.queue, row.account))
			checkRefusal(t, err, row.refused)
		})
	}
	other := inQueue("second", "first", "")
	other.Spec.SchedulerName = "default-scheduler"
	if _, err := dryRun(t.Context(), other); err != nil {
		t.Errorf("the pod of another scheduler: %v", err)
	}
	written, err := maps.Get(t.Context(), "dray-queue-users", metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(written.Data["queue.trainers"], "serviceaccount second/trainer\n") {
		t.Errorf("the ConfigMap has %v", written.Data)
	}
}

// For a parameter of an admission policy that is not in its cache the API server asks itself, at each pod that anybody
// creates, and refuses the pod if the answer takes too long: what the policies read is there from the start.
func TestCreatingAPodMakesTheAPIServerReadNothing(t *testing.T) {
	pods := []*corev1.Pod{podOf("default", "others", "default-scheduler"), inQueue("default", "open", "")}
	for _, pod := range pods { // the namespace, the first time
		if _, err := dryRun(t.Context(), pod); err != nil {
			t.Fatal(err)
		}
	}
	before := readsOfConfigMaps(t)
	const times = 20
	for range times {
		for _, pod := range pods {
			if _, err := dryRun(t.Context(), pod); err != nil {
				t.Fatal(err)
			}
		}
	}
	// The control plane's own controllers may read one meanwhile.
	if reads := readsOfConfigMaps(t) - before; reads >= times {
		t.Errorf("%d pods made the API server read ConfigMaps %d times", times*len(pods), reads)
	}
}

// readsOfConfigMaps is how many requests for single ConfigMaps the API server has answered, its own among them.
func readsOfConfigMaps(t *testing.T) int {
	t.Helper()
	page, err := plane.Client.CoreV1().RESTClient().Get().AbsPath("/metrics").DoRaw(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	reads, seen := 0, false
	for line := range strings.Lines(string(page)) {
		if !strings.HasPrefix(line, "apiserver_request_total{") {
			continue
		}
		seen = true
		if !strings.Contains(line, `resource="configmaps"`) || !strings.Contains(line, `verb="GET"`) {
			continue
		}
		count, err := strconv.Atoi(strings.TrimSpace(line[strings.LastIndexByte(line, ' '):]))
		if err != nil {
			t.Fatal(err)
		}
		reads += count
	}
	if !seen {
		t.Fatal("the API server's metrics have no requests")
	}
	return reads
}
