package main

import (
	"context"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"dray.dev/dray/tests/cluster/harness"
)

const (
	namespace = "bench"
	creators  = 32 // clients that create objects
)

type world struct{ nodes, devices, pods int }

// fill installs dray's manifests and creates nodes, slices, claims, and pods that wait behind the gate.
func fill(ctx context.Context, plane *harness.ControlPlane, root string, w world) error {
	if err := plane.InstallManifests(ctx, root); err != nil {
		return err
	}
	fleet := harness.Fleet{Class: "gpu", Driver: "gpu.example.com", Nodes: w.nodes, Devices: w.devices, CPU: "64",
		NodeName: "node-%04d", Device: "dev-%02d", Attributes: func(device int) string {
			return fmt.Sprintf("{model: {string: H100}, resource.kubernetes.io/pcieRoot: {string: pci0000:%02d}}", device/2)
		}}
	objects, err := harness.Parse([]byte(fleet.All() + "---\napiVersion: v1\nkind: Namespace\nmetadata: {name: " + namespace + "}\n"))
	if err != nil {
		return err
	}
	if err := plane.Create(ctx, objects); err != nil {
		return err
	}
	numbers := make([]int, w.pods)
	for i := range numbers {
		numbers[i] = i
	}
	return harness.Each(numbers, creators, func(i int) error {
		claim := &resourcev1.ResourceClaim{ObjectMeta: metav1.ObjectMeta{Name: name(i)}, Spec: resourcev1.ResourceClaimSpec{
			Devices: resourcev1.DeviceClaim{Requests: []resourcev1.DeviceRequest{{Name: "gpu",
				Exactly: &resourcev1.ExactDeviceRequest{DeviceClassName: "gpu"}}}}}}
		if _, err := plane.Client.ResourceV1().ResourceClaims(namespace).Create(ctx, claim, metav1.CreateOptions{}); err != nil {
			return err
		}
		_, err := plane.Client.CoreV1().Pods(namespace).Create(ctx, pod(i), metav1.CreateOptions{})
		return err
	})
}

func name(i int) string { return fmt.Sprintf("pod-%05d", i) }

func pod(i int) *corev1.Pod {
	claim := name(i)
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: name(i), Labels: map[string]string{"app": "bench"}},
		Spec: corev1.PodSpec{
			SchedulerName:  harness.SchedulerName,
			ResourceClaims: []corev1.PodResourceClaim{{Name: "gpu", ResourceClaimName: &claim}},
			Containers: []corev1.Container{{Name: "main", Image: "registry.example.com/none",
				Resources: corev1.ResourceRequirements{Claims: []corev1.ResourceClaim{{Name: "gpu"}}}}},
		},
	}
}

// age pauses dray, changes objects meanwhile, and starts the API server anew: that has no version from before, so that all of
// dray's watches are too old.
func age(ctx context.Context, plane *harness.ControlPlane, dray *harness.Dray) error {
	if err := dray.Pause(); err != nil {
		return err
	}
	patch := fmt.Appendf(nil, `{"metadata":{"annotations":{"seen":"%d"}}}`, time.Now().UnixNano())
	for _, err := range []error{
		second(plane.Client.CoreV1().Pods(namespace).Patch(ctx, name(0), types.MergePatchType, patch, metav1.PatchOptions{})),
		second(plane.Client.CoreV1().Nodes().Patch(ctx, "node-0000", types.MergePatchType, patch, metav1.PatchOptions{})),
		second(plane.Client.ResourceV1().ResourceClaims(namespace).Patch(ctx, name(0), types.MergePatchType, patch, metav1.PatchOptions{})),
		second(plane.Client.ResourceV1().ResourceSlices().Patch(ctx, "node-0000-gpu.example.com", types.MergePatchType, patch, metav1.PatchOptions{})),
		// The last change is of none of the large kinds: their versions are all from before.
		second(plane.Client.CoreV1().Namespaces().Patch(ctx, namespace, types.MergePatchType, patch, metav1.PatchOptions{})),
	} {
		if err != nil {
			return err
		}
	}
	return plane.RestartAPIServer(ctx, time.Second)
}

func second[T any](_ T, err error) error { return err }
