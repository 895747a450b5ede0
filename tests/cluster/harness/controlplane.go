package harness

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
)

// ControlPlane is etcd, kube-apiserver (RBAC, default features and admission) and the controllers that claims need.
type ControlPlane struct {
	Dir    string // certificates, kubeconfigs, logs and data of this run
	Admin  *rest.Config
	Client kubernetes.Interface
	Any    dynamic.Interface // for objects from YAML

	binaries  string
	options   PlaneOptions
	authority *Authority
	url       string
	processes []*Process
	server    *Process // kube-apiserver
	serve     []string // its arguments
}

// The controllers behind claims: without the first no claim is made from a template, deallocated or deleted; pods need
// a service account; then those that make pods, and those that clean up.
const controllers = "resourceclaim-controller,serviceaccount-controller,serviceaccount-token-controller," +
	"root-ca-certificate-publisher-controller,job-controller,replicaset-controller,statefulset-controller," +
	"namespace-controller,garbage-collector-controller"

// PlaneOptions say what differs from a control plane as the tests need it.
type PlaneOptions struct {
	Gates         []string // off by default; on in the API server and the controllers, not in kube-scheduler
	DefaultLimits bool     // requests in flight as kube-apiserver has them by itself (400 / 200), for measurements
	Profiling     bool     // the API server gives CPU profiles
}

// StartControlPlane starts the programs that build.sh left in the folder binaries and waits until they are ready.
func StartControlPlane(ctx context.Context, binaries, dir string, options PlaneOptions) (*ControlPlane, error) {
	c := &ControlPlane{Dir: dir, binaries: binaries, options: options}
	steps := []func(context.Context) error{c.makeAuthority, c.startStorage, c.startControllers}
	for _, step := range steps {
		if err := step(ctx); err != nil {
			c.Stop()
			return nil, err
		}
	}
	return c, nil
}

// Stop ends all programs, last started first.
func (c *ControlPlane) Stop() {
	for i := len(c.processes) - 1; i >= 0; i-- {
		c.processes[i].Kill()
	}
	c.processes = nil
}

// Tails shows the end of every program's output, for a failed test.
func (c *ControlPlane) Tails(lines int) string {
	var text strings.Builder
	for _, p := range c.processes {
		text.WriteString(p.Tail(lines))
	}
	return text.String()
}

func (c *ControlPlane) makeAuthority(context.Context) error {
	var err error
	if c.authority, err = NewAuthority(c.Dir, "cluster-ca"); err != nil {
		return err
	}
	return signingKey(c.path("service-account.key"))
}

func (c *ControlPlane) startStorage(ctx context.Context) error {
	ports, err := FreePorts(3)
	if err != nil {
		return err
	}
	client, peer := loopback("http", ports[0]), loopback("http", ports[1])
	etcd, err := c.start("etcd", "--data-dir="+c.path("etcd"), "--unsafe-no-fsync", "--log-level=warn",
		"--listen-client-urls="+client, "--advertise-client-urls="+client, "--listen-peer-urls="+peer,
		"--initial-advertise-peer-urls="+peer, "--initial-cluster=default="+peer)
	if err != nil {
		return err
	}
	if err := etcd.WaitReady(ctx, time.Minute, httpOK(http.DefaultClient, client+"/health")); err != nil {
		return err
	}
	return c.startAPIServer(ctx, client, ports[2])
}

// gateFlags switch the gates on, and the API group that comes with GenericWorkload.
func (c *ControlPlane) gateFlags(server bool) []string {
	gates := c.options.Gates
	if len(gates) == 0 {
		return nil
	}
	flags := []string{"--feature-gates=" + strings.Join(gates, "=true,") + "=true"}
	if server && slices.Contains(gates, "GenericWorkload") {
		flags = append(flags, "--runtime-config=scheduling.k8s.io/v1beta1=true")
	}
	return flags
}

func (c *ControlPlane) startAPIServer(ctx context.Context, etcd string, port int) error {
	serving, err := c.authority.Server("kube-apiserver")
	if err != nil {
		return err
	}
	c.url = loopback("https", port)
	var limits []string
	if !c.options.DefaultLimits {
		limits = []string{"--max-requests-inflight=3000", "--max-mutating-requests-inflight=2000"}
	}
	// Node conditions are ours to set, hence no taint by condition; the kubernetes Service would want a routable address.
	c.serve = append(append(c.gateFlags(true), limits...), "--etcd-servers="+etcd, "--bind-address=127.0.0.1",
		fmt.Sprintf("--secure-port=%d", port), "--endpoint-reconciler-type=none",
		"--authorization-mode=Node,RBAC", "--disable-admission-plugins=TaintNodesByCondition",
		"--client-ca-file="+c.authority.File, "--tls-cert-file="+serving.Cert, "--tls-private-key-file="+serving.Key,
		"--requestheader-client-ca-file="+c.authority.File, "--requestheader-allowed-names=nobody",
		"--requestheader-username-headers=X-Remote-User", "--requestheader-group-headers=X-Remote-Group",
		"--requestheader-extra-headers-prefix=X-Remote-Extra-",
		"--service-account-issuer=https://kubernetes.default.svc",
		"--service-account-signing-key-file="+c.path("service-account.key"),
		"--service-account-key-file="+c.path("service-account.key"), "--service-cluster-ip-range=10.96.0.0/16",
		fmt.Sprintf("--profiling=%t", c.options.Profiling), "--v=1")
	if err := c.connect(); err != nil {
		return err
	}
	if c.server, err = c.start("kube-apiserver", c.serve...); err != nil {
		return err
	}
	return c.serverReady(ctx)
}

func (c *ControlPlane) serverReady(ctx context.Context) error {
	return c.server.WaitReady(ctx, time.Minute, func(ctx context.Context) error {
		_, err := c.Client.Discovery().RESTClient().Get().AbsPath("/readyz").DoRaw(ctx)
		return err
	})
}

// APIServer is the running kube-apiserver.
func (c *ControlPlane) APIServer() *Process { return c.server }

// RestartAPIServer kills it, leaves it away for that time, and starts it again on the same port and storage.
func (c *ControlPlane) RestartAPIServer(ctx context.Context, away time.Duration) error {
	c.server.Kill()
	time.Sleep(away)
	next, err := StartProcess(c.Dir, "kube-apiserver", filepath.Join(c.binaries, "kube-apiserver"), c.serve...)
	if err != nil {
		return err
	}
	c.processes[slices.Index(c.processes, c.server)] = next
	c.server = next
	return c.serverReady(ctx)
}

func (c *ControlPlane) connect() error {
	kubeconfig, err := c.Kubeconfig("admin", "admin", "system:masters")
	if err != nil {
		return err
	}
	if c.Admin, err = clientcmd.BuildConfigFromFlags("", kubeconfig); err != nil {
		return err
	}
	c.Admin.QPS, c.Admin.Burst = -1, -1
	if c.Client, err = kubernetes.NewForConfig(c.Admin); err != nil {
		return err
	}
	c.Any, err = dynamic.NewForConfig(c.Admin)
	return err
}

func (c *ControlPlane) startControllers(ctx context.Context) error {
	kubeconfig, err := c.Kubeconfig("kube-controller-manager", "system:kube-controller-manager")
	if err != nil {
		return err
	}
	port, err := FreePorts(1)
	if err != nil {
		return err
	}
	names := controllers
	if slices.Contains(c.options.Gates, "GenericWorkload") {
		names += ",podgroup-protection-controller" // else a deleted PodGroup stays, and keeps its claims
	}
	// The default of 20 calls a second would hold every test back (ten template pods a second).
	manager, err := c.start("kube-controller-manager", append(c.gateFlags(false), "--kubeconfig="+kubeconfig,
		"--authentication-kubeconfig="+kubeconfig, "--authorization-kubeconfig="+kubeconfig,
		"--bind-address=127.0.0.1", fmt.Sprintf("--secure-port=%d", port[0]), "--leader-elect=false",
		"--use-service-account-credentials", "--controllers="+names, "--root-ca-file="+c.authority.File,
		"--service-account-private-key-file="+c.path("service-account.key"),
		"--kube-api-qps=2000", "--kube-api-burst=2000", "--profiling=false", "--v=1")...)
	if err != nil {
		return err
	}
	// Its controllers run once the default service account exists.
	return manager.WaitReady(ctx, time.Minute, func(ctx context.Context) error {
		return c.serviceAccountExists(ctx, "default")
	})
}

// Kubeconfig writes a kubeconfig of a user with a client certificate and returns its path.
func (c *ControlPlane) Kubeconfig(name, user string, groups ...string) (string, error) {
	pair, err := c.authority.Client(name, user, groups...)
	if err != nil {
		return "", err
	}
	return c.WriteKubeconfig(name, &clientcmdapi.AuthInfo{ClientCertificate: pair.Cert, ClientKey: pair.Key})
}

// TokenKubeconfig writes a kubeconfig of a user with a bearer token and returns its path.
func (c *ControlPlane) TokenKubeconfig(name, token string) (string, error) {
	return c.WriteKubeconfig(name, &clientcmdapi.AuthInfo{Token: token})
}

// WriteKubeconfig writes a kubeconfig of that user and returns its path.
func (c *ControlPlane) WriteKubeconfig(name string, user *clientcmdapi.AuthInfo) (string, error) {
	config := clientcmdapi.NewConfig()
	config.Clusters["test"] = &clientcmdapi.Cluster{Server: c.url, CertificateAuthority: c.authority.File}
	config.AuthInfos["user"] = user
	config.Contexts["test"] = &clientcmdapi.Context{Cluster: "test", AuthInfo: "user"}
	config.CurrentContext = "test"
	file := c.path(name + ".kubeconfig")
	return file, clientcmd.WriteToFile(*config, file)
}

func (c *ControlPlane) start(program string, args ...string) (*Process, error) {
	p, err := StartProcess(c.Dir, program, filepath.Join(c.binaries, program), args...)
	if err == nil {
		c.processes = append(c.processes, p)
	}
	return p, err
}

func (c *ControlPlane) path(name string) string { return filepath.Join(c.Dir, name) }

func loopback(scheme string, port int) string { return fmt.Sprintf("%s://127.0.0.1:%d", scheme, port) }

// httpOK probes a URL that answers 200 when all is well.
func httpOK(client *http.Client, url string) func(context.Context) error {
	return func(ctx context.Context) error {
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
		if err != nil {
			return err
		}
		response, err := client.Do(request)
		if err != nil {
			return err
		}
		defer response.Body.Close()
		body, _ := io.ReadAll(response.Body)
		if response.StatusCode != http.StatusOK {
			return fmt.Errorf("%s: %s: %s", url, response.Status, body)
		}
		return nil
	}
}

// Processes are the programs of the control plane, in the order of their start.
func (c *ControlPlane) Processes() []*Process { return c.processes }

// TempDir is where the logs of a run go: $DRAY_TEST_LOGS, which is kept, or a folder of its own.
func TempDir() (dir string, keep bool, err error) {
	if dir = os.Getenv("DRAY_TEST_LOGS"); dir != "" {
		return dir, true, os.MkdirAll(dir, 0o700)
	}
	dir, err = os.MkdirTemp("", "dray-cluster-")
	return dir, false, err
}
