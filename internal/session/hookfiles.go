package session

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"time"

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

// command is one hook of a file.
type command struct {
	file     string // its name, for people
	hookType string
	text     string
	dir      string
	env      map[string]string
	limit    time.Duration
	matches  *regexp.Regexp // the names of tools that it is for; nil: all
}

// Bounds of the files with hooks. A repository has a handful.
const (
	maxHookFiles = 50
	maxHookFile  = 64 << 10 // bytes
	maxCommands  = 100
)

// The time limits of a hook. Source of the default: the format, see readHooks.
const (
	defaultHookLimit = 30 * time.Second
	maxHookLimit     = 10 * time.Minute
)

// hookFile is a file as it is written.
type hookFile struct {
	Version int                    `json:"version"`
	Hooks   map[string][]hookEntry `json:"hooks"`
}

type hookEntry struct {
	Type       string            `json:"type"`
	Bash       string            `json:"bash"`
	Powershell string            `json:"powershell"`
	Cwd        string            `json:"cwd"`
	Env        map[string]string `json:"env"`
	TimeoutSec float64           `json:"timeoutSec"`
	Matcher    string            `json:"matcher"`
}

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

// parse takes in one file; the hooks of a type keep their order.
func (f *hookFiles) parse(file, root string, text []byte) {
	var h hookFile
	if err := json.Unmarshal(text, &h); err != nil {
		f.warn(file, "it cannot be read: %v", err)
		return
	}
	if h.Version != 1 {
		f.warn(file, "its version is %d, and 1 is the only one that is known", h.Version)
		return
	}
	for _, hookType := range slices.Sorted(maps.Keys(h.Hooks)) {
		for i, e := range h.Hooks[hookType] {
			c, err := e.command(root)
			switch {
			case err != nil:
				f.warn(file, "%s hook %d: %v", hookType, i+1, err)
			case c.text == "": // for another system
			case len(f.commands) >= maxCommands:
				f.warn(file, "%s hook %d: left out, there are more than %d", hookType, i+1, maxCommands)
			default:
				c.file, c.hookType = file, hookType
				f.commands = append(f.commands, c)
			}
		}
	}
}

func (e hookEntry) command(root string) (c command, err error) {
	switch {
	case e.Type != "command":
		return c, fmt.Errorf("type is %q, and only \"command\" is run", e.Type)
	case e.Bash == "" && e.Powershell == "":
		return c, errors.New("it has neither bash nor powershell")
	case e.TimeoutSec < 0:
		return c, fmt.Errorf("timeoutSec is %v", e.TimeoutSec)
	}
	if c.text = e.Bash; runtime.GOOS == "windows" {
		c.text = e.Powershell
	}
	if c.dir = e.Cwd; !filepath.IsAbs(c.dir) {
		c.dir = filepath.Join(root, c.dir)
	}
	c.env, c.limit = e.Env, defaultHookLimit
	if e.TimeoutSec > 0 {
		c.limit = time.Duration(min(e.TimeoutSec, maxHookLimit.Seconds()) * float64(time.Second))
	}
	for name := range e.Env {
		if name == "" || strings.ContainsAny(name, "=\x00") {
			return c, fmt.Errorf("%q in env is no name of a variable", name)
		}
	}
	if e.Matcher != "" && e.Matcher != "*" {
		if c.matches, err = regexp.Compile("^(?:" + e.Matcher + ")$"); err != nil {
			return c, fmt.Errorf("matcher: %w", err)
		}
	}
	return c, nil
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
			s.hookTold = with(s.hookTold, w, true)
			s.tell(&wire.SessionWarning{WarningType: hookFileWarning, Message: w})
		}
	}
}
