package cluster_test

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"dray.dev/dray/tests/cluster/harness"
)

const elasticDriver = "elastic.example.com"

// moreNodes adds nodes NAME-0, NAME-1… with devices; the class is there.
func moreNodes(t *testing.T, name string, nodes, devices int) {
	t.Helper()
	added := fleet(elasticDriver, nodes, devices, "8")
	added.NodeName = name + "-%d"
	_, text, _ := strings.Cut(added.All(), "---\n")
	create(t, text)
}

// resize gives an Indexed Job another size while it runs, as Kubernetes lets both numbers change together. There is no kubelet
// that would end the pods that its controller deletes.
func resize(t *testing.T, namespace, name string, pods int) {
	t.Helper()
	jobs := plane.Client.BatchV1().Jobs(namespace)
	eventually(t.Context(), t, "size of "+name, func(ctx context.Context) (bool, error) {
		job, err := jobs.Get(ctx, name, metav1.GetOptions{})
		if err != nil {
			return false, err
		}
		*job.Spec.Parallelism, *job.Spec.Completions = int32(pods), int32(pods)
		_, err = jobs.Update(ctx, job, metav1.UpdateOptions{})
		return err == nil, nil
	})
	eventually(t.Context(), t, fmt.Sprintf("%s has %d pods", name, pods), func(ctx context.Context) (bool, error) {
		list, err := plane.Client.CoreV1().Pods(namespace).List(ctx, metav1.ListOptions{LabelSelector: "batch.kubernetes.io/job-name=" + name})
		if err != nil {
			return false, err
		}
		for i := range list.Items {
			if list.Items[i].DeletionTimestamp != nil {
				_ = plane.Client.CoreV1().Pods(namespace).Delete(ctx, list.Items[i].Name, *metav1.NewDeleteOptions(0))
			}
		}
		return len(list.Items) == pods, nil
	})
}

// runsOn checks for twice staleAfter that nobody ends the pods that run.
func runsOn(t *testing.T, namespace, name string, bound int) {
	t.Helper()
	end := time.Now().Add(2 * time.Second)
	eventually(t.Context(), t, name+" runs on", func(ctx context.Context) (bool, error) {
		list, err := plane.Client.CoreV1().Pods(namespace).List(ctx, metav1.ListOptions{LabelSelector: "batch.kubernetes.io/job-name=" + name})
		if err != nil {
			return false, err
		}
		runs := 0
		for i := range list.Items {
			if harness.Bound(&list.Items[i]) && list.Items[i].DeletionTimestamp == nil {
				runs++
			}
		}
		if runs != bound {
			return false, fmt.Errorf("%d pods run, want %d", runs, bound)
		}
		return time.Now().After(end), nil
	})
}

// A Job that starts as one grows while it runs by as many pods as there is room for: what runs is not ended because the others
// wait, also after a restart of dray and after it had shrunk. What it gives up others get.
func TestElasticJobs(t *testing.T) {
	const space, other = "elastic", "elastic-next"
	policy, err := filepath.Abs("testdata/elastic.yaml")
	if err != nil {
		t.Fatal(err)
	}
	pair := startPair(t, pairOptions{DrayOptions: harness.DrayOptions{Args: []string{"--policy", policy}}})
	create(t, fleet(elasticDriver, 2, 2, "8").All())
	create(t, oneDeviceTemplate(space, elasticDriver)+"---"+oneDeviceTemplate(other, elasticDriver))
	create(t, indexedJob(space, "train", 2))
	waitJob(t, space, "train", 2, 0)
	resize(t, space, "train", 3)
	waitJob(t, space, "train", 3, 0)
	resize(t, space, "train", 6)
	waitJob(t, space, "train", 4, 2)
	runsOn(t, space, "train", 4)
	if err := pair.dray.Stop(15 * time.Second); err != nil {
		t.Fatal(err)
	}
	if err := pair.dray.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	runsOn(t, space, "train", 4)
	moreNodes(t, "more", 1, 2)
	waitJob(t, space, "train", 6, 0)

	create(t, indexedJob(other, "next", 4))
	waitJob(t, other, "next", 0, 4)
	resize(t, space, "train", 2)
	waitJob(t, space, "train", 2, 0)
	waitJob(t, other, "next", 4, 0) // in the room that the other has given up
	resize(t, space, "train", 3)
	waitJob(t, space, "train", 2, 1)
	runsOn(t, space, "train", 2)
	deleteJob(t, other, "next")
	waitJob(t, space, "train", 3, 0)
	deleteJob(t, space, "train")
}

// A gang of five that needs two: with room for one nobody starts, with room for three these start, and the others come as room
// does.
func TestGangAboveItsMinimum(t *testing.T) {
	const space = "minimum"
	startPair(t, pairOptions{})
	create(t, fleet(elasticDriver, 1, 1, "8").All())
	create(t, oneDeviceTemplate(space, elasticDriver))
	create(t, strings.Replace(indexedJob(space, "train", 5), "  template:\n",
		"  template:\n    metadata: {annotations: {kai.scheduler/batch-min-member: \"2\"}}\n", 1))
	waitJob(t, space, "train", 0, 5)
	moreNodes(t, "more", 1, 2)
	waitJob(t, space, "train", 3, 2)
	moreNodes(t, "again", 1, 2)
	waitJob(t, space, "train", 5, 0)
	deleteJob(t, space, "train")
}
