package replay

import (
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/sidestick-dev/sidestick/internal/timeline"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// exchange is a message of the user, and everything that follows it.
type exchange struct {
	prompt, mode string
	attached     int      // how many attachments the message had
	rows         []string // what the model said and did, harmless, as lines
	calls        int      // of tools
	failed       bool
	began, ended time.Time
	tokens       tokens
}

// tokens are those of model calls, and their cost, as far as the provider says it.
type tokens struct {
	in, out  int64
	cost     float64 // in US dollars, without the calls that are not priced
	unpriced int
}

func (t *tokens) add(more tokens) {
	t.in, t.out, t.cost, t.unpriced = t.in+more.in, t.out+more.out, t.cost+more.cost, t.unpriced+more.unpriced
}

// String is "1,200 in, 80 out", with the cost; "tokens are not known" if none were counted.
func (t tokens) String() string {
	if t.in+t.out == 0 {
		return "tokens are not known"
	}
	text := timeline.Count(t.in) + " in, " + timeline.Count(t.out) + " out"
	switch {
	case t.cost > 0 && t.unpriced > 0:
		text += ", " + timeline.Dollars(t.cost) + " and calls of unknown price"
	case t.cost > 0:
		text += ", " + timeline.Dollars(t.cost)
	}
	return text
}

// took is how long the answer took.
func (x *exchange) took() time.Duration {
	if x.began.IsZero() || x.ended.Before(x.began) {
		return 0
	}
	return x.ended.Sub(x.began)
}

// story is a session as a list of exchanges. It is fed events in the order of the log.
type story struct {
	id, cwd   string
	model     string // the last one that answered
	exchanges []*exchange
	tokens    tokens // of the whole session

	reader timeline.Reader
}

// add takes an event. Events of sub-agents count with their tokens only.
func (s *story) add(e wire.Event) {
	raw := wire.Raw(e.Data)
	row := s.reader.Add(e)
	switch e.Type {
	case "session.start":
		s.id, s.cwd = raw.Get("sessionId").Text(), raw.Get("context").Get("cwd").Text()
	case "session.shutdown":
		s.tokens.add(shutdownTokens(e.Data))
	case "user.message":
		if e.AgentID == "" && raw.Get("source").Text() == "" && !raw.Get("isAutopilotContinuation").True() {
			s.exchanges = append(s.exchanges, &exchange{
				prompt: raw.Get("content").Text(), mode: raw.Get("agentMode").Text(), attached: attachments(raw.Get("attachments")), began: e.Time,
			})
			return
		}
	}
	if len(s.exchanges) == 0 {
		return
	}
	s.exchanges[len(s.exchanges)-1].add(e, row)
	if e.Type == "assistant.message" && e.AgentID == "" {
		s.model = raw.Get("model").Text()
	}
}

func attachments(list wire.Raw) (n int) {
	for range list.Elements() {
		n++
	}
	return n
}

// shutdownTokens are the tokens of all models in a session.shutdown.
func shutdownTokens(data []byte) (t tokens) {
	var d struct {
		Models map[string]struct {
			Usage struct{ InputTokens, OutputTokens int64 }
		} `json:"modelMetrics"`
	}
	if json.Unmarshal(data, &d) != nil {
		return t
	}
	for _, m := range d.Models {
		t.add(tokens{in: m.Usage.InputTokens, out: m.Usage.OutputTokens})
	}
	return t
}

// add takes an event that follows the message.
func (x *exchange) add(e wire.Event, row timeline.Row) {
	if e.Type == "assistant.usage" {
		in, out := timeline.Tokens(e)
		used := tokens{in: in, out: out}
		if cost, ok := timeline.Cost(e); ok {
			used.cost = cost
		} else {
			used.unpriced = 1
		}
		x.tokens.add(used)
	}
	if e.AgentID != "" {
		return
	}
	switch e.Type {
	case "session.shutdown", "session.resume", "session.start":
		return // they may come much later
	}
	if !e.Time.IsZero() {
		x.ended = e.Time
	}
	switch row.Kind {
	case timeline.Model:
		x.text(row.Body)
	case timeline.Tool:
		x.calls++
		x.rows = append(x.rows, "· "+timeline.OneLine(row.Title, maxTitle))
	case timeline.Result:
		if row.Failed {
			x.rows = append(x.rows, "  "+timeline.OneLine(row.Title, maxTitle))
		}
	case timeline.Done:
		x.text(row.Title)
	case timeline.Error:
		x.failed = true
		x.text("error: " + row.Body)
	}
}

// maxTitle bounds the line of a tool call, in columns.
const maxTitle = 200

// text adds lines, apart from what the model did before.
func (x *exchange) text(body string) {
	body = strings.TrimSpace(body)
	if body == "" {
		return
	}
	if len(x.rows) > 0 {
		x.rows = append(x.rows, "")
	}
	x.rows = slices.AppendSeq(x.rows, strings.SplitSeq(body, "\n"))
}
