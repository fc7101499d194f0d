package approval

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/tool"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// The answers to an elicitation.
const (
	Accepted = "accept"  // the user has filled in the form, or agreed to visit the page
	Declined = "decline" // the user has said no
	Canceled = "cancel"  // the user has not decided
)

// Elicitation asks the user to fill in a form or, with a URL, to visit a web page.
type Elicitation struct {
	// AgentID and ToolCallID are the thread and the tool call that ask; both may be empty.
	AgentID, ToolCallID string
	// Source is the name of the MCP server that asks; empty for the model and for programs.
	Source  string
	Message string
	// Schema is that of the form, as [tool.ParseForm] reads it; nil with a URL.
	Schema json.RawMessage
	URL    string
}

// Elicit asks the user, and waits for the answer of the first client, or until ctx ends. The
// content of an accepted form fits its schema; of any other answer it is nil. A question that
// cannot be asked is [fault.Invalid]. The error is [tool.ErrNobody] if no attached client
// answers elicitations; that of an MCP server is then declined, and the clients see it. A server that
// asks again and again is declined without a question; see flood.go.
func (o *Questions) Elicit(ctx context.Context, e Elicitation) (wire.ElicitationAnswer, error) {
	form, err := e.check(o.sessionID)
	if err != nil {
		return wire.ElicitationAnswer{}, err
	}
	id := wire.NewID()
	q := &question{id: id, agentID: e.AgentID, source: e.Source, can: FillsForms, event: e.event(id)}
	q.check = func(answer any) error {
		a, _ := answer.(wire.ElicitationAnswer)
		if a.Action == Canceled && q.unfit.again() { // as SDKs do after an error; the user has not canceled
			return errors.New("an answer that does not fit the form came before")
		}
		return fits(a, form)
	}
	q.completed = func(answer any) wire.Data {
		done := &wire.ElicitationCompleted{RequestID: id}
		a, ok := answer.(wire.ElicitationAnswer)
		if !ok {
			a.Action = Canceled
		}
		done.Action = wire.Optional(wire.ElicitationAction(a.Action))
		return wire.WithField(done, "content", a.Content)
	}
	if e.Source != "" {
		q.declined = wire.ElicitationAnswer{Action: Declined}
	}
	answer, err := o.ask(ctx, q)
	a, _ := answer.(wire.ElicitationAnswer)
	if errors.Is(err, errFlood) {
		return wire.ElicitationAnswer{Action: Declined}, nil
	}
	if err != nil && e.Source != "" && errors.Is(err, tool.ErrNobody) {
		a.Action = Declined
	}
	return a, err
}

// maxMessage bounds the message of an elicitation, in bytes: a person reads it.
const maxMessage = 64 << 10

// check returns the form of an elicitation, nil for one with a URL, or why it cannot be
// asked.
func (e *Elicitation) check(sessionID string) (*tool.Form, error) {
	unfit := func(format string, args ...any) error {
		return fault.New(fault.Invalid, "approval.Elicit", sessionID, format, args...)
	}
	switch {
	case e.Message == "":
		return nil, unfit("the message is empty")
	case len(e.Message) > maxMessage:
		return nil, unfit("the message has %d bytes, and at most %d are allowed", len(e.Message), maxMessage)
	case e.URL != "" && e.Schema != nil:
		return nil, unfit("an elicitation has a form or a URL, and not both")
	case e.URL != "":
		u, err := url.Parse(e.URL)
		if err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" {
			return nil, unfit("the url %q is not an http or https URL", fault.Bounded(e.URL))
		}
		return nil, nil
	}
	form, err := tool.ParseForm(e.Schema)
	if err != nil {
		return nil, unfit("%w", err)
	}
	return form, nil
}

// event is the elicitation as clients see it. The schema is passed on as it is, because the
// order of its fields is that of the form.
func (e *Elicitation) event(id string) wire.Data {
	event := &wire.ElicitationRequested{
		RequestID: id, Message: e.Message, ElicitationSource: wire.Optional(e.Source), ToolCallID: wire.Optional(e.ToolCallID), URL: wire.Optional(e.URL),
	}
	mode := wire.ElicitationForm
	if e.URL != "" {
		mode = wire.ElicitationURL
	}
	event.Mode = &mode
	return wire.WithField(event, "requestedSchema", e.Schema)
}

// fits returns why an answer does not fit an elicitation with that form, nil if it does.
func fits(a wire.ElicitationAnswer, form *tool.Form) error {
	switch {
	case a.Action != Accepted && a.Action != Declined && a.Action != Canceled:
		return fmt.Errorf("the action is %q, want %q, %q or %q", a.Action, Accepted, Declined, Canceled)
	case a.Action != Accepted:
		return nil
	case form == nil && len(a.Content) > 0 && string(a.Content) != "{}" && string(a.Content) != "null":
		return errors.New("the question is whether the user visits a page: it has no form, so the answer has no content")
	case form == nil:
		return nil
	}
	return form.Check(a.Content)
}

// AnswerElicitation answers an elicitation. It reports false if no such elicitation is open.
// [fault.Invalid] says why the answer does not fit, and whether the elicitation is still open.
func (o *Questions) AnswerElicitation(ctx context.Context, requestID string, a wire.ElicitationAnswer) (ok bool, err error) {
	if a.Action != Accepted || string(a.Content) == "null" {
		a.Content = nil
	}
	return o.answer(ctx, requestID, FillsForms, a, nil)
}
