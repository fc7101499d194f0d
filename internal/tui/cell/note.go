package cell

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"github.com/sidestick-dev/sidestick/internal/follow"
	"github.com/sidestick-dev/sidestick/internal/timeline"
	"github.com/sidestick-dev/sidestick/internal/tui/row"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// note is a notice of one or a few rows.
type note struct {
	mark  string // before the text, such as "warning: "
	text  string
	parts []string // instead of the text: no row breaks inside a part that fits into one
	style row.Style
	rows  []row.Row // behind the text
	loose bool      // blank rows separate it from others
	last  bool      // it ends a run: a blank row is below it
}

func (n *note) done() bool  { return true }
func (n *note) tight() bool { return !n.loose }

func (n *note) take(width int) (rows []row.Row) {
	var further row.Row
	if n.mark != "" {
		further = row.Text("  ")
	}
	for i, l := range strings.Split(unbarred(timeline.Harmless(n.mark+n.words(width-1))), "\n") {
		r := row.Of(row.Expand(l), n.style)
		if i > 0 {
			r = further.Join(r)
		}
		rows = append(rows, r.Wrap(min(width-1, proseWidth), further)...)
	}
	for _, r := range n.rows {
		rows = append(rows, r.Cut(width-1))
	}
	return rows
}

// words is the text, or the parts in lines that fit.
func (n *note) words(width int) string {
	text, used := n.text, 0
	for i, p := range n.parts {
		switch w := row.Width(p); {
		case i == 0:
			text, used = p, w
		case used+3+w > width:
			text, used = text+"\n"+p, w
		default:
			text, used = text+" · "+p, used+3+w
		}
	}
	return text
}

func (n *note) live(s scene) []row.Row { return n.take(s.width) }

// welcome is the name of the program and a hint, in one row if they fit.
type welcome struct{ name, hint string }

func (w *welcome) done() bool  { return true }
func (w *welcome) tight() bool { return false }

func (w *welcome) take(width int) []row.Row {
	name, hint := row.Of(timeline.OneLine(w.name, 60), row.Accent|row.Bold), row.Of(w.hint, row.Dim)
	if one := name.And("  ", row.Plain).Join(hint); one.Width() < width {
		return []row.Row{one}
	}
	return append([]row.Row{name.Cut(width - 1)}, hint.Wrap(max(width-1, 1), nil)...)
}

func (w *welcome) live(s scene) []row.Row { return w.take(s.width) }

func warning(text string) *note { return &note{mark: "! ", text: text, style: row.Warning} }

// failed is the message of an error.
func failed(text string) *note {
	return &note{mark: "✗ ", text: text, style: row.Failure, loose: true}
}

// plural is a count with its noun.
func plural(n int, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return timeline.Count(int64(n)) + " " + noun
}

// elapsed is a duration as it is read: "3.2 s", "12 s", "2 min 5 s", "1 h 5 min".
func elapsed(d time.Duration) string {
	if d = max(d, 0); d < 10*time.Second {
		return fmt.Sprintf("%.1f s", d.Truncate(100*time.Millisecond).Seconds())
	}
	return clock(d)
}

// clock is a duration that is still growing, in whole seconds.
func clock(d time.Duration) string {
	d = max(d, 0)
	switch {
	case d < time.Minute:
		return fmt.Sprintf("%d s", int(d.Seconds()))
	case d < time.Hour:
		return fmt.Sprintf("%d min %d s", int(d.Minutes()), int(d.Seconds())%60)
	}
	return fmt.Sprintf("%d h %d min", int(d.Hours()), int(d.Minutes())%60)
}

// counted is a number of tokens in short: 950, 12.3k, 1.2M.
func counted(n int64) string {
	switch {
	case n < 1000:
		return fmt.Sprint(n)
	case n < 100_000:
		return fmt.Sprintf("%.1fk", float64(n)/1000)
	case n < 1_000_000:
		return fmt.Sprintf("%dk", n/1000)
	}
	return fmt.Sprintf("%.1fM", float64(n)/1e6)
}

// internal reports whether a session.info event is for programs.
func internal(infoType string) bool {
	switch infoType {
	case wire.InfoMessageQueued, wire.InfoMessagesDropped, wire.InfoQueueOrdered, wire.InfoQueueHeld, wire.InfoFileCaptured, wire.InfoSessionNamed, wire.InfoShellExit, wire.InfoCommandEnded,
		wire.InfoModelRetry, wire.InfoModelWaiting, wire.InfoRunEnded, wire.InfoInstructionsSkipped, wire.InfoServersDisabled, wire.InfoCommandLeft:
		return true
	}
	return false
}

// hiddenNotice reports whether only a transcript shows the rows of events of this type.
func hiddenNotice(t string) bool {
	switch t {
	case "session.start", "session.resume", "session.shutdown", "session.title_changed", "session.plan_changed",
		"session.workspace_file_changed", "session.compaction_start", "abort", "sandbox.decision":
		return true
	}
	return false
}

// notice takes a warning, a remark, or a change of the session.
func (c *Conversation) notice(e follow.Event) {
	r := e.Row
	if r.Title == "" || hiddenNotice(string(e.Type)) {
		return
	}
	switch {
	case e.Type == "session.mcp_server_status_changed" && r.Kind == timeline.State:
	case e.Type == "session.model_change" && e.Get("cause").Text() == "fallback": // a warning has said so
	case e.Type == "model.call_failure": // shown if the run continues; otherwise its end says so
	case e.Type == "session.info" && internal(e.Get("infoType").Text()):
	case e.Type == "session.info" && e.Get("infoType").Text() == wire.InfoHistoryTruncated:
		c.queue.put(&note{mark: "· ", text: "rewound to before an earlier message", style: row.Dim})
	case e.Type == "system.notification" && strings.HasPrefix(e.Get("kind").Get("type").Text(), "agent"): // its end has a row
	case e.Type == "session.warning" && e.Get("warningType").Text() == wire.WarningBudget:
		c.failure(strings.TrimSpace(r.Body))
	case r.Kind == timeline.Warning:
		c.queue.put(warning(cmp.Or(strings.TrimSpace(r.Body), r.Title)))
	case r.Failed:
		c.queue.put(warning(r.Title))
	default:
		c.queue.put(&note{mark: "· ", text: r.Title, style: row.Dim})
	}
}

// Todo is one entry of the list of what is to be done.
type Todo struct {
	Title string
	State string // "done", "in_progress", or another word for what has not begun
}

// Todos shows the list of what is to be done, when it has changed.
func (c *Conversation) Todos(list []Todo) {
	n := &note{mark: "☰ ", text: "to do", style: row.Dim}
	done := 0
	for _, t := range list {
		mark, style := "  ☐ ", row.Plain
		switch t.State {
		case "done", "completed":
			mark, style, done = "  ☒ ", row.Dim|row.Strike, done+1
		case "in_progress":
			mark, style = "  ▶ ", row.Bold
		}
		n.rows = append(n.rows, row.Text(mark).And(timeline.OneLine(t.Title, 300), style))
	}
	n.text = fmt.Sprintf("to do · %d of %d done", done, len(list))
	c.queue.put(n)
}
