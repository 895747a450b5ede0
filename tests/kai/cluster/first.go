package cluster

import (
	"slices"

	"github.com/NVIDIA/KAI-scheduler/pkg/scheduler/actions/utils"
	"github.com/NVIDIA/KAI-scheduler/pkg/scheduler/api/common_info"
	"github.com/NVIDIA/KAI-scheduler/pkg/scheduler/api/podgroup_info"
	"github.com/NVIDIA/KAI-scheduler/pkg/scheduler/framework"
)

// MovesForFirst names the job, of some that wait, for which KAI's consolidation moves others first, in its own order of
// queues and jobs after the actions that come before; empty if it does so for none of them.
func MovesForFirst(c *Case, jobs []string) (string, error) {
	ssn, err := Open(c)
	if err != nil {
		return "", err
	}
	if err := Execute(ssn, c.Actions[:max(0, slices.Index(c.Actions, "consolidation"))]); err != nil {
		return "", err
	}
	some := map[common_info.PodGroupID]*podgroup_info.PodGroupInfo{}
	for _, name := range jobs {
		id := common_info.PodGroupID(name)
		some[id] = ssn.PodGroupInfos[id]
	}
	order := utils.NewJobsOrderByQueues(ssn, utils.JobsOrderInitOptions{FilterNonPending: true, FilterUnready: true,
		FilterNonPreemptible: true, MaxJobsQueueDepth: ssn.GetJobsDepth(framework.Consolidation)})
	order.InitializeWithJobs(some)
	if order.IsEmpty() {
		return "", nil
	}
	return order.PopNextJob().Name, nil
}
