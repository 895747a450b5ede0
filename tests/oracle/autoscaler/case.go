package autoscaler

import (
	"context"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Group is a node group as dray's policy has it.
type Group struct {
	Name     string                      `json:"name"`
	MaxNodes *int                        `json:"maxNodes,omitempty"`
	Node     corev1.Node                 `json:"node"`
	Slices   []resourceapi.ResourceSlice `json:"slices"`
}

// Job is pods that start together, in their order.
type Job struct {
	Name   string
	Closed bool // its queue may have nothing
	Pods   []*corev1.Pod
}

// Case is a cluster without room, and jobs in the order of their turns.
type Case struct {
	ID      string
	Groups  []Group
	Most    int // jobs that may be shown
	Nodes   []*corev1.Node
	Running []*corev1.Pod
	Classes []resourceapi.DeviceClass
	Slices  []resourceapi.ResourceSlice
	Claims  []resourceapi.ResourceClaim
	Jobs    []Job
}

// answer is what becomes of each job by cluster-autoscaler's simulation: the groups that grow for it, or that it is not shown.
func (c *Case) answer(ctx context.Context) (map[string]string, error) {
	s := simulate(c)
	want := map[string]string{}
	shown := 0
	for _, job := range c.Jobs {
		want[job.Name] = "waits"
		if job.Closed || shown == c.Most {
			continue
		}
		groups, err := s.grow(ctx, job.Pods)
		if err != nil {
			return nil, err
		}
		if len(groups) > 0 {
			shown++
			want[job.Name] = "exposed: " + strings.Join(groups, ",")
		}
	}
	return want, nil
}

// left is how many nodes more the group may have.
func (c *Case) left(group Group) int {
	there := 0
	for _, node := range c.Nodes {
		if hasAll(node.Labels, group.Node.Labels) {
			there++
		}
	}
	return max(0, *group.MaxNodes-there)
}

func hasAll(labels, wanted map[string]string) bool {
	for key, value := range wanted {
		if labels[key] != value {
			return false
		}
	}
	return len(wanted) > 0
}

// line is the case in the format of `dray_cases autoscaler`.
func (c *Case) line(want map[string]string) map[string]any {
	var objects []any
	add := func(apiVersion, kind string, object any) {
		objects = append(objects, map[string]any{"apiVersion": apiVersion, "kind": kind, "object": object})
	}
	for _, node := range c.Nodes {
		add("v1", "Node", node)
	}
	for i := range c.Classes {
		add("resource.k8s.io/v1", "DeviceClass", &c.Classes[i])
	}
	for i := range c.Slices {
		add("resource.k8s.io/v1", "ResourceSlice", &c.Slices[i])
	}
	for i := range c.Claims {
		add("resource.k8s.io/v1", "ResourceClaim", &c.Claims[i])
	}
	pods := slices.Clone(c.Running)
	jobs := map[string]string{}
	for _, job := range c.Jobs {
		for _, pod := range job.Pods {
			jobs[pod.Name] = job.Name
			pods = append(pods, pod)
		}
		if len(job.Pods) > 1 {
			add("scheduling.x-k8s.io/v1alpha1", "PodGroup", map[string]any{
				"metadata": metav1.ObjectMeta{Name: job.Name, Namespace: "default", UID: job.Pods[0].UID + "-group"},
				"spec":     map[string]any{"minMember": len(job.Pods)},
			})
		}
	}
	for _, pod := range pods {
		add("v1", "Pod", pod)
	}
	return map[string]any{"id": c.ID, "policy": c.policy(), "objects": objects, "jobs": jobs, "want": want}
}

func (c *Case) policy() map[string]any {
	return map[string]any{
		"apiVersion": "dray.dev/v1alpha1",
		"kind":       "Policy",
		"queues": []any{
			map[string]any{"name": "open"},
			map[string]any{"name": "closed", "limit": map[string]any{"cpu": 0}},
		},
		"podQueues":  map[string]any{"otherwise": "open"},
		"budgets":    map[string]any{"exposedJobs": c.Most},
		"nodeGroups": c.Groups,
	}
}
