package cluster_test

import (
	"net/http"
	"testing"

	"dray.dev/dray/tests/cluster/harness"
)

// As deployed: kube-scheduler and dray know each other by certificate, the API server knows dray by its token.
func TestMutualTLS(t *testing.T) {
	p := startPair(t, pairOptions{DrayOptions: harness.DrayOptions{TLS: true, Token: true}})
	create(t, fleet(manyDriver, 1, 1, "4").All())
	create(t, oneDeviceTemplate("tls", manyDriver))
	createPods(t, podOf("tls", "p", harness.SchedulerName, "one"))
	waitBound(t, "tls", "p")

	anonymous, err := p.dray.AnonymousClient()
	if err != nil {
		t.Fatal(err)
	}
	for name, client := range map[string]*http.Client{"without a certificate": anonymous, "without TLS": http.DefaultClient} {
		t.Run(name, func(t *testing.T) {
			url := p.dray.Extender
			if client == http.DefaultClient {
				url = "http" + url[len("https"):]
			}
			response, err := client.Post(url+"/v1/filter", "application/json", nil)
			if err == nil {
				defer response.Body.Close()
				if response.StatusCode/100 != 4 {
					t.Errorf("a stranger was answered: %s", response.Status)
				}
			}
		})
	}
	p.unharmed(t)
}
