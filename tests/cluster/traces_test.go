package cluster_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"sync"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"dray.dev/dray/tests/cluster/harness"
)

// span is a span as a collector reads it.
type span struct {
	TraceID, SpanID, ParentSpanID, Name, StartTimeUnixNano, EndTimeUnixNano string
}

// collector keeps the spans that it is sent.
type collector struct {
	mutex sync.Mutex
	spans []span
	bad   []string
}

func (c *collector) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	var sent struct {
		ResourceSpans []struct {
			ScopeSpans []struct{ Spans []span }
		}
	}
	if err == nil {
		err = json.Unmarshal(body, &sent)
	}
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if err != nil || r.URL.Path != "/v1/traces" || r.Header.Get("Content-Type") != "application/json" {
		c.bad = append(c.bad, r.URL.Path+": "+string(body))
	}
	for _, resource := range sent.ResourceSpans {
		for _, scope := range resource.ScopeSpans {
			c.spans = append(c.spans, scope.Spans...)
		}
	}
	_, _ = w.Write([]byte("{}"))
}

// of are the spans of a trace by name.
func (c *collector) of(trace string) map[string]span {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	found := map[string]span{}
	for _, s := range c.spans {
		if s.TraceID == trace {
			found[s.Name] = s
		}
	}
	return found
}

// What dray does for a pod, from its plan to its binding, is one trace, which the pod's Events and the log name.
func TestTraces(t *testing.T) {
	const driver = "traces.example.com"
	to := &collector{}
	server := httptest.NewServer(to)
	t.Cleanup(server.Close)
	p := startPair(t, pairOptions{DrayOptions: harness.DrayOptions{
		Args: []string{"--otlp-endpoint", server.URL, "-v", "2", "--logging-format", "json"}}})
	create(t, fleet(driver, 1, 1, "4").All())
	create(t, oneDeviceTemplate("traces", driver))
	createPods(t, podOf("traces", "fits", harness.SchedulerName, "one"))
	trace := strings.ReplaceAll(string(waitBound(t, "traces", "fits").UID), "-", "")
	wanted := []string{"plan", "LiftGate", "filter", "bind", "AllocateClaim", "BindPod"}
	eventually(t.Context(), t, "all spans have come", func(context.Context) (bool, error) {
		got := to.of(trace)
		for _, name := range wanted {
			if _, there := got[name]; !there {
				return false, nil
			}
		}
		return true, nil
	})
	got := to.of(trace)
	if got["BindPod"].ParentSpanID != got["bind"].SpanID {
		t.Errorf("the binding is not below the call: %+v", got)
	}
	for _, s := range got {
		if !regexp.MustCompile("^[0-9a-f]{16}$").MatchString(s.SpanID) || !regexp.MustCompile("^[0-9]{19}$").MatchString(s.StartTimeUnixNano) ||
			s.EndTimeUnixNano < s.StartTimeUnixNano {
			t.Errorf("no span of OTLP's JSON: %+v", s)
		}
	}
	if len(to.bad) > 0 {
		t.Errorf("sent: %v", to.bad)
	}

	// What dray cannot read it tells in an Event.
	const odd = `{"apiVersion":"resource.k8s.io/v1","kind":"ResourceClaim","metadata":{"name":"odd"},
		"spec":{"devices":{"requests":[{"name":"r","exactly":{"deviceClassName":"gpu.nvidia.com",
		"capacity":{"requests":{"x":"1e20000"}}}}]}}}`
	if err := plane.Client.ResourceV1().RESTClient().Post().Namespace("traces").Resource("resourceclaims").
		SetHeader("Content-Type", "application/json").Body([]byte(odd)).Do(t.Context()).Error(); err != nil {
		t.Fatal(err)
	}
	eventually(t.Context(), t, "an Event of dray names its trace", func(ctx context.Context) (bool, error) {
		events, err := plane.Client.EventsV1().Events("traces").List(ctx, metav1.ListOptions{})
		if err != nil {
			return false, err
		}
		for _, event := range events.Items {
			if event.ReportingController == "dray" && event.Regarding.Name == "odd" {
				want := strings.ReplaceAll(string(event.Regarding.UID), "-", "")
				if told := event.Annotations["dray.dev/trace-id"]; told != want {
					return false, fmt.Errorf("it names %q, want %s", told, want)
				}
				return true, nil
			}
		}
		return false, nil
	})
	if text := p.dray.Tail(400); !strings.Contains(text, `"trace":"`+trace+`"`) {
		t.Errorf("the log does not name the trace:\n%s", text)
	}
}
