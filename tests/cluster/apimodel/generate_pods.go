package apimodel

import (
	"fmt"
	"strconv"
)

// The life of a pod, step by step; a new one begins where it ends.
const podSteps = 8

func (g *generator) pod(name string) Op {
	if g.chance(50) {
		return g.disturbPod(name)
	}
	switch g.advance("Pod/"+name, podSteps) {
	case 0:
		return g.makePod(name)
	case 1:
		return g.reference(name)
	case 2:
		if name == "p2" {
			return patch("Pod", name, m{"spec": m{"schedulingGates": list{}}})
		}
		return g.lift(name)
	case 3:
		return g.bind(name)
	case 4:
		return g.phase(name, "Running")
	case 5:
		return g.evict(name)
	case 6:
		return op("Delete", "Pod", name, m{"graceSeconds": 0})
	default:
		return patch("Pod", name, m{"metadata": m{"finalizers": nil}})
	}
}

func (g *generator) makePod(name string) Op {
	return g.create("Pod", name, func(made m) {
		// p2 is another scheduler's, and waits for another gate.
		spec := podSpec("dray-scheduler")
		if name == "p2" {
			spec = podSpec("default-scheduler")
		}
		if name == "p2" || g.chance(10) {
			spec["schedulingGates"] = list{m{"name": "example.com/wait"}}
		}
		if g.chance(5) {
			spec["nodeName"] = node(0) // with a gate that is refused
		}
		if g.chance(40) {
			spec["resourceClaims"] = list{m{"name": "a", "resourceClaimName": "c" + strconv.Itoa(g.IntN(3))},
				m{"name": "b", "resourceClaimTemplateName": "t0"}}
		}
		if g.chance(30) {
			spec["nodeSelector"] = m{"zone": "a"}
		}
		if g.chance(40) {
			spec["affinity"] = g.affinity()
		}
		made["spec"] = spec
		meta := made["metadata"].(m)
		meta["labels"] = m{"app": pick(g, "guarded", "guarded", "free")}
		if g.chance(20) {
			meta["finalizers"] = list{"example.com/hold"}
		}
		if g.chance(15) {
			meta["annotations"] = m{"gpu-fraction": "0.5", "gpu-fraction-container-name": "main"}
		}
	})
}

func (g *generator) named(what, name string, more m) Op {
	made := op(what, "Pod", name, more)
	made["uid"] = g.uid("Pod", name)
	return made
}

// reference is a reservation hint, which dray alone may write.
func (g *generator) reference(name string) Op {
	return g.named("AnnotatePod", name, m{"annotations": m{"dray.dev/reservation": pick(g, node(0), node(1))}})
}

func (g *generator) lift(name string) Op {
	return g.named("LiftGate", name, m{"annotations": m{"dray.dev/reservation": pick(g, node(0), node(1))}})
}

func (g *generator) bind(name string) Op {
	made := g.named("BindPod", name, m{"node": pick(g, node(0), node(0), node(1))})
	if version := g.version("Pod", name); version != "" && g.chance(70) {
		made["expected"] = version
	}
	return made
}

func (g *generator) evict(name string) Op {
	return g.named("EvictPod", name, m{"dryRun": g.chance(30)})
}

// phase is the kubelet's word.
func (g *generator) phase(name, phase string) Op {
	ready := "False"
	if phase == "Running" && g.chance(80) {
		ready = "True"
	}
	return patchStatus("Pod", name, m{"phase": phase, "conditions": list{
		m{"type": "Ready", "status": ready, "lastTransitionTime": "2026-01-02T03:04:05Z"}}})
}

func (g *generator) condition(name string) Op {
	condition := m{"type": pick(g, "DrayAdmitted", "DrayAdmitted", "PodScheduled"), "status": pick(g, "True", "False")}
	if g.chance(80) {
		condition["reason"] = pick(g, "Waiting", "Unfit")
		condition["message"] = pick(g, "waits for devices", "2 devices are free, 4 are asked for")
	}
	if g.chance(70) {
		condition["lastTransitionTime"] = pick(g, "2026-01-02T03:04:05Z", "2026-02-03T04:05:06Z")
	}
	return g.named("SetPodCondition", name, m{"condition": condition})
}

func (g *generator) nominate(name string) Op {
	made := g.named("NominateNode", name, nil)
	if g.chance(60) {
		made["node"] = pick(g, node(0), node(1))
	}
	return made
}

func (g *generator) disturbPod(name string) Op {
	switch g.IntN(20) {
	case 0:
		return g.makePod(name)
	case 1:
		return g.touch("Pod", name)
	case 2, 3:
		return g.lift(name)
	case 4, 5:
		return g.bind(name)
	case 6:
		return g.evict(name)
	case 7, 8:
		return g.condition(name)
	case 9:
		return g.nominate(name)
	case 10:
		return g.named("NameExtendedClaim", name, m{"claim": "c" + strconv.Itoa(g.IntN(3))})
	case 11:
		return op("ReadPod", "Pod", name, nil)
	case 12:
		return g.named("RecordEvent", name, m{"event": m{"type": "Normal", "reason": "DrayBound", "action": "Binding",
			"note": "bound to " + node(0)}})
	case 13:
		return g.phase(name, pick(g, "Running", "Succeeded", "Failed"))
	case 14:
		return g.finalizers("Pod", name)
	case 15:
		return g.drop("Pod", name)
	case 16, 17:
		return g.podSpecPatch(name)
	case 18:
		return g.claimStatuses(name)
	default:
		return g.schedulerStatus(name)
	}
}

// podSpecPatch tries what may change in a pod's spec, and what may not. (The installed policies let nobody but dray take
// its gate off, which the model leaves to them: a list without it comes for a pod of another scheduler only.)
func (g *generator) podSpecPatch(name string) Op {
	spec := m{}
	switch g.IntN(8) {
	case 0:
		spec["nodeSelector"] = m{pick(g, "zone", "rack"): pick(g, "a", "b")}
	case 1:
		tolerations := podSpec("")["tolerations"].(list)
		spec["tolerations"] = append(tolerations, m{"key": "broken", "operator": "Exists", "effect": "NoSchedule"})
	case 2:
		spec["tolerations"] = podSpec("")["tolerations"] // without that one
	case 3:
		spec["nodeName"] = node(1)
	case 4:
		if name == "p2" {
			spec["schedulingGates"] = pick(g, list{}, list{m{"name": "example.com/wait"}}, list{m{"name": "example.com/late"}})
		} else {
			spec["schedulingGates"] = list{m{"name": "dray.dev/admission"}, m{"name": "example.com/late"}}
		}
	default:
		spec["affinity"] = g.affinity()
	}
	return patch("Pod", name, m{"spec": spec})
}

// affinity has terms that begin alike: some of them are narrower than others.
func (g *generator) affinity() m {
	terms := list{}
	for range 1 + g.IntN(4)/3 {
		expressions := list{m{"key": "zone", "operator": "In", "values": list{"a"}}, m{"key": "rack", "operator": "Exists"}}
		term := m{"matchExpressions": expressions[:g.IntN(3)]}
		if g.chance(30) {
			term["matchFields"] = onNode(g.IntN(2))["nodeSelectorTerms"].(list)[0].(m)["matchFields"]
		}
		terms = append(terms, term)
	}
	return m{"nodeAffinity": m{"requiredDuringSchedulingIgnoredDuringExecution": m{"nodeSelectorTerms": terms}}}
}

// claimStatuses is what the resource claim controller says.
func (g *generator) claimStatuses(name string) Op {
	statuses := list{m{"name": pick(g, "a", "b", "b", "c"), "resourceClaimName": fmt.Sprintf("%s-b-%d", name, g.IntN(2))}}
	return patchStatus("Pod", name, m{"resourceClaimStatuses": statuses})
}

// schedulerStatus is kube-scheduler's: after a cycle that failed.
func (g *generator) schedulerStatus(name string) Op {
	return patchStatus("Pod", name, m{"nominatedNodeName": pick(g, any(node(0)), any(nil)), "conditions": list{
		m{"type": "PodScheduled", "status": "False", "reason": "Unschedulable", "message": "no room"}}})
}
