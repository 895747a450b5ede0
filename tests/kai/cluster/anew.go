package cluster

import (
	"golang.org/x/exp/maps"

	"github.com/NVIDIA/KAI-scheduler/pkg/scheduler/actions/common"
	"github.com/NVIDIA/KAI-scheduler/pkg/scheduler/actions/utils"
	"github.com/NVIDIA/KAI-scheduler/pkg/scheduler/api/podgroup_info"
	"github.com/NVIDIA/KAI-scheduler/pkg/scheduler/framework"
)

// AllocateAnew has KAI allocate as its action of that name does, but with its queues put in order anew for each job. The
// action pushes a queue back before its job, while it seems to have none, and compares departments before their queues.
func AllocateAnew(c *Case) (States, error) {
	ssn, err := Open(c)
	if err != nil {
		return nil, err
	}
	waiting := maps.Clone(ssn.PodGroupInfos)
	for {
		order := utils.NewJobsOrderByQueues(ssn, utils.JobsOrderInitOptions{FilterNonPending: true, FilterUnready: true,
			MaxJobsQueueDepth: ssn.GetJobsDepth(framework.Allocate)})
		order.InitializeWithJobs(waiting)
		if order.IsEmpty() {
			return StatesOf(c, ssn)
		}
		job := order.PopNextJob()
		stmt := ssn.Statement()
		done := common.AllocateJob(ssn, stmt, maps.Values(ssn.Nodes), job, false)
		if done && job.ShouldPipelineJob() {
			done = stmt.ConvertAllAllocatedToPipelined(job.UID) == nil
		}
		if !done {
			stmt.Discard()
		} else if err := stmt.Commit(); err != nil {
			return nil, err
		}
		if !done || !podgroup_info.HasTasksToAllocate(job, true) {
			delete(waiting, job.UID)
		}
	}
}
