package cluster_test

import (
	"encoding/base64"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"k8s.io/client-go/tools/clientcmd"
)

// tunnels is an HTTP proxy that connects to whatever it is asked for, for who has its password.
type tunnels struct {
	made    atomic.Int32
	refused atomic.Int32
}

func (p *tunnels) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Header.Get("Proxy-Authorization") != "Basic "+base64.StdEncoding.EncodeToString([]byte("me:p@ss")) {
		p.refused.Add(1)
		w.WriteHeader(http.StatusProxyAuthRequired)
		return
	}
	server, err := net.Dial("tcp", r.Host)
	if err != nil || r.Method != http.MethodConnect {
		w.WriteHeader(http.StatusBadGateway)
		return
	}
	p.made.Add(1)
	client, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		return
	}
	_, _ = io.WriteString(client, "HTTP/1.1 200 Connection established\r\n\r\n")
	var both sync.WaitGroup
	for to, from := range map[net.Conn]net.Conn{client: server, server: client} {
		both.Go(func() {
			_, _ = io.Copy(to, from)
			_ = to.Close()
		})
	}
	both.Wait()
}

// A kubeconfig whose cluster is behind an HTTP proxy: lists and single requests go through it, with TLS to the API server itself.
func TestKubeconfigWithAProxy(t *testing.T) {
	program := drayProgram(t)
	t.Cleanup(func() { clean(t) })
	create(t, fleet("proxied.example.com", 1, 3, "8").All())
	proxy := &tunnels{}
	server := httptest.NewServer(proxy)
	t.Cleanup(server.Close)
	direct, err := plane.Kubeconfig("proxied", "proxied", "system:masters")
	if err != nil {
		t.Fatal(err)
	}
	run := func(login string, args ...string) (string, error) {
		t.Helper()
		config, err := clientcmd.LoadFromFile(direct)
		if err != nil {
			t.Fatal(err)
		}
		config.Clusters["test"].ProxyURL = strings.Replace(server.URL, "http://", "http://"+login+"@", 1)
		file := filepath.Join(t.TempDir(), "kubeconfig")
		if err := clientcmd.WriteToFile(*config, file); err != nil {
			t.Fatal(err)
		}
		command := exec.CommandContext(t.Context(), program, args...)
		command.Env = append(os.Environ(), "KUBECONFIG="+file)
		text, err := command.CombinedOutput()
		return string(text), err
	}
	if text, err := run("me:p%40ss", "match", "device.driver == 'proxied.example.com'"); err != nil || !strings.Contains(text, "proxied.example.com") {
		t.Errorf("match: %v: %s", err, text)
	}
	before := proxy.made.Load()
	if before == 0 {
		t.Error("the proxy was not asked")
	}
	if text, _ := run("me:p%40ss", "doctor", "--uninstall"); !strings.Contains(text, "ValidatingAdmissionPolicy dray-epoch") {
		t.Errorf("doctor: %s", text)
	}
	if proxy.made.Load() == before {
		t.Error("the proxy was not asked by doctor")
	}
	if text, err := run("me:other", "match", "true"); err == nil || !strings.Contains(text, "answers 407 Proxy Authentication Required") {
		t.Errorf("with another password: %v: %s", err, text)
	}
	if proxy.refused.Load() == 0 {
		t.Error("nobody was refused")
	}
}
