package cluster_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"dray.dev/dray/tests/cluster/harness"
)

const (
	fidelityDriver    = "fidelity.example.com"
	fidelityNamespace = "fidelity"
	fidelityPods      = 300
	fidelitySeed      = 37
	fidelityNodes     = 24
)

// fate is what became of a pod: its node and devices, or nothing where it waits.
type fate struct {
	node    string
	devices string
}

// The same 300 pods on real programs and in `dray simulate` end with the same pods admitted, on the same nodes and, where
// dray chooses them, with the same devices. They want twice what there is.
func TestSimulationIsFaithful(t *testing.T) {
	policy, err := filepath.Abs("testdata/fidelity.yaml")
	if err != nil {
		t.Fatal(err)
	}
	arguments := []string{"--policy", policy}
	// Queues, gangs and pods by themselves, all of which are there when dray starts: who is admitted is the policy's to say.
	t.Run("backlog", func(t *testing.T) {
		p := startPair(t, pairOptions{DrayOptions: harness.DrayOptions{Args: arguments}})
		createFidelityCluster(t)
		if err := p.dray.Stop(15 * time.Second); err != nil {
			t.Fatal(err)
		}
		createPods(t, fidelityWorkload()...)
		// Those whose claims are not there yet would not be in the one plan.
		eventually(t.Context(), t, "the claims of all pods", func(ctx context.Context) (bool, error) {
			claims, err := plane.Client.ResourceV1().ResourceClaims(fidelityNamespace).List(ctx, metav1.ListOptions{})
			return err == nil && len(claims.Items) == fidelityPods, err
		})
		waiting := inFolder(t, drayCommand(t, "snapshot", "--kubeconfig", adminKubeconfig(t)))
		if err := p.dray.Start(t.Context()); err != nil {
			t.Fatal(err)
		}
		happened := settledFates(t, fidelityPods)
		compareFates(t, happened, simulatedFates(t, waiting, waiting, policy, "--backlog"))
	})
	// Each pod comes when it is decided what becomes of the one before it, from the same manifests.
	t.Run("one by one", func(t *testing.T) {
		longOnly(t) // to be told that it waits takes a pod three seconds
		startPair(t, pairOptions{DrayOptions: harness.DrayOptions{Args: arguments}})
		createFidelityCluster(t)
		cluster := inFolder(t, drayCommand(t, "snapshot", "--kubeconfig", adminKubeconfig(t)))
		pods := singlePods()
		createOneByOne(t, pods)
		compareFates(t, settledFates(t, fidelityPods), simulatedFates(t, cluster, inFolder(t, listOf(t, pods)), policy, "--apart", "10s"))
	})
}

func adminKubeconfig(t *testing.T) string {
	t.Helper()
	kubeconfig, err := plane.Kubeconfig("fidelity", "fidelity", "system:masters")
	if err != nil {
		t.Fatal(err)
	}
	return kubeconfig
}

// createFidelityCluster makes 24 nodes of eight devices on two NUMA nodes, and templates.
func createFidelityCluster(t *testing.T) {
	t.Helper()
	nodes := fleet(fidelityDriver, fidelityNodes, 8, "64")
	nodes.NodeName = "f%02d"
	nodes.Attributes = func(device int) string {
		return fmt.Sprintf("{numa: {int: %d}, model: {string: %s}}", device/4, []string{"plain", "large"}[device%2])
	}
	create(t, nodes.All())
	text := oneDeviceTemplate(fidelityNamespace, fidelityDriver)
	for name, request := range map[string]string{
		"two":   "requests: [{name: dev, exactly: {deviceClassName: %[1]s, count: 2}}], constraints: [{matchAttribute: %[1]s/numa}]",
		"four":  "requests: [{name: dev, exactly: {deviceClassName: %[1]s, count: 4}}], constraints: [{matchAttribute: %[1]s/numa}]",
		"eight": "requests: [{name: dev, exactly: {deviceClassName: %[1]s, count: 8}}]",
		"large": `requests: [{name: dev, exactly: {deviceClassName: %[1]s, selectors: [{cel: {expression: 'device.attributes["%[1]s"].model == "large"'}}]}}]`,
	} {
		text += fmt.Sprintf(`---
apiVersion: resource.k8s.io/v1
kind: ResourceClaimTemplate
metadata: {name: %s, namespace: %s}
spec: {spec: {devices: {%s}}}
`, name, fidelityNamespace, fmt.Sprintf(request, fidelityDriver))
	}
	create(t, text)
}

// fidelityWorkload draws single pods and gangs of up to six, in three queues.
func fidelityWorkload() []*corev1.Pod {
	draw := rand.New(rand.NewPCG(fidelitySeed, 0))
	templates := []string{"one", "one", "one", "large", "large", "two", "two", "four", "eight"}
	queues := []string{"research", "research", "product", "others"}
	var pods []*corev1.Pod
	for len(pods) < fidelityPods {
		labels := map[string]string{"dray.dev/queue": queues[draw.IntN(len(queues))]}
		template := templates[draw.IntN(len(templates))]
		members := 1
		if draw.IntN(8) == 0 {
			members = min(2+draw.IntN(5), fidelityPods-len(pods))
			labels["pod-group.scheduling.sigs.k8s.io/name"] = fmt.Sprintf("gang-%03d", len(pods))
			labels["pod-group.scheduling.sigs.k8s.io/min-available"] = fmt.Sprint(members)
		}
		for range members {
			pod := podOf(fidelityNamespace, fmt.Sprintf("p%03d", len(pods)), harness.SchedulerName, template)
			pod.Labels = labels
			pods = append(pods, pod)
		}
	}
	return pods
}

// singlePods draws pods of one queue after the other, most of which find room.
func singlePods() []*corev1.Pod {
	draw := rand.New(rand.NewPCG(fidelitySeed, 1))
	templates := []string{"one", "one", "one", "one", "one", "large", "large", "two"}
	var pods []*corev1.Pod
	for i := range fidelityPods {
		pod := podOf(fidelityNamespace, fmt.Sprintf("p%03d", i), harness.SchedulerName, templates[draw.IntN(len(templates))])
		pod.Labels = map[string]string{"dray.dev/queue": []string{"research", "product", "others"}[draw.IntN(3)]}
		pods = append(pods, pod)
	}
	return pods
}

// createOneByOne creates each pod when the one before it is bound or was told why it waits. When no device is left the
// rest comes at once.
func createOneByOne(t *testing.T, pods []*corev1.Pod) {
	t.Helper()
	for i, pod := range pods {
		if devices, _ := allocated(t, fidelityNamespace); len(devices) == fidelityNodes*8 {
			createPods(t, pods[i:]...)
			return
		}
		createPods(t, pod)
		if _, err := plane.WaitPod(t.Context(), pod.Namespace, pod.Name, patience, func(pod *corev1.Pod) bool {
			return harness.Bound(pod) || harness.Refused(pod)
		}); err != nil {
			t.Fatal(err)
		}
	}
}

// settledFates waits until so many pods are there, each is bound or was told why not, and says what they have.
func settledFates(t *testing.T, pods int) map[string]fate {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	fates := map[string]fate{}
	open := ""
	if err := harness.Poll(ctx, func(ctx context.Context) (bool, error) {
		list, err := plane.Client.CoreV1().Pods(fidelityNamespace).List(ctx, metav1.ListOptions{})
		if err != nil {
			return false, err
		}
		for i := range list.Items {
			pod := &list.Items[i]
			if !harness.Bound(pod) && !harness.Refused(pod) {
				open = pod.Name + ": " + harness.Describe(pod)
				return false, nil
			}
			fates[pod.Name] = fate{node: pod.Spec.NodeName}
		}
		return len(fates) == pods, nil
	}); err != nil {
		t.Fatalf("not settled: %v; %s", err, open)
	}
	_, claims := allocated(t, fidelityNamespace)
	for i := range claims {
		if claims[i].Status.Allocation == nil {
			continue
		}
		devices := harness.ExclusiveDevices(&claims[i])
		for _, user := range claims[i].Status.ReservedFor {
			fates[user.Name] = fate{node: fates[user.Name].node, devices: joined(devices)}
		}
	}
	return fates
}

func joined(devices []string) string {
	slices.Sort(devices)
	return strings.Join(devices, " ")
}

// simulatedFates plays the pods of a file in `dray simulate`.
func simulatedFates(t *testing.T, cluster, workload, policy string, how ...string) map[string]fate {
	t.Helper()
	return foretoldFates(t, append([]string{"--cluster", cluster, "--workload", "pods:" + workload, "--policy", policy}, how...)...)
}

// foretoldFates is what `dray simulate` says of each pod.
func foretoldFates(t *testing.T, how ...string) map[string]fate {
	t.Helper()
	text := drayCommand(t, append([]string{"simulate", "-o", "json"}, how...)...)
	var result struct {
		Runs []struct {
			Pods []struct {
				Name, Node string
				Devices    []string
			}
		}
	}
	if err := json.Unmarshal([]byte(text), &result); err != nil {
		t.Fatal(err)
	}
	fates := map[string]fate{}
	for _, pod := range result.Runs[0].Pods {
		fates[pod.Name] = fate{pod.Node, joined(pod.Devices)}
	}
	return fates
}

func compareFates(t *testing.T, happened, foretold map[string]fate) {
	t.Helper()
	admitted, differ := 0, 0
	for name, is := range happened {
		if is.node != "" {
			admitted++
		}
		if said, known := foretold[name]; !known || is != said {
			differ++
			t.Errorf("pod %s is on %q with %q, in the simulation on %q with %q", name, is.node, is.devices, said.node, said.devices)
		}
	}
	if len(foretold) != len(happened) {
		t.Errorf("%d pods, in the simulation %d", len(happened), len(foretold))
	}
	if admitted == 0 || admitted == len(happened) {
		t.Errorf("%d of %d pods are admitted: nothing is to be told apart", admitted, len(happened))
	}
	t.Logf("%d of %d pods admitted, %d differ", admitted, len(happened), differ)
}

// listOf is the pods as a manifest.
func listOf(t *testing.T, pods []*corev1.Pod) string {
	t.Helper()
	text, err := json.Marshal(map[string]any{"apiVersion": "v1", "kind": "List", "items": pods})
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func inFolder(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "objects.json")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}
