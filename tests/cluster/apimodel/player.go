package apimodel

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"time"
)

// Player plays operations on the model and on a real API server.
type Player struct {
	program *Program
	server  *Server
	watches *watches
	names   *names
	touched map[string]bool // objects that the sequence may have left behind
	start   uint64          // the real one's resourceVersion before the first operation

	// Outcomes counts by operation and what it came to.
	Outcomes map[string]map[string]int
}

// NewPlayer plays in the namespace Namespace, which is there.
func NewPlayer(ctx context.Context, program *Program, server *Server) (*Player, error) {
	watches, err := newWatches(ctx, server)
	if err != nil {
		return nil, err
	}
	return &Player{program: program, server: server, watches: watches, Outcomes: map[string]map[string]int{}}, nil
}

// Difference is where the two sides did not do the same.
type Difference struct {
	After int // operations that were played
	Op    Op  // the last of them; nil: all were played, and the watches differ
	What  string
}

func (d *Difference) String() string {
	if d.Op == nil {
		return d.What
	}
	text, _ := json.Marshal(d.Op)
	return fmt.Sprintf("operation %d, %s: %s", d.After, text, d.What)
}

// Play begins with two servers that hold nothing of ours, and returns the first difference, if there is one.
func (p *Player) Play(ctx context.Context, ops []Op) (*Difference, error) {
	if err := p.reset(ctx); err != nil {
		return nil, err
	}
	for i, op := range ops {
		what, err := p.play(ctx, op)
		if err != nil {
			return nil, fmt.Errorf("operation %d, %v: %w", i+1, op, err)
		}
		if what != "" {
			return &Difference{After: i + 1, Op: op, What: what}, nil
		}
	}
	what, err := p.compareEvents(ctx)
	if err != nil || what == "" {
		return nil, err
	}
	return &Difference{After: len(ops), What: what}, nil
}

// Clear takes away what the last sequence left on the real API server.
func (p *Player) Clear(ctx context.Context) error {
	for key := range p.touched {
		if err := p.erase(ctx, key); err != nil {
			return err
		}
	}
	return nil
}

func (p *Player) reset(ctx context.Context) error {
	if err := p.Clear(ctx); err != nil {
		return err
	}
	p.touched = map[string]bool{}
	p.names = newNames()
	var nothing struct{}
	if err := p.program.Ask(map[string]any{"do": "reset"}, &nothing); err != nil {
		return err
	}
	var err error
	p.start, err = p.server.revision(ctx)
	return err
}

// erase takes an object away from the real API server, whatever it says.
func (p *Player) erase(ctx context.Context, key string) error {
	path := pathOf(key)
	status, _, err := p.server.must(ctx, http.MethodPatch, path, `{"metadata":{"finalizers":null}}`, http.StatusNotFound)
	for err == nil && status != http.StatusNotFound {
		status, _, err = p.server.must(ctx, http.MethodDelete, path, `{"gracePeriodSeconds":0}`, http.StatusNotFound)
	}
	return err
}

// play plays one operation on both sides, and tells what differs.
func (p *Player) play(ctx context.Context, op Op) (string, error) {
	before := time.Now()
	now := before.UTC().Format(time.RFC3339Nano)
	p.touched[op.key()] = true
	model, real, err := p.names.resolve(op)
	if err != nil {
		return "", err
	}
	got, sent, err := p.playReal(ctx, op, real)
	if err != nil {
		return "", err
	}
	p.names.slowest = max(p.names.slowest, time.Since(before))
	var want Outcome
	if sent {
		question := map[string]any{"do": "play", "op": model, "now": now}
		if err := p.program.Ask(question, &want); err != nil {
			return "", err
		}
		p.count(op, want.Code)
		if want.Code != got.Code {
			return fmt.Sprintf("%s of the model (%s), %s of the real one (%s)",
				want.Code, want.Message, got.Code, got.Message), nil
		}
		if (want.Object == nil) != (got.Object == nil) {
			return fmt.Sprintf("answered: %v by the model, %v by the real one", want.Object, got.Object), nil
		}
		if want.Object != nil {
			if found := p.names.difference("answered", want.Object, got.Object); found != "" {
				return found, nil
			}
		}
	}
	return p.compareObject(ctx, op)
}

func (p *Player) count(op Op, code string) {
	name := op.text("op")
	if name == "Create" || name == "Patch" || name == "Delete" {
		name += " " + op.text("kind")
	}
	if p.Outcomes[name] == nil {
		p.Outcomes[name] = map[string]int{}
	}
	p.Outcomes[name][code]++
}

// playReal carries an operation out as dray would. Not sent: a release that had nothing to change, by what it read
// before.
func (p *Player) playReal(ctx context.Context, op Op, resolved json.RawMessage) (outcome Outcome, sent bool, err error) {
	var request Request
	read := json.RawMessage(nil)
	if _, late := op["readAt"]; late {
		// What the first request read is stale by now.
		if read = p.names.body(op.key(), 1); read == nil || !strings.Contains(string(resolved), uidIn(read)) {
			return outcome, false, nil
		}
	}
	if op.text("op") == "ReleaseClaim" && read == nil {
		if err = p.program.Ask(map[string]any{"do": "request", "op": resolved}, &request); err != nil {
			return
		}
		status, body, failed := p.server.send(ctx, request, true)
		if failed != nil {
			return outcome, false, failed
		}
		outcome, err = p.outcome(resolved, status, body)
		if err != nil || outcome.Code != "ok" {
			return outcome, true, err
		}
		if read = body; !strings.Contains(string(resolved), uidIn(body)) {
			return Outcome{Code: "conflict", Message: "is another claim of that name now"}, true, nil
		}
	}
	question := map[string]any{"do": "request", "op": resolved}
	if read != nil {
		question["read"] = read
	}
	request = Request{}
	if err = p.program.Ask(question, &request); err != nil {
		return
	}
	if request.Method == "" {
		return outcome, op["readAt"] == nil, nil
	}
	status, body, err := p.server.send(ctx, request, isDrays(op))
	if err != nil {
		return outcome, false, err
	}
	outcome, err = p.outcome(resolved, status, body)
	return outcome, true, err
}

func (p *Player) outcome(op json.RawMessage, status int, body []byte) (outcome Outcome, err error) {
	question := map[string]any{"do": "outcome", "op": op, "status": status, "body": string(body)}
	err = p.program.Ask(question, &outcome)
	return
}

// isDrays: Leases and ConfigMaps have names here that its account has no right to.
func isDrays(op Op) bool {
	switch op.text("op") {
	case "Create", "Patch", "Delete":
		return false
	}
	return op.text("kind") == "Pod" || op.text("kind") == "ResourceClaim"
}

func uidIn(body []byte) string {
	var object struct{ Metadata struct{ UID string } }
	if json.Unmarshal(body, &object) != nil {
		return "?"
	}
	return object.Metadata.UID
}

// compareObject compares what both sides hold now under the operation's name.
func (p *Player) compareObject(ctx context.Context, op Op) (string, error) {
	var model, real Outcome
	where := map[string]any{"do": "get", "kind": op.text("kind"), "namespace": Namespace, "name": op.text("name")}
	if err := p.program.Ask(where, &model); err != nil {
		return "", err
	}
	status, body, err := p.server.must(ctx, http.MethodGet, pathOf(op.key()), "", http.StatusNotFound)
	if err != nil {
		return "", err
	}
	if held := status != http.StatusNotFound; held != (model.Code == "ok") {
		return fmt.Sprintf("afterwards %s: %s of the model, status %d of the real one", op.key(), model.Code, status), nil
	} else if !held {
		return "", nil
	}
	if err := p.program.Ask(map[string]any{"do": "read", "object": json.RawMessage(body)}, &real); err != nil {
		return "", err
	}
	if real.Code != "ok" {
		return "", fmt.Errorf("what the API server holds cannot be read: %s", real.Message)
	}
	if found := p.names.difference("afterwards "+op.key(), model.Object, real.Object); found != "" {
		return found, nil
	}
	p.names.saw(op.key(), model.Object, real.Object, body)
	return "", nil
}
