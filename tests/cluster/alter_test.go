package cluster_test

// Objects that a test changes for a while.

import (
	"context"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/util/retry"
	"sigs.k8s.io/yaml"
)

// target is an object that a test alters for a while.
type target struct {
	group, version, resource, namespace, name string
}

func (o target) client() dynamic.ResourceInterface {
	resource := plane.Any.Resource(schema.GroupVersionResource{Group: o.group, Version: o.version, Resource: o.resource})
	if o.namespace == "" {
		return resource
	}
	return resource.Namespace(o.namespace)
}

func admission(resource, name string) target {
	return target{"admissionregistration.k8s.io", "v1", resource, "", name}
}

func configMap(name string) target { return target{"", "v1", "configmaps", "dray-system", name} }

// altered changes the object for the rest of the test.
func altered(t *testing.T, o target, change func(map[string]any)) {
	t.Helper()
	before, err := o.client().Get(t.Context(), o.name, metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	after := before.DeepCopy()
	change(after.Object)
	if _, err := o.client().Update(t.Context(), after, metav1.UpdateOptions{}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		// What stands there now may be another object of that name, or one that dray wrote meanwhile.
		if err := retry.RetryOnConflict(retry.DefaultBackoff, func() error {
			now, err := o.client().Get(contextAfter(t), o.name, metav1.GetOptions{})
			if err != nil {
				return err
			}
			before.SetResourceVersion(now.GetResourceVersion())
			before.SetUID(now.GetUID())
			_, err = o.client().Update(contextAfter(t), before, metav1.UpdateOptions{})
			return err
		}); err != nil {
			t.Error(err)
		}
	})
}

// removed deletes the object for the rest of the test.
func removed(t *testing.T, o target) {
	t.Helper()
	before, err := o.client().Get(t.Context(), o.name, metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if err := o.client().Delete(t.Context(), o.name, metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		before.SetResourceVersion("")
		before.SetUID("")
		eventually(contextAfter(t), t, "restored "+o.name, func(ctx context.Context) (bool, error) {
			_, err := o.client().Create(ctx, before, metav1.CreateOptions{})
			if apierrors.IsAlreadyExists(err) { // its deletion may still be under way
				return false, nil
			}
			return err == nil, err
		})
	})
}

// made creates an object of YAML for the rest of the test.
func made(t *testing.T, o target, text string) {
	t.Helper()
	object := &unstructured.Unstructured{}
	if err := yaml.Unmarshal([]byte(text), &object.Object); err != nil {
		t.Fatal(err)
	}
	o.name = object.GetName()
	if _, err := o.client().Create(t.Context(), object, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		err := o.client().Delete(contextAfter(t), o.name, *metav1.NewDeleteOptions(0))
		if err != nil && !apierrors.IsNotFound(err) {
			t.Error(err)
		}
	})
}

func set(t *testing.T, object map[string]any, value any, path ...string) {
	t.Helper()
	if err := unstructured.SetNestedField(object, value, path...); err != nil {
		t.Fatal(err)
	}
}
