package cluster

import (
	"fmt"
	"slices"

	"github.com/NVIDIA/KAI-scheduler/pkg/scheduler/api"
	"github.com/NVIDIA/KAI-scheduler/pkg/scheduler/api/common_info"
	"github.com/NVIDIA/KAI-scheduler/pkg/scheduler/api/eviction_info"
	"github.com/NVIDIA/KAI-scheduler/pkg/scheduler/api/pod_status"
	"github.com/NVIDIA/KAI-scheduler/pkg/scheduler/api/podgroup_info"
	"github.com/NVIDIA/KAI-scheduler/pkg/scheduler/framework"
)

// taking is what KAI's validators look at: who takes, and from whom.
type taking struct {
	taker   *podgroup_info.PodGroupInfo
	victims map[common_info.PodGroupID]*api.VictimInfo
}

func (r *taking) GetPreemptor() *podgroup_info.PodGroupInfo              { return r.taker }
func (r *taking) GetVictims() map[common_info.PodGroupID]*api.VictimInfo { return r.victims }

// Taking is a job that takes the room of tasks.
type Taking struct {
	Taker   string
	Victims []string
	Places  map[string]string // nodes of the taker's tasks that have room then, by uid
}

// MayReclaim asks KAI's own rules, whatever its search finds, whether each job may take the room of these tasks, one after
// another, after the actions that come before reclaim.
func MayReclaim(c *Case, takings []Taking) (bool, error) {
	ssn, err := Open(c)
	if err != nil {
		return false, err
	}
	if err := Execute(ssn, c.Actions[:max(0, slices.Index(c.Actions, "reclaim"))]); err != nil {
		return false, err
	}
	for i := range takings {
		asked, err := takingOf(c, ssn, &takings[i])
		if err != nil || !ssn.CanReclaimResources(asked.taker) {
			return false, err
		}
		ssn.OnJobSolutionStart()
		if !ssn.ReclaimScenarioValidatorFn(asked) {
			return false, nil
		}
		if err := asked.carryOut(ssn, takings[i].Places); err != nil {
			return false, err
		}
	}
	return true, nil
}

func takingOf(c *Case, ssn *framework.Session, t *Taking) (*taking, error) {
	asked := &taking{taker: ssn.PodGroupInfos[common_info.PodGroupID(t.Taker)], victims: map[common_info.PodGroupID]*api.VictimInfo{}}
	if asked.taker == nil {
		return nil, fmt.Errorf("no job %s", t.Taker)
	}
	for i := range c.Jobs {
		job := ssn.PodGroupInfos[common_info.PodGroupID(c.Jobs[i].Name)]
		victim := &api.VictimInfo{Job: job}
		for _, each := range c.Jobs[i].Tasks {
			// By KAI a pod may not have got the room that dray gave it and took back; there is nothing to take then.
			task := job.GetAllPodsMap()[common_info.PodID(each.UID)]
			if slices.Contains(t.Victims, each.UID) && task.Status != pod_status.Pending {
				victim.Tasks = append(victim.Tasks, task)
			}
		}
		if len(victim.Tasks) > 0 {
			asked.victims[job.UID] = victim
		}
	}
	return asked, nil
}

// carryOut: the victims leave, and the taker has their room.
func (r *taking) carryOut(ssn *framework.Session, places map[string]string) error {
	stmt := ssn.Statement()
	for _, victim := range r.victims {
		for _, task := range victim.Tasks {
			if err := stmt.Evict(task, "", eviction_info.EvictionMetadata{}); err != nil {
				return err
			}
		}
	}
	for id, task := range r.taker.GetAllPodsMap() {
		if node := places[string(id)]; node != "" && task.Status == pod_status.Pending {
			if err := stmt.Pipeline(task, node, false); err != nil {
				return err
			}
		}
	}
	return nil
}

// MayReclaimAnything says of each job that waits, after the actions that come before consolidation, whether KAI's rules
// let it reclaim at all: its queue then stays within its share.
func MayReclaimAnything(c *Case) (map[string]bool, error) {
	ssn, err := Open(c)
	if err != nil {
		return nil, err
	}
	if err := Execute(ssn, c.Actions[:max(0, slices.Index(c.Actions, "consolidation"))]); err != nil {
		return nil, err
	}
	found := map[string]bool{}
	for i := range c.Jobs {
		job := ssn.PodGroupInfos[common_info.PodGroupID(c.Jobs[i].Name)]
		found[c.Jobs[i].Name] = job.GetNumPendingTasks() > 0 && ssn.CanReclaimResources(job)
	}
	return found, nil
}
