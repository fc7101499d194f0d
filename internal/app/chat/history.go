package chat

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/app/cli"
	"github.com/sidestick-dev/sidestick/internal/app/wiring"
	"github.com/sidestick-dev/sidestick/internal/vfs"
)

// history is the messages that the user has typed in chats, in a file of the home: one
// JSON string a line, oldest first, readable for its owner only. Several chats may add to
// it at once. Errors are ignored, because the history is only a convenience.
type history struct {
	fs    vfs.FS
	path  string
	lines []string
}

// maxHistory bounds the history, in lines. The file is cut to it when it has twice as
// many.
const maxHistory = 1000

func openHistory(p *wiring.Parts, sys cli.System) *history {
	h := &history{fs: sys.FS, path: filepath.Join(cli.Absolute(p.Config.Home.Value), "history")}
	if h.fs == nil {
		h.fs = vfs.OS{}
	}
	text, err := h.fs.ReadFile(h.path)
	if err != nil {
		return h
	}
	for row := range strings.Lines(string(text)) {
		var line string
		if json.Unmarshal([]byte(row), &line) == nil && line != "" {
			h.lines = append(h.lines, line)
		}
	}
	if n := len(h.lines) - maxHistory; n > 0 {
		h.lines = h.lines[n:]
		if n > maxHistory {
			h.rewrite()
		}
	}
	return h
}

// rewrite cuts the file to the lines in memory.
func (h *history) rewrite() {
	var b []byte
	for _, l := range h.lines {
		b = append(b, row(l)...)
	}
	_ = vfs.WriteFileAtomic(h.fs, h.path, b, 0o600)
}

// add stores a line, unless it begins with a space or repeats the last one.
func (h *history) add(line string) {
	if strings.HasPrefix(line, " ") || len(h.lines) > 0 && h.lines[len(h.lines)-1] == line {
		return
	}
	h.lines = append(h.lines, line)
	f, err := h.fs.OpenFile(h.path, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
	if err != nil {
		return
	}
	_, _ = f.Write(row(line))
	_ = f.Close()
}

func row(line string) []byte {
	b, err := json.Marshal(line)
	if err != nil {
		return nil // cannot happen: it is a string
	}
	return append(b, '\n')
}
