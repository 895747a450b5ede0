package cluster_test

import (
	"context"
	"fmt"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"dray.dev/dray/tests/cluster/harness"
)

const deschedulerDriver = "descheduler.example.com"

// createReplicaSet makes a ReplicaSet of such pods, labelled app=NAME; the cluster is cleaned of it after the test.
func createReplicaSet(t *testing.T, namespace, name string, replicas int32, pod *corev1.Pod) {
	t.Helper()
	labels := map[string]string{"app": name}
	set := &appsv1.ReplicaSet{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name}, Spec: appsv1.ReplicaSetSpec{
		Replicas: &replicas, Selector: &metav1.LabelSelector{MatchLabels: labels},
		Template: corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: labels}, Spec: pod.Spec}}}
	if _, err := plane.Client.AppsV1().ReplicaSets(namespace).Create(t.Context(), set, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
}

// waitSpread waits until so many pods of the app are bound, with a device each, and returns how many each node has.
func waitSpread(t *testing.T, namespace, app string, count int) (byNode map[string]int, pods []corev1.Pod) {
	t.Helper()
	eventually(t.Context(), t, fmt.Sprintf("%d pods of %s are bound", count, app), func(ctx context.Context) (bool, error) {
		list, err := plane.Client.CoreV1().Pods(namespace).List(ctx, metav1.ListOptions{LabelSelector: "app=" + app})
		if err != nil {
			return false, err
		}
		byNode, pods = map[string]int{}, list.Items
		for i := range list.Items {
			if harness.Bound(&list.Items[i]) {
				byNode[list.Items[i].Spec.NodeName]++
			}
		}
		bound := 0
		for _, n := range byNode {
			bound += n
		}
		return bound == count && len(pods) == count, nil
	})
	return byNode, pods
}

// taken evicts a pod of the app on that node, and waits until its successor is bound.
func taken(t *testing.T, namespace, app, node string, count int) (byNode map[string]int) {
	t.Helper()
	_, pods := waitSpread(t, namespace, app, count)
	for i := range pods {
		if pods[i].Spec.NodeName == node {
			evict(t, &pods[i])
			byNode, _ = waitSpread(t, namespace, app, count)
			return byNode
		}
	}
	t.Fatalf("no pod of %s is on %s", app, node)
	return nil
}

// The test does what strategies of the descheduler do. What it evicts gives its devices back, and the successor is placed as any
// other pod: away from a node with a taint (RemovePodsViolatingNodeTaints), together with others (HighNodeUtilization). What is
// taken from a full node without a reason that a pod can see goes back to where dray packs (LowNodeUtilization): once for each
// eviction, and dray by itself moves nothing. A PodDisruptionBudget holds for the descheduler.
func TestDescheduler(t *testing.T) {
	const space = "descheduler"
	startPair(t, pairOptions{})
	create(t, fleet(deschedulerDriver, 3, 4, "8").All())
	create(t, oneDeviceTemplate(space, deschedulerDriver))
	pod := podOf(space, "x", harness.SchedulerName, "one")
	pod.Spec.Tolerations = nil
	createReplicaSet(t, space, "app", 3, pod)
	first, _ := waitSpread(t, space, "app", 3)
	full := ""
	for node, pods := range first {
		if full = node; pods != 3 {
			t.Fatalf("dray does not pack: %v", first)
		}
	}

	if now := taken(t, space, "app", full, 3); now[full] != 3 {
		t.Errorf("LowNodeUtilization: %v, want all on %s again", now, full)
	}

	setTaints(t, full, corev1.Taint{Key: "maintenance", Effect: corev1.TaintEffectNoSchedule})
	second := ""
	for left := 2; left >= 0; left-- {
		now := taken(t, space, "app", full, 3)
		if now[full] != left {
			t.Errorf("RemovePodsViolatingNodeTaints: %v, want %d on %s", now, left, full)
		}
		for node := range now {
			if node != full {
				second = node
			}
		}
	}
	if now, _ := waitSpread(t, space, "app", 3); now[second] != 3 {
		t.Errorf("what was evicted is on %v", now)
	}
	if devices, _ := allocated(t, space); len(devices) != 3 {
		t.Errorf("three pods have %v", devices)
	}

	setTaints(t, full)
	alone := podOf(space, "x", harness.SchedulerName, "one")
	alone.Spec.NodeSelector = map[string]string{"kubernetes.io/hostname": full}
	createReplicaSet(t, space, "alone", 1, alone)
	waitSpread(t, space, "alone", 1)
	relax(t, space, "alone") // what may run elsewhere now
	if now := taken(t, space, "alone", full, 1); now[second] != 1 {
		t.Errorf("HighNodeUtilization: %v, want it on %s beside the others", now, second)
	}

	none := intstr.FromInt32(0)
	budget := &policyv1.PodDisruptionBudget{ObjectMeta: metav1.ObjectMeta{Namespace: space, Name: "keep"}, Spec: policyv1.PodDisruptionBudgetSpec{
		MaxUnavailable: &none, Selector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": "app"}}}}
	if _, err := plane.Client.PolicyV1().PodDisruptionBudgets(space).Create(t.Context(), budget, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := plane.Client.PolicyV1().PodDisruptionBudgets(space).Delete(contextAfter(t), "keep", metav1.DeleteOptions{}); err != nil {
			t.Error(err)
		}
	})
	_, pods := waitSpread(t, space, "app", 3)
	pods[0].Status.Phase = corev1.PodRunning // as its kubelet says; a budget keeps no pod that is pending
	if _, err := plane.Client.CoreV1().Pods(space).UpdateStatus(t.Context(), &pods[0], metav1.UpdateOptions{}); err != nil {
		t.Fatal(err)
	}
	// Not by Evictions(), which asks again for 100 seconds.
	err := plane.Client.PolicyV1().RESTClient().Post().AbsPath("/api/v1").Namespace(space).Resource("pods").Name(pods[0].Name).
		SubResource("eviction").MaxRetries(0).Body(&policyv1.Eviction{
		ObjectMeta: metav1.ObjectMeta{Namespace: space, Name: pods[0].Name}}).Do(t.Context()).Error()
	if !apierrors.IsTooManyRequests(err) {
		t.Errorf("an eviction that the budget forbids: %v", err)
	}
}

// relax takes the node selector out of a ReplicaSet's template.
func relax(t *testing.T, namespace, name string) {
	t.Helper()
	sets := plane.Client.AppsV1().ReplicaSets(namespace)
	eventually(t.Context(), t, "template of "+name, func(ctx context.Context) (bool, error) {
		set, err := sets.Get(ctx, name, metav1.GetOptions{})
		if err != nil {
			return false, err
		}
		set.Spec.Template.Spec.NodeSelector = nil
		_, err = sets.Update(ctx, set, metav1.UpdateOptions{})
		return err == nil, nil
	})
}
