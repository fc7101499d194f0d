package session

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"time"
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
