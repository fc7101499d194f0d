package obs

import (
	"cmp"
	"fmt"
	"io"
	"log/slog"
	"os"
	"strings"
)

// LevelAll is below [slog.LevelDebug]: single frames and bytes are logged.
const LevelAll = slog.LevelDebug - 4

// levelNone is above every level that is used.
const levelNone = slog.Level(1 << 20)

// levels are named as in the SDKs, from quiet to verbose.
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

// Levels returns the names that [Options.Level] accepts, from quiet to verbose.
func Levels() []string {
	names := make([]string, len(levels))
	for i, l := range levels {
		names[i] = l.name
	}
	return names
}

// Options configures [NewLogger]. The zero value logs warnings to stderr.
type Options struct {
	// Level is the lowest level that is logged, one of [Levels]. Default "warning".
	Level string
	// Dir is a folder for a log file sidestick-<UTC time>-<pid>.log, which is used
	// instead of Stderr. Folder and file are made at the first record, so a process that
	// logs nothing makes neither. Default "": no file.
	Dir string
	// Stderr is where records go without Dir, or if no file can be made there. Each
	// record is one Write, and Writes never overlap. Records for an [os.File] that is a
	// pipe are dropped while nobody reads it. Default [os.Stderr].
	Stderr io.Writer
	// Redactor replaces the secrets that it knows; more can be added at any time.
	// Default: one that knows none, so only values under the names of secrets are
	// replaced.
	Redactor *Redactor
}

// NewLogger returns a logger that writes each record as one line of key=value text
// without secrets, and the closer of its file. Close does nothing if records go to
// Stderr; with Dir, records after it are lost.
//
// An unknown level is an error that names the known ones. A file that cannot be made is
// not an error: the first record reports it on Stderr and is written there.
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
