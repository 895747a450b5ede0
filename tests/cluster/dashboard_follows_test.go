package cluster_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	resourcev1 "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"dray.dev/dray/tests/cluster/harness"
)

// openDashboard starts a dray of one replica, whose dashboard is on loopback.
func openDashboard(t *testing.T, args ...string) (*dashboard, *harness.Dray) {
	t.Helper()
	t.Cleanup(func() { clean(t) })
	ports, err := harness.FreePorts(1)
	if err != nil {
		t.Fatal(err)
	}
	address := fmt.Sprintf("127.0.0.1:%d", ports[0])
	replica, err := plane.StartDray(t.Context(), drayProgram(t), harness.DrayOptions{Token: true, Replica: "only",
		Args: append([]string{"--dashboard-address", address}, args...)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { replica.Kill() })
	return &dashboard{url: "http://" + address, client: &http.Client{Timeout: patience}}, replica
}

// news has a value for each event of the dashboard's stream that came since the last was taken, as a page sees them.
func (d *dashboard) news(t *testing.T) <-chan struct{} {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, d.url+"/v1/dashboard/events", nil)
	if err != nil {
		t.Fatal(err)
	}
	response, err := (&http.Client{}).Do(request)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { response.Body.Close() })
	told := make(chan struct{}, 1)
	go func() {
		for lines := bufio.NewScanner(response.Body); lines.Scan(); {
			if !strings.HasPrefix(lines.Text(), "data: ") {
				continue
			}
			select {
			case told <- struct{}{}:
			default:
			}
		}
	}()
	return told
}

// What changes is on the screen within a second of the API server's word for it. Other load of the machine may spoil a
// run; a dashboard that is too slow spoils each.
func TestTheDashboardFollowsTheCluster(t *testing.T) {
	d, replica := openDashboard(t)
	takesOver(t, replica, "only")
	create(t, "apiVersion: v1\nkind: Namespace\nmetadata: {name: follow}\n")
	d.becomes(t, patience, "", "ledger", func(status int, _ string) bool { return status == http.StatusOK })
	told := d.news(t)
	claims := plane.Client.ResourceV1().ResourceClaims("follow")
	behind := func(name string) time.Duration {
		claim := &resourcev1.ResourceClaim{ObjectMeta: metav1.ObjectMeta{Name: name}}
		claim.Spec.Devices.Requests = []resourcev1.DeviceRequest{{Name: "one", Exactly: &resourcev1.ExactDeviceRequest{DeviceClassName: "none.example.com"}}}
		if _, err := claims.Create(t.Context(), claim, metav1.CreateOptions{}); err != nil {
			t.Fatal(err)
		}
		since := time.Now()
		for {
			select {
			case <-told:
			case <-time.After(patience):
				t.Fatalf("nothing is told of %s", name)
			}
			if strings.Contains(d.mustGet(t, "", "ledger?q="+name, http.StatusOK), "follow/"+name) {
				return time.Since(since)
			}
		}
	}
	for run := range 3 {
		var times []time.Duration
		for i := range 10 {
			times = append(times, behind(fmt.Sprintf("c-%d-%d", run, i)).Round(time.Millisecond))
		}
		t.Logf("behind the API server by %v", times)
		if slices.Max(times) < time.Second {
			return
		}
	}
	t.Error("in each run the dashboard was a second and more behind")
}

// Under another name of its Lease, with rights to that one alone, dray leads, says that it cannot see who stands by, and
// `dray doctor` names the rights.
func TestTheDashboardSaysWhatItMayNotSee(t *testing.T) {
	roles := plane.Client.RbacV1().Roles("dray-system")
	role, err := roles.Get(t.Context(), "dray-lease", metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	shipped := role.DeepCopy()
	t.Cleanup(func() {
		shipped.ResourceVersion = ""
		if _, err := roles.Update(contextAfter(t), shipped, metav1.UpdateOptions{}); err != nil {
			t.Error(err)
		}
	})
	for i := range role.Rules {
		if slices.Contains(role.Rules[i].ResourceNames, "dray") {
			role.Rules[i].ResourceNames = []string{"gpu"}
		}
	}
	if _, err := roles.Update(t.Context(), role, metav1.UpdateOptions{}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = plane.Client.CoordinationV1().Leases("dray-system").Delete(contextAfter(t), "gpu", metav1.DeleteOptions{})
	})
	d, replica := openDashboard(t, "--leader-elect-name", "gpu")
	eventually(t.Context(), t, "dray leads", func(ctx context.Context) (bool, error) { return replica.Ready(ctx), nil })
	var health struct{ Leader, StandbyTrouble string }
	d.becomes(t, patience, "", "health", func(_ int, body string) bool {
		return json.Unmarshal([]byte(body), &health) == nil && health.StandbyTrouble != ""
	})
	if health.Leader != "only" || !strings.HasPrefix(health.StandbyTrouble, "dray may not get Lease dray-system/gpu-standby-1;") {
		t.Errorf("the dashboard says %+v", health)
	}
	var missing []string
	for _, each := range doctor(t, "--leader-elect-name", "gpu") {
		if each.Name == "right-missing" {
			missing = append(missing, each.Object)
		}
	}
	var want []string
	for place := 1; place <= 3; place++ {
		for _, verb := range []string{"get", "update"} {
			want = append(want, fmt.Sprintf("%s leases.coordination.k8s.io gpu-standby-%d in dray-system", verb, place))
		}
	}
	slices.Sort(missing)
	slices.Sort(want)
	if !slices.Equal(missing, want) {
		t.Errorf("rights that doctor misses: %q, want %q", missing, want)
	}
}
