package cluster_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	resourcev1 "k8s.io/api/resource/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/util/retry"

	"dray.dev/dray/tests/cluster/harness"
)

// manageDrivers says for the rest of the test which drivers dray manages, instead of none; * means all.
func manageDrivers(t *testing.T, drivers ...string) {
	t.Helper()
	setDrivers(t.Context(), t, strings.Join(drivers, "\n"))
	t.Cleanup(func() { setDrivers(contextAfter(t), t, "") })
}

// setDrivers changes the exclusion's configuration and waits until the API server goes by it.
func setDrivers(ctx context.Context, t *testing.T, drivers string) {
	t.Helper()
	configs := plane.Client.CoreV1().ConfigMaps("dray-system")
	config, err := configs.Get(ctx, "dray-exclusion", metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	config.Data["drivers"] = drivers
	if _, err := configs.Update(ctx, config, metav1.UpdateOptions{}); err != nil {
		t.Fatal(err)
	}
	eventually(ctx, t, "change of the exclusion", func(ctx context.Context) (bool, error) {
		_, refused := dryRun(ctx, podOf("default", "probe", "default-scheduler", "any"))
		return (refused != nil) == (drivers == "*"), nil
	})
}

// as is a client of another account, with that account's rights.
func as(t *testing.T, user string) kubernetes.Interface {
	t.Helper()
	config := rest.CopyConfig(plane.Admin)
	config.Impersonate = rest.ImpersonationConfig{UserName: user}
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		t.Fatal(err)
	}
	return client
}

// ledBy is who holds the Lease in tests that write as dray themselves.
const ledBy = "test"

// fieldManager is what a dray that leads under this epoch writes as.
func fieldManager(epoch int32) string { return fmt.Sprintf("dray-%d-%s", epoch, ledBy) }

// setEpoch writes the Lease as a dray that acquires it does, and waits until the policies go by it.
func setEpoch(t *testing.T, epoch int32) {
	t.Helper()
	leases := plane.Client.CoordinationV1().Leases("dray-system")
	lease, err := leases.Get(t.Context(), "dray", metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	lease.Spec.LeaseTransitions = &epoch
	holder := ledBy
	lease.Spec.HolderIdentity = &holder
	if _, err := leases.Update(t.Context(), lease, metav1.UpdateOptions{}); err != nil {
		t.Fatal(err)
	}
	claims := as(t, harness.Account).ResourceV1().ResourceClaims("default")
	eventually(t.Context(), t, "new epoch", func(ctx context.Context) (bool, error) {
		_, err := claims.Create(ctx, claimOf("probe"),
			metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}, FieldManager: fieldManager(epoch)})
		if apierrors.IsForbidden(err) {
			return false, nil
		}
		return err == nil, err
	})
}

func claimOf(name string) *resourcev1.ResourceClaim {
	return &resourcev1.ResourceClaim{
		ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: name},
		Spec: resourcev1.ResourceClaimSpec{Devices: resourcev1.DeviceClaim{Requests: []resourcev1.DeviceRequest{
			{Name: "dev", Exactly: &resourcev1.ExactDeviceRequest{DeviceClassName: "gpu.nvidia.com"}}}}},
	}
}

// newClaim makes a claim that lives as long as the test.
func newClaim(t *testing.T, name string) *resourcev1.ResourceClaim {
	t.Helper()
	claims := plane.Client.ResourceV1().ResourceClaims("default")
	claim, err := claims.Create(t.Context(), claimOf(name), metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx := contextAfter(t)
		// The claim controller may be writing it too.
		err := retry.RetryOnConflict(retry.DefaultBackoff, func() error {
			got, err := claims.Get(ctx, name, metav1.GetOptions{})
			if err != nil || got.Status.Allocation == nil {
				return err
			}
			got.Status = resourcev1.ResourceClaimStatus{}
			_, err = claims.UpdateStatus(ctx, got, metav1.UpdateOptions{})
			return err
		})
		if err != nil {
			t.Error(err)
		}
		if err := claims.Delete(ctx, name, metav1.DeleteOptions{}); err != nil {
			t.Error(err)
		}
		eventually(ctx, t, "deletion of claim "+name, func(ctx context.Context) (bool, error) {
			_, err := claims.Get(ctx, name, metav1.GetOptions{})
			return apierrors.IsNotFound(err), nil
		})
	})
	return claim
}

// allocate writes an allocation of one device of a driver, as this account and fieldManager.
func allocate(t *testing.T, user, manager string, claim *resourcev1.ResourceClaim, driver string) error {
	t.Helper()
	claim = claim.DeepCopy()
	claim.Status.Allocation = &resourcev1.AllocationResult{Devices: resourcev1.DeviceAllocationResult{
		Results: []resourcev1.DeviceRequestAllocationResult{
			{Request: "dev", Driver: driver, Pool: "n0", Device: "gpu-0"}}}}
	return writeStatus(t, user, manager, claim)
}

func TestFirstAllocationIsDraysAlone(t *testing.T) {
	setEpoch(t, 1)
	rows := []struct {
		name, user, driver string
		managed            []string
		refused            string
	}{
		{"dray", harness.Account, "gpu.nvidia.com", []string{"*"}, ""},
		{"kube-scheduler", "system:kube-scheduler", "gpu.nvidia.com", []string{"*"}, "dray allocates the devices of this driver"},
		{"kube-scheduler, managed by name", "system:kube-scheduler", "gpu.nvidia.com",
			[]string{"gpu.nvidia.com", "tpu.google.com"}, "dray allocates the devices of this driver"},
		{"kube-scheduler, a driver that is not managed", "system:kube-scheduler", "nic.example.com",
			[]string{"gpu.nvidia.com", "tpu.google.com"}, ""},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			if row.managed != nil {
				manageDrivers(t, row.managed...)
			}
			err := allocate(t, row.user, fieldManager(1), newClaim(t, "first"), row.driver)
			checkRefusal(t, err, row.refused)
		})
	}
}

func checkRefusal(t *testing.T, err error, want string) {
	t.Helper()
	if want == "" {
		if err != nil {
			t.Errorf("refused: %v", err)
		}
		return
	}
	if !apierrors.IsForbidden(err) || !strings.Contains(err.Error(), want) {
		t.Errorf("got %v, want it forbidden: %s", err, want)
	}
}

func TestAnAdminIsNotDray(t *testing.T) {
	manageDrivers(t, "gpu.nvidia.com")
	setEpoch(t, 1)
	claim := newClaim(t, "by-admin")
	claim.Status.Allocation = &resourcev1.AllocationResult{Devices: resourcev1.DeviceAllocationResult{
		Results: []resourcev1.DeviceRequestAllocationResult{
			{Request: "dev", Driver: "gpu.nvidia.com", Pool: "n0", Device: "gpu-0"}}}}
	_, err := plane.Client.ResourceV1().ResourceClaims("default").UpdateStatus(t.Context(), claim,
		metav1.UpdateOptions{})
	checkRefusal(t, err, "dray allocates the devices of this driver")
}

const otherEpoch = "not of the Lease's epoch"

// Every write that dray makes is refused from a former leader and taken from the one that leads.
func TestEpochFencesEachWriteOfAFormerLeader(t *testing.T) {
	t.Cleanup(func() { clean(t) })
	setEpoch(t, 4)
	dray := as(t, harness.Account)
	claims := dray.ResourceV1().ResourceClaims("default")
	pods := dray.CoreV1().Pods("default")
	createPods(t, podOf("default", "fenced", harness.SchedulerName))
	// A strategic merge patch, as dray writes all that is there already.
	patchPod := func(patch string, subresource ...string) func(ctx context.Context, manager string) error {
		return func(ctx context.Context, manager string) error {
			_, err := pods.Patch(ctx, "fenced", types.StrategicMergePatchType, []byte(patch),
				metav1.PatchOptions{FieldManager: manager}, subresource...)
			return err
		}
	}
	patchClaim := func(patch string, subresource ...string) func(ctx context.Context, manager string) error {
		return func(ctx context.Context, manager string) error {
			_, err := claims.Patch(ctx, "fenced", types.StrategicMergePatchType, []byte(patch),
				metav1.PatchOptions{FieldManager: manager}, subresource...)
			return err
		}
	}
	newClaim(t, "fenced")
	const device = `{"request":"dev","driver":"gpu.nvidia.com","pool":"n0","device":"gpu-0"}`
	rows := []struct {
		name  string
		write func(ctx context.Context, manager string) error
	}{
		{"create a claim", func(ctx context.Context, manager string) error {
			_, err := claims.Create(ctx, claimOf("made"),
				metav1.CreateOptions{FieldManager: manager, DryRun: []string{metav1.DryRunAll}})
			return err
		}},
		{"protect", patchClaim(`{"metadata":{"finalizers":["` + harness.Finalizer + `"]}}`)},
		{"allocate", patchClaim(`{"status":{"allocation":{"devices":{"results":[`+device+`]}},`+
			`"reservedFor":[{"resource":"pods","name":"fenced","uid":"u"}]}}`, "status")},
		{"release", patchClaim(`{"status":{"allocation":null,"reservedFor":null}}`, "status")},
		{"condition", patchPod(`{"status":{"conditions":[{"type":"DrayAdmitted","status":"False"}]}}`, "status")},
		{"nominate", patchPod(`{"status":{"nominatedNodeName":"n0"}}`, "status")},
		{"lift", patchPod(`{"spec":{"schedulingGates":[{"name":"dray.dev/admission","$patch":"delete"}]}}`)},
		{"evict", func(ctx context.Context, manager string) error {
			return dray.CoreV1().RESTClient().Post().Namespace("default").Resource("pods").Name("fenced").
				SubResource("eviction").Param("fieldManager", manager).
				Body(&policyv1.Eviction{ObjectMeta: metav1.ObjectMeta{Name: "fenced"},
					DeleteOptions: &metav1.DeleteOptions{DryRun: []string{metav1.DryRunAll}}}).Do(ctx).Error()
		}},
		{"bind", func(ctx context.Context, manager string) error {
			return dray.CoreV1().RESTClient().Post().Namespace("default").Resource("pods").Name("fenced").
				SubResource("binding").Param("fieldManager", manager).
				Body(&corev1.Binding{ObjectMeta: metav1.ObjectMeta{Name: "fenced"},
					Target: corev1.ObjectReference{Kind: "Node", Name: "n0"}}).Do(ctx).Error()
		}},
	}
	setEpoch(t, 5)
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			for _, stale := range []string{fieldManager(4), "dray-5-another", "", "dray"} {
				checkRefusal(t, row.write(t.Context(), stale), otherEpoch)
			}
			checkRefusal(t, row.write(t.Context(), fieldManager(5)), "")
		})
	}
}

// What an earlier dray put on claims neither helps nor hinders.
func TestAnEarlierEpochOnAClaimIsNoMatter(t *testing.T) {
	setEpoch(t, 2)
	claim := newClaim(t, "marked")
	claim, err := as(t, harness.Account).ResourceV1().ResourceClaims("default").Patch(t.Context(), claim.Name,
		types.MergePatchType, []byte(`{"metadata":{"annotations":{"dray.dev/epoch":"1"}}}`),
		metav1.PatchOptions{FieldManager: fieldManager(2)})
	if err != nil {
		t.Fatal(err)
	}
	checkRefusal(t, allocate(t, harness.Account, fieldManager(2), claim, "gpu.nvidia.com"), "")
}

// The epoch is between drays; the drivers of others know none.
func TestEpochIsNotForOthers(t *testing.T) {
	manageDrivers(t, "gpu.nvidia.com")
	setEpoch(t, 1)
	checkRefusal(t, allocate(t, "system:kube-scheduler", "", newClaim(t, "others"), "nic.example.com"), "")
}

// A write that follows the Lease at once may be judged by the old one: the policy reads a cache.
func TestEpochTakesEffectSoon(t *testing.T) {
	setEpoch(t, 6)
	claim := newClaim(t, "soon")
	leases := plane.Client.CoordinationV1().Leases("dray-system")
	lease, err := leases.Get(t.Context(), "dray", metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	*lease.Spec.LeaseTransitions = 7
	if _, err := leases.Update(t.Context(), lease, metav1.UpdateOptions{}); err != nil {
		t.Fatal(err)
	}
	begin := time.Now()
	refusals := 0
	for allocate(t, harness.Account, fieldManager(7), claim, "gpu.nvidia.com") != nil {
		if refusals++; time.Since(begin) > 5*time.Second {
			t.Fatal("the new epoch is not known after 5 s")
		}
	}
	t.Logf("accepted %s after the Lease was written, %d refusals before", time.Since(begin), refusals)
}

func TestDeallocationIsEverybodys(t *testing.T) {
	setEpoch(t, 2)
	claim := newClaim(t, "freed")
	checkRefusal(t, allocate(t, harness.Account, fieldManager(2), claim, "gpu.nvidia.com"), "")
	claims := as(t, "system:serviceaccount:kube-system:resource-claim-controller").ResourceV1().ResourceClaims("default")
	claim, err := claims.Get(t.Context(), "freed", metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	claim.Status.Allocation = nil
	if _, err := claims.UpdateStatus(t.Context(), claim, metav1.UpdateOptions{}); err != nil {
		t.Error(err)
	}
}

// Whatever becomes of dray's own objects, pods that have nothing to do with it can be created, and claims of others
// allocated.
func TestMissingParametersStopNobody(t *testing.T) {
	manageDrivers(t, "*")
	configs := plane.Client.CoreV1().ConfigMaps("dray-system")
	config, err := configs.Get(t.Context(), "dray-exclusion", metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if err := configs.Delete(t.Context(), config.Name, metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		config.ResourceVersion, config.UID = "", ""
		if _, err := configs.Create(contextAfter(t), config, metav1.CreateOptions{}); err != nil {
			t.Error(err)
		}
	})
	// The policies have noticed once they refuse nothing any more.
	eventually(t.Context(), t, "the ConfigMap's end", func(ctx context.Context) (bool, error) {
		_, err := dryRun(ctx, podOf("default", "probe", "default-scheduler", "one"))
		return err == nil, nil
	})
	for _, namespace := range []string{"default", "kube-system"} {
		_, err := dryRun(t.Context(), podOf(namespace, "plain", "default-scheduler"))
		checkRefusal(t, err, "")
	}
	checkRefusal(t, allocate(t, "system:kube-scheduler", "", newClaim(t, "of-others"), "nic.example.com"), "")
}

func TestPodsOfOtherSchedulers(t *testing.T) {
	withResource := func(name corev1.ResourceName) *corev1.Pod {
		pod := podOf("default", "p", "default-scheduler")
		one := pod.Spec.Containers[0].Resources.Requests[corev1.ResourceCPU]
		one.Set(1)
		pod.Spec.Containers[0].Resources.Requests[name] = one
		pod.Spec.Containers[0].Resources.Limits = corev1.ResourceList{name: one}
		return pod
	}
	const implicit = "deviceclass.resource.kubernetes.io/gpu.nvidia.com"
	rows := []struct {
		name    string
		pod     *corev1.Pod
		managed []string // nil: none
		refused string
	}{
		{"no devices", podOf("default", "p", "default-scheduler"), []string{"*"}, ""},
		{"claims as installed", podOf("default", "p", "default-scheduler", "one"), nil, ""},
		{"claims of kube-system", podOf("kube-system", "p", "default-scheduler", "one"), []string{"*"}, ""},
		{"claims", podOf("default", "p", "default-scheduler", "one"), []string{"*"}, "needs a scheduler that calls dray"},
		{"claims for dray", podOf("default", "p", harness.SchedulerName, "one"), []string{"*"}, ""},
		{"claims, some drivers managed", podOf("default", "p", "default-scheduler", "one"), []string{"a.example"}, ""},
		{"a class as extended resource", withResource(implicit), []string{"*"}, "needs a scheduler that calls dray"},
		{"a class as extended resource, some managed", withResource(implicit), []string{"a.example"}, ""},
		{"an unknown extended resource", withResource("example.com/disk"), []string{"*"}, ""},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			if row.managed != nil {
				manageDrivers(t, row.managed...)
			}
			_, err := dryRun(t.Context(), row.pod)
			checkRefusal(t, err, row.refused)
		})
	}
}
