package apimodel

import (
	"fmt"
	"math/rand/v2"
)

// GenerateControlled makes operations of a seed for PlayControlled: pods with claims from templates and with claims of
// others, through their lives and out of turn.
func GenerateControlled(seed uint64, count int) []Op {
	g := &generator{rand.New(rand.NewPCG(seed, 14)), map[string]int{}}
	ops := []Op{g.create("ResourceClaimTemplate", "t0", nil), g.create("ResourceClaim", "c0", nil)}
	for len(ops) < count {
		ops = append(ops, g.controlled())
	}
	return ops[:count]
}

func (g *generator) controlled() Op {
	name := g.somePod()
	if g.chance(60) {
		return g.step(name)
	}
	switch g.IntN(14) {
	case 0:
		return g.create("ResourceClaimTemplate", pick(g, "t0", "t1"), nil)
	case 1:
		return op("Delete", "ResourceClaimTemplate", pick(g, "t0", "t1", "t1"), nil)
	case 2:
		return g.create("ResourceClaim", "c0", nil)
	case 3:
		// Not of one that the controller made: whether it makes another at once, or believes in the first for an hour, is
		// chance (what its informer knew when it looked last).
		return op("Delete", "ResourceClaim", "c0", nil)
	case 4:
		// For the pod that uses it: where it is given to one that is gone, and the pod that uses it runs, it is chance which
		// of the two the controller sees first.
		return g.give("c0", "c0", sharer)
	case 5:
		return op("ReserveClaim", "ResourceClaim", "c0", m{"uid": "$uid:ResourceClaim/c0", "expected": "$rv:ResourceClaim/c0",
			"consumer": consumer(name, "$uid:Pod/"+name)})
	case 6:
		return op("ReleaseClaim", "ResourceClaim", "c0", m{"uid": "$uid:ResourceClaim/c0", "consumer": "$uid:Pod/" + name})
	case 7:
		claim := name + "-a"
		return op("ReleaseClaim", "ResourceClaim", "$claim:"+claim, m{"uid": "$uid:ResourceClaim/" + claim,
			"consumer": "$uid:Pod/" + name, "deallocate": g.chance(50)})
	case 8:
		return g.deletePod(name)
	case 9:
		return op("EvictPod", "Pod", name, m{"uid": "$uid:Pod/" + name})
	case 10:
		return g.end(name)
	case 11:
		return patch("ResourceClaim", pick(g, "c0", "$claim:"+name+"-a"), m{"metadata": m{"annotations": m{
			"touched": fmt.Sprint(g.IntN(100))}}})
	case 12:
		return op("ProtectClaim", "ResourceClaim", "c0", m{"uid": "$uid:ResourceClaim/c0", "expected": "$rv:ResourceClaim/c0"})
	default:
		return patch("Pod", sharer, m{"metadata": m{"finalizers": pick(g, any(nil), any(list{"example.com/hold"}))}})
	}
}

// step is the next in the life of a pod with claims.
func (g *generator) step(name string) Op {
	switch g.advance(name, 9) {
	case 0:
		return g.podWithClaims(name)
	case 1:
		return g.give("$claim:"+name+"-a", name+"-a", name)
	case 2:
		return op("LiftGate", "Pod", name, m{"uid": "$uid:Pod/" + name, "annotations": m{"dray.dev/reservation": node(0)}})
	case 3:
		return op("BindPod", "Pod", name, m{"uid": "$uid:Pod/" + name, "node": node(0)})
	case 4:
		return g.give("$claim:"+name+"-b", name+"-b", name)
	case 5:
		return g.run(name)
	case 6:
		if g.chance(50) {
			return g.end(name)
		}
		return op("Delete", "Pod", name, m{"graceSeconds": 30})
	case 7:
		return patch("Pod", name, m{"metadata": m{"finalizers": nil}})
	default:
		return g.deletePod(name)
	}
}

func (g *generator) deletePod(name string) Op {
	g.stage["finished "+name] = 0
	return op("Delete", "Pod", name, m{"graceSeconds": 0})
}

// sharer uses a claim that others use too, and finisher no more than one. Others do not finish while they are there: what
// the controller does then has no end but by chance (kubernetes/kubernetes issue 141274 for a shared claim; of two that
// it made, each is made anew while the other goes).
const sharer, finisher = "p2", "p0"

func (g *generator) end(name string) Op {
	if name != finisher {
		return g.phase(name, "Running")
	}
	g.stage["finished "+name] = 1
	return g.phase(name, pick(g, "Succeeded", "Failed"))
}

// run is the kubelet's word, who never says it of a pod that has finished.
func (g *generator) run(name string) Op {
	if g.stage["finished "+name] > 0 {
		return g.end(name)
	}
	return g.phase(name, "Running")
}

func (g *generator) podWithClaims(name string) Op {
	return g.create("Pod", name, func(made m) {
		spec := podSpec(pick(g, "dray-scheduler", "dray-scheduler", "default-scheduler"))
		entries := list{m{"name": "a", "resourceClaimTemplateName": "t0"}}
		if name != finisher && g.chance(40) {
			entries = append(entries, m{"name": "b", "resourceClaimTemplateName": pick(g, "t0", "t1")})
		}
		if name == sharer {
			entries = append(entries, m{"name": "shared", "resourceClaimName": "c0"})
		}
		spec["resourceClaims"] = entries
		made["spec"] = spec
	})
}

// give allocates a claim, mostly for a pod that uses it.
func (g *generator) give(name, key, pod string) Op {
	made := op("AllocateClaim", "ResourceClaim", name, m{"uid": "$uid:ResourceClaim/" + key,
		"expected": "$rv:ResourceClaim/" + key, "allocation": allocation("gpu", g.IntN(2), 0)})
	if g.chance(80) {
		made["reservedFor"] = list{consumer(pod, "$uid:Pod/"+pod)}
	}
	return made
}
