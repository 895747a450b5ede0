package harness

import (
	"fmt"
	"os"
	"slices"

	"sigs.k8s.io/yaml"
)

// Scenario is a file of objects and what must become of its pods: an entry of an expect.yaml, whose fields
// tests/cases/scenarios/README.md explains.
type Scenario struct {
	Name      string                 `json:"name"`
	File      string                 `json:"file"`
	Inventory string                 `json:"inventory,omitempty"`
	Gates     []string               `json:"gates,omitempty"`
	Steps     string                 `json:"steps,omitempty"`
	Upstream  string                 `json:"upstream,omitempty"`
	Pods      map[string]Expectation `json:"pods"`
}

// LoadScenarios reads a list of them.
func LoadScenarios(file string) ([]Scenario, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var all []Scenario
	if err := yaml.UnmarshalStrict(text, &all); err != nil {
		return nil, err
	}
	for _, s := range all {
		if wrong := UnknownGates(s.Gates); len(wrong) > 0 {
			return nil, fmt.Errorf("scenario %s: %v", s.Name, wrong)
		}
	}
	return all, nil
}

// gates that a scenario may ask for: of kinds of objects, and of what devices may say.
var gates = []string{"GenericWorkload", "TopologyAwareWorkloadScheduling", "DRAWorkloadResourceClaims",
	"DRAAdminAccess", "DRAPrioritizedList", "DRAPartitionableDevices", "DRADeviceTaints", "DRADeviceBindingConditions",
	"DRAConsumableCapacity", "DRAFractionalCapacityRange", "DRAListTypeAttributes", "DRAOptionalNodeOperations",
	"DRADerivedAttributes", "DRANodeAllocatableResources", "DRADeviceCompatibilityGroups"}

// UnknownGates complains of those that nobody knows.
func UnknownGates(wanted []string) []string {
	var wrong []string
	for _, gate := range wanted {
		if !slices.Contains(gates, gate) {
			wrong = append(wrong, "unknown gate "+gate)
		}
	}
	return wrong
}
