package harness

import (
	"context"
	"fmt"
	"slices"
	"strconv"
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

// Attribute is a value as text, empty if the device lacks it. The driver's own attributes need no domain in a slice.
func (i Inventory) Attribute(driver, pool, device, attribute string) string {
	d := i.Device(driver, pool, device)
	if d == nil {
		return ""
	}
	value, ok := d.Attributes[resourcev1.QualifiedName(attribute)]
	if own, cut := strings.CutPrefix(attribute, driver+"/"); !ok && cut {
		value, ok = d.Attributes[resourcev1.QualifiedName(own)]
	}
	switch {
	case !ok:
		return ""
	case value.StringValue != nil:
		return *value.StringValue
	case value.VersionValue != nil:
		return *value.VersionValue
	case value.IntValue != nil:
		return strconv.FormatInt(*value.IntValue, 10)
	case value.BoolValue != nil:
		return strconv.FormatBool(*value.BoolValue)
	default:
		return fmt.Sprintf("%+v", value)
	}
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
