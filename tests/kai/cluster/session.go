package cluster

import (
	"fmt"
	"strconv"
	"time"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	kaiv1alpha1 "github.com/NVIDIA/KAI-scheduler/pkg/apis/kai/v1alpha1"
	enginev2alpha2 "github.com/NVIDIA/KAI-scheduler/pkg/apis/scheduling/v2alpha2"
	"github.com/NVIDIA/KAI-scheduler/pkg/scheduler/api/common_info"
	"github.com/NVIDIA/KAI-scheduler/pkg/scheduler/api/node_info"
	"github.com/NVIDIA/KAI-scheduler/pkg/scheduler/api/podgroup_info"
	"github.com/NVIDIA/KAI-scheduler/pkg/scheduler/api/podgroup_info/subgroup_info"
	"github.com/NVIDIA/KAI-scheduler/pkg/scheduler/api/queue_info"
	"github.com/NVIDIA/KAI-scheduler/pkg/scheduler/api/topology_info"
	"github.com/NVIDIA/KAI-scheduler/pkg/scheduler/cache"
	"github.com/NVIDIA/KAI-scheduler/pkg/scheduler/cache/cluster_info"
	"github.com/NVIDIA/KAI-scheduler/pkg/scheduler/conf"
	"github.com/NVIDIA/KAI-scheduler/pkg/scheduler/framework"
	"github.com/NVIDIA/KAI-scheduler/pkg/scheduler/test_utils/jobs_fake"
	"github.com/NVIDIA/KAI-scheduler/pkg/scheduler/test_utils/nodes_fake"
	"github.com/NVIDIA/KAI-scheduler/pkg/scheduler/test_utils/tasks_fake"
)

// session is one of KAI's on the case, as KAI's own tests make it, but for its plugins.
func session(c *Case, start time.Time) (*framework.Session, error) {
	if err := supported(c); err != nil {
		return nil, err
	}
	var asked []*jobs_fake.TestJobBasic
	for i := range c.Jobs {
		asked = append(asked, jobOf(&c.Jobs[i], c.Nodes))
	}
	jobs, onNodes, _ := jobs_fake.BuildJobsAndTasksMaps(asked)
	for i := range c.Jobs {
		finish(&c.Jobs[i], jobs[common_info.PodGroupID(c.Jobs[i].Name)], start)
	}
	affinity := cache.NewK8sClusterPodAffinityInfo()
	nodes := map[string]nodes_fake.TestNodeBasic{}
	for i := range c.Nodes {
		nodes[c.Nodes[i].Name] = nodeOf(&c.Nodes[i])
	}
	infos := nodes_fake.BuildNodesInfoMap(nodes, onNodes, affinity)
	for i := range c.Nodes {
		if c.Nodes[i].NotReady {
			breakDown(infos[c.Nodes[i].Name].Node)
		}
	}
	ssn := &framework.Session{
		Nodes:         infos,
		PodGroupInfos: jobs,
		Queues:        queuesOf(c, start),
		Topologies:    topologiesOf(c),
		Cache:         newSink(affinity),
		Config:        &conf.SchedulerConfiguration{},
	}
	ssn.OverrideMaxNumberConsolidationPreemptees(c.Config.MaxConsolidationPreemptees)
	ssn.OverrideAllowConsolidatingReclaim(true)
	ssn.OverrideSchedulerName("kai-scheduler")
	ssn.OverrideGlobalDefaultStalenessGracePeriod(seconds(c.Config.StalenessGraceSec))
	return ssn, nil
}

func openPlugins(ssn *framework.Session, plugins []Plugin) error {
	tier := conf.Tier{}
	for _, each := range plugins {
		tier.Plugins = append(tier.Plugins, conf.PluginOption{Name: each.Name, Arguments: each.Arguments})
	}
	ssn.Config.Tiers = []conf.Tier{tier}
	for _, each := range plugins {
		builder, found := framework.GetPluginBuilder(each.Name)
		if !found {
			return fmt.Errorf("KAI %s has no plugin %s", Version, each.Name)
		}
		builder(each.Arguments).OnSessionOpen(ssn)
	}
	return nil
}

func seconds(count float64) time.Duration { return time.Duration(count * float64(time.Second)) }

func minutes(start time.Time, count float64) time.Time {
	return start.Add(time.Duration(count * float64(time.Minute)))
}

func text(number float64) string { return strconv.FormatFloat(number, 'f', -1, 64) }

func nodeOf(n *Node) nodes_fake.TestNodeBasic {
	made := nodes_fake.TestNodeBasic{
		GPUs: int(n.Allocatable["gpu"]), CPUMillis: n.Allocatable["cpu"] / 1000, CPUMemory: n.Allocatable["memory"],
		GPUMemory: int(n.GPUMemoryMiB), Labels: n.Labels,
	}
	if n.MigStrategy != "" && n.MigStrategy != "none" {
		made.MigStrategy = node_info.MigStrategy(n.MigStrategy)
	}
	if n.MaxPods > 0 {
		made.MaxTaskNum = &n.MaxPods
	}
	for resource, count := range n.Allocatable {
		if !isCore(resource) {
			if made.MigInstances == nil {
				made.MigInstances = map[v1.ResourceName]int{}
			}
			made.MigInstances[v1.ResourceName(resource)] = int(count)
		}
	}
	return made
}

// breakDown: the node is not ready, as its kubelet and the controller of node life cycles say.
func breakDown(n *v1.Node) {
	n.Status.Conditions = []v1.NodeCondition{{Type: v1.NodeReady, Status: v1.ConditionFalse}}
	n.Spec.Taints = []v1.Taint{{Key: v1.TaintNodeNotReady, Effect: v1.TaintEffectNoSchedule}}
}

func isCore(resource string) bool {
	return resource == "cpu" || resource == "memory" || resource == "pods" || resource == "gpu"
}

func queuesOf(c *Case, start time.Time) map[common_info.QueueID]*queue_info.QueueInfo {
	queues := map[common_info.QueueID]*queue_info.QueueInfo{}
	for i := range c.Queues {
		q := &c.Queues[i]
		made := &queue_info.QueueInfo{UID: common_info.QueueID(q.Name), Name: q.Name,
			ParentQueue: common_info.QueueID(q.Parent), ChildQueues: []common_info.QueueID{}, Priority: q.Priority,
			CreationTimestamp: metav1.Time{Time: minutes(start, q.CreatedMin)},
			Resources:         queue_info.QueueQuota{GPU: quotaOf(q.GPU), CPU: quotaOf(q.CPU), Memory: quotaOf(q.Memory)},
		}
		if q.PreemptMinRuntimeSec != nil {
			made.PreemptMinRuntime = &metav1.Duration{Duration: seconds(*q.PreemptMinRuntimeSec)}
		}
		if q.ReclaimMinRuntimeSec != nil {
			made.ReclaimMinRuntime = &metav1.Duration{Duration: seconds(*q.ReclaimMinRuntimeSec)}
		}
		queues[made.UID] = made
	}
	cluster_info.UpdateQueueHierarchy(queues)
	return queues
}

func quotaOf(s Share) queue_info.ResourceQuota {
	return queue_info.ResourceQuota{Quota: s.Deserved, Limit: s.Limit, OverQuotaWeight: s.OverQuotaWeight}
}

func topologiesOf(c *Case) []*kaiv1alpha1.Topology {
	var all []*kaiv1alpha1.Topology
	for _, t := range c.Topologies {
		made := &kaiv1alpha1.Topology{ObjectMeta: metav1.ObjectMeta{Name: t.Name}}
		for _, level := range t.Levels {
			made.Spec.Levels = append(made.Spec.Levels, kaiv1alpha1.TopologyLevel{NodeLabel: level.NodeLabel})
		}
		all = append(all, made)
	}
	return all
}

func constraintOf(c *Constraint) *topology_info.TopologyConstraintInfo {
	if c == nil {
		return nil
	}
	return &topology_info.TopologyConstraintInfo{Topology: c.Topology, RequiredLevel: c.Required, PreferredLevel: c.Preferred}
}

func gangOf(g *Gang, name string) *subgroup_info.SubGroupSet {
	made := subgroup_info.NewSubGroupSet(name, constraintOf(g.Constraint))
	for i := range g.PodSets {
		set := &g.PodSets[i]
		made.AddPodSet(subgroup_info.NewPodSet(set.Name, set.MinMember, constraintOf(set.Constraint)))
	}
	for i := range g.SubGroups {
		made.AddSubGroup(gangOf(&g.SubGroups[i], g.SubGroups[i].Name))
	}
	return made
}

// jobOf takes what a job's tasks ask for from the first of them; they may differ in GPUs only.
func jobOf(j *Job, nodes []Node) *jobs_fake.TestJobBasic {
	made := &jobs_fake.TestJobBasic{Name: j.Name, Namespace: j.Namespace, QueueName: j.Queue, Priority: j.Priority,
		Preemptibility: enginev2alpha2.Preemptibility(j.Preemptibility), DeleteJobInTest: j.DeletedInTest,
		RootSubGroupSet: gangOf(&j.Gang, subgroup_info.RootSubGroupSetName)}
	if j.StaleForSec != nil {
		stale := seconds(*j.StaleForSec)
		made.StaleDuration = &stale
	}
	if len(j.Tasks) > 0 {
		first := &j.Tasks[0]
		made.RequiredCPUsPerTask = first.Requests["cpu"] / 1000
		made.RequiredMemoryPerTask = first.Requests["memory"]
		made.IsBestEffortJob = len(first.Requests) == 0
		made.RequiredGpuMemory = first.GPU.MemoryMiB
		switch first.GPU.Type {
		case "Regular":
			made.RequiredGPUsPerTask = first.GPU.GPUs
		case "Fraction":
			made.RequiredGPUsPerTask = first.GPU.Portion
		}
		if first.GPU.Devices > 1 {
			devices := uint64(first.GPU.Devices)
			made.RequiredMultiFractionDevicesPerTask = &devices
		}
	}
	for i := range j.Tasks {
		made.Tasks = append(made.Tasks, taskOf(&j.Tasks[i], j, nodes))
	}
	return made
}

func taskOf(t *Task, j *Job, nodes []Node) *tasks_fake.TestTaskBasic {
	made := &tasks_fake.TestTaskBasic{State: statusOf(t.Status), NodeName: t.Node, GPUGroups: t.GPUGroups,
		SubGroupName: t.SubGroup, IsLegacyMigTask: t.LegacyMIG}
	if t.GPU.Type == "Regular" && t.GPU.GPUs != j.Tasks[0].GPU.GPUs {
		gpus := int64(t.GPU.GPUs)
		made.RequiredGPUs = &gpus
	}
	for profile, count := range t.GPU.MIG {
		if made.RequiredMigInstances == nil {
			made.RequiredMigInstances = map[v1.ResourceName]int{}
		}
		made.RequiredMigInstances[v1.ResourceName(profile)] = count
	}
	if priority, err := strconv.Atoi(t.TaskOrderPriority); err == nil {
		made.Priority = &priority
	}
	return made
}

// finish gives a job that KAI's harness has made the times that the case says.
func finish(j *Job, made *podgroup_info.PodGroupInfo, start time.Time) {
	created := metav1.Time{Time: minutes(start, j.CreatedMin)}
	made.CreationTimestamp = created
	made.PodGroup.CreationTimestamp = created
	if j.LastStartMin != nil && made.LastStartTimestamp != nil {
		started := minutes(start, *j.LastStartMin)
		made.LastStartTimestamp = &started
	}
}
