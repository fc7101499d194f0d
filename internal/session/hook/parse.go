package hook

import (
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/sidestick-dev/sidestick/internal/fault"
)

// The time limits of a command. Source of the default: the format, see files.go.
const (
	defaultLimit = 30 * time.Second
	maxLimit     = 10 * time.Minute
)

// document has the content of a file.
type document struct {
	Version int                `json:"version"`
	Hooks   map[string][]entry `json:"hooks"` // by kind
}

type entry struct {
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
	file    string // the name of the file, for error messages
	kind    string
	text    string
	root    string // the folder of the repository or plugin
	dir     string
	agreed  bool // the user has to have agreed to the scripts that it names
	env     map[string]string
	limit   time.Duration
	matches *regexp.Regexp // the names of the tools that it is called for; nil: all
}

// parse adds the hooks of one file; hooks of a kind keep their order.
func (f *found) parse(file, root string, text []byte) {
	var h document
	if err := fault.DecodeObject(text, &h); err != nil {
		f.warn(file, "it cannot be read: %v", err)
		return
	}
	if h.Version != 1 {
		f.warn(file, "its version is %d, and 1 is the only one that is known", h.Version)
		return
	}
	for _, kind := range slices.Sorted(maps.Keys(h.Hooks)) {
		for i, e := range h.Hooks[kind] {
			c, err := e.command(root)
			switch {
			case err != nil:
				f.warn(file, "%s hook %d: %v", kind, i+1, err)
			case c.text == "": // the hook is for another operating system
			case len(f.commands) >= maxCommands:
				f.warn(file, "%s hook %d: left out, there are more than %d", kind, i+1, maxCommands)
			default:
				c.file, c.kind, c.root = file, kind, root
				f.commands = append(f.commands, c)
			}
		}
	}
}

func (e entry) command(root string) (c command, err error) {
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
	c.env, c.limit = e.Env, defaultLimit
	if e.TimeoutSec > 0 {
		c.limit = time.Duration(min(e.TimeoutSec, maxLimit.Seconds()) * float64(time.Second))
	}
	for name := range e.Env {
		if name == "" || strings.ContainsAny(name, "=\x00") {
			return c, fmt.Errorf("%q in env is not a name of a variable", name)
		}
	}
	if e.Matcher != "" && e.Matcher != "*" {
		if c.matches, err = regexp.Compile("^(?:" + e.Matcher + ")$"); err != nil {
			return c, fmt.Errorf("matcher: %w", err)
		}
	}
	return c, nil
}
