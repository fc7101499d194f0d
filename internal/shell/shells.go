package shell

import (
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/sandbox"
)

// maxShells bounds the shells of a session, including those whose last output has not
// been read. Each running one is a process and up to 1 MiB of memory.
const maxShells = 32

// Options configures [New].
type Options struct {
	// Temp is a folder for long output and for detached programs, absolute. It is made
	// when it is first needed, and not removed.
	Temp string
	// Env is what the first shell inherits, in the form of os.Environ. Default
	// os.Environ().
	Env []string
	// Program is the shell that runs commands: bash, or one that is like a plain sh.
	// Default: bash, or sh where there is no bash, as PATH finds them.
	Program string
	// Drop names variables that no shell inherits, such as the keys of model providers. A
	// * at the end matches any ending. The tokens by which clients authenticate to this
	// program are always dropped.
	Drop []string
	// Keeper is the path of this program, which ends commands outside of any sandbox when this
	// process ends, also by SIGKILL; see [proctree.Start]. Detached commands have none. Empty: such
	// commands survive.
	Keeper string
	// Sandbox has the sandboxes in which commands run that ask for one; nil: there are none.
	// Close does not close it.
	Sandbox *sandbox.Boxes
}

// Shells are the shells of one session. Safe for concurrent use. The zero value is not
// usable; see [New].
type Shells struct {
	opts  Options        // fixed by New
	wg    sync.WaitGroup // every goroutine that was started here; Close waits
	files atomic.Int64   // bytes that files of output may take, summed over those opened

	mu     sync.Mutex // guards the rest; held across starting a process, never across waiting
	shells map[string]*shell
	places map[string]*place // by policy
	base   string            // Command.Dir of the last command
	dir    string            // where the next command that names no shell starts
	made   int               // shells that were named here
	exits  int               // files that were named by exitFile
	onEnd  func(Info)        // of OnEnd; nil: nobody asks
	closed bool
}

// place is what belongs to one policy: outside of any sandbox, or one of the sandboxes. The
// environment of one place never reaches another, because it can make a program there run
// something else, or show it a secret.
type place struct {
	policy *sandbox.Policy
	main   *shell // where commands that name no shell run; nil: not made yet
	state  state  // what new shells inherit; its directory is not used
}

// place returns the place of a policy.
func (s *Shells) place(policy *sandbox.Policy) *place {
	key := placeKey(policy)
	at := s.places[key]
	if at == nil {
		at = &place{policy: policy}
		if s.places == nil {
			s.places = map[string]*place{}
		}
		s.places[key] = at
	}
	return at
}

// placeKey identifies the place of a policy.
func placeKey(policy *sandbox.Policy) string {
	if policy == nil {
		return ""
	}
	return policy.Key()
}

// inherit returns what a new shell at a place starts with.
func (s *Shells) inherit(at *place) state {
	st := at.state
	st.dir = s.dir
	return st
}

// isMain reports whether a shell is the main one of its place.
func (s *Shells) isMain(sh *shell) bool { return s.place(sh.policy).main == sh }

// shell is one shell under the name that the model uses. It runs one command at a time.
type shell struct {
	id     string
	mode   Mode
	policy *sandbox.Policy // of its sandbox; nil: outside
	// temp means that the shell is removed once its command has ended and its output has
	// been read; other shells wait for the next command.
	temp bool
	// held means that a call that uses the shell has not returned.
	held bool

	state state // what its next process starts with
	// mustChdir means that proc is not in state.dir yet.
	mustChdir bool
	// A fresh shell runs its command, which began in startedIn, in the place of inPlaceOf
	// or, if unnamed, of the main shell.
	inPlaceOf *shell
	unnamed   bool
	startedIn string
	startEnv  []string // the environment with which a fresh shell began
	proc      *process // nil: none is running
	job       *job     // its latest command; nil: none yet
	read      int64    // how much of the job's output has been returned, in bytes
}

// state is what a new shell inherits from an older one.
type state struct {
	dir string
	env []string // nil: the environment of [Options]
	// altered is how a command may have changed what later ones mean; see
	// [Command.AltersShell].
	altered string
}

// New returns the shells of a session. It starts none.
func New(opts Options) *Shells { return &Shells{opts: opts} }

// Close kills everything that was started here and is still running, except detached
// programs, and returns when it has ended, at most [closeGrace] later. Commands that are
// running end, and later ones are refused. It may be called more than once.
func (s *Shells) Close() {
	s.mu.Lock()
	s.closed = true
	var procs []*process
	for _, sh := range s.shells {
		switch {
		case sh.proc != nil:
			procs = append(procs, sh.proc)
		case sh.job.status != nil:
			_ = sh.job.status.Close() // a second close does no harm
		}
	}
	s.mu.Unlock()
	for _, p := range procs {
		p.Kill()
	}
	done := make(chan struct{})
	go func() {
		s.wg.Wait()
		close(done)
	}()
	select {
	case <-done:
	case <-time.After(closeGrace):
	}
}

// closeGrace is how long Close waits for killed processes to end. A process takes that
// long only while the system does not answer, as with a network disk that is down.
const closeGrace = 5 * time.Second

// busy reports whether the shell cannot take a command now.
func (sh *shell) busy() bool { return sh.held || sh.job != nil && !sh.job.ended() }

// add adds a shell. If there are too many, it removes shells that are idle and whose
// output has been read.
func (s *Shells) add(sh *shell) error {
	for _, old := range s.sorted() {
		if len(s.shells) < maxShells {
			break
		}
		if (!s.isMain(old) || placeKey(old.policy) != placeKey(sh.policy)) && !old.busy() && old.job.written() == old.read {
			s.remove(old)
		}
	}
	if len(s.shells) >= maxShells {
		return &fault.Error{
			Op: "shell.Run", On: sh.id, Kind: fault.Unavailable,
			Err:  fmt.Errorf("%d shells are in use, the most that a session may have", maxShells),
			Hint: "read or stop some of them first",
		}
	}
	if s.shells == nil {
		s.shells = map[string]*shell{}
	}
	s.shells[sh.id] = sh
	return nil
}

// sorted returns the shells by the start of their latest commands.
func (s *Shells) sorted() []*shell {
	all := make([]*shell, 0, len(s.shells))
	for _, sh := range s.shells {
		all = append(all, sh)
	}
	slices.SortFunc(all, func(a, b *shell) int { return a.began().Compare(b.began()) })
	return all
}

// began is when the latest command of a shell started; zero before the first.
func (sh *shell) began() time.Time {
	if sh.job == nil {
		return time.Time{}
	}
	return sh.job.began
}

// remove removes a shell and kills the process that runs in it.
func (s *Shells) remove(sh *shell) {
	delete(s.shells, sh.id)
	if at := s.place(sh.policy); at.main == sh {
		at.main = nil
	}
	if sh.proc != nil {
		sh.proc.Kill()
	}
}

// launch makes c the command of a shell, and starts the shell's process if none is
// running.
func (s *Shells) launch(sh *shell, c Command) error {
	if sh.state.env == nil {
		sh.state.env = s.opts.inherited(sh.policy)
	}
	if c.FreshShell {
		sh.startEnv = sh.state.env
	}
	sh.job, sh.read = newJob(c, s.spill(sh.id)), 0
	if c.AltersShell != "" {
		sh.state.altered = c.AltersShell
	}
	if sh.mustChdir {
		sh.mustChdir, sh.job.chdir = false, sh.state.dir
	}
	if sh.proc != nil {
		sh.proc.follow(sh.job)
		sh.job.kill = sh.proc.Kill
		s.attend(sh)
		return nil
	}
	if at := sh.startDir(c.Dir); at != sh.state.dir {
		sh.job.out.note(fmt.Sprintf("[%s no longer exists; the shell starts in %s]\n", sh.state.dir, at))
		sh.state.dir = at
	}
	return s.start(sh)
}
