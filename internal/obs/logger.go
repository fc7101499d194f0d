package obs

import (
	"cmp"
	"fmt"
	"io"
	"log/slog"
	"os"
	"strings"
)

// LevelAll is below [slog.LevelDebug]: single frames and bytes.
const LevelAll = slog.LevelDebug - 4

// levelNone is above every level anyone logs at.
const levelNone = slog.Level(1 << 20)

// levels are the SDKs' names, from quiet to loud.
var levels = []struct {
	name  string
	level slog.Level
}{
	{"none", levelNone},
	{"error", slog.LevelError},
	{"warning", slog.LevelWarn},
	{"info", slog.LevelInfo},
	{"debug", slog.LevelDebug},
	{"all", LevelAll},
}

// Levels returns the names [Options.Level] takes, from quiet to loud.
func Levels() []string {
	names := make([]string, len(levels))
	for i, l := range levels {
		names[i] = l.name
	}
	return names
}

// Options configures [NewLogger]. The zero value logs warnings to stderr.
type Options struct {
	// Level is the least record shown, one of [Levels]. Default "warning".
	Level string
	// Dir is where to write a file sidestick-<UTC time>-<pid>.log instead of
	// Stderr. Both are made at the first record, so a quiet process leaves
	// nothing behind. Default "": no file.
	Dir string
	// Stderr is where records go without Dir, or if no file can be made there.
	// It gets one Write a record, never two at a time. Default [os.Stderr].
	Stderr io.Writer
	// Redactor blanks the secrets it knows; they may be added later too.
	// Default: one that knows none, so that only telling names are blanked.
	Redactor *Redactor
}

// NewLogger returns a logger that writes one line of key=value text a record,
// secrets blanked, and the closer of its file. Close does nothing where records
// go to Stderr; with Dir, what is logged after it is lost.
//
// An unknown level is an error that names the known ones. A file that cannot be
// made is not an error: the first record says so on Stderr and goes there.
func NewLogger(opts Options) (*slog.Logger, io.Closer, error) {
	level, err := parseLevel(cmp.Or(opts.Level, "warning"))
	if err != nil {
		return nil, nil, err
	}
	if opts.Stderr == nil {
		opts.Stderr = os.Stderr
	}
	if opts.Redactor == nil {
		opts.Redactor = &Redactor{}
	}
	out := &sink{dir: opts.Dir, w: opts.Stderr}
	text := slog.NewTextHandler(out, &slog.HandlerOptions{Level: level})
	return slog.New(Redact(text, opts.Redactor)), out, nil
}

func parseLevel(name string) (slog.Level, error) {
	for _, l := range levels {
		if l.name == name {
			return l.level, nil
		}
	}
	last := len(levels) - 1
	return 0, fmt.Errorf("unknown log level %q: use %s or %s",
		name, strings.Join(Levels()[:last], ", "), Levels()[last])
}
