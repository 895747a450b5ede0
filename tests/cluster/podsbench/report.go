package main

import (
	"fmt"
	"slices"
	"strings"
)

// shown is what the runs of a side with a workload showed, in order.
func shown(all []result, side, workload string, of func(result) float64) []float64 {
	var values []float64
	for _, r := range all {
		if r.Side == side && r.Workload == workload {
			values = append(values, of(r))
		}
	}
	slices.Sort(values)
	return values
}

// median of what the runs of a side with a workload showed; false if there was none.
func median(all []result, side, workload string, of func(result) float64) (float64, bool) {
	values := shown(all, side, workload, of)
	if len(values) == 0 {
		return 0, false
	}
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
	runs                 runs // which of dray's runs it is about
}

type runs int

const (
	medianRun runs = iota
	bestRun        // what else the machine does can only make it worse
	worstRun       // holds of each
)

// of these sorted values the one that a goal is about.
func (g goal) pick(values []float64) float64 {
	last := len(values) - 1
	at := map[runs]int{medianRun: len(values) / 2, bestRun: last, worstRun: 0}[g.runs]
	if g.most && g.runs != medianRun {
		at = last - at
	}
	return values[at]
}

// crowdGoals are those of a run in which very many wait: dray neither floods the API server nor loses its Lease, and is as
// fast in the end as in the beginning. Each tenth takes half a minute, in which a shared machine may be a fifth slower.
func crowdGoals() []goal {
	return []goal{
		{"the slowest tenth against the fastest", "waiting", "", func(r result) float64 { return r.Slowest }, 0.7, false, bestRun},
		{"answers 504", "waiting", "", func(r result) float64 { return r.Refused["504"] }, 0, true, worstRun},
		{"terms of leadership", "waiting", "", func(r result) float64 { return float64(r.Terms) }, 1, true, worstRun},
		{"binds a pod", "waiting", "", func(r result) float64 { return r.Binds }, 1, true, worstRun},
	}
}

// peerGoals compare dray with in-tree kube-scheduler and with the ceiling.
func peerGoals() []goal {
	rate := func(r result) float64 { return r.Rate }
	all := []goal{
		{"pods/s", "post", "in-tree", rate, 1.25, false, medianRun},
		{"pods/s", "waiting", "in-tree", rate, 1.4, false, medianRun},
		{"pods/s", "match", "in-tree", rate, 3, false, medianRun},
		{"first pod bound, seconds after both are ready", "waiting", "", func(r result) float64 { return r.First }, 2, true, medianRun},
	}
	for _, load := range workloads() {
		all = append(all,
			goal{"pods/s", load.name, "ceiling", rate, 0.9, false, medianRun},
			goal{"CPU of kube-scheduler and dray", load.name, "in-tree", result.Scheduling, 0.5, true, medianRun},
			goal{"writes a pod", load.name, "in-tree", func(r result) float64 { return r.WritesTotal }, 1, true, medianRun})
	}
	return all
}

// ratios are what dray showed to what the peer showed beside it, round by round, in order: a machine that others use is a
// third slower an hour, or some minutes, later.
func ratios(all []result, g goal) []float64 {
	peers := map[int]float64{}
	for _, r := range all {
		if r.Side == g.peer && r.Workload == g.workload {
			peers[r.Round] = g.of(r)
		}
	}
	var found []float64
	for _, r := range all {
		if peer := peers[r.Round]; r.Side == "dray" && r.Workload == g.workload && peer != 0 {
			found = append(found, g.of(r)/peer)
		}
	}
	slices.Sort(found)
	return found
}

// verdict is what the runs tell of a goal.
type verdict struct {
	line string
	met  bool
}

// verdicts are those on each goal that the runs can tell of.
func verdicts(goals []goal, all []result) []verdict {
	var found []verdict
	for _, g := range goals {
		values, against := shown(all, "dray", g.workload, g.of), "dray"
		if g.peer != "" {
			values, against = ratios(all, g), "dray against "+g.peer
		}
		if len(values) == 0 {
			continue
		}
		value := g.pick(values)
		word, wanted := "met", "at least"
		if g.most {
			wanted = "at most"
		}
		met := g.most && value <= g.bound || !g.most && value >= g.bound
		if !met {
			word = "MISSED"
		}
		found = append(found, verdict{fmt.Sprintf("%-6s %s, %s, %s: %.2f, %s %.2f", word, g.workload, g.what, against, value, wanted, g.bound), met})
	}
	return found
}

func missed(found []verdict) int {
	count := 0
	for _, v := range found {
		if !v.met {
			count++
		}
	}
	return count
}

// judge prints each verdict, and returns an error if a goal is missed.
func judge(found []verdict) error {
	for _, v := range found {
		fmt.Println(v.line)
	}
	if count := missed(found); count > 0 {
		return fmt.Errorf("%d goals missed", count)
	}
	return nil
}
