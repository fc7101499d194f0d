package chat

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/sidestick-dev/sidestick/internal/app/ask"
	"github.com/sidestick-dev/sidestick/internal/app/show"
	"github.com/sidestick-dev/sidestick/internal/session/approval"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// typing is a terminal at which the user types lines.
type typing struct {
	bytes.Buffer
	lines []string
}

func (*typing) Size() (columns, rows int) { return 80, 24 }
func (*typing) Discard()                  {}

func (s *typing) ReadLine(_ context.Context, prompt string, _ func(string) string) (string, error) {
	s.WriteString(prompt)
	line := s.lines[0]
	s.lines = s.lines[1:]
	return line, nil
}

// noted keeps what is printed besides events.
type noted struct {
	show.Printer
	text string
}

func (n *noted) Note(text string) error { n.text = text; return nil }

// The form of an MCP server is filled in at the terminal. Without a terminal, the user learns
// that it was declined.
func TestAFormAtTheTerminal(t *testing.T) {
	talk := newTalk(t)
	yes := true
	able, err := talk.Parts.Sessions.Resume(t.Context(), wire.Config{SessionID: talk.client.Session().ID(), RequestElicitation: &yes}, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = able.Detach(context.Background()) }()
	answered := make(chan wire.ElicitationAnswer, 1)
	go func() {
		a, err := able.Session().Questions().Elicit(t.Context(), approval.Elicitation{
			Source: "pizza", Message: "Who?", Schema: json.RawMessage(`{"type":"object","properties":{"name":{"type":"string"}},"required":["name"]}`),
		})
		if err != nil {
			t.Errorf("Elicit: %v", err)
		}
		answered <- a
	}()
	for h := range talk.records {
		if h.err != nil {
			t.Fatal(h.err)
		}
		if h.Type != "elicitation.requested" {
			continue
		}
		nobody := &noted{Printer: talk.show}
		talk.show = nobody
		if err := talk.form(t.Context(), h.Event); err != nil || !strings.Contains(nobody.text, "a question of the MCP server pizza was declined, because there is no terminal to ask you at: Who?") {
			t.Errorf("%v; printed %q", err, nobody.text)
		}
		screen := &typing{lines: []string{"y", "Mona"}}
		talk.ask = &ask.Asker{Screen: screen}
		if _, err := (&runDisplay{talk, t.Context()}).Event(h.Event); err != nil {
			t.Errorf("%v; printed\n%s", err, screen)
		}
		break
	}
	if a := <-answered; a.Action != approval.Accepted || string(a.Content) != `{"name":"Mona"}` {
		t.Errorf("the answer is %s %s", a.Action, a.Content)
	}
}
