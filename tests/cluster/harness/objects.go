package harness

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/client-go/dynamic"
	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/kyaml/filesys"
	"sigs.k8s.io/yaml"
)

// SchedulerName is what pods need to come to dray's kube-scheduler.
const SchedulerName = "dray-scheduler"

// Object is any Kubernetes object.
type Object = unstructured.Unstructured

// Load reads the objects of multi-document YAML files.
func Load(files ...string) ([]*Object, error) {
	var all []*Object
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		objects, err := Parse(text)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		all = append(all, objects...)
	}
	return all, nil
}

// Parse reads the objects of multi-document YAML.
func Parse(text []byte) ([]*Object, error) {
	var all []*Object
	reader := utilyaml.NewYAMLReader(bufio.NewReader(bytes.NewReader(text)))
	for {
		document, err := reader.Read()
		if errors.Is(err, io.EOF) {
			return all, nil
		}
		if err != nil {
			return nil, err
		}
		object := &Object{}
		if err := yaml.Unmarshal(document, &object.Object); err != nil {
			return nil, err
		}
		if object.Object == nil { // comments only
			continue
		}
		all = append(all, object)
	}
}

// Render builds a kustomization.
func Render(dir string) ([]*Object, error) {
	rendered, err := krusty.MakeKustomizer(krusty.MakeDefaultOptions()).Run(filesys.MakeFsOnDisk(), dir)
	if err != nil {
		return nil, err
	}
	text, err := rendered.AsYaml()
	if err != nil {
		return nil, err
	}
	return Parse(text)
}

// stage orders kinds so that an object finds what it needs; all of a stage are written at once.
func stage(kind string) int {
	switch kind {
	case "Namespace", "Node", "DeviceClass":
		return 0
	case "ResourceSlice", "DeviceTaintRule", "ResourceClaimTemplate", "ResourceClaim", "PriorityClass":
		return 1
	case "Pod":
		return 3
	default:
		return 2
	}
}

// Create makes objects: nodes and classes, then slices, at last pods, which get dray's scheduler if they name none.
func (c *ControlPlane) Create(ctx context.Context, objects []*Object) error {
	for current := range 4 {
		var now []*Object
		for _, o := range objects {
			if stage(o.GetKind()) == current {
				now = append(now, o)
			}
		}
		if err := Each(now, 16, func(o *Object) error {
			if err := c.create(ctx, o.DeepCopy()); err != nil {
				return fmt.Errorf("%s %s/%s: %w", o.GetKind(), o.GetNamespace(), o.GetName(), err)
			}
			return nil
		}); err != nil {
			return err
		}
	}
	return nil
}

func (c *ControlPlane) create(ctx context.Context, o *Object) error {
	resource := c.resource(o)
	switch o.GetKind() {
	case "Namespace":
		return c.createNamespace(ctx, o)
	case "Pod":
		if name, _, _ := unstructured.NestedString(o.Object, "spec", "schedulerName"); name == "" {
			if err := unstructured.SetNestedField(o.Object, SchedulerName, "spec", "schedulerName"); err != nil {
				return err
			}
		}
	}
	created, err := resource.Create(ctx, o, metav1.CreateOptions{})
	if err != nil || o.GetKind() != "Node" {
		return err
	}
	created.Object["status"] = o.Object["status"]
	_, err = resource.UpdateStatus(ctx, created, metav1.UpdateOptions{})
	return err
}

// Apply writes objects as `kubectl apply --server-side` does.
func (c *ControlPlane) Apply(ctx context.Context, objects []*Object) error {
	for current := range 4 {
		for _, o := range objects {
			if stage(o.GetKind()) != current {
				continue
			}
			options := metav1.ApplyOptions{FieldManager: "test", Force: true}
			if _, err := c.resource(o).Apply(ctx, o.GetName(), o, options); err != nil {
				return fmt.Errorf("%s %s: %w", o.GetKind(), o.GetName(), err)
			}
		}
	}
	return nil
}

// Delete removes an object; a namespace stays, because to remove one takes its controller more than five seconds.
func (c *ControlPlane) Delete(ctx context.Context, o *Object) error {
	if o.GetKind() == "Namespace" {
		return nil
	}
	err := c.resource(o).Delete(ctx, o.GetName(), metav1.DeleteOptions{})
	if apierrors.IsNotFound(err) {
		return nil
	}
	return err
}

func (c *ControlPlane) resource(o *Object) dynamic.ResourceInterface {
	plural, _ := meta.UnsafeGuessKindToResource(o.GroupVersionKind())
	if o.GetNamespace() == "" {
		return c.Any.Resource(plural)
	}
	return c.Any.Resource(plural).Namespace(o.GetNamespace())
}

// createNamespace makes a namespace, unless it is there, and waits until pods can be created in it.
func (c *ControlPlane) createNamespace(ctx context.Context, o *Object) error {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	_, err := c.resource(o).Create(ctx, o, metav1.CreateOptions{})
	if err != nil && !apierrors.IsAlreadyExists(err) {
		return err
	}
	return Poll(ctx, func(ctx context.Context) (bool, error) {
		return c.serviceAccountExists(ctx, o.GetName()) == nil, nil
	})
}

func (c *ControlPlane) serviceAccountExists(ctx context.Context, namespace string) error {
	_, err := c.Client.CoreV1().ServiceAccounts(namespace).Get(ctx, "default", metav1.GetOptions{})
	return err
}

// Each calls work for all items, a number of them at a time, and joins the errors.
func Each[T any](items []T, parallel int, work func(T) error) error {
	var (
		group  sync.WaitGroup
		mutex  sync.Mutex
		failed error
	)
	slots := make(chan struct{}, parallel)
	for _, item := range items {
		slots <- struct{}{}
		group.Go(func() {
			defer func() { <-slots }()
			if err := work(item); err != nil {
				mutex.Lock()
				failed = errors.Join(failed, err)
				mutex.Unlock()
			}
		})
	}
	group.Wait()
	return failed
}
