package harness

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	resourcev1 "k8s.io/api/resource/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
	resourceclient "k8s.io/client-go/kubernetes/typed/resource/v1"
)

// Auditor watches every claim and notes each moment at which two claims hold one device for themselves.
type Auditor struct {
	cancel context.CancelFunc
	done   chan struct{}

	mutex   sync.Mutex
	holders map[string]map[string]bool // device -> claims
	held    map[string][]string        // claim -> devices
	found   []string
}

// StartAuditor begins to watch; claims that exist already count.
func (c *ControlPlane) StartAuditor(ctx context.Context) (*Auditor, error) {
	claims := c.Client.ResourceV1().ResourceClaims("")
	ctx, cancel := context.WithCancel(ctx)
	a := &Auditor{cancel: cancel, done: make(chan struct{}),
		holders: map[string]map[string]bool{}, held: map[string][]string{}}
	version, err := a.list(ctx, claims)
	if err != nil {
		cancel()
		return nil, err
	}
	go func() {
		defer close(a.done)
		for ctx.Err() == nil {
			if version == "" {
				version, _ = a.list(ctx, claims)
			}
			events, err := claims.Watch(ctx, metav1.ListOptions{ResourceVersion: version})
			switch {
			case version != "" && err == nil:
				version = a.follow(ctx, events, version)
			case apierrors.IsResourceExpired(err):
				version = ""
			default: // the API server is away
				time.Sleep(100 * time.Millisecond)
			}
		}
	}()
	return a, nil
}

// list takes in all claims as they are, and gives the version that a watch goes on from. After a restart the API server
// has no history: what two claims hold at once is seen, unless it began and ended while the server was away.
func (a *Auditor) list(ctx context.Context, claims resourceclient.ResourceClaimInterface) (string, error) {
	list, err := claims.List(ctx, metav1.ListOptions{})
	if err != nil {
		return "", err
	}
	a.mutex.Lock()
	clear(a.holders)
	clear(a.held)
	a.mutex.Unlock()
	for _, claim := range list.Items {
		a.note(&claim, false)
	}
	return list.ResourceVersion, nil
}

// Stop ends the watch and returns every double use that was seen.
func (a *Auditor) Stop() []string {
	a.cancel()
	<-a.done
	return a.found
}

func (a *Auditor) follow(ctx context.Context, events watch.Interface, version string) string {
	defer events.Stop()
	for event := range events.ResultChan() {
		claim, ok := event.Object.(*resourcev1.ResourceClaim)
		if ctx.Err() != nil { // stopped: the last event may be the error of that
			return version
		}
		if !ok {
			// History that is lost is made up for by a list; anything else ends the stream, and the next goes on from here.
			if err := apierrors.FromObject(event.Object); apierrors.IsResourceExpired(err) || apierrors.IsGone(err) {
				return ""
			}
			return version
		}
		version = claim.ResourceVersion
		a.note(claim, event.Type == watch.Deleted)
	}
	return version
}

func (a *Auditor) note(claim *resourcev1.ResourceClaim, gone bool) {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	name := claim.Namespace + "/" + claim.Name
	for _, device := range a.held[name] {
		delete(a.holders[device], name)
	}
	delete(a.held, name)
	if gone {
		return
	}
	a.held[name] = ExclusiveDevices(claim)
	for _, device := range a.held[name] {
		if a.holders[device] == nil {
			a.holders[device] = map[string]bool{}
		}
		a.holders[device][name] = true
		if len(a.holders[device]) > 1 {
			claims := strings.Join(slices.Sorted(maps.Keys(a.holders[device])), " ")
			a.found = append(a.found, fmt.Sprintf("device %s is allocated to %s", device, claims))
		}
	}
}

// ExclusiveDevices lists what a claim holds for itself as driver/pool/device: no admin access, no shares.
func ExclusiveDevices(claim *resourcev1.ResourceClaim) []string {
	if claim.Status.Allocation == nil {
		return nil
	}
	var devices []string
	for _, r := range claim.Status.Allocation.Devices.Results {
		if r.ShareID == nil && (r.AdminAccess == nil || !*r.AdminAccess) {
			devices = append(devices, r.Driver+"/"+r.Pool+"/"+r.Device)
		}
	}
	return devices
}
