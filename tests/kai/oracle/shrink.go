package oracle

import (
	"fmt"
	"slices"
	"strings"

	"dray.dev/dray/tests/kai/cluster"
)

// smaller are simpler variants of a case, those that lose most first.
func smaller(c cluster.Case) []cluster.Case {
	var found []cluster.Case
	offer := func(change func(*cluster.Case) bool) {
		made := clone(&c)
		made.Expected = cluster.Expected{}
		if change(&made) {
			found = append(found, made)
		}
	}
	for i := range c.Jobs {
		offer(func(m *cluster.Case) bool { m.Jobs = slices.Delete(m.Jobs, i, i+1); return len(m.Jobs) > 0 })
	}
	for i := range c.Nodes {
		offer(func(m *cluster.Case) bool { return withoutNode(m, i) })
	}
	for i := range c.Queues {
		offer(func(m *cluster.Case) bool { return withoutQueue(m, i) })
	}
	if c.Suite == "cycle" {
		offer(func(m *cluster.Case) bool { m.Suite = "action"; return true })
	}
	for i := range c.Actions {
		if i > 0 {
			offer(func(m *cluster.Case) bool { m.Actions = slices.Delete(m.Actions, i, i+1); return true })
		}
	}
	for i := range c.Jobs {
		smallerJob(&c, i, offer)
	}
	for i := range c.Queues {
		smallerQueue(&c, i, offer)
	}
	smallerNodes(&c, offer)
	return found
}

type offer = func(func(*cluster.Case) bool)

func withoutNode(c *cluster.Case, i int) bool {
	for j := range c.Jobs {
		for _, t := range c.Jobs[j].Tasks {
			if t.Node == c.Nodes[i].Name {
				return false
			}
		}
	}
	c.Nodes = slices.Delete(c.Nodes, i, i+1)
	return len(c.Nodes) > 0
}

func withoutQueue(c *cluster.Case, i int) bool {
	name := c.Queues[i].Name
	used := slices.ContainsFunc(c.Jobs, func(j cluster.Job) bool { return j.Queue == name }) ||
		slices.ContainsFunc(c.Queues, func(q cluster.Queue) bool { return q.Parent == name })
	c.Queues = slices.Delete(c.Queues, i, i+1)
	return !used
}

func smallerJob(c *cluster.Case, i int, offer offer) {
	job := &c.Jobs[i]
	if len(job.Tasks) > 1 && len(job.Gang.SubGroups) == 0 {
		// The last task goes; a minimum is not above the number of tasks.
		offer(func(m *cluster.Case) bool {
			j := &m.Jobs[i]
			last := j.Tasks[len(j.Tasks)-1].SubGroup
			j.Tasks = j.Tasks[:len(j.Tasks)-1]
			for s := range j.Gang.PodSets {
				set := &j.Gang.PodSets[s]
				members := 0
				for _, t := range j.Tasks {
					if t.SubGroup == last {
						members++
					}
				}
				if (set.Name == last || last == "") && int(set.MinMember) > members {
					set.MinMember = int32(members)
				}
				if set.MinMember == 0 {
					return false
				}
			}
			return true
		})
	}
	offer(func(m *cluster.Case) bool { return withoutTree(&m.Jobs[i]) })
	offer(func(m *cluster.Case) bool {
		changed := m.Jobs[i].Gang.Constraint != nil
		m.Jobs[i].Gang.Constraint = nil
		return changed
	})
	offer(func(m *cluster.Case) bool {
		changed := m.Jobs[i].Priority != trainPriority
		m.Jobs[i].Priority = trainPriority
		return changed
	})
	offer(func(m *cluster.Case) bool {
		changed := m.Jobs[i].Preemptibility != "preemptible"
		m.Jobs[i].Preemptibility = "preemptible"
		return changed
	})
	if job.Tasks[0].GPU.Type == "Regular" && job.Tasks[0].GPU.GPUs > 1 {
		offer(func(m *cluster.Case) bool {
			for t := range m.Jobs[i].Tasks {
				task := &m.Jobs[i].Tasks[t]
				task.GPU.GPUs--
				task.GPU.Quota--
				task.Requests["gpu"]--
			}
			return true
		})
	}
	if job.Tasks[0].Node != "" {
		offer(func(m *cluster.Case) bool {
			for t := range m.Jobs[i].Tasks {
				task := &m.Jobs[i].Tasks[t]
				task.Status, task.Node, task.GPUGroups = "Pending", "", nil
			}
			m.Jobs[i].LastStartMin = nil
			return true
		})
	}
}

// withoutTree: all pods are one set, of which all have to run.
func withoutTree(j *cluster.Job) bool {
	if len(j.Gang.SubGroups) == 0 {
		return false
	}
	j.Gang = cluster.Gang{PodSets: []cluster.PodSet{{Name: "default", MinMember: int32(len(j.Tasks))}}}
	for i := range j.Tasks {
		j.Tasks[i].SubGroup = ""
	}
	return true
}

func smallerQueue(c *cluster.Case, i int, offer offer) {
	unlimited := cluster.Share{Deserved: -1, Limit: -1, OverQuotaWeight: 1}
	for _, share := range []func(*cluster.Queue) *cluster.Share{
		func(q *cluster.Queue) *cluster.Share { return &q.CPU },
		func(q *cluster.Queue) *cluster.Share { return &q.GPU },
	} {
		offer(func(m *cluster.Case) bool {
			changed := *share(&m.Queues[i]) != unlimited
			*share(&m.Queues[i]) = unlimited
			return changed
		})
		now := *share(&c.Queues[i])
		if now.Limit != -1 {
			offer(func(m *cluster.Case) bool { share(&m.Queues[i]).Limit = -1; return true })
		}
		if now.OverQuotaWeight > 1 {
			offer(func(m *cluster.Case) bool { share(&m.Queues[i]).OverQuotaWeight = 1; return true })
		}
		if now.Deserved > 0 {
			offer(func(m *cluster.Case) bool { share(&m.Queues[i]).Deserved = 0; return true })
		}
	}
	if c.Queues[i].Priority != 100 {
		offer(func(m *cluster.Case) bool { m.Queues[i].Priority = 100; return true })
	}
}

func smallerNodes(c *cluster.Case, offer offer) {
	for i := range c.Nodes {
		used := 0.0
		for _, j := range c.Jobs {
			for _, t := range j.Tasks {
				if t.Node == c.Nodes[i].Name {
					used += t.GPU.GPUs
				}
			}
		}
		if c.Nodes[i].Allocatable["gpu"]-1 >= used {
			offer(func(m *cluster.Case) bool { m.Nodes[i].Allocatable["gpu"]--; return true })
		}
		if c.Nodes[i].Allocatable["cpu"] < 20000*core {
			offer(func(m *cluster.Case) bool { m.Nodes[i].Allocatable["cpu"] = 20000 * core; return true })
		}
		if c.Nodes[i].NotReady {
			offer(func(m *cluster.Case) bool { m.Nodes[i].NotReady = false; return true })
		}
		if len(c.Nodes[i].Labels) > 0 {
			offer(func(m *cluster.Case) bool { m.Nodes[i].Labels = nil; return true })
		}
	}
	offer(func(m *cluster.Case) bool {
		changed := false
		for i := range m.Config.Plugins {
			if m.Config.Plugins[i].Arguments["gpu"] == "spread" {
				m.Config.Plugins[i].Arguments = map[string]string{"cpu": "binpack", "gpu": "binpack"}
				changed = true
			}
		}
		return changed
	})
}

// setsOf names a gang's sets of pods with their minima, and its subgroups with what they are made of.
func setsOf(g *cluster.Gang) string {
	text := ""
	for _, s := range g.PodSets {
		text += fmt.Sprintf(" %s>=%d", s.Name, s.MinMember)
	}
	for i := range g.SubGroups {
		text += fmt.Sprintf(" %s(%s )", g.SubGroups[i].Name, setsOf(&g.SubGroups[i]))
	}
	return text
}

// tell describes a case in a few lines.
func tell(c *cluster.Case) string {
	var lines []string
	add := func(format string, arguments ...any) { lines = append(lines, "  "+fmt.Sprintf(format, arguments...)) }
	add("%s %v", c.Suite, c.Actions)
	for _, n := range c.Nodes {
		state := ""
		if n.NotReady {
			state = " not ready"
		}
		add("node %s: %v GPUs, %v cores %v%s", n.Name, n.Allocatable["gpu"], n.Allocatable["cpu"]/core, n.Labels, state)
	}
	for _, q := range c.Queues {
		add("queue %s in %q priority %d: GPUs %+v, CPU %+v", q.Name, q.Parent, q.Priority, q.GPU, q.CPU)
	}
	for _, j := range c.Jobs {
		sets := setsOf(&j.Gang)
		if j.Gang.Constraint != nil {
			sets += fmt.Sprintf(" %+v", *j.Gang.Constraint)
		}
		add("job %s in %s priority %d %s created %v:%s", j.Name, j.Queue, j.Priority, j.Preemptibility, j.CreatedMin, sets)
		for _, t := range j.Tasks {
			add("  %s %s %s%v: %s %v, %v cores -> %s", t.UID, t.Status, t.Node, t.GPUGroups, t.GPU.Type, t.GPU.GPUs,
				t.Requests["cpu"]/core, c.Expected.Tasks[t.UID].Status)
		}
	}
	return strings.Join(lines, "\n")
}
