package apimodel

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"time"
)

// Op is one operation, as tests/api_model/operation.h reads it. Its strings may be references, which stand for another
// text on each side: "$uid:Pod/p0" is the uid of the pod now of that name, "$uid-1:Pod/p0" of the one before;
// "$rv:..." and "$rv-2:..." are resourceVersions in the same way; "$claim:p0-a" is the name of the claim that was made
// for the entry a of pod p0, whose uid is "$uid:ResourceClaim/p0-a". So an operation says the same wherever it is played,
// also when others before it are left out.
type Op map[string]any

func (op Op) text(key string) string {
	text, _ := op[key].(string)
	return text
}

// key is that of the object that the operation is about.
func (op Op) key() string { return op.text("kind") + "/" + op.text("name") }

// pair is the same thing on both sides.
type pair struct{ model, real string }

// names knows what uids and resourceVersions of one side are on the other.
type names struct {
	uids, versions   map[string]string // of the model: what the real one has
	ruids, rversions map[string]string
	history          map[string]*history // by Kind/name
	slowest          time.Duration       // what the slowest operation took
	claims           map[string]pair     // names of claims that were made for pods, by pod-entry
}

// history is what was seen of the objects of one name, oldest first.
type history struct {
	uids     []pair
	versions []pair
	bodies   []json.RawMessage // the real answers, beside versions
}

func newNames() *names {
	return &names{uids: map[string]string{}, ruids: map[string]string{}, versions: map[string]string{},
		rversions: map[string]string{}, history: map[string]*history{}, claims: map[string]pair{}}
}

// same notes that a is b, unless one of them is known to be another.
func same(forth, back map[string]string, a, b string) bool {
	if known, ok := forth[a]; ok {
		return known == b
	}
	if _, ok := back[b]; ok {
		return false
	}
	forth[a], back[b] = b, a
	return true
}

func (n *names) sameUID(model, real string) bool { return same(n.uids, n.ruids, model, real) }
func (n *names) sameVersion(model, real string) bool {
	return same(n.versions, n.rversions, model, real)
}

// saw notes an object as both sides hold it.
func (n *names) saw(key string, model, real map[string]any, body json.RawMessage) {
	h := n.history[key]
	if h == nil {
		h = &history{}
		n.history[key] = h
	}
	if uid := both(model, real, "uid"); len(h.uids) == 0 || h.uids[len(h.uids)-1] != uid {
		h.uids = append(h.uids, uid)
	}
	if version := both(model, real, "resourceVersion"); len(h.versions) == 0 || h.versions[len(h.versions)-1] != version {
		h.versions = append(h.versions, version)
		h.bodies = append(h.bodies, body)
	}
}

func both(model, real map[string]any, field string) pair {
	text := func(object map[string]any) string {
		meta, _ := object["metadata"].(map[string]any)
		value, _ := meta[field].(string)
		return value
	}
	return pair{text(model), text(real)}
}

const noUID, noVersion = "00000000-0000-4000-8000-00000000000f", "1"

var (
	reference = regexp.MustCompile(`"\$(uid|rv)(?:-(\d+))?:([A-Za-z]+/[a-z0-9-]+)"`)
	claimName = regexp.MustCompile(`"\$claim:([a-z0-9-]+)"`)
)

// nth is the entry so many before the last.
func nth(list []pair, back int, none string) pair {
	if i := len(list) - 1 - back; i >= 0 {
		return list[i]
	}
	return pair{none, none}
}

// resolve is the operation as each side has to read it.
func (n *names) resolve(op Op) (model, real json.RawMessage, err error) {
	text, err := json.Marshal(op)
	if err != nil {
		return nil, nil, err
	}
	put := func(pick func(pair) string) json.RawMessage {
		text := claimName.ReplaceAllFunc(text, func(found []byte) []byte {
			name, ok := n.claims[string(claimName.FindSubmatch(found)[1])]
			if !ok {
				name = pair{"none", "none"}
			}
			return fmt.Appendf(nil, "%q", pick(name))
		})
		return reference.ReplaceAllFunc(text, func(found []byte) []byte {
			part := reference.FindSubmatch(found)
			back, _ := strconv.Atoi(string(part[2]))
			h := n.history[string(part[3])]
			if h == nil {
				h = &history{}
			}
			if string(part[1]) == "uid" {
				return fmt.Appendf(nil, "%q", pick(nth(h.uids, back, noUID)))
			}
			return fmt.Appendf(nil, "%q", pick(nth(h.versions, back, noVersion)))
		})
	}
	model = put(func(p pair) string { return p.model })
	real = put(func(p pair) string { return p.real })
	return model, real, nil
}

// body is the real object as it was so many versions ago, if it was.
func (n *names) body(key string, back int) json.RawMessage {
	h := n.history[key]
	if h == nil || len(h.bodies) <= back {
		return nil
	}
	return h.bodies[len(h.bodies)-1-back]
}
