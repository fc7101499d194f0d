package session

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/sidestick-dev/sidestick/internal/permit"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// hookSwitch is what a client says of the hooks that a repository brings.
type hookSwitch int

const (
	hooksTrusted hookSwitch = iota // run them if the folder is trusted
	hooksOff
	hooksOn
)

// hookFiles is what was read of the files with hooks.
type hookFiles struct {
	commands []command
	warnings []string
}

// Bounds of the files with hooks. A repository has a handful.
const (
	maxHookFiles = 50
	maxHookFile  = 64 << 10 // bytes
	maxCommands  = 100
)

// readHooks reads .github/hooks/*.json of the repository around a session, or of its
// working directory where there is none, in the order of their names. Nothing is read
// of a folder whose hooks are not to be run: docs/decisions/0013.
//
// Source of the format: https://docs.github.com/en/copilot/reference/hooks-configuration
// and https://docs.github.com/en/copilot/reference/copilot-cli-reference/cli-hooks-reference
func (r *Registry) readHooks(from vantage) (found hookFiles) {
	root := cmp.Or(from.root, from.cwd)
	if root == "" || from.sites.fileHooks == hooksOff {
		return found
	}
	dir := filepath.Join(root, ".github", "hooks")
	entries, err := r.opts.FS.ReadDir(dir)
	if err != nil {
		return found // most have none
	}
	if from.sites.fileHooks == hooksTrusted {
		if trusted, err := r.Trusted(root); err != nil || !trusted {
			return found
		}
	}
	files := 0
	for _, e := range entries {
		if filepath.Ext(e.Name()) != ".json" {
			continue
		}
		if files++; files > maxHookFiles {
			found.warn(e.Name(), "left out with all that follow: there are more than %d files with hooks", maxHookFiles)
			break
		}
		text, err := r.readHookFile(filepath.Join(dir, e.Name()), root)
		if err != nil {
			found.warn(e.Name(), "%v", err)
			continue
		}
		found.parse(e.Name(), root, text)
	}
	return found
}

func (f *hookFiles) warn(file, format string, args ...any) {
	f.warnings = append(f.warnings, ".github/hooks/"+file+": "+fmt.Sprintf(format, args...)+".")
}

// readHookFile reads a file that lies in root, links resolved: what is trusted is that
// folder.
func (r *Registry) readHookFile(name, root string) ([]byte, error) {
	if !(permit.Places{Primary: r.opts.Resolve(root)}).Contains(r.opts.Resolve(name)) {
		return nil, errors.New("a link that leads out of the repository")
	}
	info, err := r.opts.FS.Stat(name)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() || info.Size() > maxHookFile {
		return nil, fmt.Errorf("not a file of at most %d KiB", maxHookFile>>10)
	}
	f, err := r.opts.FS.OpenFile(name, os.O_RDONLY, 0)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // nothing was written to it
	return io.ReadAll(io.LimitReader(f, maxHookFile))
}

// prepareHooks reads the files with hooks before the first message: they may have to
// see it. Later every run reads them anew.
func (s *Session) prepareHooks(ctx context.Context) error {
	if s.hookRead.Load() {
		return nil
	}
	from, err := s.vantage(ctx)
	if err != nil {
		return err
	}
	found := s.reg.readHooks(from)
	return s.post(ctx, func() error { s.takeHooks(found); return nil })
}

// hookFileWarning is the type of the warning about a file with hooks.
const hookFileWarning = "hook_file"

// takeHooks takes over the hooks that were read. What is wrong with their files is
// told once.
func (s *Session) takeHooks(found hookFiles) {
	s.hookRead.Store(true)
	if len(found.commands) > 0 || len(s.commands) > 0 {
		s.commands = found.commands
		s.findHooks()
	}
	for _, w := range found.warnings {
		if !s.hookTold[w] {
			if s.hookTold == nil {
				s.hookTold = map[string]bool{}
			}
			s.hookTold[w] = true
			s.tell(&wire.SessionWarning{WarningType: hookFileWarning, Message: w})
		}
	}
}
