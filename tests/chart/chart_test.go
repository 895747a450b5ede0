package chart

import (
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"helm.sh/helm/v3/pkg/chart/loader"
	"helm.sh/helm/v3/pkg/chartutil"
	"helm.sh/helm/v3/pkg/engine"
	"sigs.k8s.io/yaml"
)

const (
	repository = "../.."
	folder     = repository + "/deploy/chart"
)

// render is `helm template -n NAMESPACE` with these values over those of the chart, by object.
func render(t *testing.T, namespace string, given map[string]any) map[string]Object {
	t.Helper()
	objects, err := tryRender(t, namespace, given)
	if err != nil {
		t.Fatal(err)
	}
	return objects
}

func tryRender(t *testing.T, namespace string, given map[string]any) (map[string]Object, error) {
	t.Helper()
	chart, err := loader.Load(folder)
	if err != nil {
		t.Fatal(err)
	}
	all, err := chartutil.ToRenderValues(chart, given, chartutil.ReleaseOptions{Name: "dray", Namespace: namespace, IsInstall: true},
		chartutil.DefaultCapabilities)
	if err != nil {
		return nil, err
	}
	files, err := engine.Render(chart, all)
	if err != nil {
		return nil, err
	}
	objects := map[string]Object{}
	for _, text := range files {
		parsed, err := Parse([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		for _, o := range parsed {
			objects[o.Key()] = o
		}
	}
	return objects, nil
}

func field(t *testing.T, o Object, path ...any) any {
	t.Helper()
	var at any = map[string]any(o)
	for _, step := range path {
		switch node := at.(type) {
		case map[string]any:
			at = node[step.(string)]
		case []any:
			at = node[step.(int)]
		default:
			t.Fatalf("no %v in %s", path, o.Key())
		}
	}
	return at
}

// The chart in the repository is what manifests/ make of it.
func TestTheChartIsMadeFromTheManifests(t *testing.T) {
	files, err := Generate(repository)
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range files {
		path := filepath.Join(folder, name)
		if os.Getenv("DRAY_WRITE") != "" {
			if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		got, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if string(got) != want {
			t.Errorf("%s is not what manifests/ make of it: DRAY_WRITE=1 writes it anew", path)
		}
	}
}

// With the chart's own values Helm installs, object by object, what kustomize does: but for the namespace, which has to be
// there for a release.
func TestHelmAndKustomizeInstallTheSame(t *testing.T) {
	for dir, values := range map[string]map[string]any{
		"manifests":          nil,
		"overlays/advise":    {"mode": "advise"},
		"overlays/dashboard": {"dashboard": map[string]any{"tlsSecret": "dray-dashboard-tls"}},
	} {
		t.Run(dir, func(t *testing.T) {
			built, err := Build(filepath.Join(repository, dir))
			if err != nil {
				t.Fatal(err)
			}
			got := render(t, namespace, values)
			for _, want := range built {
				if want["kind"] == "Namespace" {
					continue
				}
				if !reflect.DeepEqual(got[want.Key()], want) {
					t.Errorf("%s\n kustomize: %v\n      helm: %v", want.Key(), want, got[want.Key()])
				}
				delete(got, want.Key())
			}
			if len(got) > 0 {
				t.Errorf("helm alone has %v", slices.Sorted(maps.Keys(got)))
			}
			if len(built) < 25 {
				t.Errorf("only %d objects", len(built))
			}
		})
	}
}

func TestEachValueArrives(t *testing.T) {
	got := render(t, namespace, map[string]any{
		"image":             "registry.example.com/dray:1.2.3",
		"replicas":          2,
		"scheduler":         map[string]any{"image": "registry.example.com/kube-scheduler:v1.37.1", "replicas": 3, "clientName": "our scheduler"},
		"drivers":           []any{"gpu.nvidia.com", "dra.example.com"},
		"extendedResources": []any{"example.com/gpu"},
		"policy":            "kind: Policy # \"mine\"\nqueues: []\n",
	})
	dray := got["Deployment dray-system/dray"]
	scheduler := got["Deployment dray-system/dray-scheduler"]
	exclusion := got["ConfigMap dray-system/dray-exclusion"]
	for _, row := range []struct {
		name      string
		got, want any
	}{
		{"image", field(t, dray, container("image")...), "registry.example.com/dray:1.2.3"},
		{"replicas", field(t, dray, "spec", "replicas"), 2.0},
		{"scheduler.image", field(t, scheduler, container("image")...), "registry.example.com/kube-scheduler:v1.37.1"},
		{"scheduler.replicas", field(t, scheduler, "spec", "replicas"), 3.0},
		{"scheduler.clientName", field(t, dray, append(container("args"), 5)...), "--allowed-clients=our scheduler"},
		{"drivers", field(t, exclusion, "data", "drivers"), "gpu.nvidia.com\ndra.example.com"},
		{"extendedResources", field(t, exclusion, "data", "extendedResources"), "example.com/gpu"},
		{"policy", field(t, got["ConfigMap dray-system/dray-policy"], "data", "policy.yaml"), "kind: Policy # \"mine\"\nqueues: []\n"},
	} {
		if row.got != row.want {
			t.Errorf("%s: %v, want %v", row.name, row.got, row.want)
		}
	}
	if _, err := tryRender(t, namespace, map[string]any{"mode": "advice"}); err == nil || !strings.Contains(err.Error(), "mode is allocate or advise") {
		t.Errorf("an unknown mode: %v", err)
	}
}

// In another namespace the account, the Lease that fences, the parameters of policies and the service's name are of that one.
func TestAReleaseInAnotherNamespace(t *testing.T) {
	got := render(t, "accelerators", nil)
	var epoch Object
	for key, o := range got {
		epoch = got["ValidatingAdmissionPolicy /dray-epoch"]
		if strings.Contains(strings.Join(strings.Fields(stringOf(o)), " "), namespace) {
			t.Errorf("%s still names %s", key, namespace)
		}
	}
	if !strings.Contains(stringOf(epoch), "system:serviceaccount:accelerators:dray") {
		t.Errorf("the fence is of another account: %v", epoch)
	}
	if where := field(t, got["ValidatingAdmissionPolicyBinding /dray-epoch"], "spec", "paramRef", "namespace"); where != "accelerators" {
		t.Errorf("the fence compares with a Lease of %v", where)
	}
	arguments := field(t, got["Deployment accelerators/dray"], container("args")...)
	if !slices.Contains(arguments.([]any), any("--leader-elect-namespace=accelerators")) {
		t.Errorf("dray holds a Lease elsewhere: %v", arguments)
	}
	if roles := field(t, got["RoleBinding kube-system/dray-scheduler-authentication"], "subjects", 0, "namespace"); roles != "accelerators" {
		t.Errorf("the scheduler's account is of %v", roles)
	}
}

// The partition of overlays/partition, which is rendered for kustomize: an example to copy.
var blue = map[string]any{
	"partition":     map[string]any{"name": "blue", "nodes": "pool=blue"},
	"drivers":       []any{"blue.example.com"},
	"otherAccounts": []any{"system:serviceaccount:dray-system:dray"},
}

// A partition is installed beside the first dray without an object of one name; its policies are of its account and its
// scheduler name, and dray is told which part of the cluster is its own.
func TestAPartition(t *testing.T) {
	first, second := render(t, namespace, nil), render(t, "dray-blue", blue)
	for key, o := range second {
		if _, both := first[key]; both {
			t.Errorf("both install %s", key)
		}
		if strings.Contains(stringOf(o), `"dray-scheduler"`) {
			t.Errorf("%s speaks of the first one's scheduler", key)
		}
	}
	if len(second) != len(first) {
		t.Errorf("%d objects, %d of the first", len(second), len(first))
	}
	arguments := field(t, second["Deployment dray-blue/dray"], container("args")...).([]any)
	for _, want := range []string{"--scheduler-name=dray-scheduler-blue", "--nodes=pool=blue", "--drivers=blue.example.com"} {
		if !slices.Contains(arguments, any(want)) {
			t.Errorf("no %s in %v", want, arguments)
		}
	}
	for key, path := range map[string][]any{
		"ClusterRoleBinding /dray-blue":                     {"roleRef", "name"},
		"ValidatingAdmissionPolicyBinding /dray-epoch-blue": {"spec", "policyName"},
		"FlowSchema /dray-blue":                             {"spec", "priorityLevelConfiguration", "name"},
	} {
		if name := field(t, second[key], path...).(string); !strings.HasSuffix(name, "-blue") {
			t.Errorf("%s refers to %s", key, name)
		}
	}
	marks := stringOf(second["ValidatingAdmissionPolicy /dray-pod-marks-blue"])
	for _, account := range []string{"dray-blue:dray", "dray-system:dray"} {
		if !strings.Contains(marks, "system:serviceaccount:"+account) {
			t.Errorf("%s may not write marks", account)
		}
	}
	if _, err := tryRender(t, "dray-blue", map[string]any{"partition": blue["partition"]}); err == nil || !strings.Contains(err.Error(), "drivers of its own") {
		t.Errorf("a partition without drivers: %v", err)
	}
	checkOverlay(t, second)
}

// checkOverlay holds overlays/partition to what the chart installs: blue.yaml is made from it, but for the role that it
// shares with manifests/.
func checkOverlay(t *testing.T, objects map[string]Object) {
	t.Helper()
	const shared = "ClusterRole /dray-reader-blue"
	text := "# Made from manifests/ by tests/chart (DRAY_WRITE=1): the partition blue.\n" +
		"apiVersion: v1\nkind: Namespace\nmetadata:\n  name: dray-blue\n"
	for _, key := range slices.Sorted(maps.Keys(objects)) {
		if key != shared {
			text += "---\n" + stringOf(objects[key])
		}
	}
	path := filepath.Join(repository, "overlays/partition/blue.yaml")
	if os.Getenv("DRAY_WRITE") != "" {
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != text {
		t.Errorf("%s is not what manifests/ make of it: DRAY_WRITE=1 writes it anew", path)
	}
	if os.Getenv("DRAY_WRITE") != "" {
		return
	}
	built, err := Build(filepath.Join(repository, "overlays/partition"))
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range built {
		if o.Key() == shared && !reflect.DeepEqual(o, objects[shared]) {
			t.Errorf("kustomize: %v\n     helm: %v", o, objects[shared])
		}
	}
	if len(built) != len(objects)+1 {
		t.Errorf("%d objects of the overlay, %d of the chart and the namespace", len(built), len(objects))
	}
}

// A place that is not in the manifests any more is an error, not a value without effect.
func TestAPlaceThatIsGoneIsAnError(t *testing.T) {
	o := Object{"kind": "Deployment", "metadata": map[string]any{"name": "dray"}, "spec": map[string]any{}}
	if _, err := templateOf(o); err == nil || !strings.Contains(err.Error(), "replicas") {
		t.Errorf("got %v", err)
	}
}

func TestBracesOfTheManifestsStay(t *testing.T) {
	text, err := templateOf(Object{"kind": "ConfigMap", "metadata": map[string]any{"name": "x"}, "data": map[string]any{"a": "{{ b }}"}})
	if err != nil || !strings.Contains(text, `{{ "{{" }} b }}`) {
		t.Errorf("%v: %s", err, text)
	}
}

func stringOf(o Object) string {
	text, err := yaml.Marshal(o)
	if err != nil {
		panic(err)
	}
	return string(text)
}
