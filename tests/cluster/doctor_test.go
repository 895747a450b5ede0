package cluster_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	resourcev1 "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	"dray.dev/dray/tests/cluster/harness"
)

const doctorDriver = "doctor.example.com"

// said is one of `dray doctor -o json`: a finding, or what would be stranded.
type said struct {
	Name, Object, What, Why, Mend string
}

// doctor runs the command as an admin. Its exit status is 1 exactly where it says something.
func doctor(t *testing.T, args ...string) (all []said) {
	t.Helper()
	kubeconfig, err := plane.Kubeconfig("doctor", "doctor", "system:masters")
	if err != nil {
		t.Fatal(err)
	}
	args = append([]string{"doctor", "--kubeconfig", kubeconfig, "-o", "json"}, args...)
	command := exec.CommandContext(t.Context(), drayProgram(t), args...)
	var stderr bytes.Buffer
	command.Stderr = &stderr
	text, err := command.Output()
	status := 0
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		status = exit.ExitCode()
	} else if err != nil {
		t.Fatal(err)
	}
	var report struct{ Findings, Stranded []said }
	if err := json.Unmarshal(text, &report); err != nil {
		t.Fatalf("%v: status %d: %s%s", err, status, text, stderr.String())
	}
	all = append(report.Findings, report.Stranded...)
	if want := min(len(all), 1); status != want {
		t.Errorf("status %d, want %d: %s", status, want, stderr.String())
	}
	return all
}

// names are the names of findings, each once.
func names(all []said) []string {
	set := map[string]bool{}
	for _, each := range all {
		set[each.Name] = true
	}
	return slices.Sorted(maps.Keys(set))
}

// healthy is a cluster with a dray that leads, its kube-scheduler, and a pod that has a device of a driver that is dray's
// alone. One device of three is used.
func healthy(t *testing.T) {
	t.Helper()
	manageDrivers(t, doctorDriver)
	startPair(t, pairOptions{})
	create(t, fleet(doctorDriver, 1, 3, "8").All())
	create(t, oneDeviceTemplate("doctor", doctorDriver))
	createPods(t, podOf("doctor", "runs", harness.SchedulerName, "one"))
	waitBound(t, "doctor", "runs")
}

func slice(name string, generation, count int) string {
	return fmt.Sprintf(`{apiVersion: resource.k8s.io/v1, kind: ResourceSlice, metadata: {name: %s}, spec: {driver: pools.example.com,
  nodeName: n0, pool: {name: p, generation: %d, resourceSliceCount: %d}, devices: [{name: %s}]}}`, name, generation, count, name)
}

var slicesTarget = target{"resource.k8s.io", "v1", "resourceslices", "", ""}

func controllerManager(t *testing.T, flags ...string) {
	t.Helper()
	made(t, target{"", "v1", "pods", "kube-system", ""}, fmt.Sprintf(`{apiVersion: v1, kind: Pod, metadata: {name: manager,
  namespace: kube-system, labels: {component: kube-controller-manager}}, spec: {nodeName: n0, containers: [{name: main,
  image: manager, command: [kube-controller-manager, %s]}]}}`, strings.Join(flags, ", ")))
}

// sharedDriver lets a pod of another scheduler use a device of the driver, as an allocation from before dray came.
func sharedDriver(t *testing.T) {
	t.Helper()
	lease, err := plane.Client.CoordinationV1().Leases("dray-system").Get(t.Context(), "dray", metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	used, _ := allocated(t, "doctor")
	device := "dev-0"
	if slices.ContainsFunc(used, func(d string) bool { return strings.HasSuffix(d, "dev-0") }) {
		device = "dev-1"
	}
	pod := podOf("default", "elsewhere", "default-scheduler")
	pod.Spec.NodeName = "n0"
	user, err := plane.Client.CoreV1().Pods("default").Create(t.Context(), pod, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := plane.Client.CoreV1().Pods("default").Delete(contextAfter(t), pod.Name, *metav1.NewDeleteOptions(0)); err != nil {
			t.Error(err)
		}
	})
	claim := newClaim(t, "elsewhere")
	claim.Status.Allocation = &resourcev1.AllocationResult{Devices: resourcev1.DeviceAllocationResult{
		Results: []resourcev1.DeviceRequestAllocationResult{
			{Request: "dev", Driver: doctorDriver, Pool: "n0", Device: device}}}}
	claim.Status.ReservedFor = []resourcev1.ResourceClaimConsumerReference{
		{Resource: "pods", Name: user.Name, UID: user.UID}}
	manager := fmt.Sprintf("dray-%d-%s", *lease.Spec.LeaseTransitions, *lease.Spec.HolderIdentity)
	if err := writeStatus(t, harness.Account, manager, claim); err != nil {
		t.Fatal(err)
	}
}

// aheadOfTime is a Lease that somebody renewed in the future.
func aheadOfTime(t *testing.T) {
	t.Helper()
	renewed, holder, seconds := metav1.NewMicroTime(time.Now().Add(time.Hour)), "n7", int32(40)
	leases := plane.Client.CoordinationV1().Leases("default")
	_, err := leases.Create(t.Context(), &coordinationv1.Lease{ObjectMeta: metav1.ObjectMeta{Name: "n7"},
		Spec: coordinationv1.LeaseSpec{HolderIdentity: &holder, RenewTime: &renewed, LeaseDurationSeconds: &seconds}},
		metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := leases.Delete(contextAfter(t), "n7", metav1.DeleteOptions{}); err != nil {
			t.Error(err)
		}
	})
}

func oldKubelet(t *testing.T) {
	t.Helper()
	altered := func(version string) error {
		node, err := plane.Client.CoreV1().Nodes().Get(contextAfter(t), "n0", metav1.GetOptions{})
		if err != nil {
			return err
		}
		node.Status.NodeInfo.KubeletVersion = version
		_, err = plane.Client.CoreV1().Nodes().UpdateStatus(contextAfter(t), node, metav1.UpdateOptions{})
		return err
	}
	if err := altered("v1.30.2"); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := altered(""); err != nil {
			t.Error(err)
		}
	})
}

// Each fault that is planted is found by its name, and nothing else is; without one nothing is.
func TestDoctorFindsEachPlantedFault(t *testing.T) {
	healthy(t)
	if found := doctor(t); len(found) > 0 {
		t.Fatalf("on a healthy cluster: %+v", found)
	}
	rows := []struct {
		name  string
		plant func(*testing.T)
		args  []string
	}{
		{"right-missing", func(t *testing.T) {
			altered(t, target{"rbac.authorization.k8s.io", "v1", "clusterroles", "", "dray"}, func(role map[string]any) {
				role["rules"] = slices.DeleteFunc(role["rules"].([]any), func(rule any) bool {
					return strings.Contains(fmt.Sprint(rule), "pods/eviction")
				})
			})
		}, nil},
		{"account-missing", func(t *testing.T) {
			removed(t, target{"", "v1", "serviceaccounts", "dray-system", "dray-scheduler"})
		}, nil},
		{"exclusion-missing", func(t *testing.T) { removed(t, configMap("dray-exclusion")) }, nil},
		{"schedulers-unlisted", func(t *testing.T) {
			altered(t, configMap("dray-exclusion"), func(o map[string]any) { set(t, o, "another", "data", "schedulers") })
		}, nil},
		{"driver-not-exclusive", func(t *testing.T) {
			altered(t, configMap("dray-exclusion"), func(o map[string]any) { set(t, o, "", "data", "drivers") })
		}, nil},
		{"driver-shared", sharedDriver, nil},
		{"policy-missing", func(t *testing.T) {
			removed(t, admission("validatingadmissionpolicies", "dray-claim-marks"))
		}, nil},
		{"policy-altered", func(t *testing.T) {
			altered(t, admission("validatingadmissionpolicies", "dray-pod-marks"), func(o map[string]any) {
				set(t, o, "Ignore", "spec", "failurePolicy")
			})
		}, nil},
		{"policy-unbound", func(t *testing.T) {
			// Not dray-epoch's: kube-apiserver may read no Lease any more then (handback_test.go).
			removed(t, admission("validatingadmissionpolicybindings", "dray-pod-marks"))
		}, nil},
		{"flow-control-missing", func(t *testing.T) {
			removed(t, target{"flowcontrol.apiserver.k8s.io", "v1", "flowschemas", "", "dray-leader-election"})
		}, nil},
		{"flow-control-altered", func(t *testing.T) {
			altered(t, target{"flowcontrol.apiserver.k8s.io", "v1", "flowschemas", "", "dray"}, func(o map[string]any) {
				set(t, o, int64(9000), "spec", "matchingPrecedence")
			})
		}, nil},
		{"policy-file-invalid", func(t *testing.T) {
			altered(t, configMap("dray-policy"), func(o map[string]any) { set(t, o, "quees: []\n", "data", "policy.yaml") })
		}, nil},
		{"scheduler-version", func(t *testing.T) {
			altered(t, target{"apps", "v1", "deployments", "dray-system", "dray-scheduler"}, func(o map[string]any) {
				containers, _, _ := unstructured.NestedSlice(o, "spec", "template", "spec", "containers")
				containers[0].(map[string]any)["image"] = "registry.k8s.io/kube-scheduler:v1.39.0"
				set(t, o, containers, "spec", "template", "spec", "containers")
			})
		}, nil},
		{"clock-of-holder", aheadOfTime, nil},
		{"kubelet-old", oldKubelet, nil},
		{"feature-gate-differs", func(*testing.T) {}, []string{"--feature-gates", "DRAConsumableCapacity=false"}},
		{"controller-manager-slow", func(t *testing.T) { controllerManager(t, "--kube-api-qps=20") }, nil},
		{"claim-controller-off", func(t *testing.T) {
			controllerManager(t, "--kube-api-qps=500", `"--controllers=*,-resourceclaim-controller"`)
		}, nil},
		{"pool-incomplete", func(t *testing.T) { made(t, slicesTarget, slice("a", 1, 2)) }, nil},
		{"pool-old-slices", func(t *testing.T) {
			made(t, slicesTarget, slice("a", 2, 1))
			made(t, slicesTarget, slice("b", 1, 1))
		}, nil},
		{"claim-needs-repair", func(t *testing.T) { allocateFor(t, newClaim(t, "idle"), "gpu-1") }, nil},
		{"gate-without-scheduler", func(t *testing.T) {
			made(t, target{"", "v1", "pods", "default", ""}, `{apiVersion: v1, kind: Pod, metadata: {name: stray, namespace: default},
  spec: {schedulerName: default-scheduler, schedulingGates: [{name: dray.dev/admission}], containers: [{name: main, image: pause}]}}`)
		}, nil},
	}
	if planted := len(rows) + len(schedulerFaults()); planted < 25 {
		t.Errorf("only %d faults", planted)
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			row.plant(t)
			if found := doctor(t, row.args...); !slices.Equal(names(found), []string{row.name}) {
				t.Errorf("found %+v", found)
			}
		})
	}
	for name, change := range schedulerFaults() {
		t.Run(name, func(t *testing.T) {
			config := schedulerConfig(t, "scheduler.yaml")
			change(config, config.Extenders())
			text, err := yaml.Marshal(config)
			if err != nil {
				t.Fatal(err)
			}
			file := filepath.Join(t.TempDir(), "scheduler.yaml")
			if err := os.WriteFile(file, text, 0o600); err != nil {
				t.Fatal(err)
			}
			if found := doctor(t, "--scheduler-config", file); !slices.Equal(names(found), []string{name}) {
				t.Errorf("found %+v", found)
			}
		})
	}
	if found := doctor(t); len(found) > 0 {
		t.Errorf("after all faults are mended: %+v", found)
	}
}

// schedulerFaults change kube-scheduler's configuration.
func schedulerFaults() map[string]func(harness.SchedulerConfig, []map[string]any) {
	type config = harness.SchedulerConfig
	type entries = []map[string]any
	profile := func(c config) map[string]any { return c["profiles"].([]any)[0].(map[string]any) }
	return map[string]func(config, entries){
		"scheduler-samples-nodes":     func(c config, _ entries) { delete(c, "percentageOfNodesToScore") },
		"scheduler-allocates-devices": func(c config, _ entries) { delete(profile(c), "plugins") },
		"scheduler-several-profiles": func(c config, _ entries) {
			c["profiles"] = append(c["profiles"].([]any), map[string]any{"schedulerName": "second"})
		},
		"scheduler-name-unknown":     func(c config, _ entries) { profile(c)["schedulerName"] = "second" },
		"scheduler-client-slow":      func(c config, _ entries) { delete(c, "clientConnection") },
		"extender-verb-missing":      func(_ config, e entries) { delete(e[0], "preemptVerb") },
		"extender-two-binders":       func(_ config, e entries) { e[0]["bindVerb"], e[0]["httpTimeout"] = "bind", "30s" },
		"extender-ignorable":         func(_ config, e entries) { e[1]["ignorable"] = true },
		"extender-managed-resources": func(_ config, e entries) { e[0]["managedResources"] = []any{map[string]any{"name": "a.b/c"}} },
		"extender-sends-nodes":       func(_ config, e entries) { e[0]["nodeCacheCapable"] = false },
		"extender-timeout-short":     func(_ config, e entries) { e[1]["httpTimeout"] = "5s" },
		"extender-tls-unverified":    func(_ config, e entries) { delete(e[0], "tlsConfig") },
		"extender-plain-http":        func(_ config, e entries) { e[0]["urlPrefix"] = "http://dray.dray-system.svc:9443/v1" },
		"extender-weight":            func(_ config, e entries) { e[0]["prioritizeVerb"], e[0]["weight"] = "prioritize", 15 },
	}
}

// Without a dray nobody leads, and without its Lease nobody is fenced.
func TestDoctorWithoutDray(t *testing.T) {
	t.Cleanup(func() { clean(t) })
	lease := target{"coordination.k8s.io", "v1", "leases", "dray-system", "dray"}
	altered(t, lease, func(o map[string]any) { set(t, o, "", "spec", "holderIdentity") })
	if found := names(doctor(t)); !slices.Equal(found, []string{"leader-missing"}) {
		t.Errorf("nobody leads: %v", found)
	}
	t.Run("no Lease", func(t *testing.T) {
		removed(t, lease)
		if found := names(doctor(t)); !slices.Equal(found, []string{"leader-missing", "lease-missing"}) {
			t.Errorf("no Lease: %v", found)
		}
	})
}

// As dray itself, with no more rights than it has: rights are checked by its own reviews, what it may not see is said.
func TestDoctorAsDray(t *testing.T) {
	healthy(t)
	kubeconfig, err := plane.Kubeconfig("doctor-dray", harness.Account, "system:serviceaccounts", "system:serviceaccounts:dray-system")
	if err != nil {
		t.Fatal(err)
	}
	command := exec.CommandContext(t.Context(), drayProgram(t), "doctor", "--kubeconfig", kubeconfig,
		"--scheduler-config", filepath.Join(repository, "config/scheduler.yaml"))
	text, _ := command.CombinedOutput()
	if !strings.Contains(string(text), "not looked at: ") || strings.Contains(string(text), "right-missing") {
		t.Errorf("%s", text)
	}
}
