// Command bench times KAI's scheduler on the workloads of dray_policy_bench: a JSON line for each, its name, the
// nanoseconds that a session's plugins and actions took, and what they decided. To make the session's objects is not
// counted. A session that takes longer is given up: "atLeast" then says so.
//
//	bench [-patience 60s] [-part PART OF A NAME] WORKLOADS.jsonl
package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"

	"dray.dev/dray/tests/kai/cluster"
)

var (
	patience = flag.Duration("patience", time.Minute, "CPU time for one session")
	part     = flag.String("part", "", "of the names of workloads")
	one      = flag.Bool("one", false, "time a single workload in this process, however long it takes")
)

// report is a line of output.
type report struct {
	Name    string         `json:"name"`
	NS      float64        `json:"ns"`
	AtLeast bool           `json:"atLeast,omitempty"`
	Work    map[string]int `json:"work,omitempty"`
}

func main() {
	flag.Parse()
	if err := run(flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func run(arguments []string) error {
	if len(arguments) != 1 {
		return errors.New("usage: bench [-patience 60s] [-part PART] WORKLOADS.jsonl")
	}
	file, err := os.Open(arguments[0])
	if err != nil {
		return err
	}
	defer file.Close()
	output := json.NewEncoder(os.Stdout)
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var w workload
		if err := json.Unmarshal(lines.Bytes(), &w); err != nil {
			return fmt.Errorf("%s: %w", arguments[0], err)
		}
		if !strings.Contains(w.Name, *part) || (*one && w.Name != *part) {
			continue
		}
		measure := apart
		if *one {
			measure = here
		}
		made, err := measure(&w, arguments[0])
		if err != nil {
			return fmt.Errorf("%s: %w", w.Name, err)
		}
		if err := output.Encode(made); err != nil {
			return err
		}
	}
	return lines.Err()
}

// apart times the workload in a process of its own, which can end in the middle: KAI's actions cannot.
func apart(w *workload, file string) (report, error) {
	program, err := os.Executable()
	if err != nil {
		return report{}, err
	}
	child := exec.Command(program, "-one", "-patience", patience.String(), "-part", w.Name, file)
	child.Stderr = os.Stderr
	output, err := child.Output()
	if err != nil {
		return report{}, err
	}
	var made report
	return made, json.Unmarshal(output, &made)
}

// here is the least of up to five sessions, and of CPU and wall time: another program's load is not KAI's.
func here(w *workload, _ string) (report, error) {
	made := report{Name: w.Name, NS: 1e300}
	began := time.Now()
	for n := 0; n < 5 && (n == 0 || time.Since(began) < 5*time.Second); n++ {
		c := w.cluster()
		ssn, open, err := cluster.Prepare(&c)
		if err != nil {
			return made, err
		}
		spent := stopwatch()
		done := make(chan struct{})
		go giveUp(w, spent, done)
		if err = open(); err == nil {
			err = cluster.Execute(ssn, c.Actions)
		}
		took := spent()
		close(done)
		if err != nil {
			return made, err
		}
		made.NS = min(made.NS, took)
		if made.Work, err = workOf(&c, ssn); err != nil {
			return made, err
		}
	}
	return made, nil
}

// giveUp says that it takes longer than the patience, and ends the process.
func giveUp(w *workload, spent func() float64, done <-chan struct{}) {
	for spent() < float64(patience.Nanoseconds()) {
		select {
		case <-done:
			return
		case <-time.After(50 * time.Millisecond):
		}
	}
	if err := json.NewEncoder(os.Stdout).Encode(report{Name: w.Name, NS: spent(), AtLeast: true}); err != nil {
		os.Exit(1)
	}
	os.Exit(0)
}

// stopwatch returns what says the nanoseconds since: of wall and CPU time the lesser.
func stopwatch() func() float64 {
	wall, cpu := time.Now(), cpuTime()
	return func() float64 { return float64(min(time.Since(wall), cpuTime()-cpu)) }
}

func cpuTime() time.Duration {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		panic(err)
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}
