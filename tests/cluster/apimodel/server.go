package apimodel

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"k8s.io/client-go/rest"
)

// The account of manifests/, under which dray's own writes go.
const drayAccount = "system:serviceaccount:dray-system:dray"

// Server is a real API server, spoken to in bytes.
type Server struct {
	client *http.Client
	url    string
}

// NewServer speaks to the API server as an administrator, and in dray's name where that is said.
func NewServer(admin *rest.Config) (*Server, error) {
	client, err := rest.HTTPClientFor(admin)
	return &Server{client: client, url: strings.TrimSuffix(admin.Host, "/")}, err
}

func (s *Server) open(ctx context.Context, request Request, asDray bool) (*http.Response, error) {
	made, err := http.NewRequestWithContext(ctx, request.Method, s.url+request.Path, strings.NewReader(request.Body))
	if err != nil {
		return nil, err
	}
	made.Header.Set("Accept", "application/json")
	if request.ContentType != "" {
		made.Header.Set("Content-Type", request.ContentType)
	}
	if asDray {
		made.Header.Set("Impersonate-User", drayAccount)
	}
	return s.client.Do(made)
}

// send returns the status and the body of the answer.
func (s *Server) send(ctx context.Context, request Request, asDray bool) (int, []byte, error) {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	response, err := s.open(ctx, request, asDray)
	if err != nil {
		return 0, nil, err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	return response.StatusCode, body, err
}

// must sends what cannot fail but with the statuses given.
func (s *Server) must(ctx context.Context, method, path, body string, statuses ...int) (int, []byte, error) {
	request := Request{Method: method, Path: path, Body: body}
	switch {
	case method == http.MethodPatch:
		request.ContentType = "application/merge-patch+json"
	case body != "":
		request.ContentType = "application/json"
	}
	status, answer, err := s.send(ctx, request, false)
	if err != nil || status/100 == 2 {
		return status, answer, err
	}
	for _, allowed := range statuses {
		if status == allowed {
			return status, answer, nil
		}
	}
	return status, answer, fmt.Errorf("%s %s: %d: %s", method, path, status, answer)
}

// event is one line of a watch.
type event struct {
	Type   string          `json:"type"`
	Object json.RawMessage `json:"object"`
}

// watch tells the changes below a collection from a resourceVersion on, until the context ends; then, or when it breaks
// off, the channel is closed.
func (s *Server) watch(ctx context.Context, collection, version string) (<-chan event, error) {
	path := collection + "?watch=true&timeoutSeconds=7200&resourceVersion=" + version
	response, err := s.open(ctx, Request{Method: http.MethodGet, Path: path}, false)
	if err != nil {
		return nil, err
	}
	if response.StatusCode != http.StatusOK {
		response.Body.Close()
		return nil, fmt.Errorf("watch %s: %s", collection, response.Status)
	}
	events := make(chan event, 10000)
	go func() {
		defer close(events)
		defer response.Body.Close()
		lines := json.NewDecoder(response.Body)
		for {
			var next event
			if lines.Decode(&next) != nil {
				return
			}
			events <- next
		}
	}()
	return events, nil
}
