package web_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/sidestick-dev/sidestick/extension"
	"github.com/sidestick-dev/sidestick/internal/model"
	"github.com/sidestick-dev/sidestick/internal/model/chat"
	"github.com/sidestick-dev/sidestick/internal/model/extensions"
	"github.com/sidestick-dev/sidestick/internal/session/provider"
	"github.com/sidestick-dev/sidestick/internal/session/registry"
	"github.com/sidestick-dev/sidestick/internal/testing/modeltest"
)

// behind makes the sessions of a process whose model is an agent of somebody else's.
func (p *process) behind(store registry.Store) *registry.Registry {
	host := modeltest.NewHost(extension.NewHandler(p.agent, extension.HandlerOptions{Unsigned: true, Hosts: []string{"agent.test"}}))
	p.t.Cleanup(host.Close)
	return registry.New(registry.Options{
		Store: store, Version: "test", Cwd: "/work", FS: p.disk,
		Model:    model.New(model.Options{Transport: host.Transport()}, chat.New(), extensions.New(nil)),
		Provider: provider.Provider{Model: "extension:https://agent.test/", Missing: errors.New("none")},
	})
}

var (
	gone = extension.Fault{Type: "reference", Code: "gone", Message: "It is gone.", Identifier: "9"}
	page = extension.Reference{Type: "their.page", ID: "2", Metadata: extension.Metadata{DisplayName: "Page 2", DisplayURL: "https://their.test/2"}}
)

// relayed is an agent that has everything to say that agents can.
func relayed(_ context.Context, r *extension.Request, w *extension.Writer) error {
	switch d := r.Decision(); {
	case d != nil && d.Accepted:
		return w.Text("Done: " + string(d.Data))
	case r.Prompt() == "fail":
		if err := w.Text("Partly."); err != nil {
			return err
		}
		return errors.Join(w.Errors(gone, gone), w.References(page))
	case r.Prompt() == "only fail":
		return w.Errors(gone)
	case r.Prompt() == "ask and fail":
		return errors.Join(w.Errors(gone), w.Confirm(extension.Confirmation{Title: "Sure?", Message: "Go on?"}))
	case r.Prompt() == "ask":
		return w.Confirm(extension.Confirmation{Title: "Sure?", Message: "It is *final*.", Data: json.RawMessage(`{"id":"7"}`)})
	}
	if err := w.Text("See there."); err != nil {
		return err
	}
	return w.References(
		extension.Reference{Type: "their.page", ID: "1", Data: json.RawMessage(`{"n":1.0}`), Metadata: extension.Metadata{DisplayName: "Page 1", DisplayIcon: "book"}},
		page,
	)
}

// The answer of an agent behind our server reaches the caller of the server.
func TestAnAgentBehindTheDoorIsRelayed(t *testing.T) {
	bubbleOf(t, &process{opts: local, agent: relayed}, func(p *process) {
		same(p.t, "references", p.say("t1", "where?").wire, `text "See there."
copilot_references [{"type":"their.page","id":"1","data":{"n":1.0},"is_implicit":false,"metadata":{"display_name":"Page 1","display_icon":"book"}},`+
			`{"type":"their.page","id":"2","is_implicit":false,"metadata":{"display_name":"Page 2","display_url":"https://their.test/2"}}]`+"\n")
		const fault = `{"type":"function","code":"copilot_errors","message":"It is gone. (reference gone 9)","identifier":"ext-ID"}`
		same(p.t, "errors and references", p.say("t1", "fail").wire, "text \"Partly.\"\n"+
			`copilot_references [{"type":"their.page","id":"2","is_implicit":false,"metadata":{"display_name":"Page 2","display_url":"https://their.test/2"}}]`+"\n"+
			`copilot_errors [`+fault+`,`+fault+"]\n")
		same(p.t, "errors alone", p.say("t2", "only fail").wire, `copilot_errors [{"type":"agent","code":"protocol","message":"agent.test: It is gone. (reference gone 9)","identifier":"ext-ID"}]`+"\n")
		same(p.t, "errors before a confirmation", p.say("t3", "ask and fail").wire, "copilot_errors ["+fault+"]\n"+
			"confirm \"Sure?\"\nGo on?\nwith {\"id\":\"ID\",\"kind\":\"permission\",\"session\":\"ext-ID\",\"mac\":\"MAC\"}\n")
		asked := p.say("t1", "ask")
		same(p.t, "a confirmation", asked.wire, "confirm \"Sure?\"\nIt is *final*.\nwith {\"id\":\"ID\",\"kind\":\"permission\",\"session\":\"ext-ID\",\"mac\":\"MAC\"}\n")
		same(p.t, "the decision", p.decide("t1", asked.confirmation, "accepted").wire, `text "Done: {\"id\":\"7\"}"`+"\n")
	})
}

// An OpenAI client gets the errors of an agent behind our server, too.
func TestAnAgentsErrorsReachOpenAIClients(t *testing.T) {
	bubbleOf(t, &process{opts: local, agent: relayed}, func(p *process) {
		for _, tc := range []struct {
			prompt string
			status int
			want   string
		}{
			{"only fail", 502, `"message":"agent.test: It is gone. (reference gone 9)"`},
			{"fail", 200, `"content":"Partly.\n\nError: It is gone. (reference gone 9)\n\nError: It is gone. (reference gone 9)"`},
		} {
			status, answer := p.complete(`{"messages":[{"role":"user","content":"` + tc.prompt + `"}]}`)
			if status != tc.status || !strings.Contains(answer, tc.want) {
				p.t.Errorf("%s: %d %s, want %d and %s", tc.prompt, status, answer, tc.status, tc.want)
			}
		}
	})
}
