package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync"

	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
	extender "k8s.io/kube-scheduler/extender/v1"

	"dray.dev/dray/tests/cluster/harness"
)

const (
	noEpoch       = "dray-0-" // the epoch of a Lease that nobody ever held, as the manifests leave it
	ceilingWindow = 100       // pods lifted and not bound yet: enough that kube-scheduler never waits
	ceilingLifts  = 16        // lifts in flight
)

// ceiling is an extender that decides nothing: the i-th pod's devices follow from i. It makes dray's writes (the gate
// lifted, the claim allocated and reserved, the pod bound) as dray's account, under dray's admission policies, so
// nothing behind kube-scheduler's extender calls can be faster than it.
type ceiling struct {
	URL string

	client kubernetes.Interface
	world  world
	load   workload
	server *http.Server
	window chan struct{}

	mutex sync.Mutex
	pods  map[string]*corev1.Pod // newest state of each, by name
	begun map[string]bool        // lifting was begun
}

// startCeiling serves until the context ends.
func startCeiling(ctx context.Context, plane *harness.ControlPlane, w world, load workload) (*ceiling, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	kubeconfig, err := plane.ServiceAccountKubeconfig(ctx, "dray-system", "dray")
	if err != nil {
		return nil, err
	}
	client, err := harness.UnlimitedClient(kubeconfig)
	if err != nil {
		return nil, err
	}
	c := &ceiling{URL: "http://" + listener.Addr().String(), client: client, world: w, load: load,
		window: make(chan struct{}, ceilingWindow), pods: map[string]*corev1.Pod{}, begun: map[string]bool{}}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /v1/filter", answer(c.filter))
	mux.HandleFunc("POST /v1/bind", answer(c.bind))
	mux.HandleFunc("POST /v1/preempt", answer(func(context.Context, extender.ExtenderPreemptionArgs) any {
		return extender.ExtenderPreemptionResult{}
	}))
	c.server = &http.Server{Handler: mux}
	go func() { _ = c.server.Serve(listener) }()
	lifts := make(chan *corev1.Pod, 100000)
	watched := podInformer(ctx, client, func(pod *corev1.Pod) {
		c.mutex.Lock()
		defer c.mutex.Unlock()
		c.pods[pod.Name] = pod
		// The claim's name comes after the pod; until then kube-scheduler could do nothing with it.
		if !c.begun[pod.Name] && len(pod.Spec.SchedulingGates) > 0 && len(pod.Status.ResourceClaimStatuses) > 0 {
			c.begun[pod.Name] = true
			lifts <- pod
		}
	})
	for range ceilingLifts {
		go c.lift(ctx, lifts)
	}
	go func() {
		<-ctx.Done()
		c.server.Close()
	}()
	return c, watched
}

func (c *ceiling) lift(ctx context.Context, lifts <-chan *corev1.Pod) {
	for {
		select {
		case <-ctx.Done():
			return
		case pod := <-lifts:
			select {
			case <-ctx.Done():
				return
			case c.window <- struct{}{}:
			}
			patch := []byte(`[{"op":"remove","path":"/spec/schedulingGates"},` +
				`{"op":"add","path":"/metadata/annotations","value":{"dray.dev/reservation":"{}"}}]`)
			if _, err := c.client.CoreV1().Pods(namespace).Patch(ctx, pod.Name, types.JSONPatchType, patch,
				metav1.PatchOptions{FieldManager: noEpoch}); err != nil && ctx.Err() == nil {
				fmt.Println("ceiling: lift:", err)
			}
		}
	}
}

// place is what follows from the pod's number.
func (c *ceiling) place(name string) (node int, devices []string, err error) {
	i, err := strconv.Atoi(strings.TrimPrefix(name, "pod-"))
	if err != nil {
		return 0, nil, err
	}
	first := i / c.world.nodes * c.load.devices
	for d := range c.load.devices {
		devices = append(devices, deviceName(first+d))
	}
	return i % c.world.nodes, devices, nil
}

func (c *ceiling) filter(_ context.Context, args extender.ExtenderArgs) any {
	node, _, err := c.place(args.Pod.Name)
	if err != nil {
		return extender.ExtenderFilterResult{Error: err.Error()}
	}
	return extender.ExtenderFilterResult{NodeNames: &[]string{nodeName(node)}}
}

func (c *ceiling) bind(ctx context.Context, args extender.ExtenderBindingArgs) any {
	if err := c.write(ctx, args); err != nil {
		return extender.ExtenderBindingResult{Error: err.Error()}
	}
	<-c.window
	return extender.ExtenderBindingResult{}
}

func (c *ceiling) write(ctx context.Context, args extender.ExtenderBindingArgs) error {
	c.mutex.Lock()
	pod := c.pods[args.PodName]
	c.mutex.Unlock()
	if pod == nil || len(pod.Status.ResourceClaimStatuses) == 0 || pod.Status.ResourceClaimStatuses[0].ResourceClaimName == nil {
		return errors.New("the pod's claim is not known")
	}
	_, devices, err := c.place(args.PodName)
	if err != nil {
		return err
	}
	status := resourcev1.ResourceClaimStatus{
		Allocation:  &resourcev1.AllocationResult{NodeSelector: nodeSelector(args.Node)},
		ReservedFor: []resourcev1.ResourceClaimConsumerReference{{Resource: "pods", Name: args.PodName, UID: args.PodUID}},
	}
	for i, device := range devices {
		status.Allocation.Devices.Results = append(status.Allocation.Devices.Results,
			resourcev1.DeviceRequestAllocationResult{Request: fmt.Sprintf("r%d", i), Driver: driver, Pool: args.Node, Device: device})
	}
	patch, err := json.Marshal(map[string]any{"metadata": map[string]any{"finalizers": []string{harness.Finalizer}}, "status": status})
	if err != nil {
		return err
	}
	claim := *pod.Status.ResourceClaimStatuses[0].ResourceClaimName
	if _, err := c.client.ResourceV1().ResourceClaims(namespace).Patch(ctx, claim, types.MergePatchType, patch,
		metav1.PatchOptions{FieldManager: noEpoch}, "status"); err != nil {
		return err
	}
	return c.client.CoreV1().Pods(namespace).Bind(ctx, &corev1.Binding{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: args.PodName, UID: args.PodUID},
		Target:     corev1.ObjectReference{Kind: "Node", Name: args.Node},
	}, metav1.CreateOptions{FieldManager: noEpoch})
}

// nodeSelector is the one that an allocation of a node's own devices has.
func nodeSelector(node string) *corev1.NodeSelector {
	return &corev1.NodeSelector{NodeSelectorTerms: []corev1.NodeSelectorTerm{{MatchFields: []corev1.NodeSelectorRequirement{
		{Key: "metadata.name", Operator: corev1.NodeSelectorOpIn, Values: []string{node}}}}}}
}

// answer serves one verb: JSON in, JSON out.
func answer[Args any](verb func(context.Context, Args) any) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		var args Args
		if err := json.NewDecoder(r.Body).Decode(&args); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(verb(r.Context(), args))
	}
}

// podInformer calls seen for each pod of the namespace, at first and whenever it changes; it returns once all that
// exist were seen.
func podInformer(ctx context.Context, client kubernetes.Interface, seen func(*corev1.Pod)) error {
	source := &cache.ListWatch{
		ListWithContextFunc: func(ctx context.Context, options metav1.ListOptions) (runtime.Object, error) {
			return client.CoreV1().Pods(namespace).List(ctx, options)
		},
		WatchFuncWithContext: func(ctx context.Context, options metav1.ListOptions) (watch.Interface, error) {
			return client.CoreV1().Pods(namespace).Watch(ctx, options)
		},
	}
	_, informer := cache.NewInformerWithOptions(cache.InformerOptions{ListerWatcher: source, ObjectType: &corev1.Pod{},
		Handler: cache.ResourceEventHandlerFuncs{
			AddFunc:    func(o any) { seen(o.(*corev1.Pod)) },
			UpdateFunc: func(_, o any) { seen(o.(*corev1.Pod)) },
		}})
	go informer.RunWithContext(ctx)
	if !cache.WaitForCacheSync(ctx.Done(), informer.HasSynced) {
		return ctx.Err()
	}
	return nil
}
