package allocator

import (
	"fmt"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/utils/ptr"
)

func (g *generator) rule(number int) {
	rule := resourceapi.DeviceTaintRule{Spec: resourceapi.DeviceTaintRuleSpec{Taint: g.taint()}}
	rule.Name = fmt.Sprintf("rule-%d", number)
	if g.chance(90) {
		selector := &resourceapi.DeviceTaintSelector{}
		if g.chance(60) {
			selector.Driver = ptr.To(pick(g, "driver-a", "driver-b"))
		}
		if g.chance(50) {
			selector.Pool = ptr.To(pick(g, "pool-0", "pool-1"))
		}
		if g.chance(50) {
			selector.Device = ptr.To(pick(g, "dev-0", "dev-1", "dev-2"))
		}
		rule.Spec.DeviceSelector = selector
	}
	g.c.DeviceTaintRules = append(g.c.DeviceTaintRules, rule)
}

// inUse takes some devices: as a whole, or shares of them. (The scheduler's plugin tells of shares only with
// ConsumableCapacity.)
func (g *generator) inUse(shares bool) {
	state := &g.c.AllocatedState
	often := pick(g, 5, 15, 15, 30)
	for i, d := range g.devices {
		if !g.chance(often) {
			continue
		}
		capacities, shareable := g.sharing[d.key()]
		if !shares || !shareable || g.chance(10) {
			state.Devices = append(state.Devices, d)
			continue
		}
		for n := range pick(g, 1, 1, 2) {
			share := d
			share.ShareID = fmt.Sprintf("00000000-0000-4000-8000-%06d%06d", i, n)
			state.SharedDeviceIDs = append(state.SharedDeviceIDs, share)
		}
		if len(capacities) > 0 && g.chance(80) {
			taken := d
			taken.Capacity = map[string]string{}
			for _, capacity := range capacities {
				amounts := map[resourceapi.QualifiedName][]string{"cores": {"1", "2", "250m"}, "mem": {"1Gi", "4Gi", "10Gi"}}
				taken.Capacity[string(capacity)] = pick(g, amounts[capacity]...)
			}
			state.AggregatedCapacity = append(state.AggregatedCapacity, taken)
		}
	}
	if g.chance(5) {
		state.Devices = append(state.Devices, DeviceName{Driver: "driver-a", Pool: "pool-0", Device: "gone"})
	}
}
