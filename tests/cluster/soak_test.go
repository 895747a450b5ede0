package cluster_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"dray.dev/dray/tests/cluster/harness"
)

// footprint is what dray holds of the machine and of Prometheus at a moment.
type footprint struct {
	memory  int64 // bytes of heap and stacks that are resident
	files   int   // descriptors
	threads int
	series  int // lines of its metrics page
	waiting int // steps that the recorder has still to write
}

func (f footprint) String() string {
	return fmt.Sprintf("%.1f MB, %d descriptors, %d threads, %d series, %d steps to record", float64(f.memory)/1e6, f.files, f.threads,
		f.series, f.waiting)
}

func footprintOf(t *testing.T, p *pair) footprint {
	t.Helper()
	memory, err := p.dray.Private()
	if err != nil {
		t.Fatal(err)
	}
	files, err := os.ReadDir(fmt.Sprintf("/proc/%d/fd", p.dray.Pid()))
	if err != nil {
		t.Fatal(err)
	}
	threads, err := os.ReadDir(fmt.Sprintf("/proc/%d/task", p.dray.Pid()))
	if err != nil {
		t.Fatal(err)
	}
	var metrics string
	eventually(t.Context(), t, "metrics are answered", func(ctx context.Context) (bool, error) {
		metrics = page(ctx, t, p.dray.Admin+"/metrics")
		return metrics != "", nil
	})
	if value(metrics, "dray_recorder_recording") != "1" {
		t.Errorf("the recorder has ended:\n%s", p.dray.Tail(20))
	}
	found := footprint{memory: memory, files: len(files), threads: len(threads)}
	if found.waiting, err = strconv.Atoi(value(metrics, "dray_recorder_steps_waiting")); err != nil {
		t.Error(err)
	}
	for line := range strings.Lines(metrics) {
		if !strings.HasPrefix(line, "#") {
			found.series++
		}
	}
	return found
}

// value of a series without labels on a metrics page.
func value(metrics, series string) string {
	for line := range strings.Lines(metrics) {
		if rest, found := strings.CutPrefix(line, series+" "); found {
			return strings.TrimSpace(rest)
		}
	}
	return ""
}

// folderBytes is what the files of a folder take.
func folderBytes(t *testing.T, folder string) int64 {
	t.Helper()
	files, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	var sum int64
	for _, file := range files {
		if info, err := file.Info(); err == nil { // else the oldest has just gone
			sum += info.Size()
		}
	}
	return sum
}

// soak is a small cluster in which everything comes and goes under ever new names.
type soak struct {
	t    *testing.T
	pair *pair
	turn int
}

const (
	soakDriver  = "soak.example.com"
	soakNodes   = 20
	soakDevices = 8
)

func (s *soak) pods() []*corev1.Pod {
	var pods []*corev1.Pod
	for n := range 40 {
		pods = append(pods, podOf("soak", fmt.Sprintf("p%d-%d", s.turn, n), harness.SchedulerName, "one"))
	}
	for n := range 4 { // a gang
		member := podOf("soak", fmt.Sprintf("g%d-%d", s.turn, n), harness.SchedulerName, "one")
		member.Labels = map[string]string{"pod-group.scheduling.sigs.k8s.io/name": fmt.Sprintf("g%d", s.turn),
			"pod-group.scheduling.sigs.k8s.io/min-available": "4"}
		pods = append(pods, member)
	}
	// For more than there is: it waits.
	return append(pods, podOf("soak", fmt.Sprintf("w%d", s.turn), harness.SchedulerName, "many"))
}

// passing is YAML of a node that is there for one turn, with devices.
func (s *soak) passing() string {
	fleet := fleet(soakDriver, 1, soakDevices, "16")
	fleet.NodeName = fmt.Sprintf("passing-%d-%%d", s.turn)
	_, text, _ := strings.Cut(fleet.All(), "---\n") // the class is there
	return text
}

// once has pods bound, the last of them wait, and all of them go; a node comes and goes meanwhile.
func (s *soak) once() {
	s.turn++
	passing, err := harness.Parse([]byte(s.passing()))
	if err != nil {
		s.t.Fatal(err)
	}
	if err := plane.Create(s.t.Context(), passing); err != nil {
		s.t.Fatal(err)
	}
	pods := s.pods()
	createPods(s.t, pods...)
	wanted := len(pods) - 1
	eventually(s.t.Context(), s.t, "all but one are bound, and that is told why not", func(ctx context.Context) (bool, error) {
		bound, told, err := s.count(ctx)
		return err == nil && bound == wanted && told == 1, nil
	})
	for _, o := range passing {
		if err := plane.Delete(s.t.Context(), o); err != nil {
			s.t.Fatal(err)
		}
	}
	if err := harness.Each(pods, 16, func(pod *corev1.Pod) error {
		return plane.Client.CoreV1().Pods("soak").Delete(s.t.Context(), pod.Name, metav1.DeleteOptions{GracePeriodSeconds: new(int64)})
	}); err != nil {
		s.t.Fatal(err)
	}
	eventually(s.t.Context(), s.t, "all claims are gone", func(ctx context.Context) (bool, error) {
		claims, err := plane.Client.ResourceV1().ResourceClaims("soak").List(ctx, metav1.ListOptions{})
		return err == nil && len(claims.Items) == 0, nil
	})
}

func (s *soak) count(ctx context.Context) (bound, told int, err error) {
	list, err := plane.Client.CoreV1().Pods("soak").List(ctx, metav1.ListOptions{})
	if err != nil {
		return 0, 0, err
	}
	for i := range list.Items {
		if harness.Bound(&list.Items[i]) {
			bound++
		} else if harness.Refused(&list.Items[i]) {
			told++
		}
	}
	return bound, told, nil
}

// mostGrowth is what memory may differ by between two stretches in which the same happens: malloc keeps pages here and there. It
// does not grow with the stretches, so that in an hour, 15,000 pods in each, 70 bytes that a pod leaves behind are too much.
const mostGrowth = 1 << 20

// mostMoreFiles is how many descriptors more there may be, half of the time: connections are as many as the machine's load makes
// of them, and are closed when nobody has needed them for a minute.
const mostMoreFiles = 4

// mostWaiting is how many steps of one turn, about 1,500, may wait to be recorded when it is over.
const mostWaiting = 5000

const (
	recordMegabytes  = 8
	segmentMegabytes = 4 // before compression: a file is smaller
)

// Nothing that dray holds grows with what has come and gone, the flight recorder's queue and files included. DRAY_SOAK_MINUTES
// says for how long; the first third warms up, and of the rest the second half is compared with the first. A turn takes at least
// DRAY_SOAK_TURN_SECONDS, for a machine that has other work.
func TestChurnStaysFlat(t *testing.T) {
	longOnly(t)
	minutes := numberFrom(t, "DRAY_SOAK_MINUTES", 4)
	pace := time.Duration(numberFrom(t, "DRAY_SOAK_TURN_SECONDS", 0)) * time.Second
	folder := filepath.Join(t.TempDir(), "record")
	p := startPair(t, pairOptions{DrayOptions: harness.DrayOptions{Args: []string{"--record", folder, "--record-megabytes",
		strconv.Itoa(recordMegabytes), "--record-segment-megabytes", strconv.Itoa(segmentMegabytes)}}})
	create(t, fleet(soakDriver, soakNodes, soakDevices, "16").All())
	create(t, oneDeviceTemplate("soak", soakDriver))
	create(t, fmt.Sprintf(`
apiVersion: resource.k8s.io/v1
kind: ResourceClaimTemplate
metadata: {name: many, namespace: soak}
spec: {spec: {devices: {requests: [{name: dev, exactly: {deviceClassName: %s, count: %d}}]}}}
`, soakDriver, soakDevices+1))
	s := &soak{t: t, pair: p}
	var seen []footprint
	for end := time.Now().Add(time.Duration(minutes) * time.Minute); time.Now().Before(end) && !t.Failed(); {
		next := time.Now().Add(pace)
		s.once()
		seen = append(seen, footprintOf(t, p))
		if len(seen)%20 == 1 {
			t.Logf("turn %d: %s, record of %.1f MB", s.turn, seen[len(seen)-1], float64(folderBytes(t, folder))/1e6)
		}
		time.Sleep(time.Until(next))
	}
	if t.Failed() {
		return
	}
	third := len(seen) / 3
	if third < 5 {
		t.Fatalf("%d turns in %d minutes are too few to tell", len(seen), minutes)
	}
	for part := range 6 {
		t.Logf("sixth %d: %s", part+1, median(seen[part*len(seen)/6:(part+1)*len(seen)/6]))
	}
	t.Logf("%d turns of %d pods; record of %.1f MB", len(seen), len(s.pods()), float64(folderBytes(t, folder))/1e6)
	checkFlat(t, seen[third:2*third], seen[2*third:])
	if record := folderBytes(t, folder); record > (recordMegabytes+segmentMegabytes)<<20 {
		t.Errorf("the record takes %d bytes", record)
	}
}

// checkFlat compares two stretches in which the same happened.
func checkFlat(t *testing.T, earlier, later []footprint) {
	t.Helper()
	before, after := atMost(earlier), atMost(later)
	t.Logf("at most %s, then %s", before, after)
	if after.series > before.series {
		t.Error("series grow")
	}
	if after.threads > before.threads {
		t.Error("threads grow")
	}
	if after.waiting > mostWaiting {
		t.Error("the recorder falls behind")
	}
	usual, now := median(earlier), median(later)
	if grown := now.files - usual.files; grown > mostMoreFiles {
		t.Errorf("descriptors grow: half of the time there were %d more than before", grown)
	}
	if grown := now.memory - usual.memory; grown > mostGrowth {
		t.Errorf("memory grows: half of the time there was %.1f MB more than before", float64(grown)/1e6)
	}
}

// median is of each what there was half of the time.
func median(seen []footprint) footprint {
	return each(seen, func(values []int64) int64 {
		slices.Sort(values)
		return values[len(values)/2]
	})
}

// atMost is the most of each that there was.
func atMost(seen []footprint) footprint { return each(seen, slices.Max[[]int64]) }

// each is one figure of each kind, made of all that were seen.
func each(seen []footprint, figure func([]int64) int64) footprint {
	of := func(part func(footprint) int64) int64 {
		values := make([]int64, 0, len(seen))
		for _, f := range seen {
			values = append(values, part(f))
		}
		return figure(values)
	}
	return footprint{
		memory:  of(func(f footprint) int64 { return f.memory }),
		files:   int(of(func(f footprint) int64 { return int64(f.files) })),
		threads: int(of(func(f footprint) int64 { return int64(f.threads) })),
		series:  int(of(func(f footprint) int64 { return int64(f.series) })),
		waiting: int(of(func(f footprint) int64 { return int64(f.waiting) })),
	}
}
