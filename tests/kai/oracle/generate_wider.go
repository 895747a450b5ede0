package oracle

import (
	"fmt"
	"math/rand/v2"

	"dray.dev/dray/tests/kai/cluster"
)

// kinds of clusters that Generate does not make.
var kinds = []struct {
	name string
	make func(*generator)
}{
	{"subgroups", (*generator).trees},
	{"not ready", (*generator).brokenNodes},
	{"fractions", (*generator).fractions},
	{"three queues", (*generator).threeQueues},
}

// GenerateWider makes the case of a seed, of one kind after the other: gangs of trees of subgroups with minSubGroup, nodes that
// are not ready, fractions of GPUs about the bounds of their queues, and victims that move where a third queue's jobs run.
func GenerateWider(seed uint64) cluster.Case {
	kind := kinds[seed%uint64(len(kinds))]
	g := &generator{Rand: rand.New(rand.NewPCG(seed, 0x77696465)), free: map[string]float64{}, cores: map[string]float64{}}
	g.c = cluster.Case{ID: fmt.Sprintf("wider-%d", seed), Suite: "action", Actions: cluster.AllActions,
		Rounds: cluster.Rounds{UntilMatch: 1},
		Config: cluster.Config{MaxConsolidationPreemptees: -1, StalenessGraceSec: 60, MinNodeGPUMemoryMiB: 100}}
	g.plugins()
	kind.make(g)
	return g.c
}

// trees: jobs whose pods are in subgroups, or in subgroups of these, of which all have to run.
func (g *generator) trees() {
	g.nodes()
	g.queues()
	for i := range 2 + g.IntN(5) {
		g.job(false)
		j := &g.c.Jobs[len(g.c.Jobs)-1]
		if len(j.Tasks) > 1 {
			g.tree(j)
		}
		if i > 0 && g.chance(50) {
			g.place(j, len(j.Tasks))
		}
	}
}

// tree: the first pods in subgroup a, the others in b, or in two subgroups of it.
func (g *generator) tree(j *cluster.Job) {
	leaf := func(name string, pods []cluster.Task) cluster.Gang {
		for i := range pods {
			pods[i].SubGroup = name + "-pods"
		}
		return cluster.Gang{Name: name, PodSets: []cluster.PodSet{{Name: name + "-pods", MinMember: int32(len(pods))}}}
	}
	all := func(count int) *int { return &count }
	first := 1 + g.IntN(len(j.Tasks)-1)
	rest := j.Tasks[first:]
	b := leaf("b", rest)
	if len(rest) > 1 && g.chance(50) {
		b = cluster.Gang{Name: "b", MinSubGroup: all(2), SubGroups: []cluster.Gang{leaf("c", rest[:1]), leaf("d", rest[1:])}}
	}
	j.Gang = cluster.Gang{MinSubGroup: all(2), SubGroups: []cluster.Gang{leaf("a", j.Tasks[:first]), b}}
}

// brokenNodes: what is there, with a node or two that are not ready; what runs there goes on running.
func (g *generator) brokenNodes() {
	g.nodes()
	g.queues()
	for range 1 + g.IntN(5) {
		g.job(true)
	}
	for range 2 + g.IntN(4) {
		g.job(false)
	}
	for range 1 + g.IntN(2) {
		g.c.Nodes[g.IntN(len(g.c.Nodes))].NotReady = true
	}
	if g.chance(30) {
		return
	}
	// Without quotas, shares are parts of what there is: by what is not ready queues would have too much.
	for i := range g.c.Queues {
		g.c.Queues[i].GPU = cluster.Share{Limit: -1, OverQuotaWeight: 1}
	}
}

// fractions: queues whose bounds are halves of GPUs, and pods that ask for halves. They wait: where what runs is shared already, KAI
// and dray choose among GPUs of which other parts are free.
func (g *generator) fractions() {
	half := func(most int) float64 { return float64(g.IntN(2*most+1)) / 2 }
	g.c.Actions = cluster.AllActions[:1]
	g.nodes()
	g.queues()
	total := g.total()
	for i := range g.c.Queues {
		share := &g.c.Queues[i].GPU
		if share.Deserved >= 0 {
			share.Deserved = half(total)
		}
		if g.chance(50) {
			share.Limit = half(total)
		}
	}
	for range 2 + g.IntN(6) {
		g.job(false)
		j := &g.c.Jobs[len(g.c.Jobs)-1]
		for i := range j.Tasks {
			t := &j.Tasks[i]
			t.GPU = cluster.GPU{Type: "Fraction", GPUs: 0.5, Quota: 0.5, Devices: 1, Portion: 0.5}
			t.Requests["gpu"] = 0.5
		}
	}
}

// threeQueues: a full cluster of queues beside each other; one is owed what both others have.
func (g *generator) threeQueues() {
	g.nodes()
	total := g.total()
	unlimited := cluster.Share{Deserved: -1, Limit: -1, OverQuotaWeight: 1}
	g.c.Queues = []cluster.Queue{{Name: "department0", Priority: 100, GPU: unlimited, CPU: unlimited, Memory: unlimited}}
	for i := range 3 {
		deserved := g.IntN(total/3 + 1)
		if i == 0 {
			deserved = total - 2*(total/3)
		}
		g.c.Queues = append(g.c.Queues, cluster.Queue{Name: fmt.Sprintf("queue%d", i), Parent: "department0", Priority: 100,
			CreatedMin: float64(i), CPU: unlimited, Memory: unlimited,
			GPU: cluster.Share{Deserved: float64(deserved), Limit: -1, OverQuotaWeight: float64(1 + g.IntN(2))}})
	}
	for range 12 {
		g.job(true)
		j := &g.c.Jobs[len(g.c.Jobs)-1]
		if j.Queue == "queue0" || j.Tasks[0].Status == "Pending" {
			g.c.Jobs = g.c.Jobs[:len(g.c.Jobs)-1] // the others' jobs run
		}
	}
	for range 1 + g.IntN(2) {
		g.job(false)
		g.c.Jobs[len(g.c.Jobs)-1].Queue = "queue0"
	}
	if g.chance(40) {
		g.job(false)
	}
}
