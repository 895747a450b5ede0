package cluster_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"dray.dev/dray/tests/cluster/harness"
)

const installDriver = "gpu.nvidia.com" // the one that the README names

// operator does what the documents say, word by word, in a folder with what they name.
type operator struct {
	folder  string
	cluster *harness.Deployments
}

// newOperator begins with an empty cluster and with images of two builds by these names.
func newOperator(t *testing.T, older, newer string) *operator {
	t.Helper()
	o := &operator{folder: t.TempDir()}
	for _, name := range []string{"manifests", "config", "deploy"} {
		if err := os.CopyFS(filepath.Join(o.folder, name), os.DirFS(filepath.Join(repository, name))); err != nil {
			t.Fatal(err)
		}
	}
	scheduler := filepath.Join(t.TempDir(), "kube-scheduler")
	if err := os.MkdirAll(scheduler, 0o755); err != nil {
		t.Fatal(err)
	}
	for dir := scheduler; strings.HasPrefix(dir, os.TempDir()+"/"); dir = filepath.Dir(dir) {
		if err := os.Chmod(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	program, err := os.ReadFile(filepath.Join(planeBinaries, "kube-scheduler"))
	if err == nil {
		err = os.WriteFile(filepath.Join(scheduler, "kube-scheduler"), program, 0o755)
	}
	if err != nil {
		t.Fatal(err)
	}
	images := map[string]harness.Image{
		older:                                    {Root: imageRoot(t, drayProgram(t)), Program: "/usr/bin/" + filepath.Base(drayProgram(t))},
		newer:                                    {Root: imageRoot(t, another(t, drayProgram(t))), Program: "/usr/bin/dray"},
		"registry.k8s.io/kube-scheduler:v1.37.0": {Root: scheduler},
	}
	emptyPlane(t, harness.PlaneOptions{})
	if o.cluster, err = plane.PlayDeployments(t.Context(), "dray-system", images); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if t.Failed() {
			t.Log(o.cluster.Tails(40))
		}
		if err := o.cluster.Stop(); err != nil {
			t.Error(err)
		}
	})
	return o
}

// does runs words of a document in a shell; what Deployments say afterwards comes true before it returns.
func (o *operator) does(t *testing.T, words string) string {
	t.Helper()
	text, err := o.tries(t, words)
	if err != nil {
		t.Fatalf("%s\n%v: %s", words, err, text)
	}
	if err := o.cluster.Sync(t.Context()); err != nil {
		t.Fatalf("after %s: %v", words, err)
	}
	return text
}

func (o *operator) tries(t *testing.T, words string) (string, error) {
	t.Helper()
	kubeconfig, err := plane.Kubeconfig("operator", "operator", "system:masters")
	if err != nil {
		t.Fatal(err)
	}
	command := exec.CommandContext(t.Context(), "bash", "-euo", "pipefail", "-c", words)
	command.Dir = o.folder
	command.Env = append(os.Environ(), "KUBECONFIG="+kubeconfig, "HOME="+o.folder,
		"PATH="+planeBinaries+":"+filepath.Dir(drayProgram(t))+":"+os.Getenv("PATH"))
	text, err := command.CombinedOutput()
	return string(text), err
}

// edits changes a file of the folder, as who installs does.
func (o *operator) edits(t *testing.T, name, from, to string) {
	t.Helper()
	file := filepath.Join(o.folder, name)
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(text), from) {
		t.Fatalf("%s has no %q", name, from)
	}
	if err := os.WriteFile(file, []byte(strings.Replace(string(text), from, to, 1)), 0o600); err != nil {
		t.Fatal(err)
	}
}

// words is the block of a document's commands, or the command within a sentence, that begins a line or a pair of backquotes so.
func words(t *testing.T, document, begin string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(repository, document))
	if err != nil {
		t.Fatal(err)
	}
	for _, block := range regexp.MustCompile("(?ms)^( *)```sh[^\n]*\n(.*?)^ *```$").FindAllStringSubmatch(string(text), -1) {
		lines := regexp.MustCompile("(?m)^"+block[1]).ReplaceAllString(block[2], "")
		if regexp.MustCompile("(?m)^" + regexp.QuoteMeta(begin)).MatchString(lines) {
			return lines
		}
	}
	inline := regexp.MustCompile("`(" + regexp.QuoteMeta(begin) + "[^`]*)`").FindStringSubmatch(string(text))
	if inline == nil {
		t.Fatalf("%s does not say %s", document, begin)
	}
	return strings.Join(strings.Fields(inline[1]), " ") // a line's end is a space there
}

// commands are those of a block; one begins where a line is not indented.
func commands(block string) (all []string) {
	for line := range strings.Lines(block) {
		if strings.HasPrefix(line, " ") {
			all[len(all)-1] += line
		} else if !strings.HasPrefix(line, "#") {
			all = append(all, line)
		}
	}
	return all
}

// podsComing makes pods with a device each, one after another, until the returned function is called, which tells how many it made.
func podsComing(t *testing.T, namespace string) (stop func() int) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	made := make(chan int)
	go func() {
		tick := time.NewTicker(150 * time.Millisecond) // so many devices last for half a minute, on a busy machine, too
		defer tick.Stop()
		for n := 0; ; n++ {
			select {
			case <-ctx.Done():
				made <- n
				return
			case <-tick.C:
			}
			if n == manyPods {
				t.Error("the load has no device left")
				made <- n
				return
			}
			pod := podOf(namespace, fmt.Sprintf("p%d", n), harness.SchedulerName, "one")
			if _, err := plane.Client.CoreV1().Pods(namespace).Create(t.Context(), pod, metav1.CreateOptions{}); err != nil {
				t.Error(err)
			}
		}
	}()
	return func() int {
		cancel()
		return <-made
	}
}

// changes has the operator exchange the program while pods come. No allocation is lost by it, and pods are bound after it.
func (o *operator) changes(t *testing.T, namespace string, do func()) {
	t.Helper()
	bound := waitMany(t, namespace, 1, time.Minute)
	before := heldByBound(t, namespace)
	do()
	now := heldByBound(t, namespace)
	for claim, device := range before {
		if now[claim] != device {
			t.Errorf("%s had %s and has %s", claim, device, now[claim])
		}
	}
	after := waitMany(t, namespace, len(before)+10, time.Minute)
	t.Logf("%d pods bound before, %d when the next ten are", bound, after)
}

// Installed, upgraded, rolled back and taken out by nothing but the documents' words, with kubectl and Helm themselves. dray runs
// in its image, kube-scheduler with the configuration that was installed; the two know each other by the certificates of the
// README. Pods come all the while: none loses its device, and no device is in two claims (the second image is of DRAY_OTHER_BIN).
func TestInstalledByTheDocuments(t *testing.T) {
	t.Run("kustomize", func(t *testing.T) {
		o := newOperator(t, "dray:latest", "dray:next")
		apply := words(t, "README.md", "kubectl apply -k manifests")
		o.does(t, words(t, "README.md", "issue dray "))
		o.edits(t, "manifests/exclusion.yaml", `drivers: ""`, "drivers: "+installDriver)
		o.does(t, apply)
		o.isUsed(t, func() {
			o.edits(t, "manifests/kustomization.yaml", "newTag: latest", "newTag: next")
			o.does(t, apply)
		}, func() {
			o.edits(t, "manifests/kustomization.yaml", "newTag: next", "newTag: latest")
			o.does(t, apply)
		})
		o.takesOut(t, words(t, "docs/doctor.md", "kubectl delete -k"))
	})
	t.Run("Helm", func(t *testing.T) {
		o := newOperator(t, "REGISTRY/dray:TAG", "REGISTRY/dray:NEXT")
		o.does(t, words(t, "README.md", "issue dray "))
		o.does(t, words(t, "README.md", "helm install dray"))
		steps := commands(words(t, "README.md", "helm upgrade dray"))
		o.isUsed(t, func() { o.does(t, steps[0]) }, func() { o.does(t, steps[1]) })
		o.takesOut(t, words(t, "docs/doctor.md", "helm uninstall dray"))
	})
}

// isUsed has pods come while the program is exchanged twice.
func (o *operator) isUsed(t *testing.T, upgrade, rollback func()) {
	t.Helper()
	audit(t)
	create(t, fleet(installDriver, manyNodes, perNode, "64").All())
	create(t, oneDeviceTemplate("used", installDriver))
	stop := podsComing(t, "used")
	waitMany(t, "used", 5, time.Minute)
	o.does(t, words(t, "README.md", "dray doctor")) // ends with 1 if it finds anything
	o.changes(t, "used", upgrade)
	o.does(t, words(t, "README.md", "dray doctor")) // by an upgrade nothing that was said at the installation is forgotten
	o.changes(t, "used", rollback)
	made := stop()
	waitMany(t, "used", made, time.Minute)
	checkOneEach(t, "used", made)
	pods, err := plane.Client.CoreV1().Pods("used").List(t.Context(), metav1.ListOptions{})
	if err != nil || len(pods.Items) != made {
		t.Errorf("%d pods of %d: %v", len(pods.Items), made, err)
	}
	t.Logf("%d pods", made)
}

// takesOut hands back to kube-scheduler, which places what came meanwhile, and removes the rest.
func (o *operator) takesOut(t *testing.T, remove string) {
	t.Helper()
	held := heldByBound(t, "used")
	steps := commands(words(t, "docs/doctor.md", "kubectl -n dray-system scale deployment dray"))
	o.does(t, steps[0])
	createPods(t, podOf("used", "late", harness.SchedulerName, "one"))
	for _, step := range steps[1 : len(steps)-1] {
		o.does(t, step)
	}
	waitBound(t, "used", "late")
	o.does(t, steps[len(steps)-1]) // dray doctor --uninstall
	o.does(t, remove)
	now := heldByBound(t, "used")
	for claim, device := range held {
		if now[claim] != device {
			t.Errorf("%s had %s and has %s", claim, device, now[claim])
		}
	}
	for _, o := range []target{{"apps", "v1", "deployments", "dray-system", "dray"}, configMap("dray-exclusion"),
		{"rbac.authorization.k8s.io", "v1", "clusterroles", "", "dray"}} {
		if _, err := o.client().Get(t.Context(), o.name, metav1.GetOptions{}); err == nil {
			t.Errorf("%s %s is left", o.resource, o.name)
		}
	}
}
