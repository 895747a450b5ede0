package cluster_test

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"dray.dev/dray/tests/cluster/harness"
)

// patience is how long anything may take that should take milliseconds; the machine may be busy.
const patience = 20 * time.Second

// pair is dray and its kube-scheduler, as deployed.
type pair struct {
	dray      *harness.Dray
	scheduler *harness.Process
	recorder  *harness.Recorder // nil unless asked for
}

// pairOptions say what differs from plain HTTP and the shipped configuration.
type pairOptions struct {
	harness.DrayOptions
	record    bool // keep the calls between the two
	fullNodes bool // nodeCacheCapable: false
	advise    bool // mode advise: the in-tree plugin allocates
}

// startPair starts both for one test. At its end no device was ever in two claims, dray has drained and exited with 0,
// and the cluster is empty again.
func startPair(t *testing.T, options pairOptions) *pair {
	t.Helper()
	program := drayProgram(t)
	t.Cleanup(func() { clean(t) })
	audit(t)
	p := &pair{}
	var err error
	config := schedulerConfig(t, "scheduler.yaml")
	if options.advise {
		takeAllocatorsRights(t)
		options.Args = append(options.Args, "--mode", "advise")
		config = schedulerConfig(t, "advise.yaml")
	}
	if p.dray, err = plane.StartDray(t.Context(), program, options.DrayOptions); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.stop(t) })
	config.PointAt(p.dray.Extender, p.dray.Authority, p.dray.Caller)
	if options.record {
		next, err := harness.Proxy(p.dray.Extender)
		if err != nil {
			t.Fatal(err)
		}
		p.recorder = harness.StartRecorder(next)
		t.Cleanup(p.recorder.Close)
		config.PointAt(p.recorder.URL, "", nil)
	}
	for _, entry := range config.Extenders() {
		entry["nodeCacheCapable"] = !options.fullNodes
	}
	p.scheduler = startScheduler(t, config)
	return p
}

// audit fails the test if a device is ever in two claims from now until what is cleaned up after it.
func audit(t *testing.T) {
	t.Helper()
	auditor, err := plane.StartAuditor(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if doubles := auditor.Stop(); len(doubles) > 0 {
			t.Errorf("audit: %s", strings.Join(doubles, "; "))
		}
	})
}

func (p *pair) stop(t *testing.T) {
	if t.Failed() {
		t.Log(p.dray.Tail(60))
	}
	if !p.dray.Running() {
		t.Errorf("dray has ended by itself\n%s", p.dray.Tail(60))
	} else if err := p.dray.Stop(15 * time.Second); err != nil {
		t.Errorf("dray after SIGTERM: %v\n%s", err, p.dray.Tail(60))
	}
}

// startScheduler runs kube-scheduler for the rest of the test.
func startScheduler(t *testing.T, config harness.SchedulerConfig) *harness.Process {
	t.Helper()
	scheduler, err := plane.StartScheduler(t.Context(), "kube-scheduler", config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if t.Failed() {
			t.Log(scheduler.Tail(40))
		}
		scheduler.Kill()
	})
	return scheduler
}

// takeAllocatorsRights leaves dray what overlays/advise does: without the rights to write claims and bindings.
func takeAllocatorsRights(t *testing.T) {
	t.Helper()
	bindings := plane.Client.RbacV1().ClusterRoleBindings()
	binding, err := bindings.Get(t.Context(), "dray-allocator", metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if err := bindings.Delete(t.Context(), binding.Name, metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		binding.ResourceVersion, binding.UID = "", ""
		if _, err := bindings.Create(contextAfter(t), binding, metav1.CreateOptions{}); err != nil {
			t.Error(err)
		}
	})
}

// schedulerConfig is one that dray ships: scheduler.yaml, or advise.yaml.
func schedulerConfig(t *testing.T, name string) harness.SchedulerConfig {
	t.Helper()
	config, err := harness.LoadSchedulerConfig(filepath.Join(repository, "config", name))
	if err != nil {
		t.Fatal(err)
	}
	return config
}

func clean(t *testing.T) {
	t.Helper()
	if err := plane.Clean(contextAfter(t)); err != nil {
		t.Error("clean up:", err)
	}
}

func create(t *testing.T, text string) {
	t.Helper()
	objects, err := harness.Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	if err := plane.Create(t.Context(), objects); err != nil {
		t.Fatal(err)
	}
}

// eventually polls until done is true; it fails the test when that takes too long.
func eventually(ctx context.Context, t *testing.T, what string, done func(context.Context) (bool, error)) {
	t.Helper()
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	if err := harness.Poll(ctx, done); err != nil {
		t.Errorf("%s: %v", what, err)
	}
}

func waitBound(t *testing.T, namespace, name string) *corev1.Pod {
	t.Helper()
	pod, err := plane.WaitPod(t.Context(), namespace, name, patience, harness.Bound)
	if err != nil {
		t.Fatal(err)
	}
	return pod
}

func waitRefused(t *testing.T, namespace, name string) *corev1.Pod {
	t.Helper()
	pod, err := plane.WaitPod(t.Context(), namespace, name, patience, harness.Refused)
	if err != nil {
		t.Fatal(err)
	}
	return pod
}

// podOf is a small pod that tolerates everything; claims are names of templates.
func podOf(namespace, name, scheduler string, templates ...string) *corev1.Pod {
	pod := &corev1.Pod{
		TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "Pod"},
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name},
		Spec: corev1.PodSpec{
			SchedulerName: scheduler,
			Tolerations:   []corev1.Toleration{{Operator: corev1.TolerationOpExists}},
			Containers:    []corev1.Container{{Name: "main", Image: "pause"}},
		},
	}
	container := &pod.Spec.Containers[0]
	container.Resources.Requests = corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("10m")}
	for i, template := range templates {
		claim := fmt.Sprintf("claim%d", i)
		pod.Spec.ResourceClaims = append(pod.Spec.ResourceClaims,
			corev1.PodResourceClaim{Name: claim, ResourceClaimTemplateName: &template})
		container.Resources.Claims = append(container.Resources.Claims, corev1.ResourceClaim{Name: claim})
	}
	return pod
}

// createPods makes pods, several at a time.
func createPods(t *testing.T, pods ...*corev1.Pod) {
	t.Helper()
	if err := harness.Each(pods, 16, func(pod *corev1.Pod) error {
		_, err := plane.Client.CoreV1().Pods(pod.Namespace).Create(t.Context(), pod, metav1.CreateOptions{})
		return err
	}); err != nil {
		t.Fatal(err)
	}
}

// fleet is nodes n0, n1… each with a slice of that many devices dev-0, dev-1… and a class, all of this driver.
func fleet(driver string, nodes, devices int, cpu string) harness.Fleet {
	return harness.Fleet{Class: driver, Driver: driver, Nodes: nodes, Devices: devices, CPU: cpu, NodeName: "n%d", Device: "dev-%d"}
}

// oneDeviceTemplate is YAML of a namespace with a template `one` for claims of one device.
func oneDeviceTemplate(namespace, class string) string {
	return fmt.Sprintf(`
apiVersion: v1
kind: Namespace
metadata: {name: %[1]s}
---
apiVersion: resource.k8s.io/v1
kind: ResourceClaimTemplate
metadata: {name: one, namespace: %[1]s}
spec: {spec: {devices: {requests: [{name: dev, exactly: {deviceClassName: %[2]s}}]}}}
`, namespace, class)
}

// allocated lists the devices that claims of a namespace hold for themselves.
func allocated(t *testing.T, namespace string) (devices []string, claims []resourcev1.ResourceClaim) {
	t.Helper()
	list, err := plane.Client.ResourceV1().ResourceClaims(namespace).List(t.Context(), metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for i := range list.Items {
		devices = append(devices, harness.ExclusiveDevices(&list.Items[i])...)
	}
	return devices, list.Items
}
