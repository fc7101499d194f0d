package sandbox

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sync"
	"syscall"
	"time"

	"github.com/creack/pty"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/proctree"
	"github.com/sidestick-dev/sidestick/internal/sandbox/seatbelt"
)

// This file makes sandboxes on macOS with sandbox-exec. It has been built, and the profile has
// unit tests, but nobody has run it on a Mac yet. There is no keeper: each program is started by
// sandbox-exec. All of them share the network and the processes of the machine.

const sandboxExec = "/usr/bin/sandbox-exec"

// RunKeeper returns false: on this system there is no keeper.
func RunKeeper([]string) (code int, ran bool) { return 0, false }

func findBwrap() string { return "-" }

// probeTime bounds the probe.
const probeTime = 5 * time.Second

// probe finds out whether sandbox-exec works, by trying to read a file outside.
func (h *Host) probe() *Support {
	part := Part{Name: "sandbox-exec"}
	s := &Support{}
	if err := h.try(); err != nil {
		part.Detail = err.Error()
	} else {
		part.Works, part.Detail = true, sandboxExec+", untried by the authors on a Mac"
		s.backend = namespaces // it confines reading and writing alike
	}
	s.Parts = []Part{part}
	return s
}

// try starts a program that reads a file inside, and one outside, which it must not be able to.
func (h *Host) try() error {
	temp, err := os.MkdirTemp("", "sidestick-probe-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(temp)
	temp, err = filepath.EvalSymlinks(temp)
	if err != nil {
		return err
	}
	inside, outside := filepath.Join(temp, "inside"), filepath.Join(temp, "outside")
	for _, folder := range []string{inside, outside} {
		if err := errors.Join(os.Mkdir(folder, 0o700), os.WriteFile(filepath.Join(folder, "canary"), nil, 0o600)); err != nil {
			return err
		}
	}
	boxes := h.Boxes(filepath.Join(temp, "session"))
	defer boxes.Close()
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	defer null.Close()
	const script = `cat "$1/canary" || exit 2; cat "$2/canary" && exit 3; exit 0`
	p, err := boxes.start(Policy{Mode: ReadOnly, Folders: []string{inside}}, Spec{
		Path: "/bin/sh", Args: []string{"sh", "-c", script, "sh", inside, outside}, Dir: inside, Files: []*os.File{null, null, null},
	})
	if err != nil {
		return err
	}
	late := time.AfterFunc(probeTime, p.Kill)
	defer late.Stop()
	if code := p.Wait(); code != 0 {
		return fmt.Errorf("%s does not confine programs here: the probe ended with %d", sandboxExec, code)
	}
	return nil
}

// Boxes are the sandboxes of one session. Safe for concurrent use.
type Boxes struct {
	host   *Host
	temp   string
	memory memory // of the looks at the allowed folders

	mu      sync.Mutex // guards the rest
	running map[*Process]bool
	closed  bool
}

// Boxes returns the sandboxes of a session. Their private folders are made below temp, which
// must be absolute, and are removed with it.
func (h *Host) Boxes(temp string) *Boxes {
	return &Boxes{host: h, temp: temp, memory: memory{rooms: h.privateFolders(temp)}, running: map[*Process]bool{}}
}

// Start starts a program in a sandbox with the policy. The error is [fault.Unavailable] if no
// such sandbox can be started here, or the program cannot, [fault.Invalid] if the policy
// cannot be enforced.
func (b *Boxes) Start(p Policy, s Spec) (*Process, error) {
	if support := b.host.Support(); !support.Has(p.Mode) {
		return nil, fault.New(fault.Unavailable, "sandbox.Start", string(p.Mode), "no %s sandbox works here: %s", p.Mode, support.Why(p.Mode))
	}
	return b.start(p, s)
}

func (b *Boxes) start(p Policy, s Spec) (*Process, error) {
	fail := func(err error) (*Process, error) {
		return nil, &fault.Error{Op: "sandbox.Start", On: s.Path, Kind: fault.Unavailable, Err: err}
	}
	if p.Network.enabled() {
		return fail(errors.New("hosts cannot be allowed in a sandbox on this system yet"))
	}
	own, err := b.Own(p)
	if err != nil {
		return fail(err)
	}
	args, err := seatbelt.Args(b.profile(p, own), slices.Concat([]string{s.Path}, s.Args[1:]))
	if err != nil {
		return nil, err
	}
	cmd := exec.Command(sandboxExec, args...)
	cmd.Dir, cmd.Env = s.Dir, slices.Concat(s.Env, []string{"HOME=" + own, "TMPDIR=" + own})
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	process := &Process{boxes: b, policy: p.Key(), cmd: cmd}
	if s.Rows > 0 {
		far, err := process.openTerminal(s)
		if err != nil {
			return fail(err)
		}
		defer far.Close()
		s.Files = []*os.File{far, far, far}
	}
	cmd.Stdin, cmd.Stdout, cmd.Stderr, cmd.ExtraFiles = s.Files[0], s.Files[1], s.Files[2], s.Files[3:]
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed {
		return fail(errors.New("the session is closed"))
	}
	if err := cmd.Start(); err != nil {
		return fail(err)
	}
	process.tree = proctree.NewTree(cmd.Process.Pid)
	b.running[process] = true
	return process, nil
}

// profile is what a policy allows, with a private folder that is writable.
func (b *Boxes) profile(p Policy, own string) seatbelt.Profile {
	home := variable(b.host.opts.Env, "HOME")
	profile := seatbelt.Profile{Read: slices.Concat(p.Folders, p.Read), Write: []string{own}, Deny: p.Deny}
	for _, tool := range (machine{home: home, env: b.host.opts.Env}).tools(p) {
		profile.Read = append(profile.Read, tool.path)
	}
	if p.writes() {
		profile.Write = slices.Concat(profile.Write, p.Folders, p.Write)
		profile.Protect = slices.Concat(p.Protect, p.protected(&b.memory))
	}
	for _, r := range p.repositories() {
		for _, m := range r.mounts(p.writes() && p.Git) {
			if m.access == readable {
				profile.Read, profile.Protect = append(profile.Read, m.path), append(profile.Protect, m.path)
			} else {
				profile.Write = append(profile.Write, m.path)
				for _, name := range gitNew {
					profile.Protect = append(profile.Protect, filepath.Join(m.path, name))
				}
			}
		}
	}
	return profile
}

// Own returns a folder that is writable in the sandbox with the policy.
func (b *Boxes) Own(p Policy) (string, error) {
	own := filepath.Join(b.temp, "sandbox-"+string(p.Mode))
	if err := os.MkdirAll(own, 0o700); err != nil {
		return "", &fault.Error{Op: "sandbox.Own", On: own, Kind: fault.Unavailable, Err: err}
	}
	return filepath.EvalSymlinks(own)
}

// Renew ends nothing: a profile covers paths, whatever files they lead to.
func (*Boxes) Renew() (ended []string) { return nil }

// Look returns what [Policy.Look] does.
func (b *Boxes) Look(p Policy) (Traces, map[string]Stamp) { return p.lookAt(&b.memory) }

// EndLooks gives back what [Boxes.Look] needs of the system, which is nothing.
func (b *Boxes) EndLooks() { b.memory.close() }

// Busy reports whether something runs in the sandboxes. A shell counts, because it is not known what it has started.
func (b *Boxes) Busy(bool) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.running) > 0
}

// Clear ends the programs in the sandboxes with a policy, with everything in their process groups. What has made a
// process session of its own is not found; it cannot write what package quarantine renames, because a profile
// covers files that do not exist as well.
func (b *Boxes) Clear(p Policy) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for running := range b.running {
		if running.policy == p.Key() {
			running.tree.KillAll()
		}
	}
}

// Refused returns nothing: no hosts can be allowed.
func (*Boxes) Refused(Policy) []string { return nil }

// Close ends all programs in the sandboxes. It may be called more than once.
func (b *Boxes) Close() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.closed = true
	for p := range b.running {
		p.tree.KillOnce()
	}
}

// Process is a program in a sandbox. It leads a process session of its own.
type Process struct {
	// Terminal is the side of its terminal that this program reads and writes; nil without
	// one. The caller closes it.
	Terminal *os.File

	boxes  *Boxes
	policy string // its key
	cmd    *exec.Cmd
	tree   proctree.Tree // guarded by boxes.mu
}

// openTerminal opens a terminal, and returns the program's side.
func (p *Process) openTerminal(s Spec) (far *os.File, err error) {
	near, far, err := pty.Open()
	if err != nil {
		return nil, err
	}
	if err := pty.Setsize(far, &pty.Winsize{Rows: s.Rows, Cols: s.Cols}); err != nil {
		return nil, errors.Join(err, near.Close(), far.Close())
	}
	p.Terminal = near
	p.cmd.SysProcAttr.Setctty = true
	return far, nil
}

// Wait waits until the program has ended and what it started has been killed. It returns its
// exit status: 128 plus the signal's number if a signal ended it.
func (p *Process) Wait() int {
	_ = p.cmd.Wait() // the result is in ProcessState
	p.boxes.mu.Lock()
	defer p.boxes.mu.Unlock()
	p.tree.KillAll()
	delete(p.boxes.running, p)
	return proctree.ExitCode(p.cmd.ProcessState)
}

// Kill kills the program and everything that it started, and does not wait.
func (p *Process) Kill() {
	p.boxes.mu.Lock()
	defer p.boxes.mu.Unlock()
	if p.boxes.running[p] {
		p.tree.KillOnce()
	}
}
