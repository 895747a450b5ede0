package allocator

import (
	"fmt"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
)

// Selectors of claims; the last ones fail on some devices, or do not compile.
var expressions = []string{
	"device.attributes[device.driver].idx < 4",
	"device.attributes[device.driver].kind == 'nic'",
	"'mem' in device.capacity[device.driver] && device.capacity[device.driver].mem.compareTo(quantity('20Gi')) >= 0",
	"device.attributes['x.io'].?numa.orValue(0) == 0",
	"true",
	"device.attributes['x.io'].numa == 1",
	"device.attributes[device.driver].root == 'r0'",
	"device.attributes[device.driver].nothing == 1",
	"device.nothing == 1",
}

func (g *generator) expression() string {
	if g.chance(97) {
		return expressions[g.IntN(5)]
	}
	return expressions[g.IntN(len(expressions))]
}

func (g *generator) claim(number int) {
	claim := resourceapi.ResourceClaim{ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("claim-%d", number), Namespace: "ns"}}
	spec := &claim.Spec.Devices
	var names []string
	for r := range 1 + g.IntN(3) {
		request := resourceapi.DeviceRequest{Name: fmt.Sprintf("r%d", r)}
		names = append(names, request.Name)
		if g.chance(20) {
			for s := range 1 + g.IntN(3) {
				sub := g.subrequest(fmt.Sprintf("s%d", s))
				names = append(names, request.Name+"/"+sub.Name)
				request.FirstAvailable = append(request.FirstAvailable, sub)
			}
		} else {
			request.Exactly = g.exactly()
		}
		spec.Requests = append(spec.Requests, request)
	}
	scope := func() []string {
		if g.chance(50) {
			return nil
		}
		some := []string{names[g.IntN(len(names))]}
		if other := names[g.IntN(len(names))]; other != some[0] {
			some = append(some, other)
		}
		return some
	}
	for range max(0, g.IntN(4)-1) {
		attribute := resourceapi.FullyQualifiedName(pick(g, "driver-a/root", "x.io/numa", "driver-a/idx", "driver-b/root", "driver-a/kind", "d.io/derived"))
		constraint := resourceapi.DeviceConstraint{Requests: scope()}
		if g.chance(70) {
			constraint.MatchAttribute = &attribute
		} else {
			constraint.DistinctAttribute = &attribute
		}
		spec.Constraints = append(spec.Constraints, constraint)
	}
	for range g.IntN(3) {
		spec.Config = append(spec.Config, resourceapi.DeviceClaimConfiguration{Requests: scope(),
			DeviceConfiguration: opaque(pick(g, "driver-a", "driver-b"), claim.Name)})
	}
	g.c.Claims = append(g.c.Claims, claim)
}

func (g *generator) class() string {
	if g.chance(1) {
		return "missing"
	}
	return pick(g, "any", "any", "any", "gpu", "a")
}

func (g *generator) exactly() *resourceapi.ExactDeviceRequest {
	sub := g.subrequest("")
	exact := &resourceapi.ExactDeviceRequest{DeviceClassName: sub.DeviceClassName, Selectors: sub.Selectors, AllocationMode: sub.AllocationMode,
		Count: sub.Count, Tolerations: sub.Tolerations, Capacity: sub.Capacity, DerivedAttributes: sub.DerivedAttributes}
	if g.chance(8) {
		exact.AdminAccess = ptr.To(g.chance(80))
	}
	return exact
}

func (g *generator) subrequest(name string) resourceapi.DeviceSubRequest {
	sub := resourceapi.DeviceSubRequest{Name: name, DeviceClassName: g.class(), AllocationMode: resourceapi.DeviceAllocationModeExactCount}
	for g.chance(30) {
		sub.Selectors = append(sub.Selectors, selector(g.expression()))
	}
	sub.Count = int64(max(1, g.IntN(5)-1))
	if g.chance(6) {
		sub.AllocationMode, sub.Count = resourceapi.DeviceAllocationModeAll, 0
	}
	if g.chance(1) {
		sub.Count = 40
	}
	if g.chance(25) {
		toleration := resourceapi.DeviceToleration{Key: pick(g, "", "k0", "k1"), Operator: pick(g, resourceapi.DeviceTolerationOpExists, resourceapi.DeviceTolerationOpEqual)}
		if toleration.Operator == resourceapi.DeviceTolerationOpEqual {
			toleration.Value = pick(g, "", "v")
		}
		toleration.Effect = pick(g, "", resourceapi.DeviceTaintEffectNoSchedule)
		sub.Tolerations = append(sub.Tolerations, toleration)
	}
	if (g.c.FeaturePreset != "" || g.c.Features["ConsumableCapacity"] || g.chance(5)) && g.chance(15) {
		sub.Capacity = &resourceapi.CapacityRequirements{Requests: map[resourceapi.QualifiedName]resource.Quantity{}}
		sub.Capacity.Requests[resourceapi.QualifiedName(pick(g, "cores", "cores", "mem"))] = quantity(pick(g, "1", "1", "2", "3", "300m", "20Gi", "-1"))
	}
	if g.alpha && g.chance(10) {
		sub.DerivedAttributes = append(sub.DerivedAttributes, g.derived())
	}
	return sub
}

func (g *generator) derived() resourceapi.DeviceDerivedAttribute {
	return resourceapi.DeviceDerivedAttribute{
		Name:       resourceapi.FullyQualifiedName(pick(g, "d.io/derived", "d.io/derived", "driver-a/root")),
		Expression: pick(g, "device.attributes[device.driver].idx / 2", "device.attributes[device.driver].kind", "string(device.attributes[device.driver].root)"),
	}
}
