//go:build !linux && !darwin

package sandbox

import (
	"errors"
	"os"

	"github.com/sidestick-dev/sidestick/internal/fault"
)

// RunKeeper returns false: this system has no sandbox that needs a keeper.
func RunKeeper([]string) (code int, ran bool) { return 0, false }

// probe says that no sandbox works on this system.
func (h *Host) probe() *Support {
	return &Support{Parts: []Part{{Name: "sandbox", Detail: "there is none for this system yet"}}}
}

func findBwrap() string { return "" }

// Boxes are the sandboxes of one session.
type Boxes struct{}

// Boxes returns the sandboxes of a session.
func (h *Host) Boxes(string) *Boxes { return &Boxes{} }

// Start returns an error: this system has no sandbox.
func (*Boxes) Start(p Policy, _ Spec) (*Process, error) {
	return nil, fault.New(fault.Unavailable, "sandbox.Start", string(p.Mode), "sandboxes are not supported on this system yet: %w", errors.ErrUnsupported)
}

// Own returns an error: this system has no sandbox.
func (b *Boxes) Own(p Policy) (string, error) {
	_, err := b.Start(p, Spec{})
	return "", err
}

// Renew ends nothing: a profile covers paths, whatever files they lead to.
func (*Boxes) Renew() (ended []string) { return nil }

// Look returns what [Policy.Look] does.
func (*Boxes) Look(p Policy) (Traces, map[string]Stamp) { return p.Look() }

// EndLooks does nothing.
func (*Boxes) EndLooks() {}

// Busy reports nothing: nothing runs.
func (*Boxes) Busy(bool) bool { return false }

// Clear ends nothing: nothing runs.
func (*Boxes) Clear(Policy) {}

// Refused returns nothing.
func (*Boxes) Refused(Policy) []string { return nil }

// Close does nothing.
func (*Boxes) Close() {}

// Process is a program in a sandbox.
type Process struct{ Terminal *os.File }

// Wait returns at once.
func (*Process) Wait() int { return 0 }

// Kill does nothing.
func (*Process) Kill() {}
