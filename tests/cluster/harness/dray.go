package harness

import (
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"strings"
	"time"

	authenticationv1 "k8s.io/api/authentication/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"
)

// Account is who dray is to the API server; the RBAC rules and policies of manifests/ name it.
const Account = "system:serviceaccount:dray-system:dray"

// DrayOptions say how dray is started.
type DrayOptions struct {
	TLS   bool     // mutual TLS on the extender port; else plain HTTP
	Token bool     // the service account's own token, as in a pod; else a client certificate of the same account
	Args  []string // more arguments

	Namespace string // of the account dray; empty: dray-system
	Replica   string // name in the Lease and of the log, where there are several; such a one may stand by when it has started
}

// Dray is `dray serve` beside a control plane.
type Dray struct {
	*Process
	Extender string       // URL of the extender port
	Admin    string       // URL of the health port
	Client   *http.Client // to the extender port, as kube-scheduler would be

	Authority string   // of its extender certificate; empty without TLS
	Caller    *KeyPair // certificate for a caller; nil without TLS

	plane   *ControlPlane
	program string
	args    []string
	replica string
}

// StartDray starts the program and waits until it is ready.
func (c *ControlPlane) StartDray(ctx context.Context, program string, options DrayOptions) (*Dray, error) {
	kubeconfig, err := c.drayKubeconfig(ctx, options.Token, cmp.Or(options.Namespace, "dray-system"))
	if err != nil {
		return nil, err
	}
	ports, err := FreePorts(2)
	if err != nil {
		return nil, err
	}
	d := &Dray{plane: c, program: program, replica: options.Replica, Client: &http.Client{Timeout: 30 * time.Second},
		Extender: loopback("http", ports[0]), Admin: loopback("http", ports[1])}
	d.args = []string{"serve", "--kubeconfig", kubeconfig,
		"--extender-address", address(d.Extender), "--admin-address", address(d.Admin)}
	if !options.TLS {
		d.args = append(d.args, "--insecure-extender")
	} else if err := d.useTLS(); err != nil {
		return nil, err
	}
	if options.Replica != "" {
		d.args = append(d.args, "--identity", options.Replica)
	}
	d.args = append(d.args, options.Args...)
	return d, d.Start(ctx)
}

func (c *ControlPlane) drayKubeconfig(ctx context.Context, token bool, namespace string) (string, error) {
	if !token {
		return c.Kubeconfig("dray-of-"+namespace, "system:serviceaccount:"+namespace+":dray", "system:serviceaccounts",
			"system:serviceaccounts:"+namespace)
	}
	return c.ServiceAccountKubeconfig(ctx, namespace, "dray")
}

// ServiceAccountKubeconfig writes a kubeconfig of an account with a token of its own, as a pod of it has one, and returns
// its path. The API server knows a token that it has just seen; a client certificate it verifies with each request.
func (c *ControlPlane) ServiceAccountKubeconfig(ctx context.Context, namespace, name string) (string, error) {
	request, err := c.Client.CoreV1().ServiceAccounts(namespace).CreateToken(ctx, name,
		&authenticationv1.TokenRequest{}, metav1.CreateOptions{})
	if err != nil {
		return "", err
	}
	return c.TokenKubeconfig(namespace+"-"+name, request.Status.Token)
}

// AccountClient is a client with dray's account.
func (c *ControlPlane) AccountClient() (*kubernetes.Clientset, error) {
	return c.AccountClientOf("dray-system")
}

// AccountClientOf is a client with the account of the dray that is installed in the namespace.
func (c *ControlPlane) AccountClientOf(namespace string) (*kubernetes.Clientset, error) {
	file, err := c.drayKubeconfig(context.Background(), false, namespace)
	if err != nil {
		return nil, err
	}
	return UnlimitedClient(file)
}

// UnlimitedClient is a client of the kubeconfig's user without a rate of its own.
func UnlimitedClient(file string) (*kubernetes.Clientset, error) {
	config, err := clientcmd.BuildConfigFromFlags("", file)
	if err != nil {
		return nil, err
	}
	config.QPS = -1
	return kubernetes.NewForConfig(config)
}

// Start runs dray, again with the same ports and identity after a Kill or Stop.
func (d *Dray) Start(ctx context.Context) error {
	name := "dray"
	if d.replica != "" {
		name = d.replica
	}
	var err error
	if d.Process, err = StartProcess(d.plane.Dir, name, d.program, d.args...); err != nil {
		return err
	}
	ready := httpOK(http.DefaultClient, d.Admin+"/readyz")
	err = d.WaitReady(ctx, time.Minute, func(ctx context.Context) error {
		if d.replica != "" {
			return dial(address(d.Admin))
		}
		return errors.Join(ready(ctx), dial(address(d.Extender)))
	})
	if err != nil {
		d.Kill()
	}
	return err
}

// Ready asks as a kubelet's readiness probe does: a stopped process is not.
func (d *Dray) Ready(ctx context.Context) bool {
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	return httpOK(http.DefaultClient, d.Admin+"/readyz")(ctx) == nil
}

func (d *Dray) useTLS() error {
	authority, err := NewAuthority(d.plane.Dir, "extender-ca")
	if err != nil {
		return err
	}
	server, err := authority.Server("dray-extender")
	if err != nil {
		return err
	}
	caller, err := authority.Client("dray-caller", SchedulerName)
	if err != nil {
		return err
	}
	d.Extender = strings.Replace(d.Extender, "http:", "https:", 1)
	d.Authority, d.Caller = authority.File, &caller
	d.args = append(d.args, "--extender-tls-cert", server.Cert, "--extender-tls-key", server.Key,
		"--client-ca", authority.File, "--allowed-clients", SchedulerName)
	d.Client, err = tlsClient(authority.File, &caller)
	return err
}

// tlsClient trusts one authority and shows a certificate if there is one.
func tlsClient(authority string, caller *KeyPair) (*http.Client, error) {
	text, err := os.ReadFile(authority)
	if err != nil {
		return nil, err
	}
	config := &tls.Config{RootCAs: x509.NewCertPool()}
	if !config.RootCAs.AppendCertsFromPEM(text) {
		return nil, fmt.Errorf("%s holds no certificate", authority)
	}
	if caller != nil {
		pair, err := tls.LoadX509KeyPair(caller.Cert, caller.Key)
		if err != nil {
			return nil, err
		}
		config.Certificates = []tls.Certificate{pair}
	}
	return &http.Client{Timeout: 30 * time.Second, Transport: &http.Transport{TLSClientConfig: config}}, nil
}

// AnonymousClient trusts dray's extender certificate and shows none of its own.
func (d *Dray) AnonymousClient() (*http.Client, error) { return tlsClient(d.Authority, nil) }

func address(url string) string { return url[strings.LastIndex(url, "/")+1:] }

func dial(address string) error {
	connection, err := net.DialTimeout("tcp", address, time.Second)
	if err != nil {
		return err
	}
	return connection.Close()
}
