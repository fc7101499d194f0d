package web_test

import (
	"context"
	"encoding/json"
	"errors"
	"testing"

	"github.com/sidestick-dev/sidestick/extension"
	"github.com/sidestick-dev/sidestick/internal/model"
	"github.com/sidestick-dev/sidestick/internal/model/chat"
	"github.com/sidestick-dev/sidestick/internal/model/extensions"
	"github.com/sidestick-dev/sidestick/internal/model/modeltest"
	"github.com/sidestick-dev/sidestick/internal/session"
)

// behind makes the sessions of a process whose model is an agent of somebody else's.
func (p *process) behind(store session.Store) *session.Registry {
	host := modeltest.NewHost(extension.NewHandler(p.agent, extension.HandlerOptions{Unsigned: true}))
	p.t.Cleanup(host.Close)
	return session.NewRegistry(session.Options{
		Store: store, Version: "test", Cwd: "/work", FS: p.disk,
		Model:    model.New(model.Options{Transport: host.Transport()}, chat.New(), extensions.New(nil)),
		Provider: session.Provider{Model: "extension:https://agent.test/", Missing: errors.New("none")},
	})
}

// relayed is an agent that has everything to say that agents can.
func relayed(_ context.Context, r *extension.Request, w *extension.Writer) error {
	switch d := r.Decision(); {
	case d != nil && d.Accepted:
		return w.Text("Done: " + string(d.Data))
	case r.Prompt() == "fail":
		if err := w.Text("Partly."); err != nil {
			return err
		}
		return w.Errors(extension.Fault{Type: "reference", Code: "gone", Message: "It is gone.", Identifier: "9"})
	case r.Prompt() == "ask":
		return w.Confirm(extension.Confirmation{Title: "Sure?", Message: "It is *final*.", Data: json.RawMessage(`{"id":"7"}`)})
	}
	if err := w.Text("See there."); err != nil {
		return err
	}
	return w.References(
		extension.Reference{Type: "their.page", ID: "1", Data: json.RawMessage(`{"n":1.0}`), Metadata: extension.Metadata{DisplayName: "Page 1", DisplayIcon: "book"}},
		extension.Reference{Type: "their.page", ID: "2", Metadata: extension.Metadata{DisplayName: "Page 2", DisplayURL: "https://their.test/2"}},
	)
}

// The answer of an agent behind our server reaches the caller of the server.
func TestAnAgentBehindTheDoorIsRelayed(t *testing.T) {
	bubbleOf(t, &process{opts: local, agent: relayed}, func(p *process) {
		same(p.t, "references", p.say("t1", "where?").wire, `text "See there."
copilot_references [{"type":"their.page","id":"1","data":{"n":1.0},"is_implicit":false,"metadata":{"display_name":"Page 1","display_icon":"book"}},`+
			`{"type":"their.page","id":"2","is_implicit":false,"metadata":{"display_name":"Page 2","display_url":"https://their.test/2"}}]`+"\n")
		same(p.t, "errors", p.say("t1", "fail").wire, "text \"Partly.\"\n"+
			`copilot_errors [{"type":"function","code":"copilot_errors","message":"It is gone. (reference gone 9)","identifier":"ext-ID"}]`+"\n")
		asked := p.say("t1", "ask")
		same(p.t, "a confirmation", asked.wire, "confirm \"Sure?\"\nIt is *final*.\nwith {\"id\":\"ID\",\"kind\":\"permission\",\"session\":\"ext-ID\",\"mac\":\"MAC\"}\n")
		same(p.t, "the decision", p.decide("t1", asked.confirmation, "accepted").wire, `text "Done: {\"id\":\"7\"}"`+"\n")
	})
}
