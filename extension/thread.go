package extension

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"iter"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/sidestick-dev/sidestick/internal/fault"
)

// Thread is a conversation with one agent. It must not be used by several goroutines at the
// same time.
//
// Its fields may be changed between calls. To continue a stored conversation, make a thread
// and set ID, Messages and Open to the stored values; encoding/json can store all three.
//
// The protocol sends the whole history with every request, and Thread does not shorten it.
// Agents accept 10 MiB, and their models have limits of their own. To shorten the history,
// remove pairs from the front of Messages.
type Thread struct {
	// ID is the thread id, a random UUID.
	ID string
	// Agent is the agent's slug, empty for none.
	Agent string
	// Login is the user's login, empty for none. If it is set, a message before the user's
	// contains it and the time, as from github.com; editors send no such message.
	Login string
	// Token is the user's token, sent with every request; empty for none. It is a secret,
	// and the agent can act for the user with it: set it only if the user has agreed to that
	// for this agent.
	Token string
	// Header and Rest are sent with every request, in addition to the usual headers and
	// fields.
	Header http.Header
	Rest   map[string]json.RawMessage

	// Messages is the history: the user's messages and the agent's answers in turn. An
	// answer includes its references, so that the agent gets them again.
	Messages []Message
	// Open are the confirmations that the user has not decided.
	Open []Confirmation

	client *Client
	url    string
}

// NewThread returns a new conversation with the agent at url.
func (c *Client) NewThread(url string) *Thread {
	return &Thread{ID: newUUID(), client: c, url: url}
}

// newUUID returns a random UUID, version 4.
func newUUID() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}

// Say sends the user's text and its references, and yields the answer as [Client.Call] does.
// Open confirmations become void, because the user continued without deciding them.
//
// The exchange is added to the history once the answer is read to its end, or to its first
// confirmation, which comes after everything else. An exchange that fails, or whose loop the
// caller leaves, is not recorded; the same text can be sent again. Its errors are those of
// [Client.Call].
func (t *Thread) Say(ctx context.Context, text string, refs ...Reference) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		m := Message{Role: "user", Content: text, References: refs}
		t.turn(ctx, m, m, nil, yield)
	}
}

// Decide sends the user's decision on one confirmation, and yields the agent's answer, as
// [Thread.Say] does. Other open confirmations stay open.
//
// The error is [ErrConflict], and nothing is sent, if c is not open: it has been decided,
// or the user continued without deciding it. In the history the decision is a message with the
// text of [DecisionText] and without the data, so that no agent acts on it again, and no model
// finds two answers in a row.
func (t *Thread) Decide(ctx context.Context, c Confirmation, accepted bool) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		i := slices.IndexFunc(t.Open, func(o Confirmation) bool {
			return o.Title == c.Title && o.Message == c.Message && bytes.Equal(o.Data, c.Data)
		})
		if i < 0 {
			yield(Event{}, fault.New(fault.Conflict, "extension.Decide", t.ID, "the confirmation %q is not open any more", brief(c.Title)))
			return
		}
		rest := slices.Delete(slices.Clone(t.Open), i, i+1)
		m := Message{Role: "user", Decisions: []Decision{{Accepted: accepted, Data: c.Data}}}
		t.turn(ctx, m, Message{Role: "user", Content: DecisionText(c.Title, accepted)}, rest, yield)
	}
}

// DecisionText returns the text by which histories show the user's decision on a confirmation
// with this title: "Accepted: " or "Dismissed: " and at most 200 bytes of the title. Without a title
// it is "Accepted." or "Dismissed.".
func DecisionText(title string, accepted bool) string {
	text := "Dismissed"
	if accepted {
		text = "Accepted"
	}
	if title == "" {
		return text + "."
	}
	return text + ": " + brief(title)
}

// turn sends m, which the history shows as past. After it, the open confirmations are those in
// open and those of the answer.
func (t *Thread) turn(ctx context.Context, m, past Message, open []Confirmation, yield func(Event, error) bool) {
	var text strings.Builder
	var refs []Reference
	kept := false
	keep := func() {
		if !kept {
			t.Messages = append(t.Messages, past, Message{Role: "assistant", Content: text.String(), References: refs})
			t.Open, kept = open, true
		}
	}
	for e, err := range t.client.Call(ctx, t.url, t.request(m)) {
		if err != nil {
			yield(e, err)
			return
		}
		switch e.Kind {
		case EventText:
			text.WriteString(e.Text)
		case EventReferences:
			refs = append(refs, e.References...)
		case EventConfirmation:
			keep()
			t.Open = append(t.Open, *e.Confirmation)
		}
		if !yield(e, nil) {
			return
		}
	}
	keep()
}

func (t *Thread) request(m Message) *Request {
	messages := slices.Clone(t.Messages)
	if t.Login != "" {
		messages = append(messages, Message{
			Role: "user", Name: session,
			Content: fmt.Sprintf("Current Date and Time (UTC): %s\nCurrent User's Login: %s\n", time.Now().UTC().Format(time.DateTime), t.Login),
		})
	}
	return &Request{ThreadID: t.ID, Messages: append(messages, m), Agent: t.Agent, Rest: t.Rest, Token: t.Token, Header: t.Header}
}
