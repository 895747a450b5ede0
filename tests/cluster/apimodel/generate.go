package apimodel

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"strings"
)

// generator makes operations by chance, few names, so that they meet. It does not know what becomes of them: half of
// them follow an object through the life it has in a cluster, the others disturb.
type generator struct {
	*rand.Rand
	stage map[string]int // by object: how far its life is
}

// Generate makes the operations of a seed.
func Generate(seed uint64, count int) []Op {
	g := &generator{rand.New(rand.NewPCG(seed, 13)), map[string]int{}}
	ops := make([]Op, count)
	for i := range ops {
		ops[i] = g.next()
	}
	return ops
}

func (g *generator) chance(percent int) bool { return g.IntN(100) < percent }

func pick[T any](g *generator, of ...T) T { return of[g.IntN(len(of))] }

func (g *generator) next() Op {
	switch at := g.IntN(100); {
	case at < 36:
		return g.pod(fmt.Sprintf("p%d", g.IntN(3)))
	case at < 68:
		return g.claim(fmt.Sprintf("c%d", g.IntN(3)))
	case at < 75:
		return g.budget(fmt.Sprintf("b%d", g.IntN(2)))
	case at < 80:
		return g.shared()
	default:
		return g.cluster()
	}
}

// op is one about an object, with more members.
func op(what, kind, name string, more m) Op {
	made := Op{"op": what, "kind": kind, "name": name}
	if strings.Contains(collections[kind], "/namespaces/") {
		made["namespace"] = Namespace
	}
	maps.Copy(made, more)
	return made
}

func patch(kind, name string, change m) Op { return op("Patch", kind, name, m{"patch": change}) }

func patchStatus(kind, name string, status m) Op {
	return op("Patch", kind, name, m{"status": true, "patch": m{"status": status}})
}

// advance is how far an object's life of so many steps is, and moves it on; a new one begins where it ends.
func (g *generator) advance(key string, steps int) int {
	stage := g.stage[key]
	g.stage[key] = (stage + 1) % steps
	return stage
}

func (g *generator) create(kind, name string, change func(object m)) Op {
	made := object(kind, name)
	if change != nil {
		change(made)
	}
	return op("Create", kind, name, m{"object": made})
}

// uid of an object, mostly the one that is there now.
func (g *generator) uid(kind, name string) string {
	switch at := g.IntN(100); {
	case at < 88:
		return fmt.Sprintf("$uid:%s/%s", kind, name)
	case at < 96:
		return fmt.Sprintf("$uid-1:%s/%s", kind, name)
	default:
		return noUID
	}
}

// version of an object, mostly the one that is there now.
func (g *generator) version(kind, name string) string {
	switch at := g.IntN(100); {
	case at < 80:
		return fmt.Sprintf("$rv:%s/%s", kind, name)
	case at < 92:
		return fmt.Sprintf("$rv-1:%s/%s", kind, name)
	case at < 97:
		return fmt.Sprintf("$rv-3:%s/%s", kind, name)
	default:
		return ""
	}
}

// touch changes, or does not change, what nobody depends on.
func (g *generator) touch(kind, name string) Op {
	meta := m{}
	switch g.IntN(4) {
	case 0:
		meta["labels"] = m{"app": pick(g, "guarded", "free")}
	case 1:
		meta["annotations"] = m{"touched": nil}
	default:
		meta["annotations"] = m{"touched": pick(g, "once", "twice")}
	}
	if g.chance(30) {
		if version := g.version(kind, name); version != "" {
			meta["resourceVersion"] = version
		}
	}
	made := patch(kind, name, m{"metadata": meta})
	if (kind == "Pod" || kind == "ResourceClaim") && g.chance(15) {
		made["status"] = true // through the other endpoint
	}
	return made
}

func (g *generator) finalizers(kind, name string, own ...string) Op {
	choice := append([]string{"example.com/hold"}, own...)
	set := list{}
	for _, each := range choice {
		if g.chance(40) {
			set = append(set, each)
		}
	}
	return patch(kind, name, m{"metadata": m{"finalizers": set}})
}

func (g *generator) drop(kind, name string) Op {
	made := op("Delete", kind, name, nil)
	if g.chance(40) {
		made["uid"] = g.uid(kind, name)
	}
	if g.chance(25) {
		if version := g.version(kind, name); version != "" {
			made["expected"] = version
		}
	}
	if kind == "Pod" && g.chance(60) {
		made["graceSeconds"] = pick(g, 0, 0, 0, 5, 60)
	}
	return made
}

// ---- Budgets, the Lease and the ConfigMap, nodes and devices

// life begins with an object's creation and ends with its deletion, after so many steps; between them, and sometimes
// out of turn, comes what `other` makes.
func (g *generator) life(kind, name string, steps int, create, other func() Op) Op {
	if g.chance(80) {
		switch g.advance(kind+"/"+name, steps) {
		case 0:
			return create()
		case steps - 1:
			return op("Delete", kind, name, nil)
		}
		return other()
	}
	switch g.IntN(3) {
	case 0:
		return create()
	case 1:
		return g.drop(kind, name)
	}
	return other()
}

func (g *generator) plain(kind, name string) func() Op {
	return func() Op { return g.create(kind, name, nil) }
}

func (g *generator) budget(name string) Op {
	kind := "PodDisruptionBudget"
	create := func() Op {
		return g.create(kind, name, func(made m) { made["status"] = m{"disruptionsAllowed": 2} }) // which is not taken
	}
	return g.life(kind, name, 6, create, func() Op {
		if g.chance(20) {
			return g.touch(kind, name)
		}
		// The disruption controller, which says of which generation it speaks. (It allows one at least, so that the
		// budget changes in the model too, which knows no more of its status; and where no pod has to be healthy, those
		// that are not ready need the budget like others.)
		return patchStatus(kind, name, m{"disruptionsAllowed": 1 + g.IntN(2), "observedGeneration": 1, "desiredHealthy": 0})
	})
}

func (g *generator) shared() Op {
	kind, name := "Lease", "dray"
	if g.chance(40) {
		kind = "ConfigMap"
	}
	put := func(expected string) Op {
		value := object(kind, name)
		if kind == "Lease" {
			value["spec"].(m)["holderIdentity"] = pick(g, "one", "another")
			value["spec"].(m)["renewTime"] = pick(g, "2026-01-02T03:04:05.000006Z", "2026-01-02T03:04:06.000007Z")
		} else {
			value["data"] = m{"usage": pick(g, "1", "2")}
		}
		return op("Put"+kind, kind, name, m{"object": value, "expected": expected})
	}
	return g.life(kind, name, 12, func() Op { return put("") }, func() Op {
		if g.chance(20) {
			return op("Read"+kind, kind, name, nil)
		}
		return put(g.version(kind, name))
	})
}

func (g *generator) cluster() Op {
	switch g.IntN(4) {
	case 0, 1:
		return g.node(node(g.IntN(2)))
	case 2:
		return g.slice(fmt.Sprintf("%s-s%d", Namespace, g.IntN(2)))
	}
	return g.rarely(pick(g, "ResourceClaimTemplate", "DeviceClass", "DeviceTaintRule", "PriorityClass"))
}

// rarely is about what is made by administrators.
func (g *generator) rarely(kind string) Op {
	name := Namespace + "-gpu"
	if kind == "ResourceClaimTemplate" {
		name = "t0"
	}
	return g.life(kind, name, 5, g.plain(kind, name), func() Op {
		if g.chance(40) {
			return g.touch(kind, name)
		}
		switch kind {
		case "DeviceClass":
			return patch(kind, name, m{"spec": m{"selectors": list{m{"cel": m{"expression": pick(g, "true", "!false")}}}}})
		case "DeviceTaintRule":
			return patch(kind, name, m{"spec": m{"taint": m{"effect": pick(g, "NoSchedule", "NoExecute")}}})
		case "PriorityClass":
			return patch(kind, name, m{"value": pick(g, 7, 8)})
		default:
			return patch(kind, name, m{"spec": m{"spec": claimSpec(pick(g, "1", "2"))}})
		}
	})
}

func (g *generator) node(name string) Op {
	return g.life("Node", name, 7, g.plain("Node", name), func() Op {
		switch g.IntN(5) {
		case 0:
			return patch("Node", name, m{"spec": m{"unschedulable": pick(g, any(true), any(nil))}})
		case 1:
			taint := m{"key": "broken", "effect": pick(g, "NoSchedule", "PreferNoSchedule")}
			return patch("Node", name, m{"spec": m{"taints": pick(g, list{taint}, list{})}})
		case 2:
			return patchStatus("Node", name, m{"conditions": list{m{"type": "Ready", "status": pick(g, "True", "False")}}})
		case 3:
			return patchStatus("Node", name, m{"allocatable": m{"cpu": pick(g, "8", "4")}})
		default:
			return g.touch("Node", name)
		}
	})
}

func (g *generator) slice(name string) Op {
	kind := "ResourceSlice"
	pool := func(name string) m {
		return m{"pool": m{"name": name, "generation": g.IntN(3), "resourceSliceCount": 1}}
	}
	return g.life(kind, name, 7, g.plain(kind, name), func() Op {
		switch g.IntN(8) {
		case 0, 1:
			device := m{"name": pick(g, "gpu-0", "gpu-9")}
			if g.chance(40) {
				device["taints"] = list{m{"key": "broken", "effect": pick(g, "NoSchedule", "NoExecute")}}
			}
			return patch(kind, name, m{"spec": m{"devices": list{device}}})
		case 2, 3:
			return patch(kind, name, m{"spec": pool(node(0))})
		case 4:
			return patch(kind, name, m{"spec": pool(node(1))})
		case 5:
			return patch(kind, name, m{"spec": m{"driver": pick(g, driver, "other.example.com")}})
		case 6:
			return patch(kind, name, m{"spec": m{"nodeName": pick(g, node(0), node(1))}})
		default:
			return g.touch(kind, name)
		}
	})
}
