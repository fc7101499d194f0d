package ask

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/terminal"
	"github.com/sidestick-dev/sidestick/internal/timeline"
)

// layout is text in rows for a screen. It shows characters that control the screen or cannot be
// seen as their numbers, so that text of a model looks like what it is.
type layout struct {
	rows  []string
	width int
	look  terminal.Paint
}

func (a *Asker) layout() *layout {
	width, _ := a.Size()
	return &layout{width: width, look: a.Look}
}

// maxRows bounds a layout, in rows. A last row says that the rest was left out.
const maxRows = 50_000

// note adds a named remark; nothing if text is "".
func (s *layout) note(name, text string, look func(string) string) {
	text = strings.TrimSpace(timeline.Exposed(text))
	if text == "" {
		return
	}
	if look == nil {
		look = func(s string) string { return s }
	}
	for line := range strings.Lines(timeline.Exposed(name) + ": " + text) { // a server has named the fields of a form
		for _, row := range timeline.Wrap(strings.TrimRight(line, "\n"), s.width-2) {
			s.add("  " + look(row))
		}
	}
}

// item adds an entry of a list.
func (s *layout) item(text string) {
	for i, row := range timeline.Wrap(strings.Join(strings.Fields(timeline.Exposed(text)), " "), s.width-4) {
		mark := "  · "
		if i > 0 {
			mark = "    "
		}
		s.add(mark + row)
	}
}

// code adds text whose lines must stay as they are. A line that is too long is cut at
// the width and continued in the next row.
func (s *layout) code(text string, look func(line string) string) {
	for line := range strings.Lines(timeline.Exposed(text)) {
		line = strings.ReplaceAll(strings.TrimRight(line, "\n"), "\t", "    ")
		for _, row := range timeline.Fold(line, s.width-4) {
			if look != nil {
				row = look(row)
			}
			s.add("    " + row)
		}
	}
}

// exact adds a named path or address, nothing if it is "". Its spaces stay as they are.
func (s *layout) exact(name, text string, look func(string) string) {
	if text == "" {
		return
	}
	text = strings.ReplaceAll(timeline.Exposed(text), "\n", "<U+000A>")
	for _, row := range timeline.Fold(timeline.Exposed(name)+": "+text, s.width-2) {
		if look != nil {
			row = look(row)
		}
		s.add("  " + row)
	}
}

func (s *layout) add(row string) {
	switch {
	case len(s.rows) < maxRows:
		s.rows = append(s.rows, row)
	case len(s.rows) == maxRows:
		s.rows = append(s.rows, s.look.Yellow("  … the rest is too long to be shown"))
	}
}

// change adds what would be written: the diff, or the whole text of a new file.
func (s *layout) change(q timeline.Request) {
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
			continue // the names of the files, which another row shows
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

// outside is the paths that are not below cwd.
func outside(paths []string, cwd string) []string {
	var out []string
	for _, p := range paths {
		if short := timeline.RelativePath(p, cwd); filepath.IsAbs(short) || short == ".." || strings.HasPrefix(short, "../") {
			out = append(out, short)
		}
	}
	return out
}

// indented is JSON with line breaks and indentation.
func indented(raw json.RawMessage) string {
	var b bytes.Buffer
	if json.Indent(&b, raw, "", "  ") != nil {
		return string(raw)
	}
	return b.String()
}
