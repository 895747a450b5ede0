package harness

import (
	"context"
	"io"
	"net"
	"sync"
	"time"
)

// Service is what a Kubernetes Service makes of several replicas: new connections go to one that is ready, those that
// exist stay where they are.
type Service struct {
	URL string

	listener net.Listener

	mutex    sync.Mutex
	replicas []*Dray
	ready    []*Dray
}

// StartService listens until the context ends.
func StartService(ctx context.Context, replicas ...*Dray) (*Service, error) {
	return startServiceAt(ctx, "127.0.0.1:0", replicas...)
}

func startServiceAt(ctx context.Context, address string, replicas ...*Dray) (*Service, error) {
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return nil, err
	}
	s := &Service{URL: "http://" + listener.Addr().String(), listener: listener, replicas: replicas}
	go s.probe(ctx)
	go func() {
		for {
			from, err := listener.Accept()
			if err != nil {
				return
			}
			go s.forward(from)
		}
	}()
	return s, nil
}

// Ready are the replicas that the last probes found ready.
func (s *Service) Ready() []*Dray {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return s.ready
}

// Replace says who the replicas are from now on.
func (s *Service) Replace(replicas ...*Dray) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.replicas = replicas
}

// probe asks every replica twice a second, all at once.
func (s *Service) probe(ctx context.Context) {
	defer s.listener.Close()
	for ctx.Err() == nil {
		s.mutex.Lock()
		replicas := s.replicas
		s.mutex.Unlock()
		answers := make([]bool, len(replicas))
		var group sync.WaitGroup
		for i, replica := range replicas {
			group.Go(func() { answers[i] = replica.Ready(ctx) })
		}
		group.Wait()
		var ready []*Dray
		for i, replica := range replicas {
			if answers[i] {
				ready = append(ready, replica)
			}
		}
		s.mutex.Lock()
		s.ready = ready
		s.mutex.Unlock()
		time.Sleep(500 * time.Millisecond)
	}
}

func (s *Service) forward(from net.Conn) {
	defer from.Close()
	ready := s.Ready()
	if len(ready) == 0 {
		return
	}
	to, err := net.DialTimeout("tcp", address(ready[0].Extender), time.Second)
	if err != nil {
		return
	}
	defer to.Close()
	go func() {
		_, _ = io.Copy(to, from)
		to.Close()
	}()
	_, _ = io.Copy(from, to)
}
