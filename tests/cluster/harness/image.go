package harness

import (
	"crypto/tls"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// Image is an unpacked image: the folder that its programs have as root, and the one that runs where no command is named.
type Image struct{ Root, Program string }

// put writes files into a folder of the image as a kubelet mounts them: nothing else is there.
func (i Image) put(folder string, files map[string][]byte) error {
	folder = filepath.Join(i.Root, folder)
	if err := errors.Join(os.RemoveAll(folder), os.MkdirAll(folder, 0o755)); err != nil {
		return err
	}
	for name, content := range files {
		if err := os.WriteFile(filepath.Join(folder, name), content, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// run starts a container of the image as its kubelet does: in its root, as its user, on a host of the pod's name. Where it
// would listen on all addresses it does on the pod's.
func (i Image) run(dir, name, address string, pod *corev1.PodSpec, env []string) (*Process, error) {
	container := &pod.Containers[0]
	command := append(container.Command, container.Args...)
	if len(container.Command) == 0 {
		command = append([]string{i.Program}, command...)
	}
	for n := range command {
		command[n] = strings.ReplaceAll(command[n], "=0.0.0.0:", "="+address+":")
	}
	if filepath.Base(command[0]) == "kube-scheduler" {
		command = append(command, "--bind-address="+address)
	}
	user := uint32(*pod.SecurityContext.RunAsUser)
	cmd := &exec.Cmd{Path: command[0], Args: command, Dir: "/", Env: append(env, "PATH=/usr/bin:/")}
	if !filepath.IsAbs(cmd.Path) {
		cmd.Path = "/" + cmd.Path
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{Chroot: i.Root, Credential: &syscall.Credential{Uid: user, Gid: user}}
	var p *Process
	err := onHost(name, func() (err error) {
		p, err = startCommand(dir, name, cmd)
		return err
	})
	return p, err
}

// onHost calls start in a thread for which the host has this name, as it then has for what is started.
func onHost(name string, start func() error) error {
	done := make(chan error)
	go func() {
		runtime.LockOSThread()
		err := syscall.Unshare(syscall.CLONE_NEWUTS)
		if err == nil {
			err = syscall.Sethostname([]byte(name))
		}
		if err == nil {
			err = start()
		}
		done <- err
		select {} // its children would die with the thread (Pdeathsig)
	}()
	return <-done
}

// probe is the pod's readiness probe.
func probe(address string, pod *corev1.PodSpec) (*http.Client, string, error) {
	container := &pod.Containers[0]
	if container.ReadinessProbe == nil || container.ReadinessProbe.HTTPGet == nil {
		return nil, "", fmt.Errorf("container %s has no readiness probe by HTTP", container.Name)
	}
	get := container.ReadinessProbe.HTTPGet
	port := get.Port
	for _, named := range container.Ports {
		if get.Port.Type == intstr.String && named.Name == get.Port.StrVal {
			port = intstr.FromInt32(named.ContainerPort)
		}
	}
	client, scheme := http.DefaultClient, "http"
	if get.Scheme == corev1.URISchemeHTTPS { // a kubelet checks no certificate
		client, scheme = &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}}, "https"
	}
	return client, fmt.Sprintf("%s://%s:%s%s", scheme, address, port.String(), get.Path), nil
}
