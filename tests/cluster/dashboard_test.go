package cluster_test

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"dray.dev/dray/tests/cluster/harness"
)

// dashboard is one that other hosts reach, asked over TLS.
type dashboard struct {
	url    string
	client *http.Client
}

// dashboardArgs make dray serve one on a free port of all addresses.
func dashboardArgs(t *testing.T) (*dashboard, []string) {
	t.Helper()
	authority, err := harness.NewAuthority(plane.Dir, "dashboard-ca")
	if err != nil {
		t.Fatal(err)
	}
	pair, err := authority.Server("dray-dashboard")
	if err != nil {
		t.Fatal(err)
	}
	ports, err := harness.FreePorts(1)
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(authority.File)
	if err != nil {
		t.Fatal(err)
	}
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(text)
	d := &dashboard{url: fmt.Sprintf("https://127.0.0.1:%d", ports[0]), client: &http.Client{Timeout: patience,
		Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots}}}}
	return d, []string{"--dashboard-address", fmt.Sprintf("0.0.0.0:%d", ports[0]), "--dashboard-tls-cert", pair.Cert,
		"--dashboard-tls-key", pair.Key}
}

// get asks for a screen with a token, if there is one.
func (d *dashboard) get(ctx context.Context, token, screen string) (status int, body string, err error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, d.url+screen, nil)
	if err != nil {
		return 0, "", err
	}
	if token != "" {
		request.Header.Set("Authorization", "Bearer "+token)
	}
	response, err := d.client.Do(request)
	if err != nil {
		return 0, "", err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	return response.StatusCode, string(text), err
}

func (d *dashboard) mustGet(t *testing.T, token, screen string, want int) string {
	t.Helper()
	status, body, err := d.get(t.Context(), token, "/v1/dashboard/"+screen)
	if err != nil {
		t.Fatal(err)
	}
	if status != want {
		t.Errorf("%s: %d %s, want %d", screen, status, body, want)
	}
	return body
}

// becomes waits until the screen is answered so.
func (d *dashboard) becomes(t *testing.T, within time.Duration, token, screen string, done func(status int, body string) bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), within)
	defer cancel()
	last := ""
	if err := harness.Poll(ctx, func(ctx context.Context) (bool, error) {
		status, body, err := d.get(ctx, token, "/v1/dashboard/"+screen)
		if err != nil {
			return false, err
		}
		last = fmt.Sprint(status, " ", body)
		return done(status, body), nil
	}); err != nil {
		t.Errorf("%s stays %s: %v", screen, last, err)
	}
}

// installDashboard gives dray's account the rights of overlays/dashboard, but for the rules that are left out.
func installDashboard(t *testing.T, without ...string) {
	t.Helper()
	objects, err := harness.Render(filepath.Join(repository, "overlays/dashboard"))
	if err != nil {
		t.Fatal(err)
	}
	var wanted []*harness.Object
	for _, o := range objects {
		if strings.HasPrefix(o.GetName(), "dray-dashboard") && strings.HasPrefix(o.GetKind(), "ClusterRole") {
			wanted = append(wanted, o)
		}
	}
	if len(wanted) != 3 {
		t.Fatalf("overlays/dashboard has %d roles and bindings", len(wanted))
	}
	if err := plane.Apply(t.Context(), wanted); err != nil {
		t.Fatal(err)
	}
	rbac := plane.Client.RbacV1()
	t.Cleanup(func() {
		for _, name := range []string{"dray-dashboard", "dray-dashboard-operator"} {
			if err := rbac.ClusterRoles().Delete(contextAfter(t), name, metav1.DeleteOptions{}); err != nil {
				t.Error(err)
			}
		}
		if err := rbac.ClusterRoleBindings().Delete(contextAfter(t), "dray-dashboard", metav1.DeleteOptions{}); err != nil {
			t.Error(err)
		}
	})
	if len(without) == 0 {
		return
	}
	role, err := rbac.ClusterRoles().Get(t.Context(), "dray-dashboard", metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	role.Rules = slices.DeleteFunc(role.Rules, func(rule rbacv1.PolicyRule) bool { return slices.Contains(without, rule.Resources[0]) })
	if _, err := rbac.ClusterRoles().Update(t.Context(), role, metav1.UpdateOptions{}); err != nil {
		t.Fatal(err)
	}
}

// tokenOf makes an account, and a token of it.
func tokenOf(t *testing.T, namespace, name string) string {
	t.Helper()
	accounts := plane.Client.CoreV1().ServiceAccounts(namespace)
	account := &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Name: name}}
	if _, err := accounts.Create(t.Context(), account, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = accounts.Delete(contextAfter(t), name, metav1.DeleteOptions{}) })
	made, err := accounts.CreateToken(t.Context(), name, &authenticationv1.TokenRequest{}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return made.Status.Token
}

func subject(namespace, name string) []rbacv1.Subject {
	return []rbacv1.Subject{{Kind: "ServiceAccount", Namespace: namespace, Name: name}}
}

func clusterRole(name string) rbacv1.RoleRef {
	return rbacv1.RoleRef{APIGroup: "rbac.authorization.k8s.io", Kind: "ClusterRole", Name: name}
}

// An operator sees the cluster, a tenant the namespaces in which he may list pods and claims and of others numbers alone, a
// stranger nothing; who loses his token or his rights sees nothing more soon after.
func TestWhoMaySeeTheDashboard(t *testing.T) {
	const driver = "dashboard.example.com"
	installDashboard(t)
	d, args := dashboardArgs(t)
	startPair(t, pairOptions{DrayOptions: harness.DrayOptions{Token: true, Args: args}})
	create(t, fleet(driver, 1, 2, "8").All())
	create(t, oneDeviceTemplate("blue", driver)+"---"+oneDeviceTemplate("red", driver))
	createPods(t, podOf("blue", "azure", harness.SchedulerName, "one"), podOf("red", "crimson", harness.SchedulerName, "one"))
	waitBound(t, "blue", "azure")
	waitBound(t, "red", "crimson")
	createPods(t, podOf("blue", "navy", harness.SchedulerName, "one"), podOf("red", "ruby", harness.SchedulerName, "one"))

	operator, tenant := tokenOf(t, "blue", "operator"), tokenOf(t, "blue", "tenant")
	rbac := plane.Client.RbacV1()
	if _, err := rbac.ClusterRoleBindings().Create(t.Context(), &rbacv1.ClusterRoleBinding{
		ObjectMeta: metav1.ObjectMeta{Name: "dashboard-operator"}, Subjects: subject("blue", "operator"),
		RoleRef: clusterRole("dray-dashboard-operator")}, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := rbac.ClusterRoleBindings().Delete(contextAfter(t), "dashboard-operator", metav1.DeleteOptions{}); err != nil {
			t.Error(err)
		}
	})
	t.Cleanup(func() {
		_ = rbac.Roles("blue").Delete(contextAfter(t), "reader", metav1.DeleteOptions{})
		_ = rbac.RoleBindings("blue").Delete(contextAfter(t), "reader", metav1.DeleteOptions{})
	})
	if _, err := rbac.Roles("blue").Create(t.Context(), &rbacv1.Role{ObjectMeta: metav1.ObjectMeta{Name: "reader"},
		Rules: []rbacv1.PolicyRule{{APIGroups: []string{""}, Resources: []string{"pods"}, Verbs: []string{"list"}},
			{APIGroups: []string{"resource.k8s.io"}, Resources: []string{"resourceclaims"}, Verbs: []string{"list"}}}},
		metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	if _, err := rbac.RoleBindings("blue").Create(t.Context(), &rbacv1.RoleBinding{ObjectMeta: metav1.ObjectMeta{Name: "reader"},
		Subjects: subject("blue", "tenant"), RoleRef: rbacv1.RoleRef{APIGroup: "rbac.authorization.k8s.io", Kind: "Role", Name: "reader"}},
		metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}

	// Bindings reach the authorizer by a watch, and a refusal holds for a while.
	d.becomes(t, 2*patience, operator, "overview", func(status int, body string) bool {
		return status == http.StatusOK && strings.Contains(body, `"everything":true`)
	})
	d.becomes(t, 3*patience, tenant, "waiting", func(status int, body string) bool {
		return status == http.StatusOK && strings.Contains(body, "blue/navy")
	})
	for _, screen := range []string{"ledger", "waiting", "node?name=n0"} {
		text := d.mustGet(t, operator, screen, http.StatusOK)
		if !strings.Contains(text, "blue/") || !strings.Contains(text, "red/") {
			t.Errorf("the operator does not see all of %s: %s", screen, text)
		}
	}
	for _, screen := range []string{"overview", "nodes", "node?name=n0", "queues", "history?resource=cpu", "waiting", "ledger",
		"health", "explain?pod=blue/navy"} {
		text := d.mustGet(t, tenant, screen, http.StatusOK)
		for _, name := range []string{"red/", "crimson", "ruby"} {
			if strings.Contains(text, name) {
				t.Errorf("the tenant of blue reads %q in %s: %s", name, screen, text)
			}
		}
	}
	var ledger struct{ Total, Found, Hidden int }
	if err := json.Unmarshal([]byte(d.mustGet(t, tenant, "ledger", http.StatusOK)), &ledger); err != nil {
		t.Fatal(err)
	}
	if ledger.Found != 2 || ledger.Hidden != 2 || ledger.Total != 4 {
		t.Errorf("the tenant's ledger: %+v", ledger)
	}
	d.mustGet(t, tenant, "explain?pod=red/ruby", http.StatusNotFound)
	d.mustGet(t, tenant, "policy", http.StatusForbidden)
	d.mustGet(t, tenant, "metrics", http.StatusForbidden)
	d.mustGet(t, operator, "policy", http.StatusOK)
	d.mustGet(t, "", "overview", http.StatusUnauthorized)
	d.mustGet(t, "no.token.atall", "overview", http.StatusUnauthorized)
	if status, page, err := d.get(t.Context(), "", "/"); err != nil || status != http.StatusOK || strings.Contains(page, "blue") {
		t.Errorf("the page itself: %d %v", status, err)
	}

	// A token ends with its account.
	if err := plane.Client.CoreV1().ServiceAccounts("blue").Delete(t.Context(), "operator", metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	d.becomes(t, 2*patience, operator, "overview", func(status int, _ string) bool { return status == http.StatusUnauthorized })
	if testing.Short() {
		return
	}
	if err := rbac.RoleBindings("blue").Delete(t.Context(), "reader", metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	d.becomes(t, 4*patience, tenant, "ledger", func(status int, body string) bool {
		return status == http.StatusOK && strings.Contains(body, `"found":0,"hidden":4`)
	})
}

// Without either of the two rights dray cannot know who looks, and shows nothing to anybody.
func TestNoRightOfTheDashboardIsTooMuch(t *testing.T) {
	for _, missing := range []string{"tokenreviews", "subjectaccessreviews"} {
		t.Run(missing, func(t *testing.T) {
			installDashboard(t, missing)
			d, args := dashboardArgs(t)
			startPair(t, pairOptions{DrayOptions: harness.DrayOptions{Token: true, Args: args}})
			create(t, "apiVersion: v1\nkind: Namespace\nmetadata: {name: blue}\n")
			token := tokenOf(t, "blue", "anybody")
			body := d.mustGet(t, token, "overview", http.StatusServiceUnavailable)
			if !strings.Contains(body, "does not say who may look") {
				t.Errorf("told: %s", body)
			}
		})
	}
}

// Each replica names the leader and those that stand by, who is gone is named no more, and who takes the lead is no standby.
func TestTheDashboardNamesTheReplicas(t *testing.T) {
	t.Cleanup(func() { clean(t) })
	ports, err := harness.FreePorts(3)
	if err != nil {
		t.Fatal(err)
	}
	names := []string{"first", "second", "third"}
	replicas := map[string]*harness.Dray{}
	boards := map[string]*dashboard{}
	for i, name := range names {
		boards[name] = &dashboard{url: fmt.Sprintf("http://127.0.0.1:%d", ports[i]), client: &http.Client{Timeout: patience}}
		replicas[name], err = plane.StartDray(t.Context(), drayProgram(t), harness.DrayOptions{Token: true, Replica: name,
			Args: []string{"--dashboard-address", fmt.Sprintf("127.0.0.1:%d", ports[i])}})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { replicas[name].Kill() }) // the process of then, as one is started again
		if i == 0 {
			takesOver(t, replicas[name], name)
		}
	}
	shows := func(board, leader string, standbys ...string) {
		t.Helper()
		ctx, cancel := context.WithTimeout(t.Context(), 3*patience)
		defer cancel()
		last := ""
		// A replica that has just begun opens this port a moment after the others.
		if err := harness.Poll(ctx, func(ctx context.Context) (bool, error) {
			status, body, err := boards[board].get(ctx, "", "/v1/dashboard/health")
			var health struct {
				Leader   string
				Standbys []string
			}
			last = fmt.Sprint(status, " ", body, " ", err)
			return err == nil && status == http.StatusOK && json.Unmarshal([]byte(body), &health) == nil &&
				health.Leader == leader && slices.Equal(health.Standbys, standbys), nil
		}); err != nil {
			t.Errorf("%s does not say that %s leads and %v stand by, but %s", board, leader, standbys, last)
		}
	}
	for _, name := range names {
		shows(name, "first", "second", "third")
	}
	if !testing.Short() { // a Lease has to run out
		replicas["third"].Kill()
		shows("first", "first", "second")
	}
	if err := replicas["first"].Stop(15 * time.Second); err != nil {
		t.Error(err)
	}
	takesOver(t, replicas["second"], "second")
	if !testing.Short() {
		shows("second", "second")
		if err := replicas["third"].Start(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	shows("second", "second", "third")
}
