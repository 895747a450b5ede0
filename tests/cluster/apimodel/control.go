package apimodel

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"time"

	"dray.dev/dray/tests/cluster/harness"
)

// patience is for the real controllers to come to rest.
const patience = 20 * time.Second

// PlayControlled plays operations while the controllers of claims work: the model's and the real ones. After each, both
// sides come to hold the same pods and claims. (How many writes it takes them is not compared.)
func (p *Player) PlayControlled(ctx context.Context, ops []Op) (*Difference, error) {
	if err := p.reset(ctx); err != nil {
		return nil, err
	}
	for i, op := range ops {
		what, err := p.playControlled(ctx, op)
		if what == "" && err == nil {
			what, err = p.settle(ctx, 0)
		}
		if what == "" && err == nil && i == len(ops)-1 {
			what, err = p.settle(ctx, 500*time.Millisecond) // and they stay alike
		}
		if err != nil {
			return nil, fmt.Errorf("operation %d, %v: %w", i+1, op, err)
		}
		if what != "" {
			return &Difference{After: i + 1, Op: op, What: what}, nil
		}
	}
	return nil, nil
}

// playControlled is play without looking at what it left: the controllers may be at work on it.
func (p *Player) playControlled(ctx context.Context, op Op) (string, error) {
	now := time.Now().UTC().Format(time.RFC3339Nano)
	p.touched[op.key()] = true
	model, real, err := p.names.resolve(op)
	if err != nil {
		return "", err
	}
	got, sent, err := p.playReal(ctx, op, real)
	if err != nil || !sent {
		return "", err
	}
	var want Outcome
	if err := p.program.Ask(map[string]any{"do": "play", "op": model, "now": now}, &want); err != nil {
		return "", err
	}
	p.count(op, want.Code)
	if want.Code != got.Code {
		return fmt.Sprintf("%s of the model (%s), %s of the real one (%s)", want.Code, want.Message, got.Code, got.Message), nil
	}
	return "", nil
}

// settle waits until both sides hold the same, after some time in which they may have come apart again; else it is what
// differs.
func (p *Player) settle(ctx context.Context, after time.Duration) (what string, err error) {
	select {
	case <-time.After(after):
	case <-ctx.Done():
		return "", ctx.Err()
	}
	until := time.Now().Add(patience)
	err = harness.Poll(ctx, func(ctx context.Context) (bool, error) {
		settled, err := p.control()
		if err != nil || !settled {
			what = "the model's controller comes to no end"
			return true, err
		}
		model, real, err := p.states(ctx)
		if err != nil {
			return false, err
		}
		what = p.sameState(model, real)
		return what == "" || time.Now().After(until), nil
	})
	return what, err
}

// control lets the model's controller work; false: it comes to no end.
func (p *Player) control() (bool, error) {
	var answer struct{ Settled bool }
	now := time.Now().UTC().Format(time.RFC3339Nano)
	err := p.program.Ask(map[string]any{"do": "control", "now": now}, &answer)
	return answer.Settled, err
}

// list is the objects of a kind, but for the marker.
func (s *Server) list(ctx context.Context, kind string) ([]m, error) {
	_, body, err := s.must(ctx, http.MethodGet, collections[kind], "")
	if err != nil {
		return nil, err
	}
	var all struct{ Items []m }
	if err := json.Unmarshal(body, &all); err != nil {
		return nil, err
	}
	for _, item := range all.Items {
		item["kind"], item["apiVersion"] = kind, apiVersions[kind]
	}
	return slices.DeleteFunc(all.Items, func(item m) bool { return item["metadata"].(m)["name"] == marker }), nil
}

// states are all pods and claims of both sides.
func (p *Player) states(ctx context.Context) (model, real []m, err error) {
	var held struct{ Objects []m }
	if err = p.program.Ask(map[string]any{"do": "objects"}, &held); err != nil {
		return
	}
	for _, kind := range []string{"Pod", "ResourceClaim"} {
		items, failed := p.server.list(ctx, kind)
		if failed != nil {
			return nil, nil, failed
		}
		for _, item := range items {
			var read Outcome
			if err = p.program.Ask(map[string]any{"do": "read", "object": item}, &read); err != nil {
				return
			}
			p.touched[kind+"/"+item["metadata"].(m)["name"].(string)] = true
			real = append(real, read.Object)
		}
	}
	return held.Objects, real, nil
}

// sameState compares without what two runs of one controller need not have alike: generated names, times and
// resourceVersions. If all else is the same, what they are is noted.
func (p *Player) sameState(model, real []m) string {
	trial := *p.names
	trial.uids, trial.ruids = maps.Clone(p.names.uids), maps.Clone(p.names.ruids)
	want, got := plainState(model), plainState(real)
	for _, key := range slices.Sorted(maps.Keys(want)) {
		other, ok := got[key]
		if !ok {
			return fmt.Sprintf("%s of the model is none of the real one's: %v", key, want[key].plain)
		}
		if found := trial.difference(key, want[key].plain, other.plain); found != "" {
			return found
		}
	}
	for key := range got {
		if _, ok := want[key]; !ok {
			return fmt.Sprintf("%s of the real one is none of the model's: %v", key, got[key].plain)
		}
	}
	p.names.uids, p.names.ruids = trial.uids, trial.ruids
	for key, held := range want {
		other := got[key]
		name := both(held.object, other.object, "name")
		if entry, made := strings.CutPrefix(key, "ResourceClaim/for "); made {
			p.names.claims[entry] = name
			key = "ResourceClaim/" + entry
		}
		p.names.saw(key, held.object, other.object, nil)
	}
	return ""
}

type heldObject struct{ object, plain m }

// plainState is by name; claims that were made for pods by what they were made for.
func plainState(objects []m) map[string]heldObject {
	state := map[string]heldObject{}
	for _, object := range objects {
		plain := plainOf(object).(m)
		key := fmt.Sprintf("%s/%s", plain["kind"], plain["metadata"].(m)["name"])
		if _, twice := state[key]; twice {
			key += " again"
		}
		state[key] = heldObject{object, plain}
	}
	return state
}

// generated is a name that the controller makes, of pod and entry.
var generated = regexp.MustCompile(`^(p\d-[a-z]+)-[a-z0-9]{5}$`)

func plainOf(value any) any {
	switch v := value.(type) {
	case m:
		plain := m{}
		for key, each := range v {
			switch {
			case key == "resourceVersion":
			case strings.HasSuffix(key, "Time"), strings.HasSuffix(key, "Timestamp"):
				plain[key] = "some time"
			default:
				plain[key] = plainOf(each)
			}
		}
		return plain
	case []any:
		plain := make([]any, len(v))
		for i, each := range v {
			plain[i] = plainOf(each)
		}
		return plain
	case string:
		return generated.ReplaceAllString(v, "for $1")
	}
	return value
}
