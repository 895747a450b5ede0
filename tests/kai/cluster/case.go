// Package cluster is a cluster as the KAI cases of dray_cases describe one (tests/cases/kai_world.h), and what KAI's own
// scheduler makes of it.
package cluster

import "slices"

// Case is one line of a file of KAI cases: nodes, queues and jobs, the actions that are to run, and what is expected.
type Case struct {
	ID         string     `json:"id"`
	Suite      string     `json:"suite"` // action: judged by what was decided; cycle: by what became of it
	Actions    []string   `json:"actions"`
	Rounds     Rounds     `json:"rounds"`
	Config     Config     `json:"config"`
	Nodes      []Node     `json:"nodes"`
	Queues     []Queue    `json:"queues"`
	Jobs       []Job      `json:"jobs"`
	Topologies []Topology `json:"topologies,omitempty"`
	DRA        *any       `json:"dra,omitempty"`
	Expected   Expected   `json:"expected"`
	Observed   *Expected  `json:"observed,omitempty"`
}

// Rounds: after UntilMatch of them the state has to be the expected one, and to stay so for AfterMatch more.
type Rounds struct {
	UntilMatch int `json:"untilMatch"`
	AfterMatch int `json:"afterMatch"`
	DelayMs    int `json:"delayMs"`
}

type Config struct {
	CustomConfig               bool     `json:"customConfig"`
	MaxConsolidationPreemptees int      `json:"maxConsolidationPreemptees"` // -1: any number
	StalenessGraceSec          float64  `json:"stalenessGraceSec"`
	MinNodeGPUMemoryMiB        float64  `json:"minNodeGpuMemoryMiB"`
	Plugins                    []Plugin `json:"plugins"`
}

type Plugin struct {
	Name      string            `json:"name"`
	Arguments map[string]string `json:"arguments,omitempty"`
}

// Node has its resources by name: cpu in millicores, memory in bytes, gpu in devices; others are MIG profiles.
type Node struct {
	Name         string             `json:"name"`
	Allocatable  map[string]float64 `json:"allocatable"`
	GPUMemoryMiB float64            `json:"gpuMemoryMiB"`
	Labels       map[string]string  `json:"labels,omitempty"`
	MigStrategy  string             `json:"migStrategy,omitempty"`
	MaxPods      int                `json:"maxPods,omitempty"`
	NotReady     bool               `json:"notReady,omitempty"` // with the taint that Kubernetes gives such a node
	NUMA         *any               `json:"numa,omitempty"`
}

// Queue has -1 where there is no bound.
type Queue struct {
	Name                 string   `json:"name"`
	Parent               string   `json:"parent,omitempty"`
	Priority             int      `json:"priority"`
	CreatedMin           float64  `json:"createdMin"`
	GPU                  Share    `json:"gpu"`
	CPU                  Share    `json:"cpu"`
	Memory               Share    `json:"memory"`
	PreemptMinRuntimeSec *float64 `json:"preemptMinRuntimeSec,omitempty"`
	ReclaimMinRuntimeSec *float64 `json:"reclaimMinRuntimeSec,omitempty"`
}

type Share struct {
	Deserved        float64 `json:"deserved"`
	Limit           float64 `json:"limit"`
	OverQuotaWeight float64 `json:"overQuotaWeight"`
}

type Job struct {
	Name               string   `json:"name"`
	Namespace          string   `json:"namespace,omitempty"`
	Queue              string   `json:"queue"`
	Priority           int32    `json:"priority"`
	Preemptibility     string   `json:"preemptibility"`
	CreatedMin         float64  `json:"createdMin"`
	LastStartMin       *float64 `json:"lastStartMin,omitempty"`
	StaleForSec        *float64 `json:"staleForSec,omitempty"`
	StalenessGraceSec  *float64 `json:"stalenessGraceSec,omitempty"`
	PreemptionDelaySec *float64 `json:"preemptionDelaySec,omitempty"`
	DeletedInTest      bool     `json:"deletedInTest,omitempty"`
	Gang               Gang     `json:"gang"`
	Tasks              []Task   `json:"tasks"`
}

// Gang is a tree: its leaves are sets of pods, of which a minimum has to run. Of its subgroups so many as MinSubGroup says; KAI
// v0.12.0 knows no such number, and wants all of them.
type Gang struct {
	Name        string      `json:"name"`
	MinSubGroup *int        `json:"minSubGroup,omitempty"`
	Constraint  *Constraint `json:"topologyConstraint,omitempty"`
	PodSets     []PodSet    `json:"podSets,omitempty"`
	SubGroups   []Gang      `json:"subGroups,omitempty"`
}

// Sets are those of the whole tree.
func (g *Gang) Sets() []PodSet {
	all := slices.Clone(g.PodSets)
	for i := range g.SubGroups {
		all = append(all, g.SubGroups[i].Sets()...)
	}
	return all
}

type PodSet struct {
	Name       string      `json:"name"`
	MinMember  int32       `json:"minMember"`
	Constraint *Constraint `json:"topologyConstraint,omitempty"`
}

type Constraint struct {
	Topology  string `json:"topology"`
	Required  string `json:"required,omitempty"`
	Preferred string `json:"preferred,omitempty"`
}

// Task is a pod; KAI's harness calls it by its job and its number.
type Task struct {
	UID               string             `json:"uid"`
	Name              string             `json:"name"`
	Status            string             `json:"status"`
	Node              string             `json:"node,omitempty"`
	SubGroup          string             `json:"subGroup,omitempty"`
	Requests          map[string]float64 `json:"requests"`
	GPU               GPU                `json:"gpu"`
	GPUGroups         []string           `json:"gpuGroups,omitempty"`
	TaskOrderPriority string             `json:"taskOrderPriority,omitempty"`
	LegacyMIG         bool               `json:"legacyMig,omitempty"`
	Affinity          *any               `json:"affinity,omitempty"`
	ResourceClaims    *any               `json:"resourceClaims,omitempty"`
}

// GPU is what a task asks of GPUs, by one of the types Regular, Fraction, GpuMemory and MigInstance.
type GPU struct {
	Type      string         `json:"type,omitempty"`
	GPUs      float64        `json:"gpus"`
	Quota     float64        `json:"quota"`
	Devices   int            `json:"devices,omitempty"`
	Portion   float64        `json:"portion,omitempty"`
	MemoryMiB uint64         `json:"memoryMiB,omitempty"`
	MIG       map[string]int `json:"mig,omitempty"`
}

type Topology struct {
	Name   string  `json:"name"`
	Levels []Level `json:"levels"`
}

type Level struct {
	NodeLabel string `json:"nodeLabel"`
}

// Expected is what becomes of tasks, by their uids.
type Expected struct {
	Tasks map[string]State `json:"tasks,omitempty"`
}

// State of a task; a node that is empty may be any.
type State struct {
	Status string `json:"status"`
	Node   string `json:"node,omitempty"`
}

// DefaultPlugins are those of KAI's default configuration, in its order.
func DefaultPlugins() []Plugin {
	return []Plugin{{Name: "predicates"}, {Name: "proportion"}, {Name: "priority"}, {Name: "elastic"}, {Name: "kubeflow"}, {Name: "ray"},
		{Name: "nodeavailability"}, {Name: "gpusharingorder"}, {Name: "gpupack"}, {Name: "resourcetype"}, {Name: "subgrouporder"},
		{Name: "taskorder"}, {Name: "nominatednode"}, {Name: "dynamicresources"},
		{Name: "nodeplacement", Arguments: map[string]string{"cpu": "binpack", "gpu": "binpack"}}, {Name: "minruntime"}, {Name: "topology"}}
}
