package harness

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Deployments plays the Deployments of a namespace: what their controller and the kubelets make of them. Each pod is a process
// in its image, with the volumes and the account's token that it would have, on a loopback address of its own.
type Deployments struct {
	plane     *ControlPlane
	namespace string
	images    map[string]Image // by the name that a container says
	subnet    string
	pods      map[string][]*playedPod // by Deployment
	made      int
	service   *Service // of the Deployment dray
}

type playedPod struct {
	*Process
	address  string
	template string // what it was made from
}

// PlayDeployments begins with none running; Sync makes those that are wanted. The Service dray is there until the context ends.
func (c *ControlPlane) PlayDeployments(ctx context.Context, namespace string, images map[string]Image) (*Deployments, error) {
	d := &Deployments{plane: c, namespace: namespace, images: images, pods: map[string][]*playedPod{},
		subnet: fmt.Sprintf("127.%d.%d.", 64+rand.IntN(128), rand.IntN(256))}
	hosts := fmt.Sprintf("127.0.0.1 localhost\n%s1 dray.%s.svc\n", d.subnet, namespace)
	for _, image := range images {
		if err := image.put("etc/dray", nil); err != nil {
			return nil, err
		}
		for name, text := range map[string]string{"hosts": hosts, "nsswitch.conf": "hosts: files\n"} {
			if err := os.WriteFile(filepath.Join(image.Root, "etc", name), []byte(text), 0o644); err != nil {
				return nil, err
			}
		}
	}
	var err error
	d.service, err = startServiceAt(ctx, d.subnet+"1:9443")
	return d, err
}

// Sync makes the pods what the Deployments say now, each exchanged by its strategy, and waits until all are ready.
func (d *Deployments) Sync(ctx context.Context) error {
	list, err := d.plane.Client.AppsV1().Deployments(d.namespace).List(ctx, metav1.ListOptions{})
	if err != nil {
		return err
	}
	for i := range list.Items {
		if err := d.exchange(ctx, &list.Items[i]); err != nil {
			return fmt.Errorf("Deployment %s: %w", list.Items[i].Name, err)
		}
	}
	for name, pods := range d.pods {
		if slices.ContainsFunc(list.Items, func(each appsv1.Deployment) bool { return each.Name == name }) {
			continue
		}
		// Their rights are gone, too: they may have ended by themselves.
		for _, pod := range pods {
			pod.Kill()
		}
		delete(d.pods, name)
	}
	return nil
}

func (d *Deployments) exchange(ctx context.Context, deployment *appsv1.Deployment) error {
	name, template := deployment.Name, deployment.Spec.Template.String()
	outdated := slices.Clone(d.pods[name])
	kept := slices.DeleteFunc(d.pods[name], func(p *playedPod) bool { return p.template != template })
	kept = kept[:min(len(kept), int(*deployment.Spec.Replicas))]
	outdated = slices.DeleteFunc(outdated, func(p *playedPod) bool { return slices.Contains(kept, p) })
	if deployment.Spec.Strategy.Type == appsv1.RecreateDeploymentStrategyType {
		if err := stopAll(outdated); err != nil {
			return err
		}
		outdated = nil
	}
	for len(kept) < int(*deployment.Spec.Replicas) {
		pod, err := d.start(ctx, deployment)
		if err != nil {
			return err
		}
		kept = append(kept, pod)
		d.pods[name] = append(slices.Clone(kept), outdated...)
	}
	d.pods[name] = kept
	return stopAll(outdated)
}

// Stop ends all pods.
func (d *Deployments) Stop() error {
	var all []*playedPod
	for _, pods := range d.pods {
		all = append(all, pods...)
	}
	d.pods = map[string][]*playedPod{}
	return stopAll(all)
}

// Tails is the end of what the pods that run have said.
func (d *Deployments) Tails(lines int) (text string) {
	for _, pods := range d.pods {
		for _, pod := range pods {
			text += pod.Tail(lines)
		}
	}
	return text
}

// stopAll ends pods as kubelets do, with the grace time that pods have by themselves.
func stopAll(pods []*playedPod) error {
	return Each(pods, 8, func(pod *playedPod) error { return pod.Stop(30 * time.Second) })
}

func (d *Deployments) start(ctx context.Context, deployment *appsv1.Deployment) (*playedPod, error) {
	// The API server's word on it: its namespace's Pod Security, account, priority.
	wanted := &corev1.Pod{ObjectMeta: *deployment.Spec.Template.ObjectMeta.DeepCopy(), Spec: *deployment.Spec.Template.Spec.DeepCopy()}
	d.made++
	wanted.Name = fmt.Sprintf("%s-%d", deployment.Name, d.made)
	pod, err := d.plane.Client.CoreV1().Pods(d.namespace).Create(ctx, wanted, metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
	if err != nil {
		return nil, err
	}
	image, pulled := d.images[pod.Spec.Containers[0].Image]
	if !pulled {
		return nil, fmt.Errorf("there is no image %q", pod.Spec.Containers[0].Image)
	}
	if err := d.mount(ctx, image, pod); err != nil {
		return nil, err
	}
	played := &playedPod{address: fmt.Sprintf("%s%d", d.subnet, 1+d.made), template: deployment.Spec.Template.String()}
	server, err := url.Parse(d.plane.url)
	if err != nil {
		return nil, err
	}
	env := []string{"KUBERNETES_SERVICE_HOST=" + server.Hostname(), "KUBERNETES_SERVICE_PORT=" + server.Port()}
	if played.Process, err = image.run(d.plane.Dir, pod.Name, played.address, &pod.Spec, env); err != nil {
		return nil, err
	}
	client, ready, err := probe(played.address, &pod.Spec)
	if err == nil {
		err = played.WaitReady(ctx, time.Minute, httpOK(client, ready))
	}
	if err != nil {
		played.Kill()
		return nil, err
	}
	if deployment.Name == "dray" {
		d.service.Replace(&Dray{Process: played.Process, Extender: "https://" + played.address + ":9443",
			Admin: "http://" + played.address + ":8443"})
	}
	return played, nil
}

// mount puts the pod's volumes where its container has them: from Secrets, ConfigMaps, and the account's token.
func (d *Deployments) mount(ctx context.Context, image Image, pod *corev1.Pod) error {
	core := d.plane.Client.CoreV1()
	for _, mount := range pod.Spec.Containers[0].VolumeMounts {
		at := slices.IndexFunc(pod.Spec.Volumes, func(v corev1.Volume) bool { return v.Name == mount.Name })
		volume, files := pod.Spec.Volumes[at], map[string][]byte{}
		switch {
		case volume.Secret != nil:
			secret, err := core.Secrets(d.namespace).Get(ctx, volume.Secret.SecretName, metav1.GetOptions{})
			if err != nil {
				return err
			}
			files = secret.Data
		case volume.ConfigMap != nil:
			config, err := core.ConfigMaps(d.namespace).Get(ctx, volume.ConfigMap.Name, metav1.GetOptions{})
			if err != nil {
				return err
			}
			for name, text := range config.Data {
				files[name] = []byte(text)
			}
		case volume.Projected != nil: // the account's
			token, err := core.ServiceAccounts(d.namespace).CreateToken(ctx, pod.Spec.ServiceAccountName,
				&authenticationv1.TokenRequest{}, metav1.CreateOptions{})
			if err != nil {
				return err
			}
			authority, err := os.ReadFile(d.plane.authority.File)
			if err != nil {
				return err
			}
			files = map[string][]byte{"token": []byte(token.Status.Token), "ca.crt": authority, "namespace": []byte(d.namespace)}
		default:
			return fmt.Errorf("volume %s is of a kind that is not played", volume.Name)
		}
		if err := image.put(mount.MountPath, files); err != nil {
			return err
		}
	}
	return nil
}
