package oracle

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"dray.dev/dray/tests/kai/cluster"
)

const (
	trainPriority = 50
	buildPriority = 100
	core          = 1000.0 // millicores
	gigabyte      = 1e9
)

// generator makes one case: a small cluster, on which queues compete.
type generator struct {
	*rand.Rand
	c     cluster.Case
	free  map[string]float64 // GPUs by node
	cores map[string]float64 // millicores by node
	cpu   bool               // CPU is scarce
	racks bool               // there is a topology
	made  int                // jobs
}

// Generate makes the case of a seed, without what is expected. GPUs are whole: of parts of GPUs this version of KAI and dray
// decide too many cases otherwise to tell why.
func Generate(seed uint64) cluster.Case {
	g := &generator{Rand: rand.New(rand.NewPCG(seed, 0x6b6169)), free: map[string]float64{}, cores: map[string]float64{}}
	g.cpu, g.racks = g.chance(20), g.chance(20)
	g.c = cluster.Case{ID: fmt.Sprintf("seed-%d", seed), Suite: "action", Actions: cluster.AllActions,
		Rounds: cluster.Rounds{UntilMatch: 1},
		Config: cluster.Config{MaxConsolidationPreemptees: -1, StalenessGraceSec: 60, MinNodeGPUMemoryMiB: 100}}
	switch g.IntN(10) {
	case 0, 1:
		// No other action comes without the first: each takes it that what has room was started.
		g.c.Actions = cluster.AllActions[:1]
		if g.chance(75) {
			g.c.Actions = []string{"allocate", pick(g, "consolidation", "reclaim", "preempt")}
		}
	case 2, 3, 4:
		g.c.Suite = "cycle"
	}
	g.plugins()
	g.nodes()
	g.queues()
	for range 1 + g.IntN(5) {
		g.job(true)
	}
	for range 1 + g.IntN(4) {
		g.job(false)
	}
	return g.c
}

func (g *generator) chance(percent int) bool { return g.IntN(100) < percent }

func pick[T any](g *generator, from ...T) T { return from[g.IntN(len(from))] }

func (g *generator) plugins() {
	for _, plugin := range cluster.DefaultPlugins() {
		if plugin.Name == "nodeplacement" && g.chance(15) {
			plugin.Arguments = map[string]string{"cpu": "spread", "gpu": "spread"}
		}
		g.c.Config.Plugins = append(g.c.Config.Plugins, plugin)
	}
}

func (g *generator) nodes() {
	gpus := pick(g, 1, 2, 2, 4, 4, 8)
	if g.racks {
		g.c.Topologies = []cluster.Topology{{Name: "tree", Levels: []cluster.Level{{NodeLabel: "zone"}, {NodeLabel: "rack"}}}}
	}
	for i := range 1 + g.IntN(4) {
		name := fmt.Sprintf("node%d", i)
		if g.chance(15) {
			gpus = pick(g, 0, 1, 2, 4, 8)
		}
		cores := 20000 * core
		if g.cpu {
			cores = pick(g, 4.0, 8, 16) * core
		}
		made := cluster.Node{Name: name, GPUMemoryMiB: 100, MigStrategy: "none",
			Allocatable: map[string]float64{"cpu": cores, "memory": 2000 * gigabyte, "gpu": float64(gpus), "pods": 110}}
		if g.racks {
			rack := g.IntN(3)
			made.Labels = map[string]string{"zone": fmt.Sprintf("z%d", rack/2), "rack": fmt.Sprintf("r%d", rack)}
		}
		g.c.Nodes = append(g.c.Nodes, made)
		g.free[name], g.cores[name] = float64(gpus), cores
	}
}

func (g *generator) total() int {
	sum := 0.0
	for i := range g.c.Nodes {
		sum += g.c.Nodes[i].Allocatable["gpu"]
	}
	return int(sum)
}

// queues are two levels, as this version of KAI wants them.
func (g *generator) queues() {
	unlimited := cluster.Share{Deserved: -1, Limit: -1, OverQuotaWeight: 1}
	departments := pick(g, 1, 1, 2)
	for i := range departments {
		made := cluster.Queue{Name: fmt.Sprintf("department%d", i), Priority: 100, CreatedMin: float64(i), GPU: unlimited, CPU: unlimited,
			Memory: unlimited}
		if departments > 1 || g.chance(20) {
			made.GPU = g.share()
		}
		g.c.Queues = append(g.c.Queues, made)
	}
	for i := range 1 + g.IntN(3) {
		made := cluster.Queue{Name: fmt.Sprintf("queue%d", i), Parent: fmt.Sprintf("department%d", g.IntN(departments)), Priority: 100,
			CreatedMin: float64(i), GPU: g.share(), CPU: unlimited, Memory: unlimited}
		if g.chance(15) {
			made.Priority = pick(g, 50, 101, 200)
		}
		if g.cpu && g.chance(40) {
			made.CPU = cluster.Share{Deserved: float64(g.IntN(12)) * core, Limit: -1, OverQuotaWeight: float64(g.IntN(3))}
		}
		g.c.Queues = append(g.c.Queues, made)
	}
}

func (g *generator) share() cluster.Share {
	total := g.total()
	made := cluster.Share{Deserved: float64(g.IntN(total + 1)), Limit: -1, OverQuotaWeight: float64(pick(g, 0, 1, 1, 1, 2, 3))}
	if g.chance(10) {
		made.Deserved = -1
	}
	if g.chance(15) {
		made.Limit = float64(g.IntN(total + 2))
	}
	return made
}

func (g *generator) leaf() string {
	var leaves []string
	for _, q := range g.c.Queues {
		if q.Parent != "" {
			leaves = append(leaves, q.Name)
		}
	}
	return pick(g, leaves...)
}

// job adds one; of one that runs, those that find room do, as far as it is a gang at all of them or none.
func (g *generator) job(runs bool) {
	name := fmt.Sprintf("job%d", g.made)
	g.made++
	made := cluster.Job{Name: name, Queue: g.leaf(), Priority: pick[int32](g, trainPriority, trainPriority, trainPriority, 49, 75, buildPriority, 125),
		CreatedMin: float64(g.made - 20)}
	made.Preemptibility = "preemptible"
	if made.Priority >= buildPriority {
		made.Preemptibility = "non-preemptible"
	}
	if g.chance(5) {
		made.Preemptibility = pick(g, "preemptible", "non-preemptible")
	}
	pods := pick(g, 1, 1, 1, 2, 2, 3, 4)
	minimum := pods
	if pods > 1 && g.chance(40) {
		minimum = 1 + g.IntN(pods)
	}
	template := g.task()
	for i := range pods {
		t := template
		t.UID = fmt.Sprintf("%s-%d", name, i)
		t.Name = t.UID
		made.Tasks = append(made.Tasks, t)
	}
	g.gang(&made, minimum)
	if runs {
		g.place(&made, minimum)
	}
	g.c.Jobs = append(g.c.Jobs, made)
}

func (g *generator) task() cluster.Task {
	gpus := float64(pick(g, 0, 1, 1, 1, 1, 2, 2, 3, 4, 8))
	if most := g.largest(); gpus > most && g.chance(80) {
		gpus = max(1, most)
	}
	cores := core
	if g.cpu {
		cores = pick(g, 1.0, 1, 2, 4) * core
		// Where pods without GPUs compete for cores, KAI and dray rank nodes with releasing cores differently.
		gpus = max(gpus, 1)
	}
	made := cluster.Task{Status: "Pending", Requests: map[string]float64{"cpu": cores, "memory": gigabyte, "gpu": gpus},
		GPU: cluster.GPU{Type: "Regular", GPUs: gpus, Quota: gpus}}
	return made
}

func (g *generator) largest() float64 {
	most := 0.0
	for i := range g.c.Nodes {
		most = max(most, g.c.Nodes[i].Allocatable["gpu"])
	}
	return most
}

// gang has one set of pods, or two.
func (g *generator) gang(j *cluster.Job, minimum int) {
	constraint := func() *cluster.Constraint {
		if !g.racks || g.chance(50) {
			return nil
		}
		made := &cluster.Constraint{Topology: "tree"}
		// Nothing above the lowest level is required alone: where all nodes that come into question share a lower domain,
		// this version of KAI counts what is free there and not above, and finds no domain.
		switch g.IntN(3) {
		case 0:
			made.Required = "rack"
		case 1:
			made.Preferred = "rack"
		case 2:
			made.Required, made.Preferred = "zone", "rack"
		}
		return made
	}
	j.Gang.Constraint = constraint()
	if len(j.Tasks) < 2 || g.chance(85) {
		j.Gang.PodSets = []cluster.PodSet{{Name: "default", MinMember: int32(minimum)}}
		return
	}
	first := 1 + g.IntN(len(j.Tasks)-1)
	for i := range j.Tasks {
		j.Tasks[i].SubGroup = "a"
		if i >= first {
			j.Tasks[i].SubGroup = "b"
		}
	}
	j.Gang.PodSets = []cluster.PodSet{{Name: "a", MinMember: int32(1 + g.IntN(first))},
		{Name: "b", MinMember: int32(1 + g.IntN(len(j.Tasks)-first))}}
}

// place lets tasks of a job run where there is room; of a gang all, of another at least the minimum, or none.
func (g *generator) place(j *cluster.Job, minimum int) {
	wanted := len(j.Tasks)
	if minimum < wanted && len(j.Gang.PodSets) == 1 && g.chance(30) {
		wanted = minimum
	}
	started := 0
	for i := range wanted {
		if g.hasRoom(j, &j.Tasks[i]) && g.start(&j.Tasks[i]) {
			started++
		} else {
			break
		}
	}
	least := minimum
	if len(j.Gang.PodSets) > 1 {
		least = len(j.Tasks)
	}
	if started < least {
		for i := range j.Tasks {
			g.stop(&j.Tasks[i])
		}
		return
	}
	minute := -1.0
	j.LastStartMin = &minute
}

// hasRoom: what runs is within the limits of queues. Of a queue above its limit dray makes room for a pod by victims on
// one node only; KAI looks further, and starts pods while an outer queue is still above its limit.
func (g *generator) hasRoom(j *cluster.Job, t *cluster.Task) bool {
	b := booksOf(&g.c)
	for i := range g.c.Jobs {
		b.addRunning(&g.c.Jobs[i])
	}
	b.addRunning(j)
	b.add(j, t)
	return !slices.ContainsFunc(b.path(j.Queue), func(q *cluster.Queue) bool { return !b.all[q.Name].within(q.GPU.Limit, q.CPU.Limit) })
}

func (g *generator) start(t *cluster.Task) bool {
	for _, i := range g.Perm(len(g.c.Nodes)) {
		node := g.c.Nodes[i].Name
		if g.cores[node] < t.Requests["cpu"] || g.free[node] < t.GPU.GPUs {
			continue
		}
		g.cores[node] -= t.Requests["cpu"]
		g.free[node] -= t.GPU.GPUs
		t.Status, t.Node = "Running", node
		return true
	}
	return false
}

func (g *generator) stop(t *cluster.Task) {
	if t.Node == "" {
		return
	}
	g.cores[t.Node] += t.Requests["cpu"]
	g.free[t.Node] += t.GPU.GPUs
	t.Status, t.Node = "Pending", ""
}
