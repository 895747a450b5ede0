package harness

import (
	"fmt"
	"strings"
)

// Fleet is nodes that differ in nothing but their names, each with a slice of a driver's devices.
type Fleet struct {
	Class, Driver    string
	Nodes, Devices   int                     // devices of each node
	CPU              string                  // of each node
	NodeName, Device string                  // formats of their names by number
	Attributes       func(device int) string // of a device, as a YAML flow mapping; nil: none
}

// All is YAML of the class, the nodes and their slices.
func (f Fleet) All() string {
	text := []string{f.class()}
	for n := range f.Nodes {
		text = append(text, f.node(n), f.slice(n))
	}
	return strings.Join(text, "---\n")
}

// Slices is YAML of the class and the slices, for nodes that exist.
func (f Fleet) Slices() string {
	text := []string{f.class()}
	for n := range f.Nodes {
		text = append(text, f.slice(n))
	}
	return strings.Join(text, "---\n")
}

func (f Fleet) class() string {
	return fmt.Sprintf(`apiVersion: resource.k8s.io/v1
kind: DeviceClass
metadata: {name: %s}
spec: {selectors: [{cel: {expression: 'device.driver == "%s"'}}]}
`, f.Class, f.Driver)
}

func (f Fleet) node(n int) string {
	return fmt.Sprintf(`apiVersion: v1
kind: Node
metadata: {name: %[1]s, labels: {kubernetes.io/hostname: %[1]s}}
status:
  capacity: {cpu: "%[2]s", memory: 64Gi, pods: "110"}
  allocatable: {cpu: "%[2]s", memory: 64Gi, pods: "110"}
  conditions: [{type: Ready, status: "True"}]
`, fmt.Sprintf(f.NodeName, n), f.CPU)
}

func (f Fleet) slice(n int) string {
	var text strings.Builder
	fmt.Fprintf(&text, `apiVersion: resource.k8s.io/v1
kind: ResourceSlice
metadata: {name: %[1]s-%[2]s}
spec:
  driver: %[2]s
  nodeName: %[1]s
  pool: {name: %[1]s, generation: 1, resourceSliceCount: 1}
  devices:
`, fmt.Sprintf(f.NodeName, n), f.Driver)
	for d := range f.Devices {
		fmt.Fprintf(&text, "  - {name: "+f.Device, d)
		if f.Attributes != nil {
			text.WriteString(", attributes: " + f.Attributes(d))
		}
		text.WriteString("}\n")
	}
	return text.String()
}
