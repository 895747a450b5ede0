package cluster_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	authenticationv1 "k8s.io/api/authentication/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
)

// A kubeconfig of two files, as $KUBECONFIG names them, whose user logs in with a plugin: a command without any flag
// asks that cluster, with the plugin's token.
func TestKubeconfigOfTwoFilesWithAPlugin(t *testing.T) {
	program := drayProgram(t)
	t.Cleanup(func() { clean(t) })
	create(t, fleet("plugin.example.com", 1, 3, "8").All())
	request, err := plane.Client.CoreV1().ServiceAccounts("dray-system").CreateToken(t.Context(), "dray",
		&authenticationv1.TokenRequest{}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	rows := []struct {
		name, token string
		want        string // of the output, or of the error
		failed      bool
	}{
		{"the account's token", request.Status.Token, "plugin.example.com", false},
		{"another token", "nobody's", "Unauthorized", true},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			credential := fmt.Sprintf(`{"apiVersion":"client.authentication.k8s.io/v1","kind":"ExecCredential",`+
				`"status":{"token":%q}}`, row.token)
			second, err := plane.WriteKubeconfig("plugin", &clientcmdapi.AuthInfo{Exec: &clientcmdapi.ExecConfig{
				APIVersion: "client.authentication.k8s.io/v1", Command: "echo", Args: []string{credential},
				InteractiveMode: clientcmdapi.NeverExecInteractiveMode}})
			if err != nil {
				t.Fatal(err)
			}
			first := filepath.Join(t.TempDir(), "first")
			if err := os.WriteFile(first, []byte("contexts: [{name: mine, context: {cluster: test, user: user}}]\n"), 0o600); err != nil {
				t.Fatal(err)
			}
			command := exec.CommandContext(t.Context(), program, "match", "device.driver == 'plugin.example.com'", "--context", "mine")
			command.Env = append(os.Environ(), "KUBECONFIG="+first+":"+second)
			text, err := command.CombinedOutput()
			if (err != nil) != row.failed || !strings.Contains(string(text), row.want) {
				t.Errorf("%v: %s", err, text)
			}
		})
	}
}
