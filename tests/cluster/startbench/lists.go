package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/tools/clientcmd"

	"dray.dev/dray/tests/cluster/harness"
)

var lists = regexp.MustCompile(`(?m)^dray_watch_lists_total\{kind="(\w+)"\} (\d+)$`)

// listed is how often dray has taken in a list, by kind.
func listed(ctx context.Context, dray *harness.Dray) (map[string]int, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, dray.Admin+"/metrics", nil)
	if err != nil {
		return nil, err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	page, err := io.ReadAll(response.Body)
	if err != nil {
		return nil, err
	}
	found := map[string]int{}
	for _, line := range lists.FindAllSubmatch(page, -1) {
		count, err := strconv.Atoi(string(line[2]))
		if err != nil {
			return nil, err
		}
		if count > 0 {
			found[string(line[1])] = count
		}
	}
	if len(found) == 0 {
		return nil, errors.New("dray's metrics tell of no list")
	}
	return found, nil
}

// large are the kinds that hold nearly everything.
var large = []string{"pods", "nodes", "resourceclaims", "resourceslices"}

// listedAgain returns when dray has taken in another list of each large kind.
func listedAgain(ctx context.Context, dray *harness.Dray, before map[string]int) error {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Minute)
	defer cancel()
	now := before
	err := harness.Poll(ctx, func(ctx context.Context) (bool, error) {
		if later, err := listed(ctx, dray); err == nil { // else it may be too busy to answer
			now = later
		}
		return !slices.ContainsFunc(large, func(kind string) bool { return now[kind] <= before[kind] }), nil
	})
	if err != nil {
		return fmt.Errorf("lists taken in: %v, before %v: %w", now, before, err)
	}
	return nil
}

type download struct {
	took  time.Duration
	bytes int64
	lists int
}

// curlAll lists the kinds as dray's account with curl, all at once, and throws away what comes.
func curlAll(ctx context.Context, plane *harness.ControlPlane, kinds map[string]int) (download, error) {
	file, err := plane.Kubeconfig("curl", harness.Account, "system:serviceaccounts", "system:serviceaccounts:dray-system")
	if err != nil {
		return download{}, err
	}
	config, err := clientcmd.BuildConfigFromFlags("", file)
	if err != nil {
		return download{}, err
	}
	paths, err := pathsOf(plane, kinds)
	if err != nil {
		return download{}, err
	}
	args := []string{"--silent", "--show-error", "--parallel", "--parallel-immediate", "--cacert", config.CAFile, "--cert", config.CertFile,
		"--key", config.KeyFile, "--write-out", "%{http_code} %{size_download} %{url}\n"}
	for _, path := range paths {
		args = append(args, "--output", "/dev/null", config.Host+path)
	}
	began := time.Now()
	var said bytes.Buffer
	curl := exec.CommandContext(ctx, "curl", args...)
	curl.Stderr = &said // also how far it is, whatever --silent says
	text, err := curl.Output()
	took := time.Since(began)
	if err != nil {
		return download{}, fmt.Errorf("curl: %w: %s", err, said.Bytes())
	}
	got := download{took: took, lists: len(paths)}
	for line := range strings.Lines(string(text)) {
		var code int
		var size int64
		var url string
		if _, err := fmt.Sscan(line, &code, &size, &url); err != nil || code != http.StatusOK {
			return download{}, fmt.Errorf("curl: %s", line)
		}
		got.bytes += size
	}
	return got, nil
}

// pathsOf gives where kinds are listed. One that the API server does not serve is none, to dray too; the large ones have to be.
func pathsOf(plane *harness.ControlPlane, kinds map[string]int) ([]string, error) {
	served, err := plane.Client.Discovery().ServerPreferredResources()
	if err != nil {
		return nil, err
	}
	found := map[string]string{}
	for _, list := range served {
		version, err := schema.ParseGroupVersion(list.GroupVersion)
		if err != nil {
			return nil, err
		}
		prefix := "/apis/" + list.GroupVersion
		if version.Group == "" {
			prefix = "/api/" + list.GroupVersion
		}
		for _, resource := range list.APIResources {
			if !strings.Contains(resource.Name, "/") && slices.Contains(resource.Verbs, "list") {
				found[resource.Name] = prefix + "/" + resource.Name
			}
		}
	}
	var paths []string
	for kind := range kinds {
		if path, served := found[kind]; served {
			paths = append(paths, path)
		} else if slices.Contains(large, kind) {
			return nil, fmt.Errorf("%s are not served", kind)
		}
	}
	slices.Sort(paths)
	return paths, nil
}
