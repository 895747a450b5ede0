package cluster_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"dray.dev/dray/tests/cluster/harness"
)

const (
	chaosNodes   = 40 // with room for all
	chaosDevices = 8  // of a node and driver
	otherDriver  = "nic.example.com"

	leaseDuration = 15 * time.Second
	// A standby looks at the Lease every two seconds, and the Service at the standby twice a second.
	takeoverLimit = leaseDuration + 3*time.Second
)

// Two replicas of dray and, for other drivers, an in-tree scheduler, while the API server and the replicas are stopped,
// killed and replaced: no device is ever in two claims, nothing leaks, no gang is bound by half, all that fits is bound.
func TestChaos(t *testing.T) {
	longOnly(t)
	c := startChaos(t)
	disturbances := c.disturbances()
	groups := 300 / len(disturbances)
	for i, disturb := range disturbances {
		c.addPods(t, groups)
		t.Logf("%s: %s", time.Since(c.begun).Round(time.Second), disturb.name)
		disturb.run(t)
		if i%3 == 2 {
			c.deleteSome(t)
		}
	}
	c.addPods(t, 300-groups*len(disturbances))
	c.settle(t)
	c.checkClaims(t)
	c.checkGangs(t)
}

// chaos is the cluster that is disturbed.
type chaos struct {
	replicas []*harness.Dray
	service  *harness.Service
	random   *rand.Rand
	begun    time.Time
	made     int
	gangs    int
}

func startChaos(t *testing.T) *chaos {
	t.Helper()
	program := drayProgram(t)
	manageDrivers(t, manyDriver)
	t.Cleanup(func() { clean(t) })
	audit(t)
	seed := firstSeed(t)
	c := &chaos{random: rand.New(rand.NewPCG(seed, 1)), begun: time.Now()}
	for _, name := range []string{"dray-a", "dray-b"} {
		replica, err := plane.StartDray(t.Context(), program, harness.DrayOptions{Replica: name})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if t.Failed() {
				t.Log(replica.Tail(60))
			}
			replica.Kill()
		})
		c.replicas = append(c.replicas, replica)
	}
	var err error
	if c.service, err = harness.StartService(t.Context(), c.replicas...); err != nil {
		t.Fatal(err)
	}
	config := schedulerConfig(t, "scheduler.yaml")
	config.PointAt(c.service.URL, "", nil)
	startScheduler(t, config)
	inTree, err := plane.StartScheduler(t.Context(), "in-tree", harness.DefaultSchedulerConfig())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(inTree.Kill)
	create(t, fleet(manyDriver, chaosNodes, chaosDevices, "64").All())
	create(t, fleet(otherDriver, chaosNodes, chaosDevices, "").Slices())
	create(t, oneDeviceTemplate("chaos", manyDriver))
	create(t, strings.Replace(oneDeviceTemplate("chaos-other", otherDriver), "name: one", "name: nic", 1))
	c.waitLeader(t, nil, 2*takeoverLimit)
	return c
}

// disturbance is something that happens to the cluster.
type disturbance struct {
	name string
	run  func(*testing.T)
}

// disturbances are 5 of the API server, 10 of a leader or its standby, 5 moves of the leadership, in a random order.
func (c *chaos) disturbances() []disturbance {
	var all []disturbance
	for i := range 5 {
		if i < 3 {
			all = append(all, disturbance{"the API server is stopped", c.pauseServer})
		} else {
			all = append(all, disturbance{"the API server is killed", c.killServer})
		}
		all = append(all,
			disturbance{"dray is stopped", c.pauseReplica},
			disturbance{"dray is killed", c.killReplica},
			disturbance{"the leader is asked to end", c.moveLeadership})
	}
	c.random.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	return all
}

func (c *chaos) seconds(least, most int) time.Duration {
	return time.Duration(least+c.random.IntN(most-least+1)) * time.Second
}

func (c *chaos) pauseServer(t *testing.T) {
	if err := plane.APIServer().Pause(); err != nil {
		t.Fatal(err)
	}
	time.Sleep(c.seconds(2, 12))
	if err := plane.APIServer().Resume(); err != nil {
		t.Fatal(err)
	}
}

func (c *chaos) killServer(t *testing.T) {
	if err := plane.RestartAPIServer(t.Context(), c.seconds(1, 8)); err != nil {
		t.Fatal(err)
	}
}

// leader is the replica that is ready, after waiting for one.
func (c *chaos) leader(t *testing.T) *harness.Dray {
	t.Helper()
	return c.waitLeader(t, nil, 3*takeoverLimit)
}

// waitLeader waits until a replica other than that is ready, which has to be so within the limit.
func (c *chaos) waitLeader(t *testing.T, other *harness.Dray, limit time.Duration) *harness.Dray {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	var leader *harness.Dray
	begin := time.Now()
	if err := harness.Poll(ctx, func(context.Context) (bool, error) {
		for _, replica := range c.service.Ready() {
			if replica != other {
				leader = replica
			}
		}
		return leader != nil, nil
	}); err != nil {
		t.Fatal("no leader within a minute")
	}
	took := time.Since(begin).Round(100 * time.Millisecond)
	if took > limit {
		t.Errorf("a leader after %s, want %s at most", took, limit)
	} else if other != nil {
		t.Logf("replaced after %s", took)
	}
	return leader
}

func (c *chaos) pauseReplica(t *testing.T) {
	leader := c.leader(t)
	if err := leader.Pause(); err != nil {
		t.Fatal(err)
	}
	begin := time.Now()
	c.waitLeader(t, leader, takeoverLimit)
	time.Sleep(max(0, c.seconds(20, 40)-time.Since(begin)))
	if err := leader.Resume(); err != nil {
		t.Fatal(err)
	}
}

func (c *chaos) killReplica(t *testing.T) {
	leader := c.leader(t)
	leader.Kill()
	c.waitLeader(t, leader, takeoverLimit)
	if err := leader.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// moveLeadership ends the leader as a roll-out does: it gives the Lease back, so nobody waits for its end.
func (c *chaos) moveLeadership(t *testing.T) {
	leader := c.leader(t)
	if err := leader.Stop(20 * time.Second); err != nil {
		t.Errorf("after SIGTERM: %v", err)
	}
	c.waitLeader(t, leader, takeoverLimit)
	if err := leader.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// addPods makes so many: most for dray, one in four in gangs of four, one in five for the in-tree scheduler.
func (c *chaos) addPods(t *testing.T, count int) {
	t.Helper()
	var pods []*corev1.Pod
	for len(pods) < count {
		name := fmt.Sprintf("p%03d", c.made)
		c.made++
		switch {
		case c.made%5 == 0:
			pods = append(pods, podOf("chaos-other", name, "default-scheduler", "nic"))
		case c.made%16 == 1:
			gang := fmt.Sprintf("gang-%d", c.gangs)
			c.gangs++
			for member := range 4 {
				pod := podOf("chaos", fmt.Sprintf("%s-%d", gang, member), harness.SchedulerName, "one")
				pod.Labels = map[string]string{"pod-group.scheduling.sigs.k8s.io/name": gang,
					"pod-group.scheduling.sigs.k8s.io/min-available": "4"}
				pods = append(pods, pod)
			}
		default:
			pods = append(pods, podOf("chaos", name, harness.SchedulerName, "one"))
		}
	}
	createPods(t, pods...)
}

// deleteSome ends a few single pods, bound or not.
func (c *chaos) deleteSome(t *testing.T) {
	t.Helper()
	now := int64(0)
	for range 3 {
		name := fmt.Sprintf("p%03d", c.random.IntN(c.made))
		// There may be none of that name: it is a gang's number, or gone.
		_ = plane.Client.CoreV1().Pods("chaos").Delete(t.Context(), name, metav1.DeleteOptions{GracePeriodSeconds: &now})
	}
}

// settle waits until every pod is bound: there is room for all.
func (c *chaos) settle(t *testing.T) {
	t.Helper()
	for _, namespace := range []string{"chaos", "chaos-other"} {
		list, err := plane.Client.CoreV1().Pods(namespace).List(t.Context(), metav1.ListOptions{})
		if err != nil {
			t.Fatal(err)
		}
		bound := waitMany(t, namespace, len(list.Items), 3*time.Minute)
		t.Logf("%s: %d pods bound in %s", time.Since(c.begun).Round(time.Second), bound, namespace)
	}
}

// checkClaims finds claims that nobody uses, a minute after the last disturbance at the latest, and pods whose claims
// are not theirs.
func (c *chaos) checkClaims(t *testing.T) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	var leaked []string
	if err := harness.Poll(ctx, func(ctx context.Context) (bool, error) {
		leaked = leaked[:0]
		pods, err := plane.Client.CoreV1().Pods("chaos").List(ctx, metav1.ListOptions{})
		if err != nil {
			return false, err
		}
		claims, err := plane.Client.ResourceV1().ResourceClaims("chaos").List(ctx, metav1.ListOptions{})
		if err != nil {
			return false, err
		}
		leaked = append(leaked, unused(claims.Items, pods.Items)...)
		return len(leaked) == 0, nil
	}); err != nil {
		t.Errorf("after a minute: %s", strings.Join(leaked, "; "))
	}
}

// unused are the claims that hold devices for no living pod.
func unused(claims []resourcev1.ResourceClaim, pods []corev1.Pod) []string {
	alive := map[string]bool{}
	for _, pod := range pods {
		alive[string(pod.UID)] = true
	}
	var found []string
	for _, claim := range claims {
		if claim.Status.Allocation == nil {
			continue
		}
		users := 0
		for _, user := range claim.Status.ReservedFor {
			if alive[string(user.UID)] {
				users++
			} else {
				found = append(found, fmt.Sprintf("%s is reserved for %s, which is gone", claim.Name, user.Name))
			}
		}
		if users == 0 {
			found = append(found, claim.Name+" is allocated and nobody uses it")
		}
	}
	return found
}

// checkGangs finds gangs of which some members are bound and some are not.
func (c *chaos) checkGangs(t *testing.T) {
	t.Helper()
	pods, err := plane.Client.CoreV1().Pods("chaos").List(t.Context(), metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	bound := map[string]int{}
	for i := range pods.Items {
		if gang := pods.Items[i].Labels["pod-group.scheduling.sigs.k8s.io/name"]; gang != "" && harness.Bound(&pods.Items[i]) {
			bound[gang]++
		}
	}
	for gang, members := range bound {
		if members != 4 {
			t.Errorf("%s: %d of 4 members are bound", gang, members)
		}
	}
}
