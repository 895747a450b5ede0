package cluster_test

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	authorizationv1 "k8s.io/api/authorization/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"dray.dev/dray/tests/cluster/harness"
)

// need is what dray does with rights: every verb on every resource (GROUP/RESOURCE[/SUBRESOURCE], the core group empty).
type need struct {
	what      string
	verbs     string
	resources string
	where     string // NAMESPACE/NAME; empty: cluster-wide
}

var needs = []need{
	{"decides from", "list watch", watched(), ""},
	{"makes sure of what it wrote", "get", "/pods resource.k8s.io/resourceclaims autoscaling.x-k8s.io/provisioningrequests", ""},
	{"lifts gates and says why a pod waits", "patch", "/pods /pods/status", ""},
	{"evicts", "create", "/pods/eviction", ""},
	{"tells", "create", "events.k8s.io/events", ""},
	{"allocates", "patch", "resource.k8s.io/resourceclaims resource.k8s.io/resourceclaims/status resource.k8s.io/resourceclaims/binding", ""},
	{"makes claims of its own", "create delete", "resource.k8s.io/resourceclaims", ""},
	{"asks an autoscaler for nodes", "create delete", "autoscaling.x-k8s.io/provisioningrequests", ""},
	{"says what for", "create", "/podtemplates", ""},
	{"binds", "create", "/pods/binding", ""},
	{"leads", "get update", "coordination.k8s.io/leases", "dray-system/dray"},
	{"says that it stands by", "get update", "coordination.k8s.io/leases", "dray-system/dray-standby-1"},
	{"stands by with another", "get update", "coordination.k8s.io/leases", "dray-system/dray-standby-2"},
	{"stands by with two others", "get update", "coordination.k8s.io/leases", "dray-system/dray-standby-3"},
	{"leads for the first time", "create", "coordination.k8s.io/leases", "dray-system/"},
	{"remembers usage", "get update", "/configmaps", "dray-system/dray-usage"},
	{"tells the admission policy whose queues are whose", "get update", "/configmaps", "dray-system/dray-queue-users"},
	{"remembers for the first time", "create", "/configmaps", "dray-system/"},
}

type questions map[string]authorizationv1.SubjectAccessReviewSpec

// reviews are the questions that dray's needs come to, by their name.
func reviews() questions {
	all := questionsOf(harness.Account, needs)
	all["reads gates: get /metrics"] = authorizationv1.SubjectAccessReviewSpec{User: harness.Account,
		NonResourceAttributes: &authorizationv1.NonResourceAttributes{Path: "/metrics", Verb: "get"}}
	return all
}

func questionsOf(account string, needs []need) questions {
	all := questions{}
	for _, n := range needs {
		namespace, name, _ := strings.Cut(n.where, "/")
		for _, verb := range strings.Fields(n.verbs) {
			for _, resource := range strings.Fields(n.resources) {
				parts := append(strings.Split(resource, "/"), "")
				all[fmt.Sprintf("%s: %s %s %s", n.what, verb, resource, n.where)] = authorizationv1.SubjectAccessReviewSpec{
					User: account, ResourceAttributes: &authorizationv1.ResourceAttributes{Verb: verb, Group: parts[0],
						Resource: parts[1], Subresource: parts[2], Namespace: namespace, Name: name}}
			}
		}
	}
	return all
}

// refused are the names of needs that the API server does not grant now.
func refused(ctx context.Context, t *testing.T) (names []string) { return refusedOf(ctx, t, reviews()) }

func refusedOf(ctx context.Context, t *testing.T, asked questions) (names []string) {
	t.Helper()
	answers := make(chan string, len(asked))
	if err := harness.Each(slices.Collect(maps.Keys(asked)), 16, func(name string) error {
		review, err := plane.Client.AuthorizationV1().SubjectAccessReviews().Create(ctx,
			&authorizationv1.SubjectAccessReview{Spec: asked[name]}, metav1.CreateOptions{})
		if err == nil && !review.Status.Allowed {
			answers <- name
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
	close(answers)
	for name := range answers {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// less are the rules with one thing less each: a rule, a verb, a resource or a name. The key says which.
func less(rules []rbacv1.PolicyRule) map[string][]rbacv1.PolicyRule {
	all := map[string][]rbacv1.PolicyRule{}
	for i, rule := range rules {
		what := fmt.Sprintf("%v%v%v", rule.APIGroups, rule.Resources, rule.NonResourceURLs)
		all[fmt.Sprintf("rule %d %s", i, what)] = slices.Delete(slices.Clone(rules), i, i+1)
		without := func(field string, values []string, put func(*rbacv1.PolicyRule, []string)) {
			for j, value := range values {
				if len(values) == 1 {
					continue // the whole rule
				}
				changed := slices.Clone(rules)
				put(&changed[i], slices.Delete(slices.Clone(values), j, j+1))
				all[fmt.Sprintf("%s %q of rule %d %s", field, value, i, what)] = changed
			}
		}
		without("verb", rule.Verbs, func(r *rbacv1.PolicyRule, v []string) { r.Verbs = v })
		without("group", rule.APIGroups, func(r *rbacv1.PolicyRule, v []string) { r.APIGroups = v })
		without("resource", rule.Resources, func(r *rbacv1.PolicyRule, v []string) { r.Resources = v })
		without("name", rule.ResourceNames, func(r *rbacv1.PolicyRule, v []string) { r.ResourceNames = v })
	}
	return all
}

// Everything that dray does is allowed, and nothing of its roles can go without something that dray does being refused: each
// rule in the short run, each verb, group, resource and name of a rule in the long one.
func TestNoRightOfDrayIsTooMuch(t *testing.T) {
	for _, name := range refused(t.Context(), t) {
		t.Errorf("refused: %s", name)
	}
	rbac := plane.Client.RbacV1()
	lease, err := rbac.Roles("dray-system").Get(t.Context(), "dray-lease", metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	roles := map[string][]rbacv1.PolicyRule{"dray-lease": lease.Rules}
	for _, name := range []string{"dray", "dray-allocator", "dray-reader"} {
		role, err := rbac.ClusterRoles().Get(t.Context(), name, metav1.GetOptions{})
		if err != nil {
			t.Fatal(err)
		}
		roles[name] = role.Rules
	}
	put := func(ctx context.Context, role string, rules []rbacv1.PolicyRule) error {
		patch, err := json.Marshal(map[string]any{"rules": rules})
		if err != nil {
			return err
		}
		if role == "dray-lease" {
			_, err = rbac.Roles("dray-system").Patch(ctx, role, types.MergePatchType, patch, metav1.PatchOptions{})
		} else {
			_, err = rbac.ClusterRoles().Patch(ctx, role, types.MergePatchType, patch, metav1.PatchOptions{})
		}
		return err
	}
	granted := func(ctx context.Context) {
		eventually(ctx, t, "all rights are there", func(ctx context.Context) (bool, error) { return len(refused(ctx, t)) == 0, nil })
	}
	for role, rules := range roles {
		for what, fewer := range less(rules) {
			if testing.Short() && !strings.HasPrefix(what, "rule ") {
				continue
			}
			t.Run(role+" without "+what, func(t *testing.T) {
				t.Cleanup(func() {
					if err := put(contextAfter(t), role, rules); err != nil {
						t.Error(err)
					}
					granted(contextAfter(t))
				})
				if err := put(t.Context(), role, fewer); err != nil {
					t.Fatal(err)
				}
				// Roles reach the authorizer by a watch.
				ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
				defer cancel()
				if err := harness.Poll(ctx, func(ctx context.Context) (bool, error) { return len(refused(ctx, t)) > 0, nil }); err != nil {
					t.Error("nothing that dray does is refused")
				}
			})
		}
	}
}
