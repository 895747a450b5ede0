package harness

import (
	"context"
	"path/filepath"
	"time"

	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// InstallManifests applies manifests/ of the repository as an operator would, and returns when its admission policies act,
// which is some time after they exist: a pod for dray's scheduler is gated at its creation, one with a mark of dray's is
// refused, and a claim gets its finalizer.
func (c *ControlPlane) InstallManifests(ctx context.Context, repository string) error {
	manifests, err := Render(filepath.Join(repository, "manifests"))
	if err != nil {
		return err
	}
	if err := c.Apply(ctx, manifests); err != nil {
		return err
	}
	// The first object of a kind also waits until the API server has read its own schema.
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	return Poll(ctx, func(ctx context.Context) (bool, error) {
		gated, err := c.dryRunPod(ctx, SchedulerName, nil)
		if err != nil || len(gated.Spec.SchedulingGates) != 1 {
			return false, nil
		}
		if _, err := c.dryRunPod(ctx, "default-scheduler", map[string]string{"dray.dev/reservation": "n0"}); err == nil {
			return false, nil
		}
		claim, err := c.Client.ResourceV1().ResourceClaims("default").Create(ctx,
			&resourcev1.ResourceClaim{ObjectMeta: metav1.ObjectMeta{Name: "probe"}}, dryRun)
		return err == nil && len(claim.Finalizers) == 1, nil
	})
}

var dryRun = metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}}

func (c *ControlPlane) dryRunPod(ctx context.Context, scheduler string, annotations map[string]string) (*corev1.Pod, error) {
	return c.Client.CoreV1().Pods("default").Create(ctx, &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: "probe", Annotations: annotations},
		Spec: corev1.PodSpec{SchedulerName: scheduler,
			Containers: []corev1.Container{{Name: "main", Image: "registry.example.com/none"}}},
	}, dryRun)
}
