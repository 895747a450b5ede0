package main

import (
	"fmt"

	"github.com/NVIDIA/KAI-scheduler/pkg/scheduler/framework"

	"dray.dev/dray/tests/kai/cluster"
)

// workload is a line of tests/bench/workload/policy.jsonl; tests/bench/policy_workload.cpp makes the same of it.
type workload struct {
	Name    string
	Actions []string
	Nodes   int
	Zone    int // nodes in one
	Rack    int // nodes in one
	Queues  []struct {
		Name, Parent  string
		Quota, Weight float64
	}
	Running, Waiting []jobs
}

type jobs struct {
	Name     string
	Count    int
	Queues   []string
	GPUs     float64
	Pods     int
	Required string
}

var unlimited = cluster.Share{Deserved: -1, Limit: -1, OverQuotaWeight: 1}

func (w *workload) cluster() cluster.Case {
	c := cluster.Case{ID: w.Name, Suite: "action", Actions: w.Actions,
		Config: cluster.Config{MaxConsolidationPreemptees: -1, StalenessGraceSec: 60, MinNodeGPUMemoryMiB: 100,
			Plugins: cluster.DefaultPlugins()}}
	if w.Zone > 0 {
		c.Topologies = []cluster.Topology{{Name: "tree", Levels: []cluster.Level{{NodeLabel: "zone"}, {NodeLabel: "rack"}}}}
	}
	for i := range w.Nodes {
		made := cluster.Node{Name: fmt.Sprintf("node%d", i), GPUMemoryMiB: 100,
			Allocatable: map[string]float64{"cpu": 20_000_000, "memory": 2e12, "gpu": 8, "pods": 110}}
		if w.Zone > 0 {
			made.Labels = map[string]string{"zone": fmt.Sprintf("z%d", i/w.Zone), "rack": fmt.Sprintf("r%d", i/w.Rack)}
		}
		c.Nodes = append(c.Nodes, made)
	}
	w.queues(&c)
	for _, some := range w.Running {
		some.add(&c, w, true)
	}
	for _, some := range w.Waiting {
		some.add(&c, w, false)
	}
	return c
}

// queues are two levels, as this version of KAI wants them: one that has no parent and no children gets a parent
// without bounds.
func (w *workload) queues(c *cluster.Case) {
	parents := map[string]bool{}
	for _, q := range w.Queues {
		parents[q.Parent] = true
	}
	top := false
	for i, q := range w.Queues {
		made := cluster.Queue{Name: q.Name, Parent: q.Parent, Priority: 100, CreatedMin: float64(i), CPU: unlimited, Memory: unlimited,
			GPU: cluster.Share{Deserved: q.Quota, Limit: -1, OverQuotaWeight: q.Weight}}
		if q.Parent == "" && !parents[q.Name] {
			made.Parent, top = "top", true
		}
		c.Queues = append(c.Queues, made)
	}
	if top {
		c.Queues = append(c.Queues, cluster.Queue{Name: "top", Priority: 100, GPU: unlimited, CPU: unlimited, Memory: unlimited})
	}
}

func (j *jobs) add(c *cluster.Case, w *workload, running bool) {
	gpus, pods := max(j.GPUs, 1), max(j.Pods, 1)
	for i := range j.Count {
		made := cluster.Job{Name: fmt.Sprintf("%s-%d", j.Name, i), Queue: j.Queues[i%len(j.Queues)], Priority: 50, Preemptibility: "preemptible",
			CreatedMin: -600 + float64(len(c.Jobs))/60,
			Gang:       cluster.Gang{PodSets: []cluster.PodSet{{Name: "default", MinMember: int32(pods)}}}}
		if j.Required != "" {
			made.Gang.Constraint = &cluster.Constraint{Topology: "tree", Required: j.Required}
		}
		for n := range pods {
			t := cluster.Task{UID: fmt.Sprintf("%s-%d", made.Name, n), Status: "Pending",
				Requests: map[string]float64{"cpu": 1000, "memory": 1e9, "gpu": gpus}, GPU: cluster.GPU{Type: "Regular", GPUs: gpus, Quota: gpus}}
			if running {
				t.Status, t.Node = "Running", fmt.Sprintf("node%d", i%w.Nodes)
			}
			made.Tasks = append(made.Tasks, t)
		}
		c.Jobs = append(c.Jobs, made)
	}
}

// workOf counts what a session decided, in the words of dray's benchmark.
func workOf(c *cluster.Case, ssn *framework.Session) (map[string]int, error) {
	states, err := cluster.StatesOf(c, ssn)
	work := map[string]int{"placed": 0, "held": 0, "evicted": 0}
	for _, state := range states {
		switch state.Status {
		case "Binding":
			work["placed"]++
		case "Pipelined":
			work["held"]++
		case "Releasing":
			work["evicted"]++
		}
	}
	return work, err
}
