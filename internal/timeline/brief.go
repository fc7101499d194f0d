package timeline

import (
	"fmt"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/wire"
)

// Brief is the content of an event for a list of raw events: its text, of any number of
// lines, not made harmless, or "".
func Brief(e wire.Event) string {
	d := read(e)
	switch e.Type {
	case "session.resume":
		return "after " + Count(d.EventCount) + " events in the log"
	case "session.shutdown":
		return d.ShutdownType
	case "session.start":
		return "in " + d.Context.Cwd
	case "session.model_change":
		return d.NewModel
	case "session.title_changed":
		return d.Title
	case "session.usage_info":
		return Count(d.CurrentTokens) + " of " + Count(d.TokenLimit) + " tokens"
	case "assistant.idle":
		return stopped(&d)
	case "abort":
		return d.Reason
	case "system.message":
		return d.Content
	case "assistant.turn_start", "assistant.turn_end":
		return "turn " + d.TurnID
	case "assistant.message":
		return answerAndCalls(&d)
	case wire.StreamingDelta:
		return Count(d.Bytes) + " bytes of the answer"
	case "tool.execution_start", "external_tool.requested":
		return d.ToolName + rest(d.Arguments)
	case "tool.execution_complete":
		switch code := d.Shell.ExitCode; {
		case !isTrue(d.Success):
			return "failed: " + string(d.Error)
		case code != nil && *code != 0:
			return fmt.Sprintf("exit code %d: %s", *code, d.Result.Content)
		}
		return d.Result.Content
	case "permission.requested":
		r := readRequest(d.PermissionRequest)
		if r.ToolName != "" {
			return r.ToolName + rest(r.Args)
		}
		return r.Title("")
	case "permission.completed":
		return d.Result.Kind
	}
	row := (&Reader{}).Add(e)
	switch {
	case row.Kind == Other:
		return ""
	case row.Body != "":
		return row.Body
	}
	return row.Title
}

// StreamedText returns what an event adds to text that is streaming, and, for the arguments of
// a tool call, the name of the tool; "" for other events.
func StreamedText(e wire.Event) (text, tool string) {
	d := read(e)
	return d.DeltaContent + d.InputDelta, d.ToolName
}

// Tokens is how many tokens a model call has used, by its assistant.usage event; 0 if the
// event does not say.
func Tokens(e wire.Event) (in, out int64) {
	d := read(e)
	return d.InputTokens, d.OutputTokens
}

// CachedTokens is how many of the tokens in the request of a model call its provider has taken from its cache, and
// has written to it, by the call's assistant.usage event; 0 if the event does not say.
func CachedTokens(e wire.Event) (cached, written int64) {
	d := read(e)
	return d.CacheReadTokens, d.CacheWriteTokens
}

// Cost is what a model call has cost at a provider of the user, in US dollars, by its
// assistant.usage event; false if that is not known. The cost of calls at the Copilot API is in
// other units.
func Cost(e wire.Event) (dollars float64, ok bool) {
	d := read(e)
	return d.cost()
}

func (d *details) cost() (dollars float64, ok bool) {
	if d.Cost == nil || !d.Own {
		return 0, false
	}
	return *d.Cost, true
}

// Filling is what fills the context window of the model after a call, in tokens, by its
// session.usage_info event. Used is what the provider counts, the parts are estimates; Limit is
// that of the window, and Source says in words where it is known from. Fields that the event does not have are 0.
type Filling struct {
	Used, Limit, System, Tools, Conversation int64
	Source                                   string
}

// ReadFilling returns the filling of a session.usage_info event; zero for any other.
func ReadFilling(e wire.Event) Filling {
	if e.Type != "session.usage_info" {
		return Filling{}
	}
	d := read(e)
	return Filling{d.CurrentTokens, d.TokenLimit, d.SystemTokens, d.ToolTokens, d.TalkTokens, d.LimitSource}
}

// answerAndCalls returns the text of an answer, after the names of the tools that it calls.
func answerAndCalls(d *details) string {
	var names []string
	for _, c := range d.ToolRequests {
		names = append(names, c.Name)
	}
	if len(names) == 0 {
		return d.Content
	}
	return strings.TrimSpace("[calls " + strings.Join(names, ", ") + "] " + d.Content)
}
