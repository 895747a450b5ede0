// Package apimodel plays the same operations on the fault simulation's model of the API server and on a real one, and
// compares what they answer, hold and tell their watches.
package apimodel

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
)

// Program is a running dray_api_model; tests/api_model/player.h says what it may be asked.
type Program struct {
	cmd     *exec.Cmd
	in      io.WriteCloser
	answers *bufio.Reader
}

// StartProgram runs the program; Close ends it.
func StartProgram(path string) (*Program, error) {
	p := &Program{cmd: exec.Command(path)}
	p.cmd.Stderr = os.Stderr
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if p.in, err = p.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	p.answers = bufio.NewReader(out)
	return p, p.cmd.Start()
}

// Close lets the program end.
func (p *Program) Close() error { return errors.Join(p.in.Close(), p.cmd.Wait()) }

// Ask sends a question and reads its answer.
func (p *Program) Ask(question map[string]any, answer any) error {
	line, err := json.Marshal(question)
	if err != nil {
		return err
	}
	if _, err := p.in.Write(append(line, '\n')); err != nil {
		return fmt.Errorf("dray_api_model: %w", err)
	}
	text, err := p.answers.ReadBytes('\n')
	if err != nil {
		return fmt.Errorf("dray_api_model: %w", err)
	}
	var wrong struct{ Error string }
	if err := json.Unmarshal(text, &wrong); err != nil || wrong.Error != "" {
		return fmt.Errorf("dray_api_model: %s %w: %s", wrong.Error, err, line)
	}
	return json.Unmarshal(text, answer)
}

// Outcome is what a write came to, as dray takes it.
type Outcome struct {
	Code    string         `json:"code"` // ok, or the name of an ErrorCode
	Message string         `json:"message"`
	Object  map[string]any `json:"object"` // as far as dray knows it; nil where the answer holds none
}

// Request is what goes to a real API server; no method: nothing does.
type Request struct {
	Method      string `json:"method"`
	Path        string `json:"path"`
	ContentType string `json:"contentType"`
	Body        string `json:"body"`
}
