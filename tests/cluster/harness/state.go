package harness

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Finalizer keeps an allocated claim until it is deallocated.
const Finalizer = "resource.kubernetes.io/delete-protection"

// WaitPod polls a pod until done says so; the last state of the pod is in the error otherwise.
func (c *ControlPlane) WaitPod(ctx context.Context, namespace, name string, limit time.Duration,
	done func(*corev1.Pod) bool) (*corev1.Pod, error) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	var pod *corev1.Pod
	err := Poll(ctx, func(ctx context.Context) (bool, error) {
		got, err := c.Client.CoreV1().Pods(namespace).Get(ctx, name, metav1.GetOptions{})
		if err != nil {
			if ctx.Err() != nil || apierrors.IsTooManyRequests(err) {
				return false, nil
			}
			return false, err
		}
		pod = got
		return done(pod), nil
	})
	if err != nil && pod != nil {
		err = fmt.Errorf("pod %s/%s: %w; %s", namespace, name, err, Describe(pod))
	}
	return pod, err
}

// Bound tells whether a pod has its node.
func Bound(pod *corev1.Pod) bool { return pod.Spec.NodeName != "" }

// Refused tells whether somebody has decided that the pod cannot be placed now: kube-scheduler, or dray for a pod that
// is still gated.
func Refused(pod *corev1.Pod) bool {
	return !Bound(pod) && Refusal(pod) != ""
}

// Refusal is the text of that decision.
func Refusal(pod *corev1.Pod) string {
	for _, c := range pod.Status.Conditions {
		byScheduler := c.Type == corev1.PodScheduled && c.Reason == corev1.PodReasonUnschedulable
		byDray := c.Type == "DrayAdmitted" && c.Reason != "Planning"
		if c.Status == corev1.ConditionFalse && (byScheduler || byDray) {
			return c.Reason + ": " + c.Message
		}
	}
	return ""
}

// Describe is a line about a pod for messages.
func Describe(pod *corev1.Pod) string {
	text := fmt.Sprintf("node %q, gates %v", pod.Spec.NodeName, pod.Spec.SchedulingGates)
	for _, c := range pod.Status.Conditions {
		text += fmt.Sprintf(", %s=%s %s %q", c.Type, c.Status, c.Reason, c.Message)
	}
	return text
}

// ClaimsOf reads the claims that a pod uses, also the one behind its extended resources.
func (c *ControlPlane) ClaimsOf(ctx context.Context, pod *corev1.Pod) ([]resourcev1.ResourceClaim, error) {
	var names []string
	for _, ref := range pod.Spec.ResourceClaims {
		if ref.ResourceClaimName != nil {
			names = append(names, *ref.ResourceClaimName)
		}
	}
	for _, status := range pod.Status.ResourceClaimStatuses {
		if status.ResourceClaimName != nil {
			names = append(names, *status.ResourceClaimName)
		}
	}
	if extended := pod.Status.ExtendedResourceClaimStatus; extended != nil {
		names = append(names, extended.ResourceClaimName)
	}
	var claims []resourcev1.ResourceClaim
	for _, name := range names {
		claim, err := c.Client.ResourceV1().ResourceClaims(pod.Namespace).Get(ctx, name, metav1.GetOptions{})
		if err != nil {
			return nil, err
		}
		claims = append(claims, *claim)
	}
	return claims, nil
}

// CheckClaim returns what is wrong with a claim of a bound pod.
func CheckClaim(claim *resourcev1.ResourceClaim, pod *corev1.Pod) []string {
	var wrong []string
	complain := func(text string) { wrong = append(wrong, fmt.Sprintf("claim %s: %s", claim.Name, text)) }
	if claim.Status.Allocation == nil {
		complain("no allocation")
	}
	if !slices.Contains(claim.Finalizers, Finalizer) {
		complain("no finalizer " + Finalizer)
	}
	if !slices.ContainsFunc(claim.Status.ReservedFor, func(r resourcev1.ResourceClaimConsumerReference) bool {
		// A claim that was made for a PodGroup is the group's (KEP-5729).
		group := pod.Spec.SchedulingGroup
		ofGroup := group != nil && group.PodGroupName != nil && r.Resource == "podgroups" && r.Name == *group.PodGroupName
		return ofGroup || (r.Resource == "pods" && r.Name == pod.Name && r.UID == pod.UID)
	}) {
		complain("not reserved for pod " + pod.Name)
	}
	return wrong
}

// DeleteGroups deletes the PodGroups of a namespace, where the server has that kind: their claims end with them.
func (c *ControlPlane) DeleteGroups(ctx context.Context, namespace string) error {
	groups := schema.GroupVersionResource{Group: "scheduling.k8s.io", Version: "v1beta1", Resource: "podgroups"}
	err := c.Any.Resource(groups).Namespace(namespace).DeleteCollection(ctx, metav1.DeleteOptions{}, metav1.ListOptions{})
	if apierrors.IsNotFound(err) || apierrors.IsMethodNotSupported(err) {
		return nil
	}
	return err
}

// DeletePods deletes all pods of a namespace at once, as there is no kubelet to end them.
func (c *ControlPlane) DeletePods(ctx context.Context, namespace string) error {
	now := int64(0)
	return c.Client.CoreV1().Pods(namespace).DeleteCollection(ctx,
		metav1.DeleteOptions{GracePeriodSeconds: &now}, metav1.ListOptions{})
}

// WaitReleased polls until no claim of a namespace (all of them if empty) is allocated and those of pods are gone.
func (c *ControlPlane) WaitReleased(ctx context.Context, namespace string, limit time.Duration) error {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	var held []string
	err := Poll(ctx, func(ctx context.Context) (bool, error) {
		claims, err := c.Client.ResourceV1().ResourceClaims(namespace).List(ctx, metav1.ListOptions{})
		if err != nil {
			return false, nil
		}
		held = nil
		for _, claim := range claims.Items {
			if claim.Status.Allocation != nil || len(claim.Status.ReservedFor) > 0 || len(claim.OwnerReferences) > 0 {
				held = append(held, claim.Namespace+"/"+claim.Name)
			}
		}
		return len(held) == 0, nil
	})
	if err != nil {
		return fmt.Errorf("claims still held: %s: %w", strings.Join(held, " "), err)
	}
	return nil
}

// Clean removes what a test made: pods, claims and templates of all namespaces, nodes, slices, classes, taint rules.
// Namespaces stay: to remove one takes its controller more than five seconds.
func (c *ControlPlane) Clean(ctx context.Context) error {
	namespaces, err := c.Client.CoreV1().Namespaces().List(ctx, metav1.ListOptions{})
	if err != nil {
		return err
	}
	none, all := metav1.DeleteOptions{}, metav1.ListOptions{}
	resource, apps := c.Client.ResourceV1(), c.Client.AppsV1()
	// Those first that would make their pods again.
	for _, ns := range namespaces.Items {
		if err := apps.ReplicaSets(ns.Name).DeleteCollection(ctx, none, all); err != nil {
			return err
		}
	}
	for _, ns := range namespaces.Items {
		if err := errors.Join(c.DeletePods(ctx, ns.Name),
			resource.ResourceClaimTemplates(ns.Name).DeleteCollection(ctx, none, all)); err != nil {
			return err
		}
	}
	if err := c.WaitReleased(ctx, "", 30*time.Second); err != nil {
		return err
	}
	for _, ns := range namespaces.Items {
		if err := c.deleteClaims(ctx, ns.Name); err != nil {
			return err
		}
	}
	return errors.Join(
		resource.ResourceSlices().DeleteCollection(ctx, none, all),
		resource.DeviceClasses().DeleteCollection(ctx, none, all),
		resource.DeviceTaintRules().DeleteCollection(ctx, none, all),
		c.Client.CoreV1().Nodes().DeleteCollection(ctx, none, all))
}

// deleteClaims asks again where there are more than the API server deletes within a request's minute.
func (c *ControlPlane) deleteClaims(ctx context.Context, namespace string) error {
	claims := c.Client.ResourceV1().ResourceClaims(namespace)
	for range 20 {
		err := claims.DeleteCollection(ctx, metav1.DeleteOptions{}, metav1.ListOptions{})
		if !apierrors.IsTimeout(err) {
			return err
		}
	}
	return fmt.Errorf("claims of namespace %s: not deleted in 20 requests", namespace)
}
