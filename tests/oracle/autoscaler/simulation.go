// Package autoscaler holds what dray shows to a cluster autoscaler to what that makes of it: kube-scheduler's own framework,
// DynamicResources included, on nodes made from templates, as cluster-autoscaler runs it.
package autoscaler

import (
	"context"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes/fake"
	fwk "k8s.io/kube-scheduler/framework"
	schedulerconfig "k8s.io/kubernetes/pkg/scheduler/apis/config/latest"
	"k8s.io/kubernetes/pkg/scheduler/backend/cache"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins"
	"k8s.io/kubernetes/pkg/scheduler/framework/runtime"
	"k8s.io/kubernetes/pkg/scheduler/metrics"
)

// The framework counts.
func init() { metrics.Register() }

// simulation is cluster-autoscaler's: a cluster in memory, to which nodes of groups are added as pods need them.
type simulation struct {
	cluster *cluster
	groups  []Group
	left    []int
	nodes   []*corev1.Node
	added   []int // the group of each new node; of those that are there: none
	pods    []*corev1.Pod
}

func simulate(c *Case) *simulation {
	s := &simulation{cluster: newCluster(c.Classes, c.Slices, c.Claims), groups: c.Groups, nodes: c.Nodes, pods: c.Running}
	for _, group := range c.Groups {
		s.left = append(s.left, c.left(group))
	}
	return s
}

// framework is one of kube-scheduler's, with its default plugins, on the nodes and pods as they are.
func (s *simulation) framework(ctx context.Context) (framework.Framework, fwk.SharedLister, error) {
	config, err := schedulerconfig.Default()
	if err != nil {
		return nil, nil, err
	}
	client := fake.NewClientset()
	snapshot := cache.NewSnapshot(s.pods, s.nodes)
	made, err := runtime.NewFramework(ctx, plugins.NewInTreeRegistry(), &config.Profiles[0],
		runtime.WithClientSet(client),
		runtime.WithInformerFactory(informers.NewSharedInformerFactory(client, 0)),
		runtime.WithSnapshotSharedLister(snapshot),
		runtime.WithSharedDRAManager(s.cluster))
	return made, snapshot, err
}

// schedule puts the pod on the first of the nodes that takes it, and says which.
func (s *simulation) schedule(ctx context.Context, pod *corev1.Pod, nodes []*corev1.Node) (int, error) {
	if len(nodes) == 0 {
		return -1, nil
	}
	f, snapshot, err := s.framework(ctx)
	if err != nil {
		return -1, err
	}
	defer f.Close()
	state := framework.NewCycleState()
	allowed, status, _ := f.RunPreFilterPlugins(ctx, state, pod)
	if status.Code() == fwk.Error {
		return -1, fmt.Errorf("pod %s: %w", pod.Name, status.AsError())
	}
	if !status.IsSuccess() {
		return -1, nil
	}
	for i, node := range nodes {
		if !allowed.AllNodes() && !allowed.NodeNames.Has(node.Name) {
			continue
		}
		info, err := snapshot.NodeInfos().Get(node.Name)
		if err != nil {
			return -1, err
		}
		if !f.RunFilterPlugins(ctx, state, pod, info).IsSuccess() {
			continue
		}
		if status := f.RunReservePluginsReserve(ctx, state, pod, node.Name); !status.IsSuccess() {
			return -1, fmt.Errorf("pod %s on %s: %w", pod.Name, node.Name, status.AsError())
		}
		s.cluster.settle(pod)
		bound := pod.DeepCopy()
		bound.Spec.NodeName = node.Name
		s.pods = append(s.pods, bound)
		return i, nil
	}
	return -1, nil
}

// grow finds room for all of the pods on new nodes: each goes to the first that takes it, else to one more of the first group
// whose node takes it. The groups that this takes, or none, with nothing changed.
func (s *simulation) grow(ctx context.Context, pods []*corev1.Pod) ([]string, error) {
	saved := s.save()
	var groups []string
	for _, pod := range pods {
		group, err := s.place(ctx, pod)
		if err != nil {
			return nil, err
		}
		if group < 0 {
			s.restore(saved)
			return nil, nil
		}
		if name := s.groups[group].Name; !slices.Contains(groups, name) {
			groups = append(groups, name)
		}
	}
	slices.Sort(groups)
	return groups, nil
}

func (s *simulation) place(ctx context.Context, pod *corev1.Pod) (int, error) {
	at, err := s.schedule(ctx, pod, s.newNodes())
	if err != nil || at >= 0 {
		return s.groupOf(at), err
	}
	for group := range s.groups {
		if s.left[group] == 0 {
			continue
		}
		s.add(group)
		fresh := s.newNodes()
		at, err := s.schedule(ctx, pod, fresh[len(fresh)-1:])
		if err != nil || at >= 0 {
			return group, err
		}
		s.removeLast()
	}
	return -1, nil
}

func (s *simulation) newNodes() []*corev1.Node { return s.nodes[len(s.nodes)-len(s.added):] }

func (s *simulation) groupOf(at int) int {
	if at < 0 {
		return -1
	}
	return s.added[at]
}

func (s *simulation) add(group int) {
	name := fmt.Sprintf("template-%s-%d", s.groups[group].Name, len(s.added))
	node := s.groups[group].Node.DeepCopy()
	node.Name = name
	if node.Labels == nil {
		node.Labels = map[string]string{}
	}
	node.Labels[corev1.LabelHostname] = name
	s.nodes = append(slices.Clone(s.nodes), node)
	for i := range s.groups[group].Slices {
		slice := s.groups[group].Slices[i].DeepCopy()
		slice.Name = fmt.Sprintf("%s-%d", name, i)
		slice.Spec.NodeName = &name
		slice.Spec.Pool.Name = name + "-" + slice.Spec.Pool.Name
		s.cluster.slices = append(s.cluster.slices, slice)
	}
	s.added = append(s.added, group)
	s.left[group]--
}

func (s *simulation) removeLast() {
	last := s.added[len(s.added)-1]
	s.added = s.added[:len(s.added)-1]
	s.nodes = s.nodes[:len(s.nodes)-1]
	s.cluster.slices = s.cluster.slices[:len(s.cluster.slices)-len(s.groups[last].Slices)]
	s.left[last]++
}

// saved is what grow goes back to.
type saved struct {
	added, pods int
	allocations map[string]*resourceapi.AllocationResult
}

func (s *simulation) save() saved {
	allocations := map[string]*resourceapi.AllocationResult{}
	for name, claim := range s.cluster.claims {
		allocations[name] = claim.Status.Allocation
	}
	return saved{len(s.added), len(s.pods), allocations}
}

func (s *simulation) restore(to saved) {
	for len(s.added) > to.added {
		s.removeLast()
	}
	s.pods = s.pods[:to.pods]
	for name, claim := range s.cluster.claims {
		claim.Status.Allocation = to.allocations[name]
		if claim.Status.Allocation == nil {
			claim.Status.ReservedFor = nil
		}
	}
}
