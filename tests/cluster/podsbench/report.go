package main

import (
	"fmt"
	"slices"
	"strings"
)

// median of what the runs of a side with a workload showed; false if there was none.
func median(all []result, side, workload string, of func(result) float64) (float64, bool) {
	var values []float64
	for _, r := range all {
		if r.Side == side && r.Workload == workload {
			values = append(values, of(r))
		}
	}
	if len(values) == 0 {
		return 0, false
	}
	slices.Sort(values)
	return values[len(values)/2], true
}

// table shows the medians, a row a workload and side.
func table(all []result) string {
	var text strings.Builder
	columns := []struct {
		title string
		of    func(result) float64
	}{
		{"pods/s", func(r result) float64 { return r.Rate }},
		{"middle", func(r result) float64 { return r.Middle }},
		{"first s", func(r result) float64 { return r.First }},
		{"slowest", func(r result) float64 { return r.Slowest }},
		{"writes", func(r result) float64 { return r.WritesTotal }},
		{"sched ms", result.Scheduling},
		{"api ms", func(r result) float64 { return r.CPU["kube-apiserver"] }},
		{"etcd ms", func(r result) float64 { return r.CPU["etcd"] }},
		{"429s", func(r result) float64 { return r.Refused["429"] }},
		{"504s", func(r result) float64 { return r.Refused["504"] }},
	}
	fmt.Fprintf(&text, "%-20s", "median of runs")
	for _, column := range columns {
		fmt.Fprintf(&text, " %9s", column.title)
	}
	text.WriteString("\n")
	for _, load := range workloads() {
		for _, who := range sides() {
			if _, ran := median(all, who.name, load.name, result.Scheduling); !ran {
				continue
			}
			fmt.Fprintf(&text, "%-20s", load.name+" "+who.name)
			for _, column := range columns {
				value, _ := median(all, who.name, load.name, column.of)
				fmt.Fprintf(&text, " %9.2f", value)
			}
			text.WriteString("\n")
		}
	}
	return text.String()
}

// goal is a comparison of dray with another side, or with a bound if peer is empty.
type goal struct {
	what, workload, peer string
	of                   func(result) float64
	bound                float64
	most                 bool // at most the bound, else at least
}

// crowdGoals are those of a run in which very many wait: dray neither floods the API server nor loses its Lease, and is as
// fast in the end as in the beginning.
func crowdGoals() []goal {
	return []goal{
		{"the slowest tenth against the fastest", "waiting", "", func(r result) float64 { return r.Slowest }, 0.7, false},
		{"answers 504", "waiting", "", func(r result) float64 { return r.Refused["504"] }, 0, true},
		{"terms of leadership", "waiting", "", func(r result) float64 { return float64(r.Terms) }, 1, true},
		{"binds a pod", "waiting", "", func(r result) float64 { return r.Binds }, 1, true},
	}
}

// peerGoals compare dray with in-tree kube-scheduler and with the ceiling.
func peerGoals() []goal {
	rate := func(r result) float64 { return r.Rate }
	all := []goal{
		{"pods/s", "post", "in-tree", rate, 1.25, false},
		{"pods/s", "waiting", "in-tree", rate, 1.4, false},
		{"pods/s", "match", "in-tree", rate, 3, false},
		{"first pod bound, seconds after both are ready", "waiting", "", func(r result) float64 { return r.First }, 2, true},
	}
	for _, load := range workloads() {
		all = append(all,
			goal{"pods/s", load.name, "ceiling", rate, 0.9, false},
			goal{"CPU of kube-scheduler and dray", load.name, "in-tree", result.Scheduling, 0.5, true},
			goal{"writes a pod", load.name, "in-tree", func(r result) float64 { return r.WritesTotal }, 1, true})
	}
	return all
}

// judge prints each goal that the runs can tell of, and returns an error if one is missed.
func judge(goals []goal, all []result) error {
	missed := 0
	for _, g := range goals {
		value, ran := median(all, "dray", g.workload, g.of)
		if !ran {
			continue
		}
		against := "dray"
		if g.peer != "" {
			peer, ran := median(all, g.peer, g.workload, g.of)
			if !ran || peer == 0 {
				continue
			}
			value /= peer
			against = "dray against " + g.peer
		}
		verdict, wanted := "met", "at least"
		if g.most {
			wanted = "at most"
		}
		if g.most && value > g.bound || !g.most && value < g.bound {
			verdict = "MISSED"
			missed++
		}
		fmt.Printf("%-6s %s, %s, %s: %.2f, %s %.2f\n", verdict, g.workload, g.what, against, value, wanted, g.bound)
	}
	if missed > 0 {
		return fmt.Errorf("%d goals missed", missed)
	}
	return nil
}
