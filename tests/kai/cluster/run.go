package cluster

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/NVIDIA/KAI-scheduler/pkg/scheduler/actions/allocate"
	"github.com/NVIDIA/KAI-scheduler/pkg/scheduler/actions/consolidation"
	"github.com/NVIDIA/KAI-scheduler/pkg/scheduler/actions/preempt"
	"github.com/NVIDIA/KAI-scheduler/pkg/scheduler/actions/reclaim"
	"github.com/NVIDIA/KAI-scheduler/pkg/scheduler/actions/stalegangeviction"
	"github.com/NVIDIA/KAI-scheduler/pkg/scheduler/api/common_info"
	"github.com/NVIDIA/KAI-scheduler/pkg/scheduler/api/pod_info"
	"github.com/NVIDIA/KAI-scheduler/pkg/scheduler/api/pod_status"
	"github.com/NVIDIA/KAI-scheduler/pkg/scheduler/framework"
	"github.com/NVIDIA/KAI-scheduler/pkg/scheduler/plugins"
)

// Version is the newest of KAI that the module proxy has.
const Version = "v0.12.0"

var initialize = sync.OnceFunc(plugins.InitDefaultPlugins)

// AllActions in the order in which KAI runs them.
var AllActions = []string{"allocate", "consolidation", "reclaim", "preempt", "stalegangeviction"}

func actionOf(name string) framework.Action {
	switch name {
	case "allocate":
		return allocate.New()
	case "consolidation":
		return consolidation.New()
	case "reclaim":
		return reclaim.New()
	case "preempt":
		return preempt.New()
	case "stalegangeviction":
		return stalegangeviction.New()
	}
	panic("no action " + name)
}

// States of tasks by their uids.
type States map[string]State

// Session has KAI run the case's actions once. The case is not changed.
func Session(c *Case) (States, error) {
	ssn, err := Open(c)
	if err == nil {
		err = Execute(ssn, c.Actions)
	}
	if err != nil {
		return nil, err
	}
	return StatesOf(c, ssn)
}

// Open makes a session of KAI's on the case.
func Open(c *Case) (*framework.Session, error) {
	ssn, open, err := Prepare(c)
	if err != nil {
		return nil, err
	}
	return ssn, open()
}

// Prepare makes the objects of a session; `open` does what KAI does when it opens one: its plugins look at them.
func Prepare(c *Case) (ssn *framework.Session, open func() error, err error) {
	initialize()
	ssn, err = session(c, time.Now())
	return ssn, func() error { return openPlugins(ssn, c.Config.Plugins) }, err
}

// ErrPanic: this version of KAI ends with a panic.
var ErrPanic = errors.New("KAI panics")

// Execute runs the actions on a session.
func Execute(ssn *framework.Session, actions []string) (err error) {
	defer func() {
		if caught := recover(); caught != nil {
			err = fmt.Errorf("%w: %v", ErrPanic, caught)
		}
	}()
	for _, name := range actions {
		actionOf(name).Execute(ssn)
	}
	return nil
}

// Cycle has KAI run the case's actions for so many rounds, with what KAI's integration tests do between them: those who
// leave are gone and wait again, those who start run. It returns the states after each round, and changes the case's
// tasks to those after the last.
func Cycle(c *Case, rounds int) ([]States, error) {
	var all []States
	for range rounds {
		ssn, err := Open(c)
		if err == nil {
			err = Execute(ssn, c.Actions)
		}
		if err == nil {
			err = settle(c, ssn)
		}
		if err != nil {
			return nil, err
		}
		states := States{}
		for i := range c.Jobs {
			for _, t := range c.Jobs[i].Tasks {
				states[t.UID] = State{Status: t.Status, Node: t.Node}
			}
		}
		all = append(all, states)
	}
	return all, nil
}

func settle(c *Case, ssn *framework.Session) error {
	return each(c, ssn, func(j *Job, t *Task, pod *pod_info.PodInfo) {
		switch pod.Status {
		case pod_status.Releasing:
			if j.DeletedInTest {
				t.Node, t.GPUGroups, t.Status = pod.NodeName, pod.GPUGroups, "Releasing"
			} else {
				t.Node, t.Status = "", "Pending"
			}
		case pod_status.Pipelined:
			t.Node, t.Status = "", "Pending"
		case pod_status.Binding:
			t.Node, t.GPUGroups, t.Status = pod.NodeName, pod.GPUGroups, "Running"
		default:
			t.Node, t.GPUGroups, t.Status = pod.NodeName, pod.GPUGroups, pod.Status.String()
		}
	})
}

// StatesOf says what the session made of the case's tasks.
func StatesOf(c *Case, ssn *framework.Session) (States, error) {
	states := States{}
	err := each(c, ssn, func(_ *Job, t *Task, pod *pod_info.PodInfo) {
		states[t.UID] = State{Status: pod.Status.String(), Node: pod.NodeName}
	})
	return states, err
}

// each visits the tasks of the case with what the session made of them.
func each(c *Case, ssn *framework.Session, visit func(*Job, *Task, *pod_info.PodInfo)) error {
	for i := range c.Jobs {
		j := &c.Jobs[i]
		pods := ssn.PodGroupInfos[common_info.PodGroupID(j.Name)].GetAllPodsMap()
		for n := range j.Tasks {
			t := &j.Tasks[n]
			pod := pods[common_info.PodID(t.UID)]
			if pod == nil {
				return fmt.Errorf("%s: KAI's session has no task %s", c.ID, t.UID)
			}
			visit(j, t, pod)
		}
	}
	return nil
}

func statusOf(name string) pod_status.PodStatus {
	for status := pod_status.Pending; status <= pod_status.Deleted; status <<= 1 {
		if status.String() == name {
			return status
		}
	}
	return pod_status.Unknown
}

// supported says what of a case this version of KAI, or its harness, cannot have.
func supported(c *Case) error {
	unsupported := func(what string) error { return fmt.Errorf("KAI %s's harness has no %s", Version, what) }
	if c.DRA != nil {
		return unsupported("claims here")
	}
	if c.Config.CustomConfig {
		return unsupported("configuration of its own here")
	}
	for i := range c.Nodes {
		if c.Nodes[i].NUMA != nil {
			return unsupported("NUMA")
		}
	}
	parents := map[string]string{}
	for _, q := range c.Queues {
		parents[q.Name] = q.Parent
	}
	for _, q := range c.Queues {
		if q.Parent != "" && parents[q.Parent] != "" {
			return unsupported("third level of queues")
		}
	}
	for i := range c.Jobs {
		if err := supportedJob(&c.Jobs[i], unsupported); err != nil {
			return err
		}
	}
	return nil
}

func supportedJob(j *Job, unsupported func(string) error) error {
	if j.StalenessGraceSec != nil {
		return unsupported("stalenessGracePeriod of a job")
	}
	if j.PreemptionDelaySec != nil {
		return unsupported("preemption delay")
	}
	if wantsSome(&j.Gang) {
		return unsupported("minSubGroup below the number of subgroups")
	}
	if mixed(&j.Gang) {
		return unsupported("sets of pods beside subgroups")
	}
	for n := range j.Tasks {
		t := &j.Tasks[n]
		if t.UID != fmt.Sprintf("%s-%d", j.Name, n) {
			return unsupported("task called " + t.UID)
		}
		if t.SubGroup != "" && !hasPodSet(&j.Gang, t.SubGroup) {
			return unsupported("task without a set of pods")
		}
		if t.Affinity != nil || t.ResourceClaims != nil {
			return unsupported("affinity or claims here")
		}
		if statusOf(t.Status) == pod_status.Unknown {
			return unsupported("status " + t.Status)
		}
		if first := &j.Tasks[0]; t.GPU.Type != first.GPU.Type || t.GPU.Portion != first.GPU.Portion ||
			t.GPU.MemoryMiB != first.GPU.MemoryMiB || t.GPU.Devices != first.GPU.Devices ||
			t.Requests["cpu"] != first.Requests["cpu"] || t.Requests["memory"] != first.Requests["memory"] {
			return unsupported("job whose tasks ask for different things")
		}
	}
	return nil
}

func mixed(g *Gang) bool {
	return len(g.PodSets) > 0 && len(g.SubGroups) > 0 ||
		slices.ContainsFunc(g.SubGroups, func(sub Gang) bool { return mixed(&sub) })
}

func hasPodSet(g *Gang, name string) bool {
	for i := range g.PodSets {
		if g.PodSets[i].Name == name {
			return true
		}
	}
	for i := range g.SubGroups {
		if hasPodSet(&g.SubGroups[i], name) {
			return true
		}
	}
	return false
}

// wantsSome: not all subgroups have to run, somewhere in the tree.
func wantsSome(g *Gang) bool {
	if g.MinSubGroup != nil && *g.MinSubGroup != len(g.SubGroups) {
		return true
	}
	return slices.ContainsFunc(g.SubGroups, func(sub Gang) bool { return wantsSome(&sub) })
}
