package cluster_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
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

// A ReplicaSet's pods that ask in HAMi's words, in gpushare's, or for whole devices of a device plugin come along as they
// are: parts become a claim that dray makes, and the resources, which no node has, are moved out of the way; whole ones
// are Kubernetes' own mapping (DeviceClass.spec.extendedResourceName).
func TestClassicRequests(t *testing.T) {
	policy, err := filepath.Abs("testdata/fractions.yaml")
	if err != nil {
		t.Fatal(err)
	}
	startPair(t, pairOptions{DrayOptions: harness.DrayOptions{Args: []string{"--policy", policy, "-v", "4"}}})
	load(t, "testdata/shared-devices.yaml")
	load(t, "testdata/classic.yaml")
	// Of an app, in any of these ways: request, device, memory and cores of each part.
	want := map[string][][]string{
		"hami":     {{"main large 60Gi 30", "side/size-0 small 8Gi 0"}, {"main large 60Gi 30", "side/size-1 large 16Gi 0"}},
		"gpushare": {{"one small 3Gi 0", "two small 4Gi 0"}, {"one large 3Gi 0", "two large 4Gi 0"}},
		"whole":    {{"container-0-request-0 whole-0  ", "container-0-request-0 whole-1  "}},
	}
	for app, ways := range want {
		checkParts(t, app, ways, app == "whole")
	}
	moved := podsOfApp(t, "parts", "hami")[0].Annotations["dray.dev/moved-requests"]
	if moved != "main nvidia.com/gpumem=61440 nvidia.com/gpucores=30; side nvidia.com/gpu=1 nvidia.com/gpumem-percentage=20" {
		t.Errorf("moved: %q", moved)
	}
}

// The same as `dray convert` makes of it beforehand: claims that are written down, and nothing for admission to do.
func TestConvertedRequests(t *testing.T) {
	policy, err := filepath.Abs("testdata/fractions.yaml")
	if err != nil {
		t.Fatal(err)
	}
	classic, err := filepath.Abs("testdata/classic.yaml")
	if err != nil {
		t.Fatal(err)
	}
	shared, err := filepath.Abs("testdata/shared-devices.yaml")
	if err != nil {
		t.Fatal(err)
	}
	startPair(t, pairOptions{DrayOptions: harness.DrayOptions{Args: []string{"--policy", policy, "-v", "4"}}})
	load(t, "testdata/shared-devices.yaml")
	// classic.yaml has the class and the devices of whole GPUs as well.
	convert := exec.CommandContext(t.Context(), drayProgram(t), "convert", "-f", classic, "--cluster", shared,
		"--cluster", classic, "--policy", policy)
	convert.Stderr = os.Stderr
	text, err := convert.Output()
	if err != nil {
		t.Fatal(err)
	}
	create(t, string(text))
	for app, ways := range map[string][][]string{
		"hami":     {{"main large 60Gi 30", "side/size-0 small 8Gi 0"}, {"main large 60Gi 30", "side/size-1 large 16Gi 0"}},
		"gpushare": {{"one small 3Gi 0", "two small 4Gi 0"}, {"one large 3Gi 0", "two large 4Gi 0"}},
		"whole":    {{"main whole-0  ", "main whole-1  "}},
	} {
		checkParts(t, app, ways, false)
		if moved := podsOfApp(t, "parts", app)[0].Annotations["dray.dev/moved-requests"]; moved != "" {
			t.Errorf("%s was moved at admission: %q", app, moved)
		}
	}
}

// checkParts waits for the app's pod to be bound and compares what its claims got, each part as request, device, memory
// and cores, with the ways in which it may. Nothing but its claims asks for devices, unless resources stay.
func checkParts(t *testing.T, app string, ways [][]string, stay bool) {
	t.Helper()
	pod, err := waitAppBound(t, "parts", app)
	if err != nil {
		t.Fatal(err)
	}
	claims, err := plane.Client.ResourceV1().ResourceClaims("parts").List(t.Context(), metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, claim := range claims.Items {
		if claim.OwnerReferences[0].Name != pod.Name || claim.Status.Allocation == nil {
			continue
		}
		for _, device := range claim.Status.Allocation.Devices.Results {
			var memory, cores string
			if device.ConsumedCapacity != nil {
				m, c := device.ConsumedCapacity["memory"], device.ConsumedCapacity["cores"]
				memory, cores = m.String(), c.String()
			}
			got = append(got, device.Request+" "+device.Device+" "+memory+" "+cores)
		}
	}
	slices.Sort(got)
	if !slices.ContainsFunc(ways, func(way []string) bool { return slices.Equal(got, way) }) {
		t.Errorf("%s has %q, want one of %q", app, got, ways)
	}
	for _, container := range pod.Spec.Containers {
		for resource := range container.Resources.Limits {
			if !stay && strings.Contains(string(resource), "/") {
				t.Errorf("%s: container %s still asks for %s", app, container.Name, resource)
			}
		}
	}
}

func podsOfApp(t *testing.T, namespace, app string) []corev1.Pod {
	t.Helper()
	pods, err := plane.Client.CoreV1().Pods(namespace).List(t.Context(), metav1.ListOptions{LabelSelector: "app=" + app})
	if err != nil {
		t.Fatal(err)
	}
	return pods.Items
}

// waitAppBound waits for the one pod that a controller makes of the app to be bound.
func waitAppBound(t *testing.T, namespace, app string) (*corev1.Pod, error) {
	t.Helper()
	var pods []corev1.Pod
	eventually(t.Context(), t, "the pod of "+app, func(context.Context) (bool, error) {
		pods = podsOfApp(t, namespace, app)
		return len(pods) == 1, nil
	})
	if len(pods) != 1 {
		return nil, fmt.Errorf("%s has %d pods", app, len(pods))
	}
	return plane.WaitPod(t.Context(), namespace, pods[0].Name, patience, harness.Bound)
}
