package cluster_test

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"dray.dev/dray/tests/cluster/harness"
)

const queueDriver = "queue.example.com"

// Two queues of 16 devices on 32: the first uses all while nobody else wants them; the second gets its quota back
// through the Eviction API, and not from pods that a disruption budget keeps.
func TestTwoQueuesShareAndTakeBack(t *testing.T) {
	policy, err := filepath.Abs("testdata/two-queues.yaml")
	if err != nil {
		t.Fatal(err)
	}
	startPair(t, pairOptions{DrayOptions: harness.DrayOptions{Args: []string{"--policy", policy, "-v", "4"}}})
	create(t, fleet(queueDriver, 4, 8, "32").All())
	create(t, fourDevicesTemplate("first")+"---"+fourDevicesTemplate("second"))

	var first, second []*corev1.Pod
	for i := range 8 {
		pod := podOf("first", fmt.Sprintf("a%d", i), harness.SchedulerName, "four")
		pod.Labels = map[string]string{"kept": fmt.Sprint(i%2 == 0)}
		first = append(first, pod)
	}
	createPods(t, first...)
	for _, pod := range first {
		waitBound(t, "first", pod.Name)
	}
	letRun(t, "first")
	keepSome(t)

	for i := range 4 {
		second = append(second, podOf("second", fmt.Sprintf("b%d", i), harness.SchedulerName, "four"))
	}
	createPods(t, second...)
	victims := endVictims(t, "first", 4)
	for _, pod := range second {
		waitBound(t, "second", pod.Name)
	}
	if devices, _ := allocated(t, "second"); len(devices) != 16 {
		t.Errorf("the second queue has %d devices, want its quota of 16", len(devices))
	}
	eventually(t.Context(), t, "the first queue keeps its quota", func(context.Context) (bool, error) {
		devices, _ := allocated(t, "first")
		return len(devices) == 16, nil
	})
	for _, victim := range victims {
		if victim.Labels["kept"] == "true" {
			t.Errorf("%s was evicted in spite of its disruption budget", victim.Name)
		}
		if !slices.ContainsFunc(victim.Status.Conditions, func(c corev1.PodCondition) bool {
			return c.Type == corev1.DisruptionTarget && c.Reason == "EvictionByEvictionAPI"
		}) {
			t.Errorf("%s did not go through the Eviction API: %s", victim.Name, harness.Describe(&victim))
		}
	}
	// Both have their quota now: nobody has more to take back.
	createPods(t, podOf("second", "b4", harness.SchedulerName, "four"))
	refused := waitRefused(t, "second", "b4")
	if text := harness.Refusal(refused); !strings.Contains(text, "OverFairShare") {
		t.Errorf("b4 waits for %q, want OverFairShare", text)
	}
}

func fourDevicesTemplate(namespace string) string {
	return fmt.Sprintf(`
apiVersion: v1
kind: Namespace
metadata: {name: %[1]s}
---
apiVersion: resource.k8s.io/v1
kind: ResourceClaimTemplate
metadata: {name: four, namespace: %[1]s}
spec: {spec: {devices: {requests: [{name: dev, exactly: {deviceClassName: %[2]s, allocationMode: ExactCount, count: 4}}]}}}
`, namespace, queueDriver)
}

// letRun plays the kubelet: the pods of a namespace run. (A budget does not count pods that are pending.)
func letRun(t *testing.T, namespace string) {
	t.Helper()
	pods, err := plane.Client.CoreV1().Pods(namespace).List(t.Context(), metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, pod := range pods.Items {
		patch := []byte(`{"status":{"phase":"Running","conditions":[{"type":"Ready","status":"True"}]}}`)
		if _, err := plane.Client.CoreV1().Pods(namespace).Patch(t.Context(), pod.Name, types.StrategicMergePatchType, patch,
			metav1.PatchOptions{}, "status"); err != nil {
			t.Fatal(err)
		}
	}
}

// keepSome makes a budget that allows no eviction of the pods labelled kept.
func keepSome(t *testing.T) {
	t.Helper()
	budgets := plane.Client.PolicyV1().PodDisruptionBudgets("first")
	budget := &policyv1.PodDisruptionBudget{ObjectMeta: metav1.ObjectMeta{Name: "kept"}, Spec: policyv1.PodDisruptionBudgetSpec{
		Selector: &metav1.LabelSelector{MatchLabels: map[string]string{"kept": "true"}}}}
	made, err := budgets.Create(t.Context(), budget, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	made.Status = policyv1.PodDisruptionBudgetStatus{ObservedGeneration: made.Generation, CurrentHealthy: 4, DesiredHealthy: 4,
		ExpectedPods: 4}
	if _, err := budgets.UpdateStatus(t.Context(), made, metav1.UpdateOptions{}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = budgets.Delete(contextAfter(t), "kept", metav1.DeleteOptions{}) })
}

// endVictims plays the kubelet for pods that are being deleted, until so many have gone; it returns them as they were.
func endVictims(t *testing.T, namespace string, count int) []corev1.Pod {
	t.Helper()
	var victims []corev1.Pod
	now := int64(0)
	eventually(t.Context(), t, fmt.Sprintf("%d pods are evicted", count), func(ctx context.Context) (bool, error) {
		pods, err := plane.Client.CoreV1().Pods(namespace).List(ctx, metav1.ListOptions{})
		if err != nil {
			return false, err
		}
		for _, pod := range pods.Items {
			if pod.DeletionTimestamp == nil {
				continue
			}
			victims = append(victims, pod)
			if err := plane.Client.CoreV1().Pods(namespace).Delete(ctx, pod.Name,
				metav1.DeleteOptions{GracePeriodSeconds: &now}); err != nil {
				return false, err
			}
		}
		return len(victims) >= count, nil
	})
	if len(victims) != count {
		t.Fatalf("%d pods were evicted, want %d", len(victims), count)
	}
	return victims
}
