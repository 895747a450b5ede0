package harness

import (
	"fmt"
	"slices"
	"testing"

	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

func TestFleet(t *testing.T) {
	fleet := Fleet{Class: "gpu", Driver: "gpu.example.com", Nodes: 2, Devices: 3, CPU: "4", NodeName: "n%d", Device: "dev-%02d",
		Attributes: func(device int) string { return fmt.Sprintf("{root: {string: r%d}}", device%2) }}
	for _, row := range []struct {
		name, text string
		want       []string
	}{
		{"all", fleet.All(), []string{"DeviceClass gpu", "Node n0", "ResourceSlice n0-gpu.example.com", "Node n1", "ResourceSlice n1-gpu.example.com"}},
		{"slices alone", fleet.Slices(), []string{"DeviceClass gpu", "ResourceSlice n0-gpu.example.com", "ResourceSlice n1-gpu.example.com"}},
	} {
		objects, err := Parse([]byte(row.text))
		if err != nil {
			t.Fatal(row.name, err)
		}
		var got []string
		for _, o := range objects {
			got = append(got, o.GetKind()+" "+o.GetName())
			if o.GetKind() == "ResourceSlice" {
				checkSlice(t, o)
			}
		}
		if !slices.Equal(got, row.want) {
			t.Errorf("%s: %v", row.name, got)
		}
	}
}

func checkSlice(t *testing.T, o *Object) {
	t.Helper()
	var slice resourcev1.ResourceSlice
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(o.Object, &slice); err != nil {
		t.Fatal(err)
	}
	if *slice.Spec.NodeName != slice.Spec.Pool.Name || len(slice.Spec.Devices) != 3 {
		t.Errorf("%s: node %s, %d devices", slice.Name, *slice.Spec.NodeName, len(slice.Spec.Devices))
	}
	last := slice.Spec.Devices[2]
	if last.Name != "dev-02" || *last.Attributes["root"].StringValue != "r0" {
		t.Errorf("%s: %+v", slice.Name, last)
	}
}
