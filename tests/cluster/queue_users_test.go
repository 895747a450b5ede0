package cluster_test

import (
	"context"
	"path/filepath"
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
		t.Fatalf("refused before there is a ConfigMap: %v", err)
	}
	policy, err := filepath.Abs("testdata/queue-users.yaml")
	if err != nil {
		t.Fatal(err)
	}
	startPair(t, pairOptions{DrayOptions: harness.DrayOptions{Args: []string{"--policy", policy}}})
	t.Cleanup(func() {
		if err := maps.Delete(contextAfter(t), "dray-queue-users", metav1.DeleteOptions{}); err != nil {
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
