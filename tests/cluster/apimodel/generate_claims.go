package apimodel

import (
	"fmt"
)

const protection = "resource.kubernetes.io/delete-protection"

// The life of a claim, step by step; a new one begins where it ends.
const claimSteps = 9

func (g *generator) claim(name string) Op {
	if g.chance(50) {
		return g.disturbClaim(name)
	}
	switch g.advance("ResourceClaim/"+name, claimSteps) {
	case 0:
		return g.makeClaim(name)
	case 1:
		return g.decided("ProtectClaim", name, nil)
	case 2:
		return g.allocate(name)
	case 3:
		return g.reserve(name)
	case 4, 5:
		return g.release(name)
	case 6:
		return g.drop("ResourceClaim", name)
	case 7:
		return patchStatus("ResourceClaim", name, m{"allocation": nil, "reservedFor": nil})
	default:
		return patch("ResourceClaim", name, m{"metadata": m{"finalizers": nil}})
	}
}

func (g *generator) makeClaim(name string) Op {
	created := g.create("ResourceClaim", name, func(made m) {
		if g.chance(30) {
			made["status"] = m{"allocation": allocation("gpu", 0, 0)} // which is not taken
		}
	})
	if g.chance(50) {
		return created
	}
	// A claim for a pod's extended resources: it is the pod's.
	pod := g.somePod()
	owner := m{"apiVersion": "v1", "kind": "Pod", "name": pod, "uid": "$uid:Pod/" + pod, "controller": true}
	made := object("ResourceClaim", name)
	made["metadata"].(m)["ownerReferences"] = list{owner}
	return op("CreateClaim", "ResourceClaim", name, m{"object": made})
}

func (g *generator) somePod() string { return fmt.Sprintf("p%d", g.IntN(3)) }

func (g *generator) consumer() m {
	pod := g.somePod()
	return consumer(pod, g.uid("Pod", pod))
}

// decided is a write of dray on what it had seen of the claim.
func (g *generator) decided(what, name string, more m) Op {
	made := op(what, "ResourceClaim", name, more)
	made["uid"] = g.uid("ResourceClaim", name)
	made["expected"] = g.version("ResourceClaim", name)
	return made
}

func (g *generator) allocate(name string) Op {
	request := "gpu"
	if g.chance(5) {
		request = "none"
	}
	given := g.allocation(request)
	if g.chance(40) {
		given["nodeSelector"] = onNode(0)
	}
	users := list{g.consumer()}
	if g.chance(20) {
		users = append(users, g.consumer())
	}
	return g.decided("AllocateClaim", name, m{"allocation": given, "reservedFor": users})
}

const oneShare, otherShare = "11111111-0000-4000-8000-000000000001", "11111111-0000-4000-8000-000000000002"

// allocation has what allocations have for devices of all sorts.
func (g *generator) allocation(request string) m {
	given := allocation(request, g.IntN(2), 0)
	results := given["devices"].(m)["results"].(list)
	result := results[0].(m)
	switch g.IntN(6) {
	case 0: // of which others have parts
		result["shareID"] = pick(g, oneShare, otherShare)
		result["consumedCapacity"] = m{"memory": "1Gi"}
		if g.chance(30) {
			given["devices"].(m)["results"] = append(results, allocation(request, 1, 1)["devices"].(m)["results"].(list)...)
		}
	case 1: // which a controller attaches first
		result["bindingConditions"], result["bindingFailureConditions"] = list{"Attached"}, list{"AttachFailed"}
		given["allocationTimestamp"] = "2026-01-02T03:04:05Z"
	case 2: // with configuration
		given["devices"].(m)["config"] = list{m{"source": pick(g, "FromClass", "FromClaim"), "requests": list{request},
			"opaque": m{"driver": driver, "parameters": m{"apiVersion": "example.com/v1", "kind": "Sharing", "slices": 2}}}}
	case 3:
		result["tolerations"] = list{m{"key": "broken", "operator": "Exists", "effect": "NoSchedule"}}
	}
	return given
}

func (g *generator) reserve(name string) Op {
	return g.decided("ReserveClaim", name, m{"consumer": g.consumer()})
}

func (g *generator) release(name string) Op {
	pod := g.somePod()
	made := op("ReleaseClaim", "ResourceClaim", name, m{"consumer": g.uid("Pod", pod), "deallocate": g.chance(80),
		"fence": g.chance(30), "uid": g.uid("ResourceClaim", name)})
	if g.chance(25) {
		made["readAt"] = "$rv-1:ResourceClaim/" + name
	}
	return made
}

func (g *generator) disturbClaim(name string) Op {
	kind := "ResourceClaim"
	switch g.IntN(17) {
	case 0:
		return g.makeClaim(name)
	case 1, 2:
		return g.touch(kind, name)
	case 3:
		return g.decided("ProtectClaim", name, nil)
	case 4, 5:
		return g.allocate(name)
	case 6, 7:
		return g.reserve(name)
	case 8, 9:
		return g.release(name)
	case 10:
		return g.decided("DeleteClaim", name, nil)
	case 11:
		return op("ReadClaim", kind, name, nil)
	case 12:
		return g.finalizers(kind, name, protection)
	case 13:
		return g.drop(kind, name)
	case 14:
		return patch(kind, name, m{"spec": claimSpec(pickCount(g))})
	case 15:
		return g.claimStatusPatch(name)
	default:
		return g.deviceStatus(name)
	}
}

func pickCount(g *generator) string { return pick(g, "1", "2") }

// claimStatusPatch is what the resource claim controller, or another allocator, writes.
func (g *generator) claimStatusPatch(name string) Op {
	status := m{}
	switch g.IntN(4) {
	case 0:
		status["reservedFor"] = list{}
	case 1:
		status["reservedFor"] = list{g.consumer(), g.consumer()}
	case 2:
		status["allocation"], status["reservedFor"] = nil, nil
	default:
		status["allocation"] = g.allocation("gpu")
	}
	made := patchStatus("ResourceClaim", name, status)
	if version := g.version("ResourceClaim", name); version != "" && g.chance(50) {
		made["patch"].(m)["metadata"] = m{"resourceVersion": version}
	}
	return made
}

// deviceStatus is a driver's report on a device of the claim, or of none.
func (g *generator) deviceStatus(name string) Op {
	report := m{"driver": driver, "pool": node(0), "device": fmt.Sprintf("gpu-%d", g.IntN(2)), "conditions": list{m{
		"type": "Attached", "status": pick(g, "True", "False"), "reason": "Told", "message": "",
		"lastTransitionTime": "2026-01-02T03:04:05Z"}}}
	if g.chance(20) {
		report["shareID"] = pick(g, oneShare, otherShare)
	}
	return patchStatus("ResourceClaim", name, m{"devices": list{report}})
}
