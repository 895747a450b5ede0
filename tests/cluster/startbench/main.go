// startbench measures how long dray takes to be ready in a full cluster, and to know it anew after its watches were too old for
// the API server (410 Gone), against the time that curl needs for the same lists. It prints a line for each round and a table of
// medians, and exits with 1 if a goal is missed.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"dray.dev/dray/tests/cluster/harness"
)

// most is how many times as long as curl dray may take.
const most = 1.2

func main() {
	if err := bench(context.Background()); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func bench(ctx context.Context) error {
	nodes := flag.Int("nodes", 5000, "nodes, each with a slice")
	devices := flag.Int("devices", 4, "devices of a node")
	pods := flag.Int("pods", 20_000, "pods that wait, each with a claim")
	rounds := flag.Int("rounds", 3, "rounds")
	repository := flag.String("repository", "../..", "folder of the repository")
	program := flag.String("dray", "", "program; by default build/release/bin/dray of the repository")
	flag.Parse()
	root, err := filepath.Abs(*repository)
	if err != nil {
		return err
	}
	if *program == "" {
		*program = filepath.Join(root, "build/release/bin/dray")
	}
	dir, keep, err := harness.TempDir()
	if err != nil {
		return err
	}
	if !keep {
		defer os.RemoveAll(dir)
	}
	plane, err := harness.StartControlPlane(ctx, filepath.Join(root, "build/cluster-bin"), dir, harness.PlaneOptions{DefaultLimits: true})
	if err != nil {
		return err
	}
	defer plane.Stop()
	if err := fill(ctx, plane, root, world{*nodes, *devices, *pods}); err != nil {
		return fmt.Errorf("the cluster: %w", err)
	}
	var start, again comparison
	for round := range *rounds {
		if err := play(ctx, plane, *program, &start, &again); err != nil {
			return fmt.Errorf("round %d: %w", round, err)
		}
	}
	fmt.Printf("%-28s %9s %9s %7s\n", "median seconds of rounds", "dray", "curl", "ratio")
	started, knew := start.print("start to ready"), again.print("known again after 410")
	if !started || !knew {
		return fmt.Errorf("missed: at most %.1f times as long as curl", most)
	}
	return nil
}

// comparison is how long the same lists took.
type comparison struct{ dray, curl []time.Duration }

func (c *comparison) note(dray, curl time.Duration) {
	c.dray, c.curl = append(c.dray, dray), append(c.curl, curl)
}

// print shows the medians; it tells whether the goal is met.
func (c *comparison) print(what string) bool {
	dray, curl := middle(c.dray), middle(c.curl)
	ratio := dray.Seconds() / curl.Seconds()
	fmt.Printf("%-28s %9.2f %9.2f %7.2f\n", what, dray.Seconds(), curl.Seconds(), ratio)
	return ratio <= most
}

func middle(all []time.Duration) time.Duration {
	sorted := slices.Sorted(slices.Values(all))
	return sorted[len(sorted)/2]
}

// play is a round: curl and dray's start, then dray and curl again, after an API server that knows no old versions.
func play(ctx context.Context, plane *harness.ControlPlane, program string, start, again *comparison) error {
	began := time.Now()
	dray, err := plane.StartDray(ctx, program, harness.DrayOptions{})
	if err != nil {
		return err
	}
	defer func() { dray.Kill() }()
	ready := time.Since(began)
	seen, err := listed(ctx, dray)
	if err != nil {
		return err
	}
	curl, err := curlAll(ctx, plane, seen)
	if err != nil {
		return err
	}
	start.note(ready, curl.took)
	fmt.Printf("ready %.2f s, curl %.2f s for %.1f MB of %d kinds; dray uses %s\n", ready.Seconds(), curl.took.Seconds(),
		float64(curl.bytes)/1e6, curl.lists, used(dray))

	if err := age(ctx, plane, dray); err != nil {
		return err
	}
	began = time.Now()
	if err := dray.Resume(); err != nil {
		return err
	}
	if err := listedAgain(ctx, dray, seen); err != nil {
		return err
	}
	known := time.Since(began)
	if curl, err = curlAll(ctx, plane, seen); err != nil {
		return err
	}
	again.note(known, curl.took)
	fmt.Printf("known again %.2f s, curl %.2f s\n", known.Seconds(), curl.took.Seconds())
	return dray.Stop(20 * time.Second)
}

func used(dray *harness.Dray) string {
	cpu, err := dray.CPU()
	if err != nil {
		return err.Error()
	}
	memory, err := dray.Memory()
	if err != nil {
		return err.Error()
	}
	return fmt.Sprintf("%.2f s of CPU, %d MB", cpu.Seconds(), memory>>20)
}
