package shell

import (
	"os"
	"strconv"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/sandbox"
)

// choose returns the shell for a command: an existing one, or a new one that has not been
// added yet.
func (s *Shells) choose(c Command) (*shell, error) {
	if c.FreshShell {
		return s.fresh(c), nil
	}
	sh := s.shells[c.Shell]
	if c.Shell == "" {
		sh = s.unnamed(c)
	}
	conflict := func(format string, args ...any) error {
		return fault.New(fault.Conflict, "shell.Run", c.Shell, format, args...)
	}
	switch {
	case c.Shell == "":
	case sh == nil:
		sh = &shell{id: c.Shell, mode: c.Mode, policy: c.Sandbox, temp: c.Mode != Sync, state: s.inherit(s.place(c.Sandbox))}
	case sh.busy():
		return nil, conflict("a command is still running in this shell")
	case placeKey(sh.policy) != placeKey(c.Sandbox):
		// A new shell takes over the name and the directory.
		st := s.place(c.Sandbox).state
		st.dir = sh.state.dir
		next := &shell{id: c.Shell, mode: c.Mode, policy: c.Sandbox, temp: c.Mode != Sync, state: st}
		s.remove(sh)
		sh = next
	case sh.mode != Sync || c.Mode != Sync:
		// A new shell takes over the name and the state.
		next := &shell{id: c.Shell, mode: c.Mode, policy: c.Sandbox, temp: c.Mode != Sync, state: sh.state}
		s.remove(sh)
		sh = next
	}
	if at := sh.startDir(c.Dir); c.Start != "" && at != c.Start {
		return nil, conflict("the shell is now in %s, not in %s", at, c.Start)
	}
	if c.RequireUnaltered && sh.state.altered != "" {
		return nil, conflict("another command has just altered the shell: %s", sh.state.altered)
	}
	return sh, nil
}

// fresh returns a new, unaltered shell for one command; see [Command.FreshShell].
func (s *Shells) fresh(c Command) *shell {
	return &shell{
		id: s.newName(), mode: c.Mode, policy: c.Sandbox, temp: true,
		inPlaceOf: s.shells[c.Shell], unnamed: c.Shell == "", startedIn: c.Start, state: state{dir: c.Start},
	}
}

// newName returns a name that no shell has.
func (s *Shells) newName() string {
	for s.made++; s.shells["sh"+strconv.Itoa(s.made)] != nil; {
		s.made++
	}
	return "sh" + strconv.Itoa(s.made)
}

// unnamed returns the shell for a command that names none: the main shell of its place if that
// is free and the directory is the one that the command requires, or else a new shell for this
// command only. So calls at the same time neither wait for each other nor change each other's
// directory.
func (s *Shells) unnamed(c Command) *shell {
	at := s.place(c.Sandbox)
	if sh := at.main; c.Mode == Sync && sh != nil && !sh.busy() {
		s.goTo(sh, s.dir)
		if c.Start == "" || sh.startDir(c.Dir) == c.Start {
			return sh
		}
	}
	sh := &shell{id: s.newName(), mode: c.Mode, policy: c.Sandbox, state: s.inherit(at), temp: c.Mode != Sync || at.main != nil}
	if c.Start != "" {
		sh.state.dir = c.Start
	}
	return sh
}

// goTo makes the next command of an idle shell start in dir.
func (s *Shells) goTo(sh *shell, dir string) {
	if sh.state.dir != dir {
		sh.state.dir, sh.mustChdir = dir, sh.proc != nil
	}
}

// startDir returns where the next command of a shell starts: where the last one ended, or
// in dir if that folder no longer exists and a new process has to be started.
func (sh *shell) startDir(dir string) string {
	if sh.proc != nil {
		return sh.state.dir
	}
	if info, err := os.Stat(sh.state.dir); err != nil || !info.IsDir() {
		return dir
	}
	return sh.state.dir
}

// StartDirectory returns the directory in which a command would start if it ran now. Only its Dir,
// Shell and Mode matter.
func (s *Shells) StartDirectory(c Command) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.next(c).startDir(c.Dir)
}

// Altered returns how the shell has been altered in which a command would run now, empty if
// it has not; see [Command.AltersShell]. Where it will run is not known yet, so for a command
// that names no shell every place counts but the sandboxes that only read.
func (s *Shells) Altered(c Command) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if sh := s.shells[c.Shell]; sh != nil {
		return sh.state.altered
	}
	for _, at := range s.places {
		altered := at.state.altered
		if at.main != nil && !at.main.busy() && c.Dir == s.base {
			altered = at.main.state.altered
		}
		if altered != "" && (at.policy == nil || at.policy.Mode != sandbox.ReadOnly) {
			return altered
		}
	}
	return ""
}

// next returns the shell that a command would get, or a new one with the same state.
func (s *Shells) next(c Command) *shell {
	if sh := s.shells[c.Shell]; sh != nil {
		return sh
	}
	next := &shell{state: state{dir: s.dir}}
	if c.Dir != s.base {
		next.state.dir = c.Dir
	}
	return next
}

// moveTo follows the session to another directory, and closes the main shells, so that the
// next ones start there.
func (s *Shells) moveTo(dir string) {
	if dir == s.base {
		return
	}
	s.base, s.dir = dir, dir
	for _, at := range s.places {
		switch sh := at.main; {
		case sh == nil:
		case sh.busy():
			at.main, sh.temp = nil, true
		default:
			s.remove(sh)
		}
	}
}
