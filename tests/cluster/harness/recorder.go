package harness

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"path"
	"slices"
	"sync"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	extender "k8s.io/kube-scheduler/extender/v1"
)

// Call is one request of kube-scheduler and what it was answered, byte for byte.
type Call struct {
	Verb            string
	Request, Answer []byte
}

// Recorder stands between kube-scheduler and an extender and keeps every call.
type Recorder struct {
	URL string

	server *httptest.Server
	mutex  sync.Mutex
	calls  []Call
}

// StartRecorder listens on a free loopback port and passes calls on to next.
func StartRecorder(next http.Handler) *Recorder {
	r := &Recorder{}
	r.server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
		body, err := io.ReadAll(request.Body)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		request.Body = io.NopCloser(bytes.NewReader(body))
		answer := httptest.NewRecorder()
		next.ServeHTTP(answer, request)
		r.mutex.Lock()
		r.calls = append(r.calls, Call{path.Base(request.URL.Path), body, bytes.Clone(answer.Body.Bytes())})
		r.mutex.Unlock()
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(answer.Code)
		_, _ = w.Write(answer.Body.Bytes())
	}))
	r.URL = r.server.URL
	return r
}

// Proxy passes calls on to an extender at this URL.
func Proxy(to string) (http.Handler, error) {
	target, err := url.Parse(to)
	if err != nil {
		return nil, err
	}
	return httputil.NewSingleHostReverseProxy(target), nil
}

// Close stops listening.
func (r *Recorder) Close() { r.server.Close() }

// Calls returns those of a verb so far, oldest first.
func (r *Recorder) Calls(verb string) []Call {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	return slices.DeleteFunc(slices.Clone(r.calls), func(c Call) bool { return c.Verb != verb })
}

// AcceptAll is an extender without opinions: it lets every node pass, binds what it is told, and agrees to all victims.
func AcceptAll(client kubernetes.Interface) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("POST /v1/filter", answer(func(_ context.Context, in extender.ExtenderArgs) any {
		return extender.ExtenderFilterResult{Nodes: in.Nodes, NodeNames: in.NodeNames,
			FailedNodes: extender.FailedNodesMap{}, FailedAndUnresolvableNodes: extender.FailedNodesMap{}}
	}))
	mux.HandleFunc("POST /v1/prioritize", answer(func(_ context.Context, in extender.ExtenderArgs) any {
		scores := extender.HostPriorityList{}
		if in.NodeNames != nil {
			for _, name := range *in.NodeNames {
				scores = append(scores, extender.HostPriority{Host: name, Score: extender.MaxExtenderPriority})
			}
		}
		if in.Nodes != nil {
			for _, node := range in.Nodes.Items {
				scores = append(scores, extender.HostPriority{Host: node.Name, Score: extender.MaxExtenderPriority})
			}
		}
		return scores
	}))
	mux.HandleFunc("POST /v1/preempt", answer(func(_ context.Context, in extender.ExtenderPreemptionArgs) any {
		out := extender.ExtenderPreemptionResult{NodeNameToMetaVictims: in.NodeNameToMetaVictims}
		if out.NodeNameToMetaVictims == nil {
			out.NodeNameToMetaVictims = map[string]*extender.MetaVictims{}
		}
		for node, victims := range in.NodeNameToVictims {
			meta := &extender.MetaVictims{NumPDBViolations: victims.NumPDBViolations}
			for _, pod := range victims.Pods {
				meta.Pods = append(meta.Pods, &extender.MetaPod{UID: string(pod.UID)})
			}
			out.NodeNameToMetaVictims[node] = meta
		}
		return out
	}))
	mux.HandleFunc("POST /v1/bind", answer(func(ctx context.Context, in extender.ExtenderBindingArgs) any {
		err := client.CoreV1().Pods(in.PodNamespace).Bind(ctx, &corev1.Binding{
			ObjectMeta: metav1.ObjectMeta{Name: in.PodName, UID: in.PodUID},
			Target:     corev1.ObjectReference{Kind: "Node", Name: in.Node},
		}, metav1.CreateOptions{})
		if err != nil {
			return extender.ExtenderBindingResult{Error: err.Error()}
		}
		return extender.ExtenderBindingResult{}
	}))
	return mux
}

func answer[In any](verb func(context.Context, In) any) http.HandlerFunc {
	return func(w http.ResponseWriter, request *http.Request) {
		var in In
		if err := json.NewDecoder(request.Body).Decode(&in); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		_ = json.NewEncoder(w).Encode(verb(request.Context(), in))
	}
}
