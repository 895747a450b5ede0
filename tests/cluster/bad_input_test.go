package cluster_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	extender "k8s.io/kube-scheduler/extender/v1"

	"dray.dev/dray/tests/cluster/harness"
)

// post sends a body to a verb and returns the status and the answer.
func (p *pair) post(t *testing.T, verb string, body []byte) (int, []byte) {
	t.Helper()
	response, err := p.dray.Client.Post(p.dray.Extender+"/v1/"+verb, "application/json", bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response.StatusCode, answer
}

// call sends a request and decodes the answer, which must be a 200 as kube-scheduler takes nothing else.
func call[Out any](t *testing.T, p *pair, verb string, in any) Out {
	t.Helper()
	body, err := json.Marshal(in)
	if err != nil {
		t.Fatal(err)
	}
	return decode[Out](t, p, verb, body)
}

func decode[Out any](t *testing.T, p *pair, verb string, body []byte) Out {
	t.Helper()
	var out Out
	status, answer := p.post(t, verb, body)
	if status != http.StatusOK {
		t.Fatalf("%s: status %d: %s", verb, status, answer)
	}
	if err := json.Unmarshal(answer, &out); err != nil {
		t.Fatalf("%s: %v: %s", verb, err, answer)
	}
	return out
}

// unharmed checks that the same process still serves.
func (p *pair) unharmed(t *testing.T) {
	t.Helper()
	if !p.dray.Running() {
		t.Fatalf("dray has ended\n%s", p.dray.Tail(40))
	}
	response, err := http.Get(p.dray.Admin + "/readyz")
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		t.Errorf("readyz: %s", response.Status)
	}
}

func TestMalformedRequests(t *testing.T) {
	p := startPair(t, pairOptions{})
	pid := p.dray.Pid()
	bodies := map[string]string{
		"empty":              "",
		"cut off":            `{"Pod":{"metadata":{"name":"p"`,
		"not JSON":           "\x00\x01\x02 hello",
		"a list":             `[]`,
		"wrong types":        `{"Pod":[],"NodeNames":{"a":1},"PodName":7,"Node":[]}`,
		"no pod":             `{"Pod":null,"Nodes":null,"NodeNames":["n0"]}`,
		"deep":               strings.Repeat(`{"Pod":`, 5000) + "1" + strings.Repeat("}", 5000),
		"invalid UTF-8":      "{\"Pod\":{\"metadata\":{\"name\":\"\xff\xfe\"}},\"NodeNames\":[]}",
		"number of no range": `{"Pod":{"spec":{"priority":1e999}},"NodeNames":[]}`,
	}
	for name, body := range bodies {
		t.Run("filter "+name, func(t *testing.T) {
			if answer := decode[extender.ExtenderFilterResult](t, p, "filter", []byte(body)); answer.Error == "" {
				t.Errorf("no Error: %+v", answer)
			}
			p.unharmed(t)
		})
		t.Run("bind "+name, func(t *testing.T) {
			if answer := decode[extender.ExtenderBindingResult](t, p, "bind", []byte(body)); answer.Error == "" {
				t.Error("no Error")
			}
			p.unharmed(t)
		})
		// No Error field here. Anything but these makes kube-scheduler fail the attempt or, worse, crash.
		t.Run("preempt "+name, func(t *testing.T) {
			status, answer := p.post(t, "preempt", []byte(body))
			var result extender.ExtenderPreemptionResult
			if status == http.StatusOK {
				if err := json.Unmarshal(answer, &result); err != nil || len(result.NodeNameToMetaVictims) > 0 {
					t.Errorf("%v: %s", err, answer)
				}
			} else if status/100 != 4 {
				t.Errorf("status %d: %s", status, answer)
			}
			p.unharmed(t)
		})
	}
	t.Run("unknown path", func(t *testing.T) {
		if status, _ := p.post(t, "reserve", []byte("{}")); status != http.StatusNotFound {
			t.Errorf("status %d", status)
		}
	})
	t.Run("not HTTP", func(t *testing.T) {
		sendRaw(t, p, "\x16\x03\x01 this is not HTTP\r\n\r\n")
		p.unharmed(t)
	})
	t.Run("body shorter than announced", func(t *testing.T) {
		sendRaw(t, p, "POST /v1/filter HTTP/1.1\r\nHost: dray\r\nContent-Length: 100\r\n\r\n{}")
		p.unharmed(t)
	})
	if p.dray.Pid() != pid {
		t.Error("dray was restarted")
	}
}

// sendRaw writes bytes, ends its side and expects a refusal, an Error or the end of the connection.
func sendRaw(t *testing.T, p *pair, text string) {
	t.Helper()
	connection, err := net.Dial("tcp", strings.TrimPrefix(p.dray.Extender, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer connection.Close()
	if err := connection.SetDeadline(time.Now().Add(patience)); err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(connection, text); err != nil {
		t.Fatal(err)
	}
	if err := connection.(*net.TCPConn).CloseWrite(); err != nil {
		t.Fatal(err)
	}
	answer, err := io.ReadAll(connection)
	var timeout net.Error
	if errors.As(err, &timeout) && timeout.Timeout() {
		t.Error("the connection stays open")
	}
	refused := len(answer) == 0 || bytes.HasPrefix(answer, []byte("HTTP/1.1 4"))
	if !refused && (!bytes.Contains(answer, []byte(`"Error":"`)) || bytes.Contains(answer, []byte(`"Error":""`))) {
		t.Errorf("answer %q", answer)
	}
}

// pending creates a pod that cannot be placed and waits for its claims; filter is asked about it directly.
func pending(t *testing.T, pod *corev1.Pod) *corev1.Pod {
	t.Helper()
	createPods(t, pod)
	pod, err := plane.WaitPod(t.Context(), pod.Namespace, pod.Name, patience, func(pod *corev1.Pod) bool {
		return len(pod.Status.ResourceClaimStatuses) == len(pod.Spec.ResourceClaims)
	})
	if err != nil {
		t.Fatal(err)
	}
	return pod
}

// checkRefused expects every node in FailedAndUnresolvableNodes with one short constant text.
func checkRefused(t *testing.T, answer extender.ExtenderFilterResult, nodes ...string) {
	t.Helper()
	if answer.Error != "" {
		t.Errorf("Error is for faults only: %s", answer.Error)
	}
	if answer.NodeNames == nil || len(*answer.NodeNames) != 0 || len(answer.FailedNodes) != 0 {
		t.Errorf("NodeNames %v, FailedNodes %v, want none of both", answer.NodeNames, answer.FailedNodes)
	}
	for _, node := range nodes {
		reason := answer.FailedAndUnresolvableNodes[node]
		if reason == "" || len(reason) >= 120 || strings.ContainsAny(reason, "0123456789") {
			t.Errorf("node %s: reason %q", node, reason)
		}
	}
}

func TestUnknownNode(t *testing.T) {
	p := startPair(t, pairOptions{})
	create(t, fleet(manyDriver, 1, 1, "4").All())
	create(t, oneDeviceTemplate("unknown-node", manyDriver))
	// Too big for the node, so that it stays pending.
	pod := pending(t, withCPU(podOf("unknown-node", "p", harness.SchedulerName, "one"), "100"))
	waitRefused(t, "unknown-node", "p")
	t.Run("bind", func(t *testing.T) {
		answer := call[extender.ExtenderBindingResult](t, p, "bind", extender.ExtenderBindingArgs{
			PodName: pod.Name, PodNamespace: pod.Namespace, PodUID: pod.UID, Node: "nowhere"})
		if !strings.Contains(answer.Error, "nowhere") {
			t.Errorf("Error %q does not name the node", answer.Error)
		}
	})
	t.Run("bind of an unknown pod", func(t *testing.T) {
		answer := call[extender.ExtenderBindingResult](t, p, "bind", extender.ExtenderBindingArgs{
			PodName: "nobody", PodNamespace: pod.Namespace, PodUID: "1234", Node: "n0"})
		if !strings.Contains(answer.Error, "nobody") {
			t.Errorf("Error %q does not name the pod", answer.Error)
		}
	})
	t.Run("filter", func(t *testing.T) {
		names := []string{"nowhere"}
		checkRefused(t, call[extender.ExtenderFilterResult](t, p, "filter",
			extender.ExtenderArgs{Pod: pod, NodeNames: &names}), "nowhere")
	})
	p.unharmed(t)
}

func TestUnknownClass(t *testing.T) {
	p := startPair(t, pairOptions{})
	create(t, fleet(manyDriver, 2, 1, "4").All())
	create(t, oneDeviceTemplate("unknown-class", "no-such-class"))
	pod := pending(t, podOf("unknown-class", "p", harness.SchedulerName, "one"))
	names := []string{"n0", "n1"}
	checkRefused(t, call[extender.ExtenderFilterResult](t, p, "filter",
		extender.ExtenderArgs{Pod: pod, NodeNames: &names}), names...)
	refused := waitRefused(t, "unknown-class", "p")
	if !strings.Contains(strings.ToLower(harness.Refusal(refused)), "class") {
		t.Errorf("the reason does not say it: %s", harness.Refusal(refused))
	}
	// The class appears: the pod goes.
	create(t, strings.ReplaceAll(classOf(manyDriver), "NAME", "no-such-class"))
	waitBound(t, "unknown-class", "p")
	p.unharmed(t)
}

func classOf(driver string) string {
	return fmt.Sprintf(`
apiVersion: resource.k8s.io/v1
kind: DeviceClass
metadata: {name: NAME}
spec: {selectors: [{cel: {expression: 'device.driver == "%s"'}}]}
`, driver)
}

func TestIncompletePool(t *testing.T) {
	p := startPair(t, pairOptions{})
	slice := func(index int) string {
		return fmt.Sprintf(`
apiVersion: resource.k8s.io/v1
kind: ResourceSlice
metadata: {name: half-%[1]d}
spec:
  driver: half.example.com
  nodeName: n0
  pool: {name: n0, generation: 1, resourceSliceCount: 2}
  devices: [{name: dev-%[1]d}]
`, index)
	}
	create(t, fleet(manyDriver, 1, 1, "4").All())
	create(t, strings.ReplaceAll(classOf("half.example.com"), "NAME", "half.example.com"))
	create(t, slice(0))
	create(t, oneDeviceTemplate("incomplete", "half.example.com"))
	pod := pending(t, podOf("incomplete", "p", harness.SchedulerName, "one"))
	names := []string{"n0"}
	checkRefused(t, call[extender.ExtenderFilterResult](t, p, "filter",
		extender.ExtenderArgs{Pod: pod, NodeNames: &names}), names...)
	refused := waitRefused(t, "incomplete", "p")
	t.Log("reason:", harness.Refusal(refused))
	// The second slice completes the pool: the pod goes, though kube-scheduler would not wake it for a slice.
	create(t, slice(1))
	waitBound(t, "incomplete", "p")
	p.unharmed(t)
}

// One tenant's claim, which the API server takes and dray cannot read, keeps dray from nothing: neither when a watch
// brings it nor when a new dray lists it.
func TestAnUnreadableClaimStopsNobody(t *testing.T) {
	const odd = `{"apiVersion":"resource.k8s.io/v1","kind":"ResourceClaim","metadata":{"name":"odd"},
		"spec":{"devices":{"requests":[{"name":"r","exactly":{"deviceClassName":"gpu.nvidia.com",
		"capacity":{"requests":{"x":"1e20000"}}}}]}}}`
	p := startPair(t, pairOptions{})
	claims := plane.Client.ResourceV1().RESTClient()
	created := claims.Post().Namespace("default").Resource("resourceclaims").
		SetHeader("Content-Type", "application/json").Body([]byte(odd)).Do(t.Context())
	if err := created.Error(); err != nil {
		t.Fatal(err)
	}
	p.countsAnUnreadableClaim(t)
	p.dray.Kill()
	if err := p.dray.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	p.countsAnUnreadableClaim(t)
	eventually(t.Context(), t, "dray is ready", func(ctx context.Context) (bool, error) { return p.dray.Ready(ctx), nil })
}

func (p *pair) countsAnUnreadableClaim(t *testing.T) {
	t.Helper()
	eventually(t.Context(), t, "the claim is counted", func(context.Context) (bool, error) {
		response, err := http.Get(p.dray.Admin + "/metrics")
		if err != nil {
			return false, nil
		}
		defer response.Body.Close()
		text, err := io.ReadAll(response.Body)
		return strings.Contains(string(text), `dray_unreadable_objects{kind="ResourceClaim"} 1`), err
	})
}
