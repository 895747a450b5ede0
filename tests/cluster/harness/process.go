// Package harness starts a real Kubernetes control plane on loopback, dray and its kube-scheduler beside it, and reads
// back what the API server holds.
package harness

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
	"time"
)

// Process is a program that runs until it is stopped; what it prints goes to a file.
type Process struct {
	Name string
	Log  string // file with its output, kept over restarts of the same name

	cmd    *exec.Cmd
	exited chan struct{} // closed when the program has ended
	err    error         // how it ended; valid once exited is closed
}

// StartProcess runs a program in the folder dir. It dies with this process.
func StartProcess(dir, name, program string, args ...string) (*Process, error) {
	cmd := exec.Command(program, args...)
	cmd.Dir, cmd.SysProcAttr = dir, &syscall.SysProcAttr{}
	return startCommand(dir, name, cmd)
}

func startCommand(dir, name string, cmd *exec.Cmd) (*Process, error) {
	log := filepath.Join(dir, name+".log")
	out, err := os.OpenFile(log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, err
	}
	defer out.Close()
	cmd.Stdout, cmd.Stderr = out, out
	cmd.SysProcAttr.Pdeathsig = syscall.SIGKILL
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("start %s: %w", name, err)
	}
	p := &Process{Name: name, Log: log, cmd: cmd, exited: make(chan struct{})}
	go func() {
		p.err = cmd.Wait()
		close(p.exited)
	}()
	return p, nil
}

// Pid of the running program.
func (p *Process) Pid() int { return p.cmd.Process.Pid }

// CPU is the processor time that the running program has used, in user and kernel mode together.
func (p *Process) CPU() (time.Duration, error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", p.Pid()))
	if err != nil {
		return 0, err
	}
	// proc(5): after the name in parentheses, fields 14 and 15 of all are utime and stime in ticks of 10 ms.
	fields := bytes.Fields(text[bytes.LastIndexByte(text, ')')+1:])
	var ticks [2]int64
	for i, field := range fields[11:13] {
		if ticks[i], err = strconv.ParseInt(string(field), 10, 64); err != nil {
			return 0, err
		}
	}
	return time.Duration(ticks[0]+ticks[1]) * 10 * time.Millisecond, nil
}

// Memory is what the running program has resident, in bytes.
func (p *Process) Memory() (int64, error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/statm", p.Pid()))
	if err != nil {
		return 0, err
	}
	// proc(5): the second field is the resident pages.
	pages, err := strconv.ParseInt(string(bytes.Fields(text)[1]), 10, 64)
	return pages * int64(os.Getpagesize()), err
}

// Private is what of its resident memory, in bytes, is neither a file's nor shared: heap and stacks. Pages of the program itself
// come and go with what it does.
func (p *Process) Private() (int64, error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/statm", p.Pid()))
	if err != nil {
		return 0, err
	}
	var size, resident, shared int64
	if _, err := fmt.Sscan(string(text), &size, &resident, &shared); err != nil {
		return 0, err
	}
	return (resident - shared) * int64(os.Getpagesize()), nil
}

// Running tells whether the program has not ended yet.
func (p *Process) Running() bool {
	select {
	case <-p.exited:
		return false
	default:
		return true
	}
}

// Kill ends the program at once (SIGKILL), as a crash would.
func (p *Process) Kill() {
	_ = p.cmd.Process.Kill()
	<-p.exited
}

// Pause stops the program (SIGSTOP) until Resume: its connections stay open and nothing answers on them.
func (p *Process) Pause() error { return p.cmd.Process.Signal(syscall.SIGSTOP) }

// Resume lets a paused program go on, as if no time had passed.
func (p *Process) Resume() error { return p.cmd.Process.Signal(syscall.SIGCONT) }

// Stop asks the program to end (SIGTERM) and returns its error; past the grace time it is killed.
func (p *Process) Stop(grace time.Duration) error {
	if p.Running() {
		_ = p.cmd.Process.Signal(syscall.SIGTERM)
	}
	select {
	case <-p.exited:
		return p.err
	case <-time.After(grace):
		p.Kill()
		return fmt.Errorf("%s did not end within %s of SIGTERM", p.Name, grace)
	}
}

// Tail is the end of the program's output.
func (p *Process) Tail(lines int) string {
	text, err := os.ReadFile(p.Log)
	if err != nil {
		return err.Error()
	}
	all := bytes.Split(bytes.TrimRight(text, "\n"), []byte("\n"))
	if len(all) > lines {
		all = all[len(all)-lines:]
	}
	return fmt.Sprintf("--- last lines of %s\n%s\n", p.Name, bytes.Join(all, []byte("\n")))
}

// WaitReady polls until probe returns nil, the program ends, or the time is over.
func (p *Process) WaitReady(ctx context.Context, limit time.Duration, probe func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	last := errors.New("not probed yet")
	err := Poll(ctx, func(ctx context.Context) (bool, error) {
		if !p.Running() {
			return false, fmt.Errorf("%s ended: %v", p.Name, p.err)
		}
		last = probe(ctx)
		return last == nil, nil
	})
	if err != nil {
		return fmt.Errorf("%s is not ready: %w (%v)\n%s", p.Name, err, last, p.Tail(30))
	}
	return nil
}

// Poll calls done every 20 ms until it returns true, an error, or the context ends.
func Poll(ctx context.Context, done func(context.Context) (bool, error)) error {
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		if ok, err := done(ctx); err != nil || ok {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-tick.C:
		}
	}
}

// FreePorts returns n loopback ports that were free a moment ago, all different.
func FreePorts(n int) ([]int, error) {
	var held []net.Listener
	defer func() {
		for _, l := range held {
			l.Close()
		}
	}()
	var ports []int
	for range n {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return nil, err
		}
		held = append(held, l)
		ports = append(ports, l.Addr().(*net.TCPAddr).Port)
	}
	return ports, nil
}
