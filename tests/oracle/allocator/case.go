// Package allocator holds dray's allocator to Kubernetes' own: random cases, answered by
// k8s.io/dynamic-resource-allocation/structured and by `dray_cases allocator`.
package allocator

import (
	"strconv"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
)

// Case is a question in the format of `dray_cases allocator`, with upstream's answer.
type Case struct {
	ID               string                        `json:"id"`
	FeaturePreset    string                        `json:"featurePreset,omitempty"`
	Features         map[string]bool               `json:"features,omitempty"`
	Node             *corev1.Node                  `json:"node,omitempty"`
	Classes          []resourceapi.DeviceClass     `json:"classes,omitempty"`
	Slices           []resourceapi.ResourceSlice   `json:"slices,omitempty"`
	Claims           []resourceapi.ResourceClaim   `json:"claims,omitempty"`
	DeviceTaintRules []resourceapi.DeviceTaintRule `json:"deviceTaintRules,omitempty"`
	AllocatedState   AllocatedState                `json:"allocatedState"`
	Oracle           *Oracle                       `json:"oracle,omitempty"`
}

// AllocatedState is what is in use already.
type AllocatedState struct {
	Devices            []DeviceName `json:"devices,omitempty"`
	SharedDeviceIDs    []DeviceName `json:"sharedDeviceIDs,omitempty"`
	AggregatedCapacity []DeviceName `json:"aggregatedCapacity,omitempty"`
}

// DeviceName names a device, with what a list says of it.
type DeviceName struct {
	Driver   string            `json:"driver"`
	Pool     string            `json:"pool"`
	Device   string            `json:"device"`
	ShareID  string            `json:"shareID,omitempty"`
	Capacity map[string]string `json:"capacity,omitempty"`
}

// Oracle is upstream's answer.
type Oracle struct {
	Nodes []Answer `json:"nodes"`
}

// Answer is the outcome on one node: results, an error, or neither (it does not fit).
type Answer struct {
	Node      string                         `json:"node"`
	Results   []resourceapi.AllocationResult `json:"results"`
	Error     string                         `json:"error,omitempty"`
	ErrorKind string                         `json:"errorKind,omitempty"`
}

func (a *Answer) kind() string {
	switch {
	case a.Error != "":
		return a.ErrorKind + " error"
	case a.Results == nil:
		return "does not fit"
	}
	return "allocated"
}

func number(i int) string { return strconv.Itoa(i) }
