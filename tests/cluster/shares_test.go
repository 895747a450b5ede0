package cluster_test

import (
	"path/filepath"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"dray.dev/dray/tests/cluster/harness"
)

// Pods that ask for parts of devices by KAI's annotations get them as consumable capacity: the admission policy adds
// the entry, dray makes the claim, the resourceclaim controller takes it for its own.
func TestPartsOfDevicesByAnnotation(t *testing.T) {
	policy, err := filepath.Abs("testdata/fractions.yaml")
	if err != nil {
		t.Fatal(err)
	}
	startPair(t, pairOptions{DrayOptions: harness.DrayOptions{Args: []string{"--policy", policy, "-v", "4"}}})
	load(t, "testdata/shared-devices.yaml")
	ask := func(name string, annotations map[string]string) *corev1.Pod {
		pod := podOf("parts", name, harness.SchedulerName)
		pod.Annotations = annotations
		createPods(t, pod)
		return pod
	}
	half := map[string]string{"gpu-fraction": "0.5"}
	ask("half-of-small", half)
	waitBound(t, "parts", "half-of-small")
	ask("memory", map[string]string{"gpu-memory": "20480"})
	waitBound(t, "parts", "memory")
	ask("half-of-large", half)
	waitBound(t, "parts", "half-of-large")
	// The half of the large device is left, and none of the small one.
	ask("two", map[string]string{"gpu-fraction": "0.5", "gpu-fraction-num-devices": "2"})
	waitRefused(t, "parts", "two")
	ask("wrong", map[string]string{"gpu-fraction": "most"})
	if _, err := plane.WaitPod(t.Context(), "parts", "wrong", patience, unsupported); err != nil {
		t.Error(err)
	}

	want := map[string]string{"half-of-small": "small 20Gi 50", "memory": "small 20Gi 50", "half-of-large": "large 40Gi 50"}
	claims, err := plane.Client.ResourceV1().ResourceClaims("parts").List(t.Context(), metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, claim := range claims.Items {
		if claim.Status.Allocation == nil {
			continue
		}
		pod := claim.OwnerReferences[0].Name
		for _, device := range claim.Status.Allocation.Devices.Results {
			memory, cores := device.ConsumedCapacity["memory"], device.ConsumedCapacity["cores"]
			if got := device.Device + " " + memory.String() + " " + cores.String(); got != want[pod] {
				t.Errorf("%s has %s, want %s", pod, got, want[pod])
			}
			delete(want, pod)
		}
	}
	if len(want) > 0 {
		t.Errorf("without devices: %v", want)
	}
}

func unsupported(pod *corev1.Pod) bool {
	for _, c := range pod.Status.Conditions {
		if c.Type == "DrayAdmitted" && c.Status == corev1.ConditionFalse && c.Reason == "Unsupported" {
			return true
		}
	}
	return false
}
