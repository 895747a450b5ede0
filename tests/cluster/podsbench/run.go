package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"dray.dev/dray/tests/cluster/harness"
)

const (
	creators = 32               // clients that create pods
	patience = 90 * time.Second // without any pod bound: the run has failed
)

// setup is what all runs share.
type setup struct {
	repository string
	binaries   string // of the control plane
	dray       string
	drayArgs   []string
	world      world
	logs       string // folder in which each run leaves its logs; empty: they go with the run
	profiles   string // folder for CPU profiles; empty: none are taken
}

// side is who schedules: in-tree kube-scheduler, dray beside it, or the ceiling beside it.
type side struct {
	name      string
	scheduler string // the pods' schedulerName
	manifests bool
	start     func(context.Context, *run) error
}

func sides() []side {
	return []side{
		{"in-tree", "default-scheduler", false, startInTree},
		{"dray", harness.SchedulerName, true, startDray},
		{"ceiling", harness.SchedulerName, true, startCeilingSide},
	}
}

// run is one side with one workload on a control plane of its own.
type run struct {
	*setup
	side    side
	load    workload
	plane   *harness.ControlPlane
	started []*harness.Process // kube-scheduler and what is beside it
}

func startInTree(ctx context.Context, r *run) error {
	objects, err := harness.Parse([]byte(inTreeAccount))
	if err != nil {
		return err
	}
	if err := r.plane.Create(ctx, objects); err != nil {
		return err
	}
	return r.startScheduler(ctx, "kube-system", "kube-scheduler", harness.DefaultSchedulerConfig())
}

func startDray(ctx context.Context, r *run) error {
	dray, err := r.plane.StartDray(ctx, r.dray, harness.DrayOptions{Token: true, Args: r.drayArgs})
	if err != nil {
		return err
	}
	r.started = append(r.started, dray.Process)
	return r.startBeside(ctx, dray.Extender)
}

func startCeilingSide(ctx context.Context, r *run) error {
	extender, err := startCeiling(ctx, r.plane, r.world, r.load)
	if err != nil {
		return err
	}
	return r.startBeside(ctx, extender.URL)
}

// startBeside runs kube-scheduler as dray ships it, with the extender at that URL.
func (r *run) startBeside(ctx context.Context, extender string) error {
	config, err := harness.LoadSchedulerConfig(filepath.Join(r.repository, "config/scheduler.yaml"))
	if err != nil {
		return err
	}
	config.PointAt(extender, "", nil)
	return r.startScheduler(ctx, "dray-system", "dray-scheduler", config)
}

// startScheduler runs kube-scheduler by the token of an account, which dray and the ceiling are known by, too.
func (r *run) startScheduler(ctx context.Context, namespace, account string, config harness.SchedulerConfig) error {
	kubeconfig, err := r.plane.ServiceAccountKubeconfig(ctx, namespace, account)
	if err != nil {
		return err
	}
	// It says as little as where it is installed; the tests' says more.
	scheduler, err := r.plane.StartSchedulerAs(ctx, "kube-scheduler", kubeconfig, config, "--v=0")
	if err == nil {
		r.started = append(r.started, scheduler)
	}
	return err
}

// play measures one side with one workload of so many pods.
func (s *setup) play(ctx context.Context, who side, load workload, pods int) (result, error) {
	dir, err := s.folder(who, load)
	if err != nil {
		return result{}, err
	}
	if s.logs == "" {
		defer os.RemoveAll(dir)
	}
	r := &run{setup: s, side: who, load: load}
	if r.plane, err = harness.StartControlPlane(ctx, s.binaries, dir, harness.PlaneOptions{DefaultLimits: true, Profiling: s.profiles != ""}); err != nil {
		return result{}, err
	}
	defer r.plane.Stop()
	defer func() {
		for _, p := range r.started {
			p.Kill()
		}
	}()
	ctx, cancel := context.WithCancel(ctx) // ends the watches before what they watch
	defer cancel()
	if err := r.prepare(ctx); err != nil {
		return result{}, err
	}
	shown, err := r.measure(ctx, pods)
	if err != nil {
		text := r.plane.Tails(5)
		for _, p := range r.started {
			text += p.Tail(15)
		}
		return result{}, fmt.Errorf("%s %s: %w\n%s", who.name, load.name, err, text)
	}
	return shown, nil
}

func (s *setup) folder(who side, load workload) (string, error) {
	if s.logs == "" {
		return os.MkdirTemp("", "dray-pods-bench-")
	}
	dir := filepath.Join(s.logs, fmt.Sprintf("%s-%s-%d", who.name, load.name, time.Now().UnixMilli()))
	return dir, os.MkdirAll(dir, 0o700)
}

func (r *run) prepare(ctx context.Context) error {
	if r.side.manifests {
		if err := r.plane.InstallManifests(ctx, r.repository); err != nil {
			return err
		}
	}
	return createWorld(ctx, r.plane, r.world, r.load)
}

func (r *run) measure(ctx context.Context, pods int) (result, error) {
	shown := result{Side: r.side.name, Workload: r.load.name, Pods: pods}
	bound, err := watchBindings(ctx, r.plane, pods)
	if err != nil {
		return shown, err
	}
	if r.load.waiting {
		if err := r.createPods(ctx, pods); err != nil {
			return shown, err
		}
		if err := r.waitClaims(ctx, pods); err != nil {
			return shown, err
		}
	}
	// What dray and kube-scheduler use to become ready is theirs too, but a pod's share of it depends on how many come.
	before, err := startMeter(ctx, r.plane)
	if err != nil {
		return shown, err
	}
	if err := r.side.start(ctx, r); err != nil {
		return shown, err
	}
	begin := time.Now()
	for _, p := range r.started {
		before.programs[p.Name] = p
	}
	profiled := r.profile(ctx)
	if !r.load.waiting {
		if before, err = startMeter(ctx, r.plane, r.started...); err != nil {
			return shown, err
		}
		begin = time.Now()
		if err := r.createPods(ctx, pods); err != nil {
			return shown, err
		}
	}
	look := func(bound int) error { return before.note(bound, pods) }
	if err := bound.wait(ctx, patience, look); err != nil {
		return shown, err
	}
	bound.rates(&shown, begin)
	if err := before.perTenth(&shown); err != nil {
		return shown, err
	}
	if err := profiled(); err != nil {
		return shown, err
	}
	return shown, before.read(ctx, &shown)
}

func (r *run) createPods(ctx context.Context, pods int) error {
	numbers := make([]int, pods)
	for i := range numbers {
		numbers[i] = i
	}
	return harness.Each(numbers, creators, func(i int) error {
		_, err := r.plane.Client.CoreV1().Pods(namespace).Create(ctx, pod(i, r.side.scheduler), metav1.CreateOptions{})
		return err
	})
}

// waitClaims returns when each pod's claim exists and the pod says so.
func (r *run) waitClaims(ctx context.Context, pods int) error {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Minute+time.Duration(pods)*20*time.Millisecond)
	defer cancel()
	known, all := map[string]bool{}, make(chan struct{})
	if err := podInformer(ctx, r.plane.Client, func(pod *corev1.Pod) {
		if len(pod.Status.ResourceClaimStatuses) == 0 || known[pod.Name] {
			return
		}
		known[pod.Name] = true
		if len(known) == pods {
			close(all)
		}
	}); err != nil {
		return err
	}
	select {
	case <-all:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("pods without claims: %w", ctx.Err())
	}
}
