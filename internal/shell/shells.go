package shell

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/sidestick-dev/sidestick/internal/fault"
)

// maxShells bounds the shells of a session, those included whose last output has
// not been read. Each running one is a process and up to 1 MiB of memory.
const maxShells = 32

// Options configures [New].
type Options struct {
	// Temp is a folder for output that is too long and for detached programs,
	// absolute. It is made when it is first needed, and not removed.
	Temp string
	// Env is what the first shell inherits, as os.Environ writes it. Default
	// os.Environ().
	Env []string
	// Program is the shell that runs commands: bash, or one that is like a plain sh.
	// Default bash, else sh, as PATH finds them.
	Program string
	// Drop names variables that no shell inherits, such as the keys of model
	// providers. A final * stands for any ending. The tokens by which clients
	// authenticate to this program are always dropped.
	Drop []string
}

// Shells are the shells of one session. Safe for concurrent use. The zero value is
// not usable; see [New].
type Shells struct {
	opts  Options        // fixed by New
	wg    sync.WaitGroup // every goroutine that was started here; Close waits
	files atomic.Int64   // bytes that files of output may take by now

	mu     sync.Mutex // guards the rest; held across starting a process, never across waiting
	shells map[string]*shell
	main   *shell // where commands without a shell's name run; nil: not made yet
	base   string // Command.Dir of the last command
	state  state  // where new shells begin
	made   int    // shells that got their name from here
	closed bool
}

// shell is one shell as a model knows it: a name, and a place where one command
// runs at a time.
type shell struct {
	id   string
	mode Mode
	// temp is forgotten when its command has ended and been read; others wait for
	// the next command.
	temp bool
	// held by a call that has not returned; nobody else may use it.
	held bool

	state  state // where its next process begins
	behind bool  // proc is not in state.dir yet
	// beside is the shell that this one runs a command for, begun in from; mostly nil.
	beside *shell
	from   string
	proc   *process // nil: none runs
	job    *job     // its latest command; nil: none yet
	read   int64    // how much of the job's output has been returned, in bytes
}

// state is what a new shell inherits from an older one.
type state struct {
	dir string
	env []string // nil: what the options say
	// altered is how a command may have changed what later ones mean; see
	// [Command.Alters].
	altered string
}

// New returns the shells of a session: none yet.
func New(opts Options) *Shells { return &Shells{opts: opts} }

// Close kills everything that was started here and still runs, but for detached
// programs, and returns when it is gone, at most [closeGrace] later. Commands end,
// and later ones are refused. It may be called more than once.
func (s *Shells) Close() {
	s.mu.Lock()
	s.closed = true
	var procs []*process
	for _, sh := range s.shells {
		switch {
		case sh.proc != nil:
			procs = append(procs, sh.proc)
		case sh.job.keeper != nil:
			_ = sh.job.keeper.Close() // twice does no harm
		}
	}
	s.mu.Unlock()
	for _, p := range procs {
		p.kill()
	}
	gone := make(chan struct{})
	go func() {
		s.wg.Wait()
		close(gone)
	}()
	select {
	case <-gone:
	case <-time.After(closeGrace):
	}
}

// closeGrace is how long Close waits for what it has killed. A process can take
// long to die only while the system itself does not answer, as a lost network
// disk.
const closeGrace = 5 * time.Second

// claim returns the shell in which a command will run, held for the caller, its
// process started. mu is held.
func (s *Shells) claim(c Command) (*shell, error) {
	if s.closed {
		return nil, fault.New(fault.Unavailable, "shell.Run", c.Shell, "the session is closed")
	}
	s.move(c.Dir)
	sh, err := s.choose(c)
	if err != nil {
		return nil, err
	}
	if s.shells[sh.id] != sh {
		if err := s.admit(sh); err != nil {
			return nil, err
		}
		if !sh.temp && c.Shell == "" {
			s.main = sh
		}
	}
	if err := s.launch(sh, c); err != nil {
		s.forget(sh)
		return nil, err
	}
	sh.held = true
	return sh, nil
}

// choose picks the shell of a command, or makes one that is not admitted yet.
func (s *Shells) choose(c Command) (*shell, error) {
	if c.Apart {
		return s.aside(c), nil
	}
	sh := s.shells[c.Shell]
	if c.Shell == "" {
		sh = s.nameless(c)
	}
	conflict := func(format string, args ...any) error {
		return fault.New(fault.Conflict, "shell.Run", c.Shell, format, args...)
	}
	switch {
	case c.Shell == "":
	case sh == nil:
		sh = &shell{id: c.Shell, mode: c.Mode, temp: c.Mode != Sync, state: s.state}
	case sh.busy():
		return nil, conflict("a command is still running in this shell")
	case sh.mode != Sync || c.Mode != Sync:
		// The name is taken over; what the shell came to is passed on.
		next := &shell{id: c.Shell, mode: c.Mode, temp: c.Mode != Sync, state: sh.state}
		s.forget(sh)
		sh = next
	}
	if at := sh.begins(c.Dir); c.Start != "" && at != c.Start {
		return nil, conflict("it is in %s by now, not in %s", at, c.Start)
	}
	if c.Intact && sh.state.altered != "" {
		return nil, conflict("another command has altered it just now")
	}
	return sh, nil
}

// aside is a shell for one command that nothing has altered.
func (s *Shells) aside(c Command) *shell {
	sh := &shell{id: s.name(), mode: c.Mode, temp: true, beside: s.shells[c.Shell], from: c.Start, state: state{dir: c.Start}}
	if c.Shell == "" {
		sh.beside = s.main
	}
	return sh
}

// name is one that no shell has.
func (s *Shells) name() string {
	for s.made++; s.shells["sh"+strconv.Itoa(s.made)] != nil; {
		s.made++
	}
	return "sh" + strconv.Itoa(s.made)
}

// nameless picks the shell of a command that names none: the main one if it is
// free and where the command is to start. If not, a shell for this command only, so
// that calls side by side neither wait for each other nor act where another went.
func (s *Shells) nameless(c Command) *shell {
	if sh := s.main; c.Mode == Sync && sh != nil && !sh.busy() && (c.Start == "" || sh.begins(c.Dir) == c.Start) {
		return sh
	}
	sh := &shell{id: s.name(), mode: c.Mode, state: s.state, temp: c.Mode != Sync || s.main != nil}
	if c.Start != "" {
		sh.state.dir = c.Start
	}
	return sh
}

// begins is where the next command of a shell starts: where the last one left it,
// or in dir if that is gone and the shell has to be started anew.
func (sh *shell) begins(dir string) string {
	if sh.proc != nil {
		return sh.state.dir
	}
	if info, err := os.Stat(sh.state.dir); err != nil || !info.IsDir() {
		return dir
	}
	return sh.state.dir
}

// Where returns the directory in which a command would start if it ran now; only
// its Dir, Shell and Mode count.
func (s *Shells) Where(c Command) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.next(c).begins(c.Dir)
}

// Altered says how the shell of a command has been altered in which it would run now,
// empty if it has not; see [Command.Alters].
func (s *Shells) Altered(c Command) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.next(c).state.altered
}

// next is the shell that a command would get, as far as what it would begin with.
func (s *Shells) next(c Command) *shell {
	next := &shell{state: s.state}
	switch sh := s.shells[c.Shell]; {
	case sh != nil:
		return sh
	case c.Dir != s.base:
		next.state.dir = c.Dir
	case s.main != nil && !s.main.busy():
		return s.main
	}
	return next
}

// busy says that no command can be given to the shell now.
func (sh *shell) busy() bool { return sh.held || sh.job != nil && !sh.job.ended() }

// move follows the session to another directory: the main shell is made anew
// there.
func (s *Shells) move(dir string) {
	if dir == s.base {
		return
	}
	s.base, s.state.dir = dir, dir
	switch sh := s.main; {
	case sh == nil:
	case sh.busy():
		s.main, sh.temp = nil, true
	default:
		s.forget(sh)
	}
}

// admit adds a shell, forgetting one that is done and read if there are too many.
func (s *Shells) admit(sh *shell) error {
	for _, old := range s.sorted() {
		if len(s.shells) < maxShells {
			break
		}
		if old != s.main && !old.busy() && old.job.written() == old.read {
			s.forget(old)
		}
	}
	if len(s.shells) >= maxShells {
		return &fault.Error{
			Op: "shell.Run", On: sh.id, Kind: fault.Unavailable,
			Err:  fmt.Errorf("%d shells are in use, which is as many as a session may have", maxShells),
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
	slices.SortFunc(all, func(a, b *shell) int { return a.since().Compare(b.since()) })
	return all
}

func (sh *shell) since() time.Time {
	if sh.job == nil {
		return time.Time{}
	}
	return sh.job.began
}

// forget drops a shell and kills what runs in it.
func (s *Shells) forget(sh *shell) {
	delete(s.shells, sh.id)
	if s.main == sh {
		s.main = nil
	}
	if sh.proc != nil {
		sh.proc.kill()
	}
}

// launch starts the process of a shell if none runs, and makes c its command.
func (s *Shells) launch(sh *shell, c Command) error {
	if sh.state.env == nil {
		sh.state.env = s.opts.inherited()
	}
	sh.job, sh.read = newJob(c, s.spill(sh.id)), 0
	if c.Alters != "" {
		sh.state.altered = c.Alters
	}
	if sh.behind {
		sh.behind, sh.job.from = false, sh.state.dir
	}
	if sh.proc != nil {
		sh.proc.follow(sh.job)
		sh.job.kill = sh.proc.kill
		return nil
	}
	if at := sh.begins(c.Dir); at != sh.state.dir {
		sh.job.out.note(fmt.Sprintf("[%s is gone; the shell starts in %s]\n", sh.state.dir, at))
		sh.state.dir = at
	}
	return s.begin(sh)
}
