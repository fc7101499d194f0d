package operate

import (
	"fmt"
	"iter"
	"os"
	"slices"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/permit"
	"github.com/sidestick-dev/sidestick/internal/shell/effects"
	"github.com/sidestick-dev/sidestick/internal/timeline"
	"github.com/sidestick-dev/sidestick/internal/tool"
	"github.com/sidestick-dev/sidestick/internal/tool/fact"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// Commands are commands of the shell that may have changed files. The session knows what the
// built-in tools have changed, and not what commands have changed: neither a rewind nor the diff of a
// session has it.
type Commands struct {
	Texts []string // the first of them; harmless, each in one line
	Count int
}

// maxNamed bounds the commands that are named, maxRead those that are analysed: of further ones it is
// assumed that they may change files.
const maxNamed, maxRead = 20, 500

// String says in one sentence that commands ran, and what that means; "" for none. since is when, such
// as "since then".
func (c Commands) String(since string) string {
	what := "1 shell command that may have changed files has"
	switch {
	case c.Count == 0:
		return ""
	case c.Count > 1:
		what = timeline.Count(int64(c.Count)) + " shell commands that may have changed files have"
	}
	return what + " run " + since + "; their changes are not known, and are not undone"
}

// More says how many commands are not named, "" for none.
func (c Commands) More() string {
	if n := c.Count - len(c.Texts); n > 0 {
		return fmt.Sprintf("… and %d more", n)
	}
	return ""
}

// CommandsOf are the commands of a log since an event, "" for all.
func CommandsOf(events iter.Seq2[wire.Event, error], eventID string) (Commands, error) {
	r := ran{since: eventID == ""}
	for e, err := range events {
		if err != nil {
			return Commands{}, err
		}
		r.add(e, eventID)
	}
	var c Commands
	for i, call := range r.calls {
		if i < maxRead && onlyReads(call.text) {
			continue
		}
		if c.Count++; len(c.Texts) < maxNamed {
			c.Texts = append(c.Texts, timeline.ExposedLine(call.text, 200))
		}
	}
	return c, nil
}

// ran are the commands that ran, in the order of their starts.
type ran struct {
	since bool
	calls []command
}

type command struct{ id, text string }

func (r *ran) add(e wire.Event, from string) {
	r.since = r.since || e.ID == from
	data := wire.Raw(e.Data)
	switch {
	case !r.since:
	case e.Type == "tool.execution_start", e.Type == "tool.user_requested":
		text := data.Get("arguments").Get("command").Text()
		if text != "" && fact.Of(data.Get("toolName").Text()).Does == fact.Shell {
			r.calls = append(r.calls, command{data.Get("toolCallId").Text(), text})
		}
	case e.Type == "tool.execution_complete":
		switch tool.Outcome(data.Get("error").Get("code").Text()) {
		case tool.Denied, tool.Rejected:
			id := data.Get("toolCallId").Text()
			r.calls = slices.DeleteFunc(r.calls, func(c command) bool { return c.id == id })
		}
	}
}

// onlyReads reports whether a command changes no file, as far as its text tells.
func onlyReads(text string) bool {
	home, _ := os.UserHomeDir()
	c := effects.Of(text, "/", home, func(path string) []string { return []string{path} })
	writes := slices.ContainsFunc(c.Programs, func(p permit.Program) bool { return !p.ReadOnly })
	return strings.TrimSpace(c.Unclear) == "" && !c.Redirects && !writes
}
