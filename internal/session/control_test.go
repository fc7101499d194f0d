package session_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/model"
	"github.com/sidestick-dev/sidestick/internal/session/provider"
	"github.com/sidestick-dev/sidestick/internal/session/registry"
	"github.com/sidestick-dev/sidestick/internal/testing/modeltest"
	"github.com/sidestick-dev/sidestick/internal/vfs"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

func TestNoModelIsAnErrorThatSaysWhatToDo(t *testing.T) {
	inBubble(t, vfs.NewMem(), func(d *desk) {
		d.stop()
		d.start(registry.Options{Provider: provider.Provider{Missing: fault.New(fault.Invalid, "", "", "no model; do this")}})
		s := d.create(wire.Config{SessionID: "s1"})
		s.send("hi")
		s.until("session.idle")
		if e := last(t, s.rest(), "session.error"); field(e, "message") != "no model; do this" || field(e, "errorType") != "configuration" {
			t.Errorf("session.error is %s", e.Data)
		}
	})
}

func TestSwitchModelAndLog(t *testing.T) {
	inBubble(t, vfs.NewMem(), func(d *desk) {
		s := d.create(wire.Config{SessionID: "s1", Model: "a"})
		effort := "high"
		if err := s.s.Settings().SwitchModel(context.Background(), wire.ModelSwitch{ModelID: "b", ReasoningEffort: &effort}); err != nil {
			t.Fatal(err)
		}
		e := last(t, s.rest(), "session.model_change")
		if field(e, "previousModel") != "a" || field(e, "newModel") != "b" || field(e, "reasoningEffort") != "high" {
			t.Errorf("session.model_change is %s", e.Data)
		}
		id, err := s.s.Log(context.Background(), wire.LogEntry{Message: "remark"})
		if err != nil || last(t, s.rest(), "session.info").ID != id {
			t.Errorf("Log = %s, %v", id, err)
		}
		s.send("hi")
		s.until("session.idle")
		if got := d.model.Requests()[0].Model; got != "b" {
			t.Errorf("the model asked is %q", got)
		}
	}, modeltest.Reply{Text: "hello"})
}

func TestAProviderFailureEndsInOneErrorAndOneIdle(t *testing.T) {
	for _, tc := range []struct {
		name  string
		reply modeltest.Reply
		kind  string
		asked int
	}{
		{"a wrong key is not tried again", modeltest.Failure(401, "invalid_api_key", "bad key"), "authentication", 1},
		{"an unknown model is not tried again", modeltest.Failure(404, "model_not_found", "no such model"), "query", 1},
		{"a broken server is tried again, within a bound", modeltest.Reply{Status: 500, Body: "{}", Repeat: true}, "server", 0},
		{"an HTML page is not an answer", modeltest.Reply{Body: "<html>hello</html>", Header: map[string]string{"Content-Type": "text/html"}}, "protocol", 1},
		{"a stream that is always cut in the middle is tried again three times", modeltest.Reply{Text: "a long answer that never ends", CutAfter: 3, Repeat: true}, "network", 4},
		{"a silent server ends with the idle limit", modeltest.Reply{Silent: true, Repeat: true}, "timeout", 0},
	} {
		t.Run(tc.name, func(t *testing.T) {
			inBubble(t, vfs.NewMem(), func(d *desk) {
				s := d.create(tools())
				s.send("go")
				s.until("session.idle")
				events := s.rest()
				if got := field(last(t, events, "session.error"), "errorType"); got != tc.kind {
					t.Errorf("errorType is %s, want %s: %s", got, tc.kind, last(t, events, "session.error").Data)
				}
				if count(events, "session.error") != 1 || count(events, "session.idle") != 1 || events[len(events)-1].Type != "session.idle" {
					t.Errorf("want one error and one idle, last:\n%s", types(events))
				}
				if count(events, "assistant.turn_start") != count(events, "assistant.turn_end") {
					t.Errorf("the turn was not closed:\n%s", types(events))
				}
				if got := len(d.model.Requests()); tc.asked > 0 && got != tc.asked {
					t.Errorf("the model was asked %d times, want %d", got, tc.asked)
				}
				if count(events, "assistant.message") != 0 {
					t.Error("a partial answer was recorded")
				}
				d.model.Add(modeltest.Reply{When: modeltest.LastIs("again"), Text: "fine now"})
			}, tc.reply)
		})
	}
}

func TestPartialTextIsNotKept(t *testing.T) {
	inBubble(t, vfs.NewMem(), func(d *desk) {
		s := d.create(tools())
		s.send("one")
		s.until("session.idle")
		s.send("two")
		s.until("session.idle")
		if got, want := d.conversation(), "user: one\nuser: two\n"; got != want {
			t.Errorf("the model read:\n%s\nwant:\n%s", got, want)
		}
	}, cut, cut, cut, cut, modeltest.Reply{Text: "ok"})
}

func TestANamedModelOfAKnownVendorIsNotLookedUp(t *testing.T) {
	vendor := provider.Provider{Endpoint: model.Endpoint{BaseURL: "https://api.openai.com/v1"}, Model: "m"}
	bubble(t, &desk{fs: vfs.NewMem(), opts: registry.Options{Provider: vendor}}, func(d *desk) {
		s := d.create(wire.Config{SessionID: "s1", Model: "named"})
		s.send("hi")
		s.until("session.idle")
		if n := d.model.Listings(); n != 0 {
			t.Errorf("the provider was asked for its models %d times", n)
		}
	}, modeltest.Reply{Text: "x"})
}

func TestWithoutANameTheFirstListedModelIsUsed(t *testing.T) {
	inBubble(t, vfs.NewMem(), func(d *desk) {
		d.model.SetModels(modeltest.Reply{Body: `{"data":[{"id":"first"},{"id":"second"}]}`})
		s := d.create(wire.Config{SessionID: "s1", Provider: &wire.Provider{BaseURL: "http://own.test/v1"}})
		s.send("hi")
		s.until("session.idle")
		if got := d.model.Requests()[0].Model; got != "first" {
			t.Errorf("the model asked is %q", got)
		}
	}, modeltest.Reply{Text: "x"})
}

func TestNoCredentialReachesTheLog(t *testing.T) {
	disk := vfs.NewMem()
	inBubble(t, disk, func(d *desk) {
		s := d.create(wire.Config{SessionID: "s1", GitHubToken: "s3cr3t-token", Provider: &wire.Provider{
			BaseURL: "http://own.test/v1", ModelID: "m", APIKey: "s3cr3t-key", BearerToken: "s3cr3t-bearer",
			Headers: map[string]string{"X-Api-Key": "s3cr3t-header"},
		}})
		s.send("hi")
		s.until("session.idle")
		if got := d.model.Requests()[0].Header.Get("Authorization"); got != "Bearer s3cr3t-bearer" {
			t.Errorf("the provider got %q, want the bearer token", got)
		}
		for _, e := range append(s.rest(), d.stored("s1")...) {
			if strings.Contains(string(e.Data), "s3cr3t") {
				t.Errorf("%s shows a credential: %s", e.Type, e.Data)
			}
		}
	}, modeltest.Failure(401, "invalid_api_key", "bad key"))
}

// A session that brings a GitHub token runs on the Copilot API of its account if the process has
// no provider, and on that of the process otherwise.
func TestAGitHubTokenAloneLeadsToTheCopilotAPI(t *testing.T) {
	missing := provider.Provider{Missing: errors.New("No model is configured.")}
	copilot := provider.Provider{
		Endpoint: model.Endpoint{Copilot: true, BaseURL: "http://copilot.test", BearerToken: "of the process"},
		Locate: func(_ context.Context, token string) string {
			return "http://copilot.test/" + strings.ReplaceAll(token, " ", "-")
		},
	}
	own := provider.Provider{Endpoint: model.Endpoint{BaseURL: "http://own.test/v1", APIKey: "key"}, Model: "m"}
	for _, tc := range []struct {
		name                string
		process             provider.Provider
		token               string
		path, authorization string
	}{
		{"without a provider", missing, "of ann", "/of-ann/chat/completions", "Bearer of ann"},
		{"the provider of the process is Copilot", copilot, "of ann", "/of-ann/chat/completions", "Bearer of ann"},
		{"the token of the process", copilot, "", "/of-the-process/chat/completions", "Bearer of the process"},
		{"another provider goes first", own, "of ann", "/v1/chat/completions", "Bearer key"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			inBubble(t, vfs.NewMem(), func(d *desk) {
				d.stop()
				d.start(registry.Options{Provider: tc.process, Copilot: copilot})
				d.model.SetModels(modeltest.Reply{Body: `{"data":[{"id":"m"}]}`})
				s := d.create(wire.Config{SessionID: "s1", Model: "m", GitHubToken: tc.token})
				s.send("go")
				s.until("session.idle")
				for _, r := range d.model.Requests() {
					if r.Path != tc.path || r.Header.Get("Authorization") != tc.authorization {
						t.Errorf("%q is called with %q, want %q with %q", r.Path, r.Header.Get("Authorization"), tc.path, tc.authorization)
					}
				}
				if len(d.model.Requests()) != 1 {
					t.Errorf("%d calls of the model", len(d.model.Requests()))
				}
			}, modeltest.Reply{Text: "ok"})
		})
	}
}

func TestTheCopilotAPIIsToldWhatBelongsTogether(t *testing.T) {
	inBubble(t, vfs.NewMem(), func(d *desk) {
		d.stop()
		d.start(registry.Options{Provider: provider.Provider{Endpoint: model.Endpoint{
			Copilot: true, BaseURL: "http://copilot.test", BearerToken: "of the process", IntegrationID: "sidestick",
		}}})
		d.model.SetModels(modeltest.Reply{Body: `{"data":[{"id":"m","capabilities":{"limits":{"max_prompt_tokens":777}}}]}`})
		cfg := tools("lookup")
		cfg.ClientName, cfg.GitHubToken = "my-app", "of the session"
		s := d.create(cfg)
		s.send("go")
		s.answer(`"result":"r"`)
		s.until("session.idle")
		if got := field(last(t, s.rest(), "session.usage_info"), "tokenLimit"); got != "777" {
			t.Errorf("the limit is %s, want that of the provider's list", got)
		}
		s.send("again")
		s.until("session.idle")
		var ids, initiators []string
		for _, r := range d.model.Requests() {
			ids, initiators = append(ids, r.Header.Get("X-Interaction-Id")), append(initiators, r.Header.Get("X-Initiator"))
			if a := r.Header.Get("Authorization"); a != "Bearer of the session" {
				t.Errorf("the credential is %q", a)
			}
			if ua := r.Header.Get("User-Agent"); !strings.HasPrefix(ua, "my-app ") || !strings.Contains(ua, "Copilot") {
				t.Errorf("the user agent is %q", ua)
			}
		}
		if len(ids) != 3 || ids[0] == "" || ids[0] != ids[1] || ids[1] == ids[2] {
			t.Errorf("interaction ids %q, want one for each message of the user", ids)
		}
		if diff := cmp.Diff([]string{"user", "agent", "user"}, initiators); diff != "" {
			t.Errorf("initiators (-want +got):\n%s", diff)
		}
	},
		modeltest.Reply{ToolCalls: []modeltest.ToolCall{call("c1", "lookup", `{"q":"1"}`)}},
		modeltest.Reply{Text: "ok", Repeat: true},
	)
}
