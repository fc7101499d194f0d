package shell

import (
	"os"
	"strconv"

	"github.com/sidestick-dev/sidestick/internal/fault"
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
		sh = &shell{id: c.Shell, mode: c.Mode, temp: c.Mode != Sync, state: s.state}
	case sh.busy():
		return nil, conflict("a command is still running in this shell")
	case sh.mode != Sync || c.Mode != Sync:
		// A new shell takes over the name and the state.
		next := &shell{id: c.Shell, mode: c.Mode, temp: c.Mode != Sync, state: sh.state}
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
	sh := &shell{id: s.newName(), mode: c.Mode, temp: true, inPlaceOf: s.shells[c.Shell], startedIn: c.Start, state: state{dir: c.Start}}
	if c.Shell == "" {
		sh.inPlaceOf = s.main
	}
	return sh
}

// newName returns a name that no shell has.
func (s *Shells) newName() string {
	for s.made++; s.shells["sh"+strconv.Itoa(s.made)] != nil; {
		s.made++
	}
	return "sh" + strconv.Itoa(s.made)
}

// unnamed returns the shell for a command that names none: the main shell if it is free
// and in the directory that the command requires, or else a new shell for this command
// only. So calls at the same time neither wait for each other nor change each other's
// directory.
func (s *Shells) unnamed(c Command) *shell {
	if sh := s.main; c.Mode == Sync && sh != nil && !sh.busy() && (c.Start == "" || sh.startDir(c.Dir) == c.Start) {
		return sh
	}
	sh := &shell{id: s.newName(), mode: c.Mode, state: s.state, temp: c.Mode != Sync || s.main != nil}
	if c.Start != "" {
		sh.state.dir = c.Start
	}
	return sh
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

// Altered returns how the shell has been altered in which a command would run now, empty
// if it has not; see [Command.AltersShell].
func (s *Shells) Altered(c Command) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.next(c).state.altered
}

// next returns the shell that a command would get, or a new one with the same state.
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

// moveTo follows the session to another directory, and closes the main shell, so that the next one starts there.
func (s *Shells) moveTo(dir string) {
	if dir == s.base {
		return
	}
	s.base, s.state.dir = dir, dir
	switch sh := s.main; {
	case sh == nil:
	case sh.busy():
		s.main, sh.temp = nil, true
	default:
		s.remove(sh)
	}
}
