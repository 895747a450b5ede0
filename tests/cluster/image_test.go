package cluster_test

import (
	"archive/tar"
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"

	"dray.dev/dray/tests/cluster/harness"
)

// In the image dray runs as it does beside what it was built with: its libraries, files and certificates are there, for a user who
// may write nothing.
func TestImage(t *testing.T) {
	root := imageRoot(t, drayProgram(t))
	t.Run("demo", func(t *testing.T) {
		text, err := inImage(t.Context(), root, "demo", "--once", "-o", "json").CombinedOutput()
		if err != nil {
			t.Fatalf("%v: %s", err, text)
		}
		if !strings.Contains(string(text), `"devices":["gpu.nvidia.com/`) {
			t.Errorf("nobody gets devices: %s", text)
		}
	})
	t.Run("time zones", func(t *testing.T) {
		selector := `timestamp("2026-07-01T12:00:00Z").getHours("Europe/Berlin") == 14`
		text, err := inImage(t.Context(), root, "match", selector, "--cluster", "/usr/share/dray/demo/cluster").CombinedOutput()
		if err != nil {
			t.Errorf("%v: %s", err, text)
		}
	})
	t.Run("simulate", func(t *testing.T) {
		runInImage(t, root, "simulate", "-f", "/usr/share/dray/simulate/scenario.yaml", "--cluster", "nodes:4xdgxh100", "--policy", "fair")
	})
	t.Run("a shell is not there", func(t *testing.T) {
		if _, err := os.Stat(filepath.Join(root, "bin/sh")); !os.IsNotExist(err) {
			t.Errorf("/bin/sh: %v", err)
		}
	})
	t.Run("serve", func(t *testing.T) { serveFromImage(t, root) })
}

// serveFromImage: dray becomes leader on the real API server.
func serveFromImage(t *testing.T, root string) {
	kubeconfig, err := plane.Kubeconfig("image", "image", "system:masters")
	if err != nil {
		t.Fatal(err)
	}
	config, err := clientcmd.LoadFromFile(kubeconfig)
	if err == nil {
		err = clientcmdapi.FlattenConfig(config)
	}
	if err == nil {
		err = clientcmd.WriteToFile(*config, filepath.Join(root, "tmp/kubeconfig"))
	}
	if err == nil {
		err = os.Chmod(filepath.Join(root, "tmp/kubeconfig"), 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
	ports, err := harness.FreePorts(2)
	if err != nil {
		t.Fatal(err)
	}
	admin, extender := fmt.Sprintf("127.0.0.1:%d", ports[0]), fmt.Sprintf("127.0.0.1:%d", ports[1])
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	command := inImage(ctx, root, "serve", "--kubeconfig=/tmp/kubeconfig", "--policy=/usr/share/dray/demo/policy.yaml", "--insecure-extender",
		"--extender-address="+extender, "--admin-address="+admin)
	var output strings.Builder
	command.Stderr = &output
	command.Cancel = func() error { return command.Process.Signal(syscall.SIGTERM) }
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	ready := func() bool {
		response, err := http.Get("http://" + admin + "/readyz")
		if err != nil {
			return false
		}
		defer response.Body.Close()
		return response.StatusCode == http.StatusOK
	}
	for deadline := time.Now().Add(time.Minute); !ready() && time.Now().Before(deadline); time.Sleep(100 * time.Millisecond) {
	}
	if !ready() {
		t.Error("not ready")
	}
	stop()
	command.Wait()
	if command.ProcessState.ExitCode() != 0 {
		t.Errorf("%v: %s", command.ProcessState, output.String())
	}
}

// imageRoot is an unpacked image of the program, in which programs find themselves in /proc.
func imageRoot(t *testing.T, program string) string {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("only root may change the root of a program")
	}
	root := unpackedImage(t, program)
	proc := filepath.Join(root, "proc")
	if err := os.Mkdir(proc, 0o555); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mount("/proc", proc, "", syscall.MS_BIND, ""); err != nil {
		t.Skipf("no /proc for it: %v", err)
	}
	t.Cleanup(func() { syscall.Unmount(proc, 0) })
	return root
}

func inImage(ctx context.Context, root string, args ...string) *exec.Cmd {
	command := exec.CommandContext(ctx, "/usr/bin/dray", args...)
	command.Dir, command.Env = "/", []string{"PATH=/usr/bin", "LC_ALL=C.UTF-8"}
	command.SysProcAttr = &syscall.SysProcAttr{Chroot: root, Credential: &syscall.Credential{Uid: 65532, Gid: 65532}}
	return command
}

// unpackedImage is the root of an image of the program.
func unpackedImage(t *testing.T, program string) string {
	t.Helper()
	folder := t.TempDir()
	file, repository := filepath.Join(folder, "dray.tar"), "../.."
	text, err := exec.CommandContext(t.Context(), "python3", filepath.Join(repository, "tools/image.py"), program, file, "--tag=dray:test",
		"--version=0", "--time=0", "--tree="+filepath.Join(repository, "config")+"=/usr/share/dray").CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	layout, root := filepath.Join(folder, "layout"), filepath.Join(folder, "root")
	archive, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer archive.Close()
	unpack(t, archive, layout)
	var manifests []struct{ Layers []string }
	if text, err = os.ReadFile(filepath.Join(layout, "manifest.json")); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &manifests); err != nil {
		t.Fatal(err)
	}
	for _, name := range manifests[0].Layers {
		packed, err := os.Open(filepath.Join(layout, name))
		if err != nil {
			t.Fatal(err)
		}
		defer packed.Close()
		layer, err := gzip.NewReader(packed)
		if err != nil {
			t.Fatal(err)
		}
		unpack(t, layer, root)
	}
	// The folders above are the test's own.
	for dir := root; strings.HasPrefix(dir, os.TempDir()+"/"); dir = filepath.Dir(dir) {
		if err := os.Chmod(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

func unpack(t *testing.T, from io.Reader, to string) {
	t.Helper()
	entries := tar.NewReader(from)
	for {
		entry, err := entries.Next()
		if err == io.EOF {
			return
		}
		path := ""
		if err == nil {
			path = filepath.Join(to, entry.Name)
			err = os.MkdirAll(filepath.Dir(path), 0o755)
		}
		switch {
		case err != nil:
		case entry.Typeflag == tar.TypeDir:
			err = os.MkdirAll(path, 0o755)
		case entry.Typeflag == tar.TypeSymlink:
			err = os.Symlink(entry.Linkname, path)
		default:
			var content []byte
			if content, err = io.ReadAll(entries); err == nil {
				err = os.WriteFile(path, content, entry.FileInfo().Mode().Perm())
			}
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}
