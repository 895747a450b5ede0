package harness

import (
	"context"
	"crypto/tls"
	"fmt"
	"net/http"
	"os"
	"time"

	"sigs.k8s.io/yaml"
)

// SchedulerConfig is a KubeSchedulerConfiguration.
type SchedulerConfig map[string]any

// LoadSchedulerConfig reads one from a file.
func LoadSchedulerConfig(file string) (SchedulerConfig, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	config := SchedulerConfig{}
	return config, yaml.UnmarshalStrict(text, &config)
}

// DefaultSchedulerConfig is kube-scheduler as everybody runs it: the in-tree plugin allocates devices.
func DefaultSchedulerConfig() SchedulerConfig {
	return SchedulerConfig{
		"apiVersion":       "kubescheduler.config.k8s.io/v1",
		"kind":             "KubeSchedulerConfiguration",
		"clientConnection": map[string]any{"qps": 5000, "burst": 5000},
	}
}

// Extenders are the entries of the configuration's extenders, to be changed in place.
func (s SchedulerConfig) Extenders() []map[string]any {
	var all []map[string]any
	entries, _ := s["extenders"].([]any)
	for _, entry := range entries {
		all = append(all, entry.(map[string]any))
	}
	return all
}

// PointAt directs every extender entry to this URL, with mTLS if files are named.
func (s SchedulerConfig) PointAt(url string, authority string, client *KeyPair) {
	for _, e := range s.Extenders() {
		e["urlPrefix"] = url + "/v1"
		delete(e, "tlsConfig")
		e["enableHTTPS"] = client != nil
		if client != nil {
			e["tlsConfig"] = map[string]any{"caFile": authority, "certFile": client.Cert, "keyFile": client.Key}
		}
	}
}

// StartScheduler starts kube-scheduler with this configuration, by a client certificate, and waits until it has
// synchronised.
func (c *ControlPlane) StartScheduler(ctx context.Context, name string, config SchedulerConfig) (*Process, error) {
	kubeconfig, err := c.Kubeconfig(name, "system:kube-scheduler")
	if err != nil {
		return nil, err
	}
	return c.StartSchedulerAs(ctx, name, kubeconfig, config)
}

// StartSchedulerAs is StartScheduler by the kubeconfig's user, with more flags, of which the last of a name counts.
func (c *ControlPlane) StartSchedulerAs(ctx context.Context, name, kubeconfig string, config SchedulerConfig,
	flags ...string) (*Process, error) {
	config["clientConnection"].(map[string]any)["kubeconfig"] = kubeconfig
	config["leaderElection"] = map[string]any{"leaderElect": false}
	text, err := yaml.Marshal(config)
	if err != nil {
		return nil, err
	}
	file := c.path(name + ".yaml")
	if err := os.WriteFile(file, text, 0o600); err != nil {
		return nil, err
	}
	port, err := FreePorts(1)
	if err != nil {
		return nil, err
	}
	flags = append([]string{"--config=" + file, "--bind-address=127.0.0.1", fmt.Sprintf("--secure-port=%d", port[0]),
		"--authentication-kubeconfig=" + kubeconfig, "--authorization-kubeconfig=" + kubeconfig, "--v=3"}, flags...)
	p, err := StartProcess(c.Dir, name, c.binaries+"/kube-scheduler", flags...)
	if err != nil {
		return nil, err
	}
	// Its certificate is self-signed and made at start.
	client := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}}
	if err := p.WaitReady(ctx, time.Minute, httpOK(client, loopback("https", port[0])+"/readyz")); err != nil {
		p.Kill()
		return nil, err
	}
	return p, nil
}
