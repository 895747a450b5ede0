// Command peer times the code that Kubernetes runs on the workloads of dray's benchmarks. It prints a JSON line for each
// part of a workload: its name and nanoseconds of CPU time, as dray's own benchmark does.
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"sort"
	"time"

	"golang.org/x/sys/unix"
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
	if err := benchmarks[os.Args[1]](os.Args[2:]); err != nil {
		fmt.Fprintln(os.Stderr, "peer:", err)
		os.Exit(1)
	}
}

// report prints one line.
func report(line map[string]any) error {
	return json.NewEncoder(os.Stdout).Encode(line)
}

// nanoseconds is the CPU time of one call, of all threads (the garbage collector works on others): the best of five
// rounds.
func nanoseconds(calls int, call func()) float64 {
	best := time.Duration(1 << 62)
	for range 5 {
		before := cpuTime()
		for range calls {
			call()
		}
		best = min(best, cpuTime()-before)
	}
	return float64(best.Nanoseconds()) / float64(calls)
}

// cpuTime is exact: getrusage tells of the last tick, a good part of a short measurement.
func cpuTime() time.Duration {
	var now unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_PROCESS_CPUTIME_ID, &now); err != nil {
		panic(err)
	}
	return time.Duration(now.Nano())
}
