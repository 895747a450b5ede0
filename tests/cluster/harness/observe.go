package harness

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// ObservedOf is what a pod, the claims that it uses and the Events about it tell.
func ObservedOf(pod *corev1.Pod, claims []resourcev1.ResourceClaim, events []corev1.Event) Observed {
	observed := Observed{Node: pod.Spec.NodeName, Refusal: Refusal(pod)}
	for _, claim := range claims {
		if claim.Status.Allocation == nil {
			continue
		}
		results := claim.Status.Allocation.Devices.Results
		observed.Devices = append(observed.Devices, results...)
		if extended := pod.Status.ExtendedResourceClaimStatus; extended != nil && extended.ResourceClaimName == claim.Name {
			observed.Extended += len(results)
		}
	}
	for _, event := range events {
		if event.Type == corev1.EventTypeWarning && event.InvolvedObject.UID == pod.UID {
			observed.Warnings = append(observed.Warnings, event.Message)
		}
	}
	return observed
}

// Observe reads what has become of a pod, and which claims it uses.
func (c *ControlPlane) Observe(ctx context.Context, namespace, name string) (*corev1.Pod, []resourcev1.ResourceClaim,
	Observed, error) {
	pod, err := c.Client.CoreV1().Pods(namespace).Get(ctx, name, metav1.GetOptions{})
	if err != nil {
		return nil, nil, Observed{}, err
	}
	claims, err := c.ClaimsOf(ctx, pod)
	if err != nil {
		return nil, nil, Observed{}, err
	}
	events, err := c.Client.CoreV1().Events(namespace).List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, nil, Observed{}, err
	}
	return pod, claims, ObservedOf(pod, claims, events.Items), nil
}
