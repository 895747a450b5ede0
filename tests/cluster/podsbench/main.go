// podsbench measures how many pods with devices a second are bound on a real control plane: by in-tree kube-scheduler,
// by dray beside kube-scheduler, and by an extender that decides nothing and makes dray's writes (the ceiling), in turns.
// It prints a line of JSON for each run, a table of medians, and exits with 1 if a goal is missed.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

const crowdRounds = 3 // at most: another one only while a goal is missed

func main() {
	if err := bench(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func bench() error {
	nodes := flag.Int("nodes", 500, "nodes")
	devices := flag.Int("devices", 10, "devices of a node, even")
	pods := flag.Int("pods", 1200, "pods of a run; match takes as many as fit on 80 % of the nodes if that is fewer")
	rounds := flag.Int("rounds", 3, "rounds; each runs every side with every workload once")
	only := flag.String("sides", "in-tree,dray,ceiling", "who schedules")
	loads := flag.String("workloads", "post,waiting,match", "how pods come")
	repository := flag.String("repository", "../..", "folder of the repository")
	dray := flag.String("dray", "", "program; by default build/release/bin/dray of the repository")
	args := flag.String("dray-args", "", "more arguments for dray, separated by spaces")
	logs := flag.String("logs", "", "folder that keeps the programs' logs")
	profiles := flag.String("profiles", "", "folder for CPU profiles of the Go programs (see with go tool pprof -top FILE)")
	crowd := flag.Bool("crowd", false, "20,000 pods wait for as many devices of 5,000 nodes: what becomes of dray, and of the API server")
	flag.Parse()
	if *crowd {
		*nodes, *devices, *pods, *rounds, *only, *loads = 5000, 4, 20_000, crowdRounds, "dray", "waiting"
	}
	root, err := filepath.Abs(*repository)
	if err != nil {
		return err
	}
	s := &setup{repository: root, binaries: filepath.Join(root, "build/cluster-bin"), dray: *dray,
		drayArgs: strings.Fields(*args), world: world{*nodes, *devices}, logs: *logs, profiles: *profiles}
	if s.dray == "" {
		s.dray = filepath.Join(root, "build/release/bin/dray")
	}
	goals := peerGoals()
	if *crowd {
		goals = crowdGoals()
	}
	var all []result
	for round := range *rounds {
		if *crowd && round > 0 && missed(verdicts(goals, all)) == 0 {
			break
		}
		for _, load := range workloads() {
			for _, who := range sides() {
				if !slices.Contains(strings.Split(*only, ","), who.name) || !slices.Contains(strings.Split(*loads, ","), load.name) {
					continue
				}
				count := min(*pods, *nodes*(*devices/load.devices))
				if load.devices > 1 {
					count = min(*pods, *nodes*(*devices/load.devices)*8/10)
				}
				shown, err := s.play(context.Background(), who, load, count)
				if err != nil {
					return err
				}
				shown.Round = round
				line, err := json.Marshal(shown)
				if err != nil {
					return err
				}
				fmt.Println(string(line))
				all = append(all, shown)
			}
		}
	}
	fmt.Print(table(all))
	return judge(verdicts(goals, all))
}
