package celoracle

import (
	"strings"

	"github.com/google/cel-go/common/types"
)

// expression is a generated expression that can be made smaller: texts around sub-expressions.
type expression struct {
	kind  *types.Type // that it was made for; it may be of another one
	parts []string    // one more than kids
	kids  []*expression
}

// leaf is an expression without sub-expressions.
func leaf(kind *types.Type, text string) *expression {
	return &expression{kind: kind, parts: []string{text}}
}

// around fills the `%`s of a pattern with expressions.
func around(kind *types.Type, pattern string, kids ...*expression) *expression {
	return &expression{kind: kind, parts: strings.Split(pattern, "%"), kids: kids}
}

// String is the text of the expression.
func (e *expression) String() string {
	var text strings.Builder
	e.write(&text)
	return text.String()
}

func (e *expression) write(text *strings.Builder) {
	for i, part := range e.parts {
		text.WriteString(part)
		if i < len(e.kids) {
			e.kids[i].write(text)
		}
	}
}

// spread is the expression with other white space, and comments, around its sub-expressions.
func (e *expression) spread(space func() string) *expression {
	made := &expression{kind: e.kind, parts: append([]string{}, e.parts...)}
	for i, kid := range e.kids {
		made.kids = append(made.kids, kid.spread(space))
		made.parts[i] += space()
	}
	return made
}

// smaller gives the expression with one of its parts simpler, bold changes first.
func (e *expression) smaller() []*expression {
	var all []*expression
	all = append(all, e.kids...)
	if len(e.kids) > 0 {
		for _, text := range simplest(e.kind) {
			all = append(all, leaf(e.kind, text))
		}
	}
	for i, kid := range e.kids {
		for _, simpler := range kid.smaller() {
			copied := &expression{kind: e.kind, parts: e.parts, kids: append([]*expression{}, e.kids...)}
			copied.kids[i] = simpler
			all = append(all, copied)
		}
	}
	return all
}
