package allocator

import (
	"fmt"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
)

// Selectors of claims; the later ones fail on some devices, the last one does not compile.
var expressions = []string{
	"device.attributes[device.driver].idx < 4",
	"device.attributes[device.driver].kind == 'nic'",
	"'mem' in device.capacity[device.driver] && device.capacity[device.driver].mem.compareTo(quantity('20Gi')) >= 0",
	"device.attributes['x.io'].?numa.orValue(0) == 0",
	"true",
	"has(device.attributes['x.io'].numa) && device.attributes['x.io'].numa == 1",
	"device.attributes[device.driver].?root.orValue('') != 'r0'",
	"device.allowMultipleAllocations == false",
	"device.attributes[device.driver].?firmware.orValue(semver('0.1.0')).isGreaterThan(semver('0.2.0')) || device.driver == 'driver-b'",
	"device.attributes['x.io'].numa == 1",
	"device.attributes[device.driver].root == 'r0'",
	"device.attributes[device.driver].root.includes('r0')",
	"device.attributes[device.driver].nothing == 1",
	"device.attributes[device.driver].kind",
	"device.nothing == 1",
}

// So many of them never fail.
const harmless = 9

func (g *generator) expression() string {
	if g.chance(97) {
		return expressions[g.IntN(harmless)]
	}
	return expressions[g.IntN(len(expressions))]
}

func (g *generator) claim(number int) {
	claim := resourceapi.ResourceClaim{ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("claim-%d", number), Namespace: "ns"}}
	if g.chance(3) {
		claim.Namespace = ""
	}
	spec := &claim.Spec.Devices
	names := []string{"nobody"}
	requests := pick(g, 1, 1, 2, 2, 3)
	if g.chance(2) {
		requests = g.IntN(6)
	}
	for r := range requests {
		request := resourceapi.DeviceRequest{Name: fmt.Sprintf("r%d", r)}
		names = append(names, request.Name, request.Name)
		if g.chance(25) {
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
	for range pick(g, 0, 0, 0, 1, 1, 2) {
		spec.Constraints = append(spec.Constraints, g.constraint(names))
	}
	for n := range g.IntN(3) {
		spec.Config = append(spec.Config, resourceapi.DeviceClaimConfiguration{Requests: g.some(names),
			DeviceConfiguration: opaque(pick(g, "driver-a", "driver-b"), fmt.Sprint(claim.Name, n))})
	}
	g.c.Claims = append(g.c.Claims, claim)
}

// some of the names, or none: that is all of them.
func (g *generator) some(names []string) []string {
	if g.chance(50) {
		return nil
	}
	some := []string{names[g.IntN(len(names))]}
	if other := names[g.IntN(len(names))]; other != some[0] {
		some = append(some, other)
	}
	return some
}

func (g *generator) constraint(names []string) resourceapi.DeviceConstraint {
	attribute := func() *resourceapi.FullyQualifiedName {
		return ptr.To(resourceapi.FullyQualifiedName(pick(g, "driver-a/root", "driver-a/root", "x.io/numa", "x.io/numa",
			"driver-b/root", "driver-a/kind", "driver-a/idx", "driver-a/slot", "driver-b/slot", "driver-a/firmware", "d.io/derived")))
	}
	constraint := resourceapi.DeviceConstraint{Requests: g.some(names)}
	if g.chance(70) {
		constraint.MatchAttribute = attribute()
		if !g.chance(3) {
			return constraint
		}
	}
	constraint.DistinctAttribute = attribute()
	if g.seldom() {
		constraint.DistinctAttribute = nil
	}
	return constraint
}

func (g *generator) class() string {
	if g.chance(1) {
		return "missing"
	}
	return pick(g, "any", "any", "any", "gpu", "a", "two")
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
	for g.chance(25) {
		sub.Selectors = append(sub.Selectors, selector(g.expression()))
	}
	sub.Count = pick(g, int64(1), 1, 1, 1, 2, 2, 3)
	if g.chance(8) {
		sub.AllocationMode, sub.Count = resourceapi.DeviceAllocationModeAll, 0
	}
	if g.chance(1) {
		sub.Count = pick(g, int64(40), 33, 32, 31, 20, 12, 1<<31)
	}
	if g.seldom() {
		sub.AllocationMode = "Some"
	}
	for g.chance(20) {
		sub.Tolerations = append(sub.Tolerations, g.toleration())
	}
	if (g.c.FeaturePreset != "" || g.c.Features["ConsumableCapacity"] || g.chance(5)) && g.chance(18) {
		sub.Capacity = g.amounts()
	}
	if g.alpha && g.chance(10) {
		sub.DerivedAttributes = append(sub.DerivedAttributes, g.derived())
	}
	return sub
}

func (g *generator) toleration() resourceapi.DeviceToleration {
	toleration := resourceapi.DeviceToleration{Key: pick(g, "", "k0", "k1"),
		Operator: pick(g, resourceapi.DeviceTolerationOpExists, resourceapi.DeviceTolerationOpExists, resourceapi.DeviceTolerationOpEqual, "")}
	if toleration.Operator != resourceapi.DeviceTolerationOpExists {
		toleration.Value = pick(g, "", "v")
	}
	toleration.Effect = pick(g, "", "", resourceapi.DeviceTaintEffectNoSchedule, resourceapi.DeviceTaintEffectNoExecute)
	return toleration
}

func (g *generator) amounts() *resourceapi.CapacityRequirements {
	asked := map[resourceapi.QualifiedName]resource.Quantity{}
	if g.chance(70) {
		asked["cores"] = quantity(pick(g, "1", "1", "2", "3", "300m", "2100m", "0"))
	}
	if g.chance(40) {
		asked["mem"] = quantity(pick(g, "1Gi", "2Gi", "5Gi", "6Gi", "20Gi"))
	}
	if g.chance(3) {
		asked[resourceapi.QualifiedName(pick(g, "cores", "mem", "driver-a/mem", "none"))] = quantity(pick(g, "-1", "1", "100E", "1n"))
	}
	return &resourceapi.CapacityRequirements{Requests: asked}
}

func (g *generator) derived() resourceapi.DeviceDerivedAttribute {
	return resourceapi.DeviceDerivedAttribute{
		Name: resourceapi.FullyQualifiedName(pick(g, "d.io/derived", "d.io/derived", "driver-a/root")),
		Expression: pick(g, "device.attributes[device.driver].idx / 2", "device.attributes[device.driver].kind", "device.driver",
			"device.attributes[device.driver].?idx.orValue(9)", "string(device.attributes[device.driver].root)",
			"device.attributes[device.driver].root", "device.attributes[device.driver].?firmware.orValue(semver('1.0.0'))"),
	}
}
