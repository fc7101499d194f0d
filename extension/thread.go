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

// Thread is a conversation with one agent. It is for one goroutine.
//
// Its fields may be changed between calls. To go on with a conversation that was
// stored, make a thread and set ID, Messages and Open to what they were; encoding/json
// stores all three.
//
// The history is sent with every request, as the protocol wants it, and is not
// trimmed: agents take 10 MiB, and their models have a bound of their own. Who wants
// it shorter takes pairs from the front of Messages.
type Thread struct {
	// ID is a random UUID.
	ID string
	// Agent is the agent's slug, empty for none.
	Agent string
	// Login is the person's, empty for none. If it is there, a message before the
	// person's says it, with the time, as github.com's does; editors send none.
	Login string
	// Token is the person's and goes with every request; empty for none. It is a secret,
	// and agents act in the person's name with it: pass it on only with their consent to
	// this agent.
	Token string
	// Header and Rest are additions to every request.
	Header http.Header
	Rest   map[string]json.RawMessage

	// Messages is what was said, by turns: the person's message, and the agent's answer
	// with the references it sent, so that it sees them again.
	Messages []Message
	// Open are the confirmations without an answer.
	Open []Confirmation

	client *Client
	url    string
}

// NewThread returns a new conversation with the agent at url.
func (c *Client) NewThread(url string) *Thread {
	return &Thread{ID: newUUID(), client: c, url: url}
}

// newUUID returns a random one, of version 4.
func newUUID() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // it never fails
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}

// Say sends what the person wrote, and what it refers to, and yields the answer as
// [Client.Call] does. Confirmations that are open become void: the person has gone on
// without them.
//
// A turn is in the history once it is read to its end, or to its first confirmation,
// which comes after all else. One that fails, or that the caller stops ranging over,
// never was: the same can be said again.
func (t *Thread) Say(ctx context.Context, text string, refs ...Reference) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		t.turn(ctx, Message{Role: "user", Content: text, References: refs}, nil, yield)
	}
}

// Decide sends the person's answer to one confirmation, and yields the agent's, as
// [Thread.Say] does. Others that are open stay so.
//
// The error is [fault.Conflict], and nothing is sent, if c is not open: it has been
// answered, or the person went on without it. In the history the decision is an empty
// message, without its data, so that no agent acts on it again.
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
		t.turn(ctx, Message{Role: "user", Decisions: []Decision{{Accepted: accepted, Data: c.Data}}}, rest, yield)
	}
}

// turn sends m, after which the confirmations of open are open, and those of the
// answer.
func (t *Thread) turn(ctx context.Context, m Message, open []Confirmation, yield func(Event, error) bool) {
	var text strings.Builder
	var refs []Reference
	kept := false
	keep := func() {
		if !kept {
			m.Decisions = nil
			t.Messages = append(t.Messages, m, Message{Role: "assistant", Content: text.String(), References: refs})
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
