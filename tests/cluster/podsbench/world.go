package main

import (
	"context"
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"dray.dev/dray/tests/cluster/harness"
)

const (
	namespace    = "bench"
	driver       = "gpu.example.com"
	nodeFormat   = "node-%04d"
	deviceFormat = "dev-%02d"
	roots        = 2 // PCIe roots of a node; its devices are spread over them evenly
)

// world is the cluster that is scheduled on: its nodes differ in nothing.
type world struct {
	nodes, devices int // devices of each node
}

// workload is how pods come and what each asks for.
type workload struct {
	name    string
	waiting bool // pods and claims exist before anybody schedules
	devices int  // of a pod; more than one must share a PCIe root
}

// After scheduler_perf's SchedulingWithResourceClaimTemplate: its burst, the same with everything waiting, and
// match_empty_500nodes.
func workloads() []workload {
	return []workload{{"post", false, 1}, {"waiting", true, 1}, {"match", true, 5}}
}

// objects are YAML of the nodes with their devices, and of the template that the pods' claims are made from.
func (w world) objects(load workload) string {
	var text strings.Builder
	fmt.Fprintf(&text, `
apiVersion: v1
kind: Namespace
metadata: {name: %[1]s}
---
apiVersion: resource.k8s.io/v1
kind: ResourceClaimTemplate
metadata: {name: devices, namespace: %[1]s}
spec: {spec: {devices: {requests: [`, namespace)
	for request := range load.devices {
		fmt.Fprintf(&text, "{name: r%d, exactly: {deviceClassName: gpu}}, ", request)
	}
	text.WriteString("]")
	if load.devices > 1 {
		text.WriteString(", constraints: [{matchAttribute: resource.kubernetes.io/pcieRoot}]")
	}
	text.WriteString("}}}\n")
	text.WriteString("---\n" + w.fleet().All())
	return text.String()
}

func (w world) fleet() harness.Fleet {
	return harness.Fleet{Class: "gpu", Driver: driver, Nodes: w.nodes, Devices: w.devices, CPU: "64",
		NodeName: nodeFormat, Device: deviceFormat, Attributes: func(device int) string {
			return fmt.Sprintf("{resource.kubernetes.io/pcieRoot: {string: pci0000:%02d}}", device*roots/w.devices)
		}}
}

func nodeName(node int) string     { return fmt.Sprintf(nodeFormat, node) }
func deviceName(device int) string { return fmt.Sprintf(deviceFormat, device) }

// pod is the i-th, for the scheduler of that name, and gated if somebody else than its scheduler admits it.
func pod(i int, scheduler string) *corev1.Pod {
	template := "devices"
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("pod-%05d", i), Namespace: namespace},
		Spec: corev1.PodSpec{
			SchedulerName:  scheduler,
			ResourceClaims: []corev1.PodResourceClaim{{Name: "devices", ResourceClaimTemplateName: &template}},
			Containers: []corev1.Container{{Name: "main", Image: "registry.example.com/none",
				Resources: corev1.ResourceRequirements{Claims: []corev1.ResourceClaim{{Name: "devices"}}}}},
		},
	}
}

// createWorld writes nodes, devices and the template.
func createWorld(ctx context.Context, plane *harness.ControlPlane, w world, load workload) error {
	objects, err := harness.Parse([]byte(w.objects(load)))
	if err != nil {
		return err
	}
	return plane.Create(ctx, objects)
}

// inTreeAccount is who kube-scheduler alone runs as: what manifests/scheduler.yaml gives the one beside dray.
const inTreeAccount = `
apiVersion: v1
kind: ServiceAccount
metadata: {name: kube-scheduler, namespace: kube-system}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: in-tree-scheduler}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: "system:kube-scheduler"}
subjects: [{kind: ServiceAccount, name: kube-scheduler, namespace: kube-system}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: in-tree-scheduler-volumes}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: "system:volume-scheduler"}
subjects: [{kind: ServiceAccount, name: kube-scheduler, namespace: kube-system}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: in-tree-scheduler-authentication, namespace: kube-system}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: extension-apiserver-authentication-reader}
subjects: [{kind: ServiceAccount, name: kube-scheduler, namespace: kube-system}]
`
