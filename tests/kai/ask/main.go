// Command ask says what KAI's scheduler makes of cases, JSON lines as dray_cases kai reads them: a line of JSON a round,
// the states of the tasks.
//
//	ask [-v LEVEL OF KAI'S LOG] FILE.jsonl
package main

import (
	"bufio"
	"encoding/json"
	"flag"
	"fmt"
	"os"

	"github.com/NVIDIA/KAI-scheduler/pkg/scheduler/log"

	"dray.dev/dray/tests/kai/cluster"
)

func main() {
	verbosity := flag.Int("v", 0, "level of KAI's log")
	flag.Parse()
	if flag.NArg() != 1 {
		fmt.Fprintln(os.Stderr, "usage: ask [-v LEVEL] FILE.jsonl")
		os.Exit(2)
	}
	if *verbosity > 0 {
		_ = log.InitLoggers(*verbosity)
	}
	if err := run(flag.Arg(0)); err != nil {
		fmt.Fprintln(os.Stderr, "ask:", err)
		os.Exit(1)
	}
}

func run(name string) error {
	file, err := os.Open(name)
	if err != nil {
		return err
	}
	defer file.Close()
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 1<<24)
	output := json.NewEncoder(os.Stdout)
	for lines.Scan() {
		var c cluster.Case
		if err := json.Unmarshal(lines.Bytes(), &c); err != nil {
			return err
		}
		fmt.Println(c.ID)
		var rounds []cluster.States
		if c.Suite == "action" {
			var states cluster.States
			states, err = cluster.Session(&c)
			rounds = append(rounds, states)
		} else {
			rounds, err = cluster.Cycle(&c, c.Rounds.UntilMatch+c.Rounds.AfterMatch)
		}
		if err != nil {
			return err
		}
		for _, states := range rounds {
			if err := output.Encode(states); err != nil {
				return err
			}
		}
	}
	return lines.Err()
}
