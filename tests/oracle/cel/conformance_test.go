package celoracle

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sort"
	"strings"
	"testing"

	"cel.dev/expr"
	// The messages that texts of the suite contain.
	_ "cel.dev/expr/conformance/proto2"
	_ "cel.dev/expr/conformance/proto3"
	conformance "cel.dev/expr/conformance/test"
	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"google.golang.org/protobuf/encoding/prototext"
	"k8s.io/apiserver/pkg/cel/environment"

	"dray.dev/dray/tests/oracle/cases"
)

// suiteFiles are the conformance tests of cel-spec, out of the module cel.dev/expr.
func suiteFiles(t *testing.T) []string {
	t.Helper()
	folder, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "cel.dev/expr").Output()
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(strings.TrimSpace(string(folder)), "tests/simple/testdata/*.textproto"))
	if err != nil || len(files) < 25 {
		t.Fatalf("%d files of cel-spec's suite: %v", len(files), err)
	}
	return files
}

// specCase is a test of the suite with the answer that Kubernetes' environment gives to it.
type specCase struct {
	id      string
	skip    string // why dray does not take it
	asSpec  bool   // whether Kubernetes gives what the suite expects
	answer  cases.Case
	problem error
}

// TestConformance runs cel-spec's suite. What Kubernetes' environment says is right: it lacks some libraries, and refuses
// mixed literals, where the suite expects a value.
func TestConformance(t *testing.T) {
	k := newKubernetes(environment.StoredExpressions, features)
	for _, file := range suiteFiles(t) {
		name := strings.TrimSuffix(filepath.Base(file), ".textproto")
		t.Run(name, func(t *testing.T) { conformanceFile(t, k, name, file) })
	}
}

func conformanceFile(t *testing.T, k *kubernetes, name, file string) {
	all := readSuite(t, k, name, file)
	var asked []cases.Case
	for _, one := range all {
		if one.problem != nil {
			t.Fatalf("%s: %v", one.id, one.problem)
		}
		if one.skip == "" {
			asked = append(asked, one.answer)
		}
	}
	failures := map[string]cases.Failure{}
	if len(asked) > 0 {
		result, err := cases.Run("cel", asked)
		if err != nil {
			t.Fatal(err)
		}
		for _, failure := range result.Failures {
			failures[failure.ID] = failure
		}
	}
	asSpec := 0
	for _, one := range all {
		if one.asSpec {
			asSpec++
		}
		t.Run(strings.TrimPrefix(one.id, name+"/"), func(t *testing.T) {
			if one.skip != "" {
				t.Skip(one.skip)
			}
			if failure, failed := failures[one.id]; failed {
				t.Errorf("%v\n  dray:     %s\n  upstream: %s", one.answer["expr"], failure.Got, failure.Want)
			}
		})
	}
	t.Logf("%d cases, %d run, of which Kubernetes answers %d as the suite expects", len(all), len(asked), asSpec)
}

func readSuite(t *testing.T, k *kubernetes, name, file string) []specCase {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	suite := &conformance.SimpleTestFile{}
	if err := prototext.Unmarshal(text, suite); err != nil {
		t.Fatal(err)
	}
	var all []specCase
	seen := map[string]int{}
	for _, section := range suite.Section {
		for _, test := range section.Test {
			id := strings.ReplaceAll(name+"/"+section.Name+"/"+test.Name, " ", "_")
			if seen[id]++; seen[id] > 1 {
				id += fmt.Sprintf("#%d", seen[id])
			}
			one := specCase{id: id, skip: skipCause(test)}
			if one.skip == "" {
				one.answer, one.asSpec, one.problem = k.conform(test)
				one.answer["id"] = id
			}
			all = append(all, one)
		}
	}
	return all
}

// skipCause is why a test says nothing about selectors: dray knows no protocol buffers but CEL's own kinds.
func skipCause(test *conformance.SimpleTest) string {
	said := prototext.Format(test)
	for _, mark := range []string{"cel.expr.conformance", "TestAllTypes", "NestedTestAllTypes", "TestRequired",
		"proto.getExt", "proto.hasExt", "GlobalEnum", "object_value", "enum_value", "ImportedGlobalEnum"} {
		if strings.Contains(said, mark) {
			return "protocol buffer messages"
		}
	}
	if strings.Contains(said, "google.protobuf") || strings.Contains(said, "type.googleapis.com") {
		return "google.protobuf types by name"
	}
	return ""
}

// conform is a test's case, with Kubernetes' answer, and whether that is the suite's.
func (k *kubernetes) conform(test *conformance.SimpleTest) (cases.Case, bool, error) {
	env, declared, err := k.extended(test)
	if err != nil {
		return cases.Case{}, false, err
	}
	one := cases.Case{"expr": test.Expr}
	if len(declared) > 0 {
		one["type_env"] = declared
	}
	if test.Container != "" {
		one["container"] = test.Container
	}
	bindings, values := map[string]any{}, map[string]any{}
	for name, bound := range test.Bindings {
		value, err := cel.ProtoAsValue(env.CELTypeAdapter(), bound.GetValue())
		if err != nil {
			return one, false, err
		}
		bindings[name], values[name] = typed(value), value
	}
	if len(bindings) > 0 {
		one["bindings"] = bindings
	}
	compiled := k.compile(env, test.Expr)
	if !compiled.tell(one) || test.CheckOnly {
		return one, compiled.program != nil && test.CheckOnly, nil
	}
	// Kubernetes knows one variable, `device`, and so no costs of others.
	delete(one, "max_cost")
	value, _, err := compiled.program.ContextEval(context.Background(), values)
	if err != nil {
		one["error"] = err.Error()
		return one, test.GetEvalError() != nil || test.GetAnyEvalErrors() != nil, nil
	}
	one["value"] = typed(value)
	return one, sameAsSuite(env, test, value), nil
}

func sameAsSuite(env *cel.Env, test *conformance.SimpleTest, got ref.Val) bool {
	want := test.GetValue()
	if typedResult := test.GetTypedResult(); typedResult != nil {
		want = typedResult.GetResult()
	}
	if want == nil {
		want = &expr.Value{Kind: &expr.Value_BoolValue{BoolValue: true}}
	}
	value, err := cel.ProtoAsValue(env.CELTypeAdapter(), want)
	return err == nil && fmt.Sprint(typed(value)) == fmt.Sprint(typed(got))
}

// extended is the environment with what a test declares, and the same for dray.
func (k *kubernetes) extended(test *conformance.SimpleTest) (*cel.Env, []any, error) {
	options := []cel.EnvOption{cel.Container(test.Container)}
	var declared []any
	for _, declaration := range test.TypeEnv {
		option, err := cel.ProtoAsDeclaration(declaration)
		if err != nil {
			return nil, nil, err
		}
		options = append(options, option)
		one, err := declarationCase(declaration)
		if err != nil {
			return nil, nil, err
		}
		declared = append(declared, one)
	}
	sort.SliceStable(declared, func(i, j int) bool { return fmt.Sprint(declared[i]) < fmt.Sprint(declared[j]) })
	env, err := k.env.Extend(options...)
	return env, declared, err
}

func declarationCase(declaration *expr.Decl) (cases.Case, error) {
	one := cases.Case{"name": declaration.Name}
	if ident := declaration.GetIdent(); ident != nil {
		declared, err := types.ProtoAsType(ident.Type)
		if err != nil {
			return nil, err
		}
		one["type"] = declared.String()
		return one, nil
	}
	overloads := []any{}
	for _, overload := range declaration.GetFunction().GetOverloads() {
		params := []string{}
		for _, param := range append(overload.Params, overload.ResultType) {
			declared, err := types.ProtoAsType(param)
			if err != nil {
				return nil, err
			}
			params = append(params, declared.String())
		}
		last := len(params) - 1
		overloads = append(overloads, cases.Case{"id": overload.OverloadId, "member": overload.IsInstanceFunction,
			"params": params[:last], "result": params[last]})
	}
	one["overloads"] = overloads
	return one, nil
}
