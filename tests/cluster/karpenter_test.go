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

	"dray.dev/dray/tests/cluster/harness"
)

const karpenterDriver = "karpenter.example.com"

// Taints of a node that Karpenter has launched: until it is registered, until its kubelet is ready, what its NodePool has as
// startupTaints (a DaemonSet takes them off), and what the NodePool has for good.
var (
	unregistered = corev1.Taint{Key: "karpenter.sh/unregistered", Effect: corev1.TaintEffectNoExecute}
	notReady     = corev1.Taint{Key: "node.kubernetes.io/not-ready", Effect: corev1.TaintEffectNoSchedule}
	startup      = corev1.Taint{Key: "agent.example.com/not-ready", Effect: corev1.TaintEffectNoExecute}
	ofPool       = corev1.Taint{Key: "nvidia.com/gpu", Effect: corev1.TaintEffectNoSchedule}
	disrupted    = corev1.Taint{Key: "karpenter.sh/disrupted", Effect: corev1.TaintEffectNoSchedule}
)

// provisionable is for which pods Karpenter launches nodes: those that kube-scheduler called unschedulable, and that are promised
// no node (karpenter pkg/utils/pod).
func provisionable(pod *corev1.Pod) bool {
	return pod.Spec.NodeName == "" && pod.Status.NominatedNodeName == "" && pod.DeletionTimestamp == nil &&
		slices.ContainsFunc(pod.Status.Conditions, func(c corev1.PodCondition) bool {
			return c.Type == corev1.PodScheduled && c.Reason == corev1.PodReasonUnschedulable
		})
}

// waitProvisionable waits until Karpenter would launch nodes for so many pods of the namespace, and returns them.
func waitProvisionable(t *testing.T, namespace string, count int) []corev1.Pod {
	t.Helper()
	var seen []corev1.Pod
	eventually(t.Context(), t, fmt.Sprintf("Karpenter has %d pods of %s to launch nodes for", count, namespace), func(ctx context.Context) (bool, error) {
		pods, err := plane.Client.CoreV1().Pods(namespace).List(ctx, metav1.ListOptions{})
		if err != nil {
			return false, err
		}
		seen = slices.DeleteFunc(pods.Items, func(pod corev1.Pod) bool { return !provisionable(&pod) })
		return len(seen) == count, nil
	})
	if len(seen) != count {
		t.FailNow()
	}
	return seen
}

// launch is what Karpenter and the kubelet make of a NodeClaim at first: a node with all its taints that is not ready; the DRA
// driver is early.
func launch(t *testing.T, name string) {
	t.Helper()
	create(t, fmt.Sprintf(`
apiVersion: v1
kind: Node
metadata:
  name: %[1]s
  labels: {kubernetes.io/hostname: %[1]s, karpenter.sh/nodepool: gpu, karpenter.sh/capacity-type: on-demand, node.kubernetes.io/instance-type: p5}
status:
  capacity: {cpu: "8", memory: 64Gi, pods: "110"}
  allocatable: {cpu: "8", memory: 64Gi, pods: "110"}
  conditions: [{type: Ready, status: "False"}]
`, name))
	setTaints(t, name, unregistered, notReady, startup, ofPool)
	one := harness.Fleet{Class: karpenterDriver, Driver: karpenterDriver, Nodes: 1, Devices: 5, NodeName: "node%d", Device: "dev-%d"}
	_, slice, _ := strings.Cut(one.Slices(), "---\n") // the class is there
	create(t, strings.ReplaceAll(slice, "node0", name))
}

func setTaints(t *testing.T, node string, taints ...corev1.Taint) {
	t.Helper()
	nodes := plane.Client.CoreV1().Nodes()
	eventually(t.Context(), t, "taints of "+node, func(ctx context.Context) (bool, error) {
		now, err := nodes.Get(ctx, node, metav1.GetOptions{})
		if err != nil {
			return false, err
		}
		now.Spec.Taints = taints
		_, err = nodes.Update(ctx, now, metav1.UpdateOptions{})
		return err == nil, nil
	})
}

// evict is how Karpenter, the descheduler and drain take a pod away; there is no kubelet that would end it.
func evict(t *testing.T, pod *corev1.Pod) {
	t.Helper()
	eviction := &policyv1.Eviction{ObjectMeta: metav1.ObjectMeta{Namespace: pod.Namespace, Name: pod.Name}}
	if err := plane.Client.PolicyV1().Evictions(pod.Namespace).Evict(t.Context(), eviction); err != nil {
		t.Fatal(err)
	}
	deleteNow(t, pod.Namespace, pod.Name)
}

// forPool tolerates what the pool's nodes have for good, and nothing else.
func forPool(pod *corev1.Pod) *corev1.Pod {
	pod.Spec.Tolerations = []corev1.Toleration{{Key: ofPool.Key, Operator: corev1.TolerationOpExists}}
	return pod
}

// From no node at all: Karpenter sees the pod for which its NodePool helps, and no other. dray waits until the node that it
// launches has lost the taints of its start, whatever comes first. Then Karpenter replaces the node: nothing new goes to the
// disrupted one, what is evicted makes Karpenter launch another, and goes there.
func TestKarpenter(t *testing.T) {
	const space = "karpenter"
	policy, err := filepath.Abs("testdata/karpenter.yaml")
	if err != nil {
		t.Fatal(err)
	}
	startPair(t, pairOptions{DrayOptions: harness.DrayOptions{Args: []string{"--policy", policy}}})
	class, _, _ := strings.Cut(fleet(karpenterDriver, 1, 1, "8").All(), "---\n")
	create(t, class)
	create(t, oneDeviceTemplate(space, karpenterDriver))
	template := forPool(podOf(space, "x", harness.SchedulerName, slices.Repeat([]string{"one"}, 4)...))
	createReplicaSet(t, space, "train", 1, template)
	createPods(t, forPool(podOf(space, "none", harness.SchedulerName, slices.Repeat([]string{"one"}, 6)...)),
		podOf(space, "agent", harness.SchedulerName, "one"))
	eventually(t.Context(), t, "none was told what the NodePool lacks", func(ctx context.Context) (bool, error) {
		return strings.Contains(harness.Refusal(getPod(t, space, "none")), "no node group can grow to fit: gpu: "), nil
	})
	seen := waitProvisionable(t, space, 2) // train and agent, which fit one node together
	for _, pod := range seen {
		if group := pod.Annotations["dray.dev/node-group"]; pod.Name == "none" || group != "gpu" {
			t.Errorf("Karpenter sees %s for group %q", pod.Name, group)
		}
	}

	launch(t, "gpu-1")
	// It tolerates everything: now dray knows the node and its devices.
	if agent := waitBound(t, space, "agent"); agent.Spec.NodeName != "gpu-1" {
		t.Errorf("agent is on %s", agent.Spec.NodeName)
	}
	setTaints(t, "gpu-1", startup, ofPool) // registered and ready, not initialized
	createPods(t, podOf(space, "another", harness.SchedulerName))
	waitBound(t, space, "another")
	train := &waitProvisionable(t, space, 1)[0] // still not on the node, which is starting
	setTaints(t, "gpu-1", ofPool)
	if train = waitBound(t, space, train.Name); train.Spec.NodeName != "gpu-1" {
		t.Errorf("train is on %s", train.Spec.NodeName)
	}

	setTaints(t, "gpu-1", ofPool, disrupted)
	evict(t, train)
	next := &waitProvisionable(t, space, 1)[0]
	if next.UID == train.UID || next.Annotations["dray.dev/node-group"] != "gpu" {
		t.Errorf("Karpenter sees %s with %v", next.Name, next.Annotations)
	}
	launch(t, "gpu-2")
	setTaints(t, "gpu-2", ofPool)
	if next = waitBound(t, space, next.Name); next.Spec.NodeName != "gpu-2" {
		t.Errorf("its successor is on %s", next.Spec.NodeName)
	}
}
