package app

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/terminal"
	"github.com/sidestick-dev/sidestick/internal/timeline"
)

// sheet is text laid out in rows for a screen. All of it is made harmless.
type sheet struct {
	rows  []string
	width int
	look  terminal.Paint
}

// maxSheet bounds a sheet, in rows; what is after is left out, and said to be.
const maxSheet = 50_000

// note adds a remark under its name; nothing without text.
func (s *sheet) note(name, text string, look func(string) string) {
	text = strings.TrimSpace(timeline.Harmless(text))
	if text == "" {
		return
	}
	if look == nil {
		look = func(s string) string { return s }
	}
	for line := range strings.Lines(name + ": " + text) {
		for _, row := range timeline.Wrap(strings.TrimRight(line, "\n"), s.width-2) {
			s.add("  " + look(row))
		}
	}
}

// code adds text whose lines must stay what they are: a line that is too long goes
// on in the next row, cut anywhere.
func (s *sheet) code(text string, look func(line string) string) {
	for line := range strings.Lines(timeline.Harmless(text)) {
		line = strings.ReplaceAll(strings.TrimRight(line, "\n"), "\t", "    ")
		for _, row := range timeline.Fold(line, s.width-4) {
			if look != nil {
				row = look(row)
			}
			s.add("    " + row)
		}
	}
}

func (s *sheet) add(row string) {
	switch {
	case len(s.rows) < maxSheet:
		s.rows = append(s.rows, row)
	case len(s.rows) == maxSheet:
		s.rows = append(s.rows, s.look.Yellow("  … the rest is too long to be shown"))
	}
}

// change adds what would be written: the diff, or all of a file that is new.
func (s *sheet) change(q timeline.Request) {
	if q.Diff == "" && q.Contents != nil {
		s.code(*q.Contents, func(row string) string { return s.look.Green("+ " + row) })
		return
	}
	inside := false
	for line := range strings.Lines(q.Diff) {
		look := s.look.Dim
		switch {
		case strings.HasPrefix(line, "@@"):
			inside, look = true, s.look.Cyan
		case !inside:
			continue // the names of the files, which are said already
		case strings.HasPrefix(line, "+"):
			look = s.look.Green
		case strings.HasPrefix(line, "-"):
			look = s.look.Red
		}
		s.code(line, look)
	}
	if !inside {
		s.code(q.Diff, nil)
	}
}

// outside is the paths that are not in the folder that the command runs in.
func outside(paths []string, cwd string) []string {
	var out []string
	for _, p := range paths {
		if short := timeline.Short(p, cwd); filepath.IsAbs(short) || strings.HasPrefix(short, "..") {
			out = append(out, short)
		}
	}
	return out
}

// indented is JSON as people read it.
func indented(raw json.RawMessage) string {
	var b bytes.Buffer
	if json.Indent(&b, raw, "", "  ") != nil {
		return string(raw)
	}
	return b.String()
}
