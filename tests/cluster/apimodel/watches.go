package apimodel

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// Namespace is where all namespaced objects of the operations are; those without a namespace bear its name in theirs.
const Namespace = "api-model"

// collections by kind.
var collections = map[string]string{
	"Pod":                   "/api/v1/namespaces/" + Namespace + "/pods",
	"ConfigMap":             "/api/v1/namespaces/" + Namespace + "/configmaps",
	"Node":                  "/api/v1/nodes",
	"ResourceClaim":         "/apis/resource.k8s.io/v1/namespaces/" + Namespace + "/resourceclaims",
	"ResourceClaimTemplate": "/apis/resource.k8s.io/v1/namespaces/" + Namespace + "/resourceclaimtemplates",
	"ResourceSlice":         "/apis/resource.k8s.io/v1/resourceslices",
	"DeviceClass":           "/apis/resource.k8s.io/v1/deviceclasses",
	"DeviceTaintRule":       "/apis/resource.k8s.io/v1/devicetaintrules",
	"PriorityClass":         "/apis/scheduling.k8s.io/v1/priorityclasses",
	"Lease":                 "/apis/coordination.k8s.io/v1/namespaces/" + Namespace + "/leases",
	"PodDisruptionBudget":   "/apis/policy/v1/namespaces/" + Namespace + "/poddisruptionbudgets",
}

func pathOf(key string) string {
	kind, name, _ := strings.Cut(key, "/")
	return collections[kind] + "/" + name
}

// revision is the resourceVersion of the last commit.
func (s *Server) revision(ctx context.Context) (uint64, error) {
	_, body, err := s.must(ctx, http.MethodGet, collections["Lease"]+"?limit=1", "")
	if err != nil {
		return 0, err
	}
	var list struct {
		Metadata struct{ ResourceVersion string }
	}
	if err := json.Unmarshal(body, &list); err != nil {
		return 0, err
	}
	return strconv.ParseUint(list.Metadata.ResourceVersion, 10, 64)
}

// marker is an object of each kind that is no part of the comparison: what comes after its change in a watch came after
// all that was committed before it.
const marker = Namespace + "-marker"

// watches follow each kind for as long as a Player lives.
type watches struct {
	server *Server
	told   map[string]<-chan event
	mark   int
}

func newWatches(ctx context.Context, server *Server) (*watches, error) {
	w := &watches{server: server, told: map[string]<-chan event{}}
	for kind, collection := range collections {
		made := object(kind, marker)
		if kind == "PodDisruptionBudget" {
			made["spec"] = m{"maxUnavailable": 1} // of no pod
		}
		body, err := json.Marshal(made)
		if err != nil {
			return nil, err
		}
		if _, _, err := server.must(ctx, http.MethodPost, collection, string(body), http.StatusConflict); err != nil {
			return nil, err
		}
	}
	from, err := server.revision(ctx)
	if err != nil {
		return nil, err
	}
	for kind, collection := range collections {
		if w.told[kind], err = server.watch(ctx, collection, strconv.FormatUint(from, 10)); err != nil {
			return nil, err
		}
	}
	return w, nil
}

// collect is what the watch of a kind told up to now.
func (w *watches) collect(ctx context.Context, kind string) ([]event, error) {
	w.mark++
	stamp := fmt.Sprintf("%d", w.mark)
	patch := fmt.Sprintf(`{"metadata":{"annotations":{"mark":%q}}}`, stamp)
	if _, _, err := w.server.must(ctx, http.MethodPatch, collections[kind]+"/"+marker, patch); err != nil {
		return nil, err
	}
	var all []event
	patience := time.After(time.Minute)
	for {
		select {
		case next, open := <-w.told[kind]:
			if !open {
				return nil, fmt.Errorf("the watch of %s broke off", kind)
			}
			var head struct {
				Metadata struct {
					Name        string
					Annotations map[string]string
				}
			}
			if err := json.Unmarshal(next.Object, &head); err != nil {
				return nil, err
			}
			if head.Metadata.Name != marker {
				all = append(all, next)
			} else if head.Metadata.Annotations["mark"] == stamp {
				return all, nil
			}
		case <-patience:
			return nil, fmt.Errorf("the watch of %s does not tell of the marker", kind)
		}
	}
}

// told is an event as it is compared.
type told struct {
	Type   string         `json:"type"`
	Object map[string]any `json:"object"`
}

func (t told) text(field string) string {
	if field == "kind" {
		text, _ := t.Object["kind"].(string)
		return text
	}
	return both(t.Object, nil, field).model
}

// compareEvents compares what watches were told since the start of the sequence, and the order of all commits.
func (p *Player) compareEvents(ctx context.Context) (string, error) {
	var model struct{ Events []told }
	if err := p.program.Ask(map[string]any{"do": "events"}, &model); err != nil {
		return "", err
	}
	byKind := map[string][]told{}
	for _, each := range model.Events {
		byKind[each.text("kind")] = append(byKind[each.text("kind")], each)
	}
	for kind := range collections {
		events, err := p.watches.collect(ctx, kind)
		if err != nil {
			return "", err
		}
		real, err := p.ours(events)
		if err != nil {
			return "", err
		}
		if found := p.names.eventDifference(kind, byKind[kind], real); found != "" {
			return found, nil
		}
	}
	return p.names.orderDifference(), nil
}

// ours are the events of this sequence's objects.
func (p *Player) ours(events []event) ([]told, error) {
	var kept []told
	for _, each := range events {
		var read Outcome
		if err := p.program.Ask(map[string]any{"do": "read", "object": each.Object}, &read); err != nil {
			return nil, err
		}
		next := told{each.Type, read.Object}
		version, err := strconv.ParseUint(next.text("resourceVersion"), 10, 64)
		if err != nil {
			return nil, fmt.Errorf("%s: %s", read.Message, each.Object)
		}
		space, name := next.text("namespace"), next.text("name")
		if version > p.start && (space == Namespace || space == "" && strings.HasPrefix(name, Namespace)) {
			kept = append(kept, next)
		}
	}
	return kept, nil
}

func (n *names) eventDifference(kind string, model, real []told) string {
	for i := range max(len(model), len(real)) {
		what := fmt.Sprintf("watch of %s, event %d", kind, i+1)
		if i >= len(model) {
			return fmt.Sprintf("%s: the model tells none, the real one %s %v", what, real[i].Type, real[i].Object)
		}
		if i >= len(real) {
			return fmt.Sprintf("%s: the model tells %s %v, the real one none", what, model[i].Type, model[i].Object)
		}
		if model[i].Type != real[i].Type {
			return fmt.Sprintf("%s: %s of the model, %s of the real one", what, model[i].Type, real[i].Type)
		}
		if found := n.difference(what, model[i].Object, real[i].Object); found != "" {
			return found
		}
	}
	return ""
}
