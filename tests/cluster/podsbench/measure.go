package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"dray.dev/dray/tests/cluster/harness"
)

const (
	lookEvery   = 200 * time.Millisecond // a look is work for the API server
	calmLooks   = 6
	settleLimit = 30 * time.Second
)

// result is what one run showed.
type result struct {
	Side     string `json:"side"`
	Workload string `json:"workload"`
	Round    int    `json:"round"`
	Pods     int    `json:"pods"`

	Rate        float64            `json:"pods_per_second"`
	Middle      float64            `json:"middle_pods_per_second"` // of the middle 80 %
	Slowest     float64            `json:"slowest_tenth"`          // its rate against the fastest tenth's
	Tenths      []tenth            `json:"tenths"`
	First       float64            `json:"first_bound_seconds"`
	CPU         map[string]float64 `json:"cpu_ms_per_pod"` // by program
	Writes      map[string]float64 `json:"writes_per_pod"` // by verb and resource, answered with success
	WritesTotal float64            `json:"writes_per_pod_total"`
	Refused     map[string]float64 `json:"refused"`       // 429, 503, 504, by code
	Binds       float64            `json:"binds_per_pod"` // that were not turned away
	Terms       int32              `json:"terms"`         // of dray's leadership
}

// tenth is what it took to bind the next tenth of the pods.
type tenth struct {
	Rate float64            `json:"pods_per_second"`
	CPU  map[string]float64 `json:"cpu_ms_per_pod"` // by program, to the next look
}

// Scheduling is the CPU of who schedules: kube-scheduler and its extender.
func (r result) Scheduling() float64 { return r.CPU["kube-scheduler"] + r.CPU["dray"] }

// bindings notes when each pod was seen with a node.
type bindings struct {
	mutex sync.Mutex
	times map[string]time.Time
	done  chan struct{} // closed when want pods have one
	want  int
}

func watchBindings(ctx context.Context, plane *harness.ControlPlane, want int) (*bindings, error) {
	b := &bindings{times: map[string]time.Time{}, done: make(chan struct{}), want: want}
	return b, podInformer(ctx, plane.Client, func(pod *corev1.Pod) {
		if pod.Spec.NodeName == "" {
			return
		}
		b.mutex.Lock()
		defer b.mutex.Unlock()
		if _, known := b.times[pod.Name]; known {
			return
		}
		b.times[pod.Name] = time.Now()
		if len(b.times) == b.want {
			close(b.done)
		}
	})
}

// wait returns an error that says how many are bound if none was for the time patience. It tells look about once a second
// how many are.
func (b *bindings) wait(ctx context.Context, patience time.Duration, look func(bound int) error) error {
	last, since := -1, time.Now()
	for {
		select {
		case <-b.done:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(time.Second):
		}
		b.mutex.Lock()
		bound := len(b.times)
		b.mutex.Unlock()
		if err := look(bound); err != nil {
			return err
		}
		if bound != last {
			last, since = bound, time.Now()
		} else if time.Since(since) > patience {
			return fmt.Errorf("%d of %d pods are bound, none for %s", bound, b.want, patience)
		}
	}
}

// rates fills in what follows from when pods were bound.
func (b *bindings) rates(r *result, begin time.Time) {
	var times []float64
	for _, at := range b.times {
		times = append(times, at.Sub(begin).Seconds())
	}
	slices.Sort(times)
	n := len(times)
	r.First, r.Rate = times[0], float64(n)/times[n-1]
	at := func(share int) float64 { return times[(n-1)*share/10] }
	r.Middle = float64(n) * 0.8 / max(at(9)-at(1), 1e-3)
	var rates []float64
	for i := range 10 {
		rates = append(rates, float64(n)/10/max(at(i+1)-at(i), 1e-3))
		r.Tenths = append(r.Tenths, tenth{Rate: rates[i]})
	}
	r.Slowest = slices.Min(rates) / slices.Max(rates)
}

var requestTotal = regexp.MustCompile(`^apiserver_request_total\{(.*)\} ([0-9.e+]+)$`)
var label = regexp.MustCompile(`(\w+)="([^"]*)"`)

// requests counts what the API server has answered.
func (c *counters) requests(ctx context.Context, plane *harness.ControlPlane) error {
	text, err := plane.Client.Discovery().RESTClient().Get().AbsPath("/metrics").DoRaw(ctx)
	if err != nil {
		return err
	}
	c.writes, c.refused = map[string]float64{}, map[string]float64{}
	lines := bufio.NewScanner(bytes.NewReader(text))
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		found := requestTotal.FindStringSubmatch(lines.Text())
		if found == nil {
			continue
		}
		labels := map[string]string{}
		for _, pair := range label.FindAllStringSubmatch(found[1], -1) {
			labels[pair[1]] = pair[2]
		}
		count, err := strconv.ParseFloat(found[2], 64)
		if err != nil {
			return err
		}
		// Turned away before anything was done, overload or a policy that has not seen the new Lease: it comes again.
		turnedAway := labels["code"] == "429" || labels["code"] == "403"
		if labels["subresource"] == "binding" && !turnedAway {
			c.binds += count
			if labels["code"][0] != '2' {
				c.refused["bind "+labels["code"]] += count
			}
		}
		if code := labels["code"]; code == "429" || code == "503" || code == "504" {
			c.refused[code] += count
		}
		switch labels["verb"] {
		case "POST", "PUT", "PATCH", "APPLY", "DELETE":
			ours := map[string]bool{"pods": true, "resourceclaims": true, "events": true}
			if ours[labels["resource"]] && labels["code"][0] == '2' {
				name := labels["verb"] + " " + labels["resource"]
				if labels["subresource"] != "" {
					name += "/" + labels["subresource"]
				}
				c.writes[name] += count
			}
		}
	}
	return lines.Err()
}

// counters are what programs have used and the API server has answered, at one moment.
type counters struct {
	cpu     map[string]time.Duration // by program
	writes  map[string]float64       // with success, by verb and resource
	refused map[string]float64       // 429, 503, 504, by code, and other answers to bindings that are no success
	binds   float64                  // that were not turned away
}

// terms is how often dray's Lease has been taken.
func terms(ctx context.Context, plane *harness.ControlPlane) (int32, error) {
	lease, err := plane.Client.CoordinationV1().Leases("dray-system").Get(ctx, "dray", metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		return 0, nil // another side
	}
	if err != nil || lease.Spec.LeaseTransitions == nil {
		return 0, err
	}
	return *lease.Spec.LeaseTransitions, nil
}

// meter is the state of all counters at the beginning of a run.
type meter struct {
	plane    *harness.ControlPlane
	programs map[string]*harness.Process
	begin    counters
	tenths   []share // the first look in each tenth of the pods, and the last
}

// share is what programs had used when so many pods were bound.
type share struct {
	bound int
	cpu   map[string]time.Duration
}

func startMeter(ctx context.Context, plane *harness.ControlPlane, fresh ...*harness.Process) (*meter, error) {
	m := &meter{plane: plane, programs: map[string]*harness.Process{}}
	for _, p := range append(slices.Clone(plane.Processes()), fresh...) {
		m.programs[p.Name] = p
	}
	var err error
	m.begin, err = m.look(ctx)
	return m, err
}

func (m *meter) look(ctx context.Context) (counters, error) {
	seen := counters{}
	var err error
	if seen.cpu, err = m.used(); err != nil {
		return seen, err
	}
	err = seen.requests(ctx, m.plane)
	return seen, err
}

// used is the CPU time of each program.
func (m *meter) used() (map[string]time.Duration, error) {
	all := map[string]time.Duration{}
	for name, p := range m.programs {
		used, err := p.CPU()
		if err != nil {
			return nil, err
		}
		all[name] = used
	}
	return all, nil
}

// note remembers what is used at the beginning of each tenth of the pods.
func (m *meter) note(bound, pods int) error {
	if bound < len(m.tenths)*pods/10 {
		return nil
	}
	used, err := m.used()
	if err == nil {
		m.tenths = append(m.tenths, share{bound, used})
	}
	return err
}

// perTenth fills in what each tenth of the pods used. A run too short for a look in each tenth does not say.
func (m *meter) perTenth(r *result) error {
	if err := m.note(r.Pods, r.Pods); err != nil || len(m.tenths) != len(r.Tenths)+1 {
		return err
	}
	for i := range r.Tenths {
		from, to := m.tenths[i], m.tenths[i+1]
		r.Tenths[i].CPU = map[string]float64{}
		for name, used := range to.cpu {
			r.Tenths[i].CPU[name] = (used - from.cpu[name]).Seconds() * 1000 / float64(to.bound-from.bound)
		}
	}
	return nil
}

// settled is the first of as many looks as calmLooks that all show the same writes: kube-scheduler's events and late
// conditions come after the pods are bound.
func settled(ctx context.Context, look func(context.Context) (counters, error)) (counters, error) {
	ctx, cancel := context.WithTimeout(ctx, settleLimit)
	defer cancel()
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	var first counters
	for same := 0; ; {
		seen, err := look(ctx)
		if err != nil {
			return first, err
		}
		if same == 0 || !maps.Equal(seen.writes, first.writes) {
			first, same = seen, 0
		}
		if same++; same == calmLooks {
			return first, nil
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return first, fmt.Errorf("writes go on after all pods are bound: %w", ctx.Err())
		}
	}
}

// read fills in what was used since the start, once nothing is written any more. The makers of pods write pods and
// claims; those are not counted.
func (m *meter) read(ctx context.Context, r *result) error {
	end, err := settled(ctx, m.look)
	if err != nil {
		return err
	}
	r.CPU, r.Writes, r.Refused = map[string]float64{}, map[string]float64{}, map[string]float64{}
	for name, used := range end.cpu {
		r.CPU[name] = (used - m.begin.cpu[name]).Seconds() * 1000 / float64(r.Pods)
	}
	for name, count := range end.writes {
		if per := (count - m.begin.writes[name]) / float64(r.Pods); per > 0 && name != "POST pods" && name != "POST resourceclaims" {
			r.Writes[name] = per
			r.WritesTotal += per
		}
	}
	r.Binds = (end.binds - m.begin.binds) / float64(r.Pods)
	if r.Terms, err = terms(ctx, m.plane); err != nil {
		return err
	}
	for code, count := range end.refused {
		if more := count - m.begin.refused[code]; more > 0 {
			r.Refused[code] = more
		}
	}
	return nil
}
