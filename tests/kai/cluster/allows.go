package cluster

import (
	"fmt"
	"slices"

	"github.com/NVIDIA/KAI-scheduler/pkg/scheduler/api"
	"github.com/NVIDIA/KAI-scheduler/pkg/scheduler/api/common_info"
	"github.com/NVIDIA/KAI-scheduler/pkg/scheduler/api/podgroup_info"
)

// taking is what KAI's validators look at: who takes, and from whom.
type taking struct {
	taker   *podgroup_info.PodGroupInfo
	victims map[common_info.PodGroupID]*api.VictimInfo
}

func (r *taking) GetPreemptor() *podgroup_info.PodGroupInfo              { return r.taker }
func (r *taking) GetVictims() map[common_info.PodGroupID]*api.VictimInfo { return r.victims }

// MayReclaim asks KAI's own rules, whatever its search finds, whether the job may take the room of these tasks after the
// actions that come before reclaim.
func MayReclaim(c *Case, taker string, victims []string) (bool, error) {
	ssn, err := Open(c)
	if err != nil {
		return false, err
	}
	if err := Execute(ssn, c.Actions[:max(0, slices.Index(c.Actions, "reclaim"))]); err != nil {
		return false, err
	}
	asked := &taking{taker: ssn.PodGroupInfos[common_info.PodGroupID(taker)], victims: map[common_info.PodGroupID]*api.VictimInfo{}}
	if asked.taker == nil {
		return false, fmt.Errorf("no job %s", taker)
	}
	for i := range c.Jobs {
		job := ssn.PodGroupInfos[common_info.PodGroupID(c.Jobs[i].Name)]
		victim := &api.VictimInfo{Job: job}
		for _, t := range c.Jobs[i].Tasks {
			if slices.Contains(victims, t.UID) {
				victim.Tasks = append(victim.Tasks, job.GetAllPodsMap()[common_info.PodID(t.UID)])
			}
		}
		if len(victim.Tasks) > 0 {
			asked.victims[job.UID] = victim
		}
	}
	if !ssn.CanReclaimResources(asked.taker) {
		return false, nil
	}
	ssn.OnJobSolutionStart()
	return ssn.ReclaimScenarioValidatorFn(asked), nil
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
