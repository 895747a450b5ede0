// Command peer times the code that Kubernetes runs on the workloads of dray's benchmarks. It prints a JSON line for each
// part of a workload: its name and nanoseconds, as dray's own benchmark does.
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"runtime"
	"sort"
	"time"
)

// benchmarks are by name; each gets the files of its workload.
var benchmarks = map[string]func(files []string) error{
	"cel": benchmarkCEL,
}

func main() {
	if len(os.Args) < 2 || benchmarks[os.Args[1]] == nil {
		names := []string{}
		for name := range benchmarks {
			names = append(names, name)
		}
		sort.Strings(names)
		fmt.Fprintf(os.Stderr, "usage: peer BENCHMARK FILE...\nbenchmarks: %v\n", names)
		os.Exit(2)
	}
	runtime.GOMAXPROCS(1) // the garbage collector's time counts: it runs in the measured code's stead
	if err := benchmarks[os.Args[1]](os.Args[2:]); err != nil {
		fmt.Fprintln(os.Stderr, "peer:", err)
		os.Exit(1)
	}
}

// report prints one line.
func report(line map[string]any) error {
	return json.NewEncoder(os.Stdout).Encode(line)
}

// nanoseconds is the wall time of one call, the best of five rounds (tests/bench/stopwatch.h says why not CPU time).
func nanoseconds(calls int, call func()) float64 {
	best := time.Duration(1 << 62)
	for range 5 {
		start := time.Now()
		for range calls {
			call()
		}
		best = min(best, time.Since(start))
	}
	return float64(best.Nanoseconds()) / float64(calls)
}
