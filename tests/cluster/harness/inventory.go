package harness

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	resourcev1 "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Inventory knows the devices of the newest generation of each pool.
type Inventory struct {
	devices map[string]*resourcev1.Device
}

// ReadInventory lists the ResourceSlices.
func (c *ControlPlane) ReadInventory(ctx context.Context) (Inventory, error) {
	list, err := c.Client.ResourceV1().ResourceSlices().List(ctx, metav1.ListOptions{})
	if err != nil {
		return Inventory{}, err
	}
	return NewInventory(list.Items), nil
}

// NewInventory indexes slices.
func NewInventory(all []resourcev1.ResourceSlice) Inventory {
	newest := map[string]int64{}
	for _, slice := range all {
		pool := slice.Spec.Driver + "/" + slice.Spec.Pool.Name
		newest[pool] = max(newest[pool], slice.Spec.Pool.Generation)
	}
	inventory := Inventory{devices: map[string]*resourcev1.Device{}}
	for _, slice := range all {
		pool := slice.Spec.Driver + "/" + slice.Spec.Pool.Name
		if slice.Spec.Pool.Generation != newest[pool] {
			continue
		}
		for i := range slice.Spec.Devices {
			inventory.devices[pool+"/"+slice.Spec.Devices[i].Name] = &slice.Spec.Devices[i]
		}
	}
	return inventory
}

// Device returns nil if there is none of that name.
func (i Inventory) Device(driver, pool, device string) *resourcev1.Device {
	return i.devices[driver+"/"+pool+"/"+device]
}

// findQualified is the entry of a map by qualified names that a name means for a driver's device: the driver's own
// attributes and capacities need no domain, in the name as in the map.
func findQualified[V any](all map[resourcev1.QualifiedName]V, driver, name string) (V, bool) {
	prefix := driver + "/"
	value, ok := all[resourcev1.QualifiedName(name)]
	if own, cut := strings.CutPrefix(name, prefix); !ok && cut {
		value, ok = all[resourcev1.QualifiedName(own)]
	} else if !ok && !strings.Contains(name, "/") {
		value, ok = all[resourcev1.QualifiedName(prefix+name)]
	}
	return value, ok
}

// Attribute is a value and its type as text, empty if the device lacks it.
func (i Inventory) Attribute(driver, pool, device, attribute string) string {
	d := i.Device(driver, pool, device)
	if d == nil {
		return ""
	}
	value, ok := findQualified(d.Attributes, driver, attribute)
	if !ok {
		return ""
	}
	text, err := json.Marshal(value)
	if err != nil {
		return fmt.Sprintf("%+v", value)
	}
	return string(text)
}

// ReportReady sets the binding conditions of a claim's devices as their driver does, and tells whether any was missing.
func ReportReady(claim *resourcev1.ResourceClaim) bool {
	if claim.Status.Allocation == nil {
		return false
	}
	changed := false
	for _, r := range claim.Status.Allocation.Devices.Results {
		known := slices.ContainsFunc(claim.Status.Devices, func(d resourcev1.AllocatedDeviceStatus) bool {
			return d.Driver == r.Driver && d.Pool == r.Pool && d.Device == r.Device
		})
		if known || len(r.BindingConditions) == 0 {
			continue
		}
		status := resourcev1.AllocatedDeviceStatus{Driver: r.Driver, Pool: r.Pool, Device: r.Device}
		for _, condition := range r.BindingConditions {
			status.Conditions = append(status.Conditions, metav1.Condition{Type: condition, Status: metav1.ConditionTrue,
				Reason: "Ready", LastTransitionTime: metav1.Now()})
		}
		claim.Status.Devices = append(claim.Status.Devices, status)
		changed = true
	}
	return changed
}
