package cluster_test

import (
	"context"
	"strconv"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/util/retry"

	"dray.dev/dray/tests/cluster/harness"
)

// manageDrivers says for the rest of the test which drivers dray manages, instead of all.
func manageDrivers(t *testing.T, drivers ...string) {
	t.Helper()
	setDrivers(t.Context(), t, strings.Join(drivers, "\n"))
	t.Cleanup(func() { setDrivers(contextAfter(t), t, "*") })
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

// setEpoch writes the Lease as a dray that acquires it does, and waits until new claims carry the epoch.
func setEpoch(t *testing.T, epoch int32) {
	t.Helper()
	leases := plane.Client.CoordinationV1().Leases("dray-system")
	lease, err := leases.Get(t.Context(), "dray", metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	lease.Spec.LeaseTransitions = &epoch
	if _, err := leases.Update(t.Context(), lease, metav1.UpdateOptions{}); err != nil {
		t.Fatal(err)
	}
	eventually(t.Context(), t, "epoch on new claims", func(ctx context.Context) (bool, error) {
		claim, err := plane.Client.ResourceV1().ResourceClaims("default").Create(ctx, claimOf("probe"),
			metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
		if err != nil {
			return false, err
		}
		return claim.Annotations["dray.dev/epoch"] == strconv.Itoa(int(epoch)), nil
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

// allocate writes an allocation of one device of a driver, as this account.
func allocate(t *testing.T, user string, claim *resourcev1.ResourceClaim, driver string) error {
	t.Helper()
	claim = claim.DeepCopy()
	claim.Status.Allocation = &resourcev1.AllocationResult{Devices: resourcev1.DeviceAllocationResult{
		Results: []resourcev1.DeviceRequestAllocationResult{
			{Request: "dev", Driver: driver, Pool: "n0", Device: "gpu-0"}}}}
	_, err := as(t, user).ResourceV1().ResourceClaims("default").UpdateStatus(t.Context(), claim,
		metav1.UpdateOptions{})
	return err
}

func TestFirstAllocationIsDraysAlone(t *testing.T) {
	setEpoch(t, 1)
	rows := []struct {
		name, user, driver string
		managed            []string // nil: all
		refused            string
	}{
		{"dray", harness.Account, "gpu.nvidia.com", nil, ""},
		{"kube-scheduler", "system:kube-scheduler", "gpu.nvidia.com", nil, "dray allocates the devices of this driver"},
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
			err := allocate(t, row.user, newClaim(t, "first"), row.driver)
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
	setEpoch(t, 1)
	claim := newClaim(t, "by-admin")
	claim.Status.Allocation = &resourcev1.AllocationResult{Devices: resourcev1.DeviceAllocationResult{
		Results: []resourcev1.DeviceRequestAllocationResult{
			{Request: "dev", Driver: "gpu.nvidia.com", Pool: "n0", Device: "gpu-0"}}}}
	_, err := plane.Client.ResourceV1().ResourceClaims("default").UpdateStatus(t.Context(), claim,
		metav1.UpdateOptions{})
	checkRefusal(t, err, "dray allocates the devices of this driver")
}

func TestEpochFencesAFormerLeader(t *testing.T) {
	const wrong = "the claim's dray.dev/epoch is not the Lease's leaseTransitions"
	setEpoch(t, 4)
	claim := newClaim(t, "fenced")
	setEpoch(t, 5)
	checkRefusal(t, allocate(t, harness.Account, claim, "gpu.nvidia.com"), wrong)

	// The former leader cannot smuggle an epoch in with the status.
	forged := claim.DeepCopy()
	forged.Annotations["dray.dev/epoch"] = "5"
	checkRefusal(t, allocate(t, harness.Account, forged, "gpu.nvidia.com"), wrong)

	claims := as(t, harness.Account).ResourceV1().ResourceClaims("default")
	claim.Annotations["dray.dev/epoch"] = "5"
	claim, err := claims.Update(t.Context(), claim, metav1.UpdateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	checkRefusal(t, allocate(t, harness.Account, claim, "gpu.nvidia.com"), "")

	// What is allocated is nobody's first allocation: dray may still reserve it for another pod.
	setEpoch(t, 6)
	if claim, err = claims.Get(t.Context(), "fenced", metav1.GetOptions{}); err != nil {
		t.Fatal(err)
	}
	claim.Status.ReservedFor = []resourcev1.ResourceClaimConsumerReference{{Resource: "pods", Name: "p", UID: "u"}}
	_, err = claims.UpdateStatus(t.Context(), claim, metav1.UpdateOptions{})
	checkRefusal(t, err, "")
}

// The epoch is between drays; the drivers of others know none.
func TestEpochIsNotForOthers(t *testing.T) {
	manageDrivers(t, "gpu.nvidia.com")
	setEpoch(t, 1)
	claim := newClaim(t, "others")
	setEpoch(t, 2)
	checkRefusal(t, allocate(t, "system:kube-scheduler", claim, "nic.example.com"), "")
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
	claim.Annotations["dray.dev/epoch"] = "7"
	claims := as(t, harness.Account).ResourceV1().ResourceClaims("default")
	if claim, err = claims.Update(t.Context(), claim, metav1.UpdateOptions{}); err != nil {
		t.Fatal(err)
	}
	if _, err := leases.Update(t.Context(), lease, metav1.UpdateOptions{}); err != nil {
		t.Fatal(err)
	}
	begin := time.Now()
	refusals := 0
	for allocate(t, harness.Account, claim, "gpu.nvidia.com") != nil {
		if refusals++; time.Since(begin) > 5*time.Second {
			t.Fatal("the new epoch is not known after 5 s")
		}
	}
	t.Logf("accepted %s after the Lease was written, %d refusals before", time.Since(begin), refusals)
}

func TestDeallocationIsEverybodys(t *testing.T) {
	setEpoch(t, 2)
	claim := newClaim(t, "freed")
	checkRefusal(t, allocate(t, harness.Account, claim, "gpu.nvidia.com"), "")
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
		managed []string // nil: all
		refused string
	}{
		{"no devices", podOf("default", "p", "default-scheduler"), nil, ""},
		{"claims", podOf("default", "p", "default-scheduler", "one"), nil, "needs a scheduler that calls dray"},
		{"claims for dray", podOf("default", "p", harness.SchedulerName, "one"), nil, ""},
		{"claims, some drivers managed", podOf("default", "p", "default-scheduler", "one"), []string{"a.example"}, ""},
		{"a class as extended resource", withResource(implicit), nil, "needs a scheduler that calls dray"},
		{"a class as extended resource, some managed", withResource(implicit), []string{"a.example"}, ""},
		{"an unknown extended resource", withResource("example.com/disk"), nil, ""},
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
