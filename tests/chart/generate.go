// Package chart makes the Helm chart of deploy/chart out of manifests/ and overlays/, which stay the only source.
package chart

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/kyaml/filesys"
	"sigs.k8s.io/yaml"
)

// Object is a Kubernetes object as YAML says it.
type Object map[string]any

// Key names an object: kind, namespace and name.
func (o Object) Key() string {
	meta, _ := o["metadata"].(map[string]any)
	namespace, _ := meta["namespace"].(string)
	name, _ := meta["name"].(string)
	return fmt.Sprintf("%v %s/%s", o["kind"], namespace, name)
}

// Build is what `kubectl kustomize DIR` prints, in its order.
func Build(dir string) ([]Object, error) {
	rendered, err := krusty.MakeKustomizer(krusty.MakeDefaultOptions()).Run(filesys.MakeFsOnDisk(), dir)
	if err != nil {
		return nil, err
	}
	text, err := rendered.AsYaml()
	if err != nil {
		return nil, err
	}
	return Parse(text)
}

// Parse reads multi-document YAML; a document without content is none.
func Parse(text []byte) ([]Object, error) {
	var all []Object
	for _, document := range bytes.Split(append([]byte("\n"), text...), []byte("\n---\n")) {
		var object Object
		if err := yaml.Unmarshal(document, &object); err != nil {
			return nil, fmt.Errorf("%w in:\n%s", err, document)
		}
		if object != nil {
			all = append(all, object)
		}
	}
	return all, nil
}

// The namespace that manifests/ are for, and that a release replaces by its own.
const namespace = "dray-system"

// value is a place of manifests/ that the chart leaves to values.yaml, or to another of its files.
type value struct {
	kind, name string
	path       []any  // of keys and indices
	word       string // stands in the YAML until the template is written
	template   string
}

var values = []value{
	{"Deployment", "dray", []any{"spec", "replicas"}, "VALUE-REPLICAS", "{{ .Values.replicas }}"},
	{"Deployment", "dray", container("image"), "VALUE-IMAGE", "{{ .Values.image | quote }}"},
	// After serve, --extender-address, its certificate and key, and --client-ca.
	{"Deployment", "dray", append(container("args"), 5), "VALUE-CLIENT-NAME",
		"{{ printf \"--allowed-clients=%s\" .Values.scheduler.clientName | quote }}"},
	{"Deployment", "dray-scheduler", []any{"spec", "replicas"}, "VALUE-SCHEDULER-REPLICAS", "{{ .Values.scheduler.replicas }}"},
	{"Deployment", "dray-scheduler", container("image"), "VALUE-SCHEDULER-IMAGE", "{{ .Values.scheduler.image | quote }}"},
	{"ConfigMap", "dray-exclusion", []any{"data", "drivers"}, "VALUE-DRIVERS", `{{ join "\n" .Values.drivers | quote }}`},
	{"ConfigMap", "dray-exclusion", []any{"data", "extendedResources"}, "VALUE-EXTENDED",
		`{{ join "\n" .Values.extendedResources | quote }}`},
	{"ClusterRole", "dray-reader", []any{"rules"}, "VALUE-READER-RULES",
		`{{ (fromYaml (.Files.Get "reader/role.yaml")).rules | toJson }}`},
	{"ConfigMap", "dray-policy", []any{"data", "policy.yaml"}, "VALUE-POLICY",
		`{{ .Values.policy | default (.Files.Get "policy.yaml") | toJson }}`},
}

func container(field string) []any { return []any{"spec", "template", "spec", "containers", 0, field} }

// Generate makes the files of the chart, by their path in it, out of the repository.
func Generate(repository string) (map[string]string, error) {
	allocate, err := Build(filepath.Join(repository, "manifests"))
	if err != nil {
		return nil, err
	}
	advise, err := Build(filepath.Join(repository, "overlays/advise"))
	if err != nil {
		return nil, err
	}
	dashboard, err := Build(filepath.Join(repository, "overlays/dashboard"))
	if err != nil {
		return nil, err
	}
	policy, err := os.ReadFile(filepath.Join(repository, "config/policy.yaml"))
	if err != nil {
		return nil, err
	}
	templates, err := templatesOf(allocate, advise)
	if err != nil {
		return nil, err
	}
	extra, err := dashboardTemplates(allocate, dashboard)
	if err != nil {
		return nil, err
	}
	return map[string]string{"templates/dray.yaml": templates, "templates/dashboard.yaml": extra, "policy.yaml": string(policy)}, nil
}

// dashboardTemplates are the objects that overlays/dashboard has beside those of manifests/.
func dashboardTemplates(allocate, dashboard []Object) (string, error) {
	installed := map[string]bool{}
	for _, o := range allocate {
		installed[o.Key()] = true
	}
	text := "{{- /* Made from overlays/dashboard: DRAY_WRITE=1 go -C tests/chart test ./... */}}\n" +
		"{{- if .Values.dashboard.tlsSecret }}\n"
	for _, o := range dashboard {
		if installed[o.Key()] {
			continue
		}
		document, err := templateOf(o)
		if err != nil {
			return "", err
		}
		text += "---\n" + document
	}
	return text + "{{- end }}\n", nil
}

func templatesOf(allocate, advise []Object) (string, error) {
	other := map[string]Object{}
	for _, o := range advise {
		other[o.Key()] = o
	}
	var text strings.Builder
	text.WriteString("{{- /* Made from manifests/ and overlays/advise: DRAY_WRITE=1 go -C tests/chart test ./... */}}\n")
	text.WriteString("{{- if and .Values.partition (or (not .Values.drivers) (has \"*\" .Values.drivers)) }}" +
		"{{ fail \"a partition has drivers of its own\" }}{{ end }}\n")
	text.WriteString("{{- if not (has .Values.mode (list \"allocate\" \"advise\")) }}{{ fail \"mode is allocate or advise\" }}{{ end }}\n")
	for _, o := range allocate {
		twin, both := other[o.Key()]
		delete(other, o.Key())
		// Helm puts a release into a namespace that is there.
		if o["kind"] == "Namespace" {
			continue
		}
		same := both && reflect.DeepEqual(o, twin)
		document, err := templateOf(o)
		if err != nil {
			return "", err
		}
		if same {
			text.WriteString("---\n" + document)
			continue
		}
		text.WriteString("{{- if eq .Values.mode \"allocate\" }}\n---\n" + document)
		if both {
			if document, err = templateOf(twin); err != nil {
				return "", err
			}
			text.WriteString("{{- else }}\n---\n" + document)
		}
		text.WriteString("{{- end }}\n")
	}
	for key := range other {
		return "", fmt.Errorf("%s is in mode advise alone", key)
	}
	return text.String(), nil
}

// templateOf writes an object with values for what the chart leaves open.
func templateOf(o Object) (string, error) {
	text, err := yaml.Marshal(o)
	if err != nil {
		return "", err
	}
	var copied map[string]any
	if err := yaml.Unmarshal(text, &copied); err != nil {
		return "", err
	}
	words := append([]string{"{{", `{{ "{{" }}`}, partitionWords...)
	words = append(words, dashboardWords...)
	words = append(words, namespace, "{{ .Release.Namespace }}")
	for _, v := range values {
		if copied["kind"] != v.kind || copied["metadata"].(map[string]any)["name"] != v.name {
			continue
		}
		if err := put(copied, v.path, v.word); err != nil {
			return "", fmt.Errorf("%s: %w", o.Key(), err)
		}
		words = append(words, v.word+"\n", v.template+"\n")
	}
	addSuffix(copied)
	if text, err = yaml.Marshal(copied); err != nil {
		return "", err
	}
	return strings.NewReplacer(words...).Replace(string(text)), nil
}

// What a partition has of its own: scheduler name, part of the cluster, and names of what no namespace keeps apart.
const suffix = "{{ with .Values.partition }}-{{ .name }}{{ end }}"

var partitionWords = []string{
	"VALUE-SUFFIX", suffix,
	"- schedulerName: dray-scheduler\n", "- schedulerName: dray-scheduler" + suffix + "\n",
	`object.spec.schedulerName == "dray-scheduler"`, `object.spec.schedulerName == "dray-scheduler` + suffix + `"`,
	"schedulers: dray-scheduler\n", "schedulers: dray-scheduler" + suffix + "\n",
	"- --leader-elect-namespace=" + namespace + "\n", `- --leader-elect-namespace={{ .Release.Namespace }}
{{- with .Values.partition }}
        - --scheduler-name=dray-scheduler-{{ .name }}
        - {{ printf "--nodes=%s" .nodes | quote }}
        - {{ printf "--drivers=%s" (join "," $.Values.drivers) | quote }}
{{- end }}
{{- if .Values.dashboard.tlsSecret }}
        - --dashboard-address=0.0.0.0:8080
        - --dashboard-tls-cert=/etc/dray/dashboard/tls.crt
        - --dashboard-tls-key=/etc/dray/dashboard/tls.key
{{- end }}
`,
	`"system:serviceaccount:` + namespace + `:dray"]`,
	`"system:serviceaccount:{{ .Release.Namespace }}:dray"{{ range .Values.otherAccounts }}, {{ . | quote }}{{ end }}]`,
}

// What overlays/dashboard adds to dray's Deployment, behind what it follows there. The arguments stand with the partition's.
var dashboardWords = slices.Concat(
	withDashboard("        - containerPort: 8443\n          name: admin\n", "        - containerPort: 8080\n          name: dashboard\n"),
	withDashboard("        - mountPath: /etc/dray/policy\n          name: policy\n          readOnly: true\n",
		"        - mountPath: /etc/dray/dashboard\n          name: dashboard\n          readOnly: true\n"),
	withDashboard("      - configMap:\n          name: dray-policy\n        name: policy\n",
		"      - name: dashboard\n        secret:\n          secretName: {{ .Values.dashboard.tlsSecret }}\n"),
)

func withDashboard(after, more string) []string {
	return []string{after, after + "{{- if .Values.dashboard.tlsSecret }}\n" + more + "{{- end }}\n"}
}

// addSuffix names what belongs to the whole cluster by the partition, where it is made and where it is referred to.
func addSuffix(o map[string]any) {
	add := func(at any, key string) {
		if node, _ := at.(map[string]any); node != nil {
			if name, _ := node[key].(string); strings.HasPrefix(name, "dray") {
				node[key] = name + "VALUE-SUFFIX"
			}
		}
	}
	meta, _ := o["metadata"].(map[string]any)
	if at, _ := meta["namespace"].(string); at != namespace {
		add(meta, "name")
	}
	if role, _ := o["roleRef"].(map[string]any); role["kind"] == "ClusterRole" {
		add(role, "name")
	}
	if spec, _ := o["spec"].(map[string]any); spec != nil {
		add(spec, "policyName")
		add(spec["priorityLevelConfiguration"], "name")
	}
}

// put replaces what is at the path; something has to be there.
func put(at any, path []any, word string) error {
	for i, step := range path {
		last := i == len(path)-1
		switch node := at.(type) {
		case map[string]any:
			key, _ := step.(string)
			if _, there := node[key]; !there {
				return fmt.Errorf("no %v", path)
			}
			if last {
				node[key] = word
			}
			at = node[key]
		case []any:
			index, _ := step.(int)
			if index >= len(node) {
				return fmt.Errorf("no %v", path)
			}
			if last {
				node[index] = word
			}
			at = node[index]
		default:
			return fmt.Errorf("no %v", path)
		}
	}
	return nil
}
