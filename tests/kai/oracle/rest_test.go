package oracle

import (
	"testing"

	"dray.dev/dray/tests/kai/cluster"
)

// small is a cluster of one node with two GPUs and two queues that deserve one each; a job is one pod with one GPU.
func small(jobs ...cluster.Job) cluster.Case {
	unlimited := cluster.Share{Deserved: -1, Limit: -1, OverQuotaWeight: 1}
	one := cluster.Share{Deserved: 1, Limit: -1, OverQuotaWeight: 1}
	c := cluster.Case{ID: "small", Suite: "action", Actions: cluster.AllActions, Rounds: cluster.Rounds{UntilMatch: 1},
		Config: cluster.Config{MaxConsolidationPreemptees: -1, StalenessGraceSec: 60, MinNodeGPUMemoryMiB: 100,
			Plugins: cluster.DefaultPlugins()},
		Nodes: []cluster.Node{{Name: "node", GPUMemoryMiB: 100, MigStrategy: "none",
			Allocatable: map[string]float64{"cpu": 8 * core, "memory": 100 * gigabyte, "gpu": 2, "pods": 110}}},
		Queues: []cluster.Queue{{Name: "top", Priority: 100, GPU: unlimited, CPU: unlimited, Memory: unlimited},
			{Name: "left", Parent: "top", Priority: 100, GPU: one, CPU: unlimited, Memory: unlimited},
			{Name: "right", Parent: "top", Priority: 100, GPU: one, CPU: unlimited, Memory: unlimited}},
		Jobs: jobs}
	return c
}

func single(name, queue string, priority int32, status string) cluster.Job {
	made := cluster.Job{Name: name, Queue: queue, Priority: priority, Preemptibility: "preemptible", CreatedMin: -9,
		Gang: cluster.Gang{PodSets: []cluster.PodSet{{Name: "default", MinMember: 1}}}}
	task := cluster.Task{UID: name + "-0", Name: name + "-0", Status: status,
		Requests: map[string]float64{"cpu": core, "memory": gigabyte, "gpu": 1}, GPU: cluster.GPU{Type: "Regular", GPUs: 1, Quota: 1}}
	if status == "Running" {
		minute := -1.0
		task.Node, made.LastStartMin = "node", &minute
	}
	made.Tasks = []cluster.Task{task}
	return made
}

func TestLeftAlone(t *testing.T) {
	for _, row := range []struct {
		name string
		jobs []cluster.Job
		want bool
	}{
		{"all is taken, each queue has its share", []cluster.Job{single("a", "left", 50, "Running"), single("b", "right", 50, "Running"),
			single("c", "left", 50, "Pending")}, true},
		{"room is left for who waits", []cluster.Job{single("a", "left", 50, "Running"), single("c", "left", 50, "Pending")}, false},
		{"who waits has a higher priority", []cluster.Job{single("a", "left", 50, "Running"), single("b", "right", 50, "Running"),
			single("c", "left", 75, "Pending")}, false},
		{"a queue is owed what another has", []cluster.Job{single("a", "left", 50, "Running"), single("b", "left", 50, "Running"),
			single("c", "right", 50, "Pending")}, false},
	} {
		c := small(row.jobs...)
		if got := leftAlone(&c); got != row.want {
			t.Errorf("%s: left alone: %v, and not %v", row.name, got, row.want)
		}
	}
}

// decided is a difference between what KAI and dray decide of the jobs' pods, in their order.
func decided(c cluster.Case, kai, dray []string) *difference {
	d := &difference{c: c, kai: map[string]string{}, dray: map[string]string{}}
	for i := range c.Jobs {
		d.kai[c.Jobs[i].Tasks[0].UID], d.dray[c.Jobs[i].Tasks[0].UID] = kai[i], dray[i]
	}
	return d
}

func TestNoLess(t *testing.T) {
	waiting := small(single("a", "left", 50, "Pending"), single("b", "left", 75, "Pending"), single("c", "right", 50, "Pending"),
		single("d", "left", 50, "Running"), single("e", "right", 50, "Running"))
	for _, row := range []struct {
		name      string
		kai, dray []string
		want      bool
	}{
		{"another queue's", []string{"Binding", "Pending", "Pending", "Running", "Running"},
			[]string{"Pending", "Pending", "Binding", "Running", "Running"}, true},
		{"a higher priority", []string{"Binding", "Pending", "Pending", "Running", "Running"},
			[]string{"Pending", "Binding", "Pending", "Running", "Running"}, true},
		{"a lower priority", []string{"Pending", "Binding", "Pending", "Running", "Running"},
			[]string{"Binding", "Pending", "Pending", "Running", "Running"}, false},
		{"fewer", []string{"Pending", "Pending", "Binding", "Running", "Running"},
			[]string{"Pending", "Pending", "Pending", "Running", "Running"}, false},
		{"one that ran goes for one that waits", []string{"Pending", "Pending", "Pending", "Running", "Running"},
			[]string{"Pending", "Pipelined", "Pending", "Running", "Releasing"}, false},
		{"another one that ran goes", []string{"Pending", "Pipelined", "Pending", "Releasing", "Running"},
			[]string{"Pending", "Pipelined", "Pending", "Running", "Releasing"}, true},
	} {
		if got := noLess(decided(waiting, row.kai, row.dray)); got != row.want {
			t.Errorf("%s: %v, and not %v", row.name, got, row.want)
		}
	}
}

func TestDisturbsNoMore(t *testing.T) {
	running := small(single("a", "left", 50, "Running"), single("b", "right", 50, "Running"), single("c", "right", 75, "Pending"))
	for _, row := range []struct {
		name      string
		kai, dray []string
		want      bool
	}{
		{"evicted instead of moved", []string{"Pipelined", "Running", "Pipelined"}, []string{"Releasing", "Running", "Pipelined"}, false},
		{"moved instead of evicted", []string{"Releasing", "Running", "Pipelined"}, []string{"Pipelined", "Running", "Pipelined"}, true},
		{"another one evicted", []string{"Releasing", "Running", "Pipelined"}, []string{"Running", "Releasing", "Pipelined"}, true},
		{"moved for nobody", []string{"Running", "Running", "Pending"}, []string{"Pipelined", "Running", "Pending"}, false},
		{"moved for somebody", []string{"Running", "Running", "Pending"}, []string{"Pipelined", "Running", "Pipelined"}, true},
	} {
		if got := disturbsNoMore(decided(running, row.kai, row.dray)); got != row.want {
			t.Errorf("%s: %v, and not %v", row.name, got, row.want)
		}
	}
}
