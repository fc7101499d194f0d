package sandbox

import (
	"cmp"
	"context"
	"net"
	"os"
	"runtime"
	"sync"
)

// Options configures [NewHost].
type Options struct {
	// Program is the program to start as the keeper of a sandbox; its main function must call
	// [RunKeeper] first. Default os.Executable().
	Program string
	// State is a folder for what sandboxes keep, which are caches of compilers and of package
	// managers: a folder for each primary folder. It is made when it is first needed. Empty:
	// nothing is kept.
	State string
	// Hide are folders that no command may see, even in an allowed folder: those of this
	// program. Absolute.
	Hide []string
	// Env is the environment of this program, in the form of os.Environ. Default
	// os.Environ().
	Env []string
	// Bwrap is the program bwrap. Default: the one on PATH, if its folder is one of the
	// system's. "-" uses none.
	Bwrap string
	// Landlock is the version of Landlock to use at most. Default: that of the kernel; -1
	// uses none.
	Landlock int
	// Proxy makes the proxy of a sandbox whose policy allows hosts. An error, such as a host
	// that is none, keeps the sandbox from starting. nil: no such sandbox can be started.
	Proxy func(Network) (Proxy, error)
}

// Proxy is the only way from a sandbox to the network.
type Proxy interface {
	// Serve serves the connections that l accepts, until ctx ends. It closes l, and returns
	// when all connections have ended.
	Serve(ctx context.Context, l net.Listener) error
	// Env are the variables by which programs find the proxy at an address.
	Env(address string) []string
	// Refused returns what has been refused since the last call, a line for each reason, at
	// most 64.
	Refused() []string
}

// Host starts sandboxes on this machine. It is safe for concurrent use.
type Host struct {
	opts  Options
	bwrap func() string // Options.Bwrap or its default, looked up once

	probing sync.Mutex // held while probed is computed
	probed  *Support

	gitOnce sync.Once
	git     string // see gitSettings
}

// Support finds out what works. It does that once; later calls return the same result.
func (h *Host) Support() *Support {
	h.probing.Lock()
	defer h.probing.Unlock()
	if h.probed == nil {
		h.probed = h.probe()
	}
	return h.probed
}

// gitSettings returns the user's settings of git that hold inside. They are read once.
func (h *Host) gitSettings() string {
	h.gitOnce.Do(func() { h.git = gitSettingsOf(h.opts.Env) })
	return h.git
}

// NewHost returns a host. It starts nothing: what works is found when it is first needed.
func NewHost(opts Options) *Host {
	if opts.Env == nil {
		opts.Env = os.Environ()
	}
	if opts.Program == "" {
		opts.Program, _ = os.Executable() // empty: the probe reports it
	}
	return &Host{opts: opts, bwrap: sync.OnceValue(func() string { return cmp.Or(opts.Bwrap, findBwrap()) })}
}

// backend is how commands are confined.
type backend uint8

const (
	none       backend = iota
	namespaces         // bwrap and the filter
	landlocked         // Landlock and the filter; only for [ReadOnly]
)

// Support is what works on this machine.
type Support struct {
	// Parts are the parts of a sandbox, in the order in which they are tried.
	Parts []Part
	// abi is the version of Landlock; 0: none.
	abi     int
	backend backend
}

// Part is one part of a sandbox.
type Part struct {
	// Name is what was tried: on Linux "namespaces", "landlock" or "filter", on macOS
	// "sandbox-exec", elsewhere "sandbox".
	Name string
	// Works means that a sandbox with it has been started and could not be left.
	Works bool
	// Detail says what was found: the version, or why it does not work, in the words of the
	// part's own error. Next is what the user can do, empty if there is nothing.
	Detail, Next string
}

// Has reports whether sandboxes of a mode can be started.
func (s *Support) Has(mode Mode) bool {
	return s.backend == namespaces || s.backend == landlocked && mode == ReadOnly
}

// Weaker reports whether only Landlock works, which hides less than namespaces.
func (s *Support) Weaker() bool { return s.backend == landlocked }

// HoldsUnread reports whether the sandbox for reading also holds commands that nobody has read.
// The one of macOS has not been attacked enough for that.
func (s *Support) HoldsUnread() bool { return runtime.GOOS == "linux" && s.backend != none }

// Why says in one line why no sandbox of a mode can be started, with the next step. It is
// empty if one can.
func (s *Support) Why(mode Mode) string {
	if s.Has(mode) {
		return ""
	}
	for _, p := range s.Parts {
		if !p.Works {
			return cmp.Or(p.Detail, "not available") + nextStep(p.Next)
		}
	}
	return "sandboxes are not supported on this system"
}

func nextStep(next string) string {
	if next == "" {
		return ""
	}
	return " (" + next + ")"
}
