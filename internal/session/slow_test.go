package session_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/sidestick-dev/sidestick/internal/model"
	"github.com/sidestick-dev/sidestick/internal/session/provider"
	"github.com/sidestick-dev/sidestick/internal/session/registry"
	"github.com/sidestick-dev/sidestick/internal/testing/modeltest"
	"github.com/sidestick-dev/sidestick/internal/vfs"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// atHome is a model on this machine.
var atHome = provider.Provider{Model: "m", Endpoint: model.Endpoint{BaseURL: "http://localhost:8080/v1", Silence: time.Hour}}

// A first token that comes after 50 minutes is an answer: of the main agent, of a sub-agent, and in a
// compaction. No limit of the session, the turn or the agent comes before it.
func TestAFirstTokenAfterManyMinutesIsAnAnswer(t *testing.T) {
	const slow = 50 * time.Minute
	bubble(t, &desk{fs: vfs.NewMem(), tools: delegating, opts: registry.Options{Provider: atHome}}, func(d *desk) {
		s := d.create(wire.Config{SessionID: "s1"})
		began := time.Now()
		s.send("go")
		s.until("session.idle")
		if got := field(last(t, d.stored("s1"), "assistant.message"), "content"); got != "the end" || time.Since(began) < 3*slow {
			t.Errorf("%q after %v", got, time.Since(began))
		}
		if n := count(d.stored("s1"), "session.error"); n != 0 {
			t.Errorf("%d errors", n)
		}
		if _, err := s.s.Compaction().Run(context.Background(), ""); err != nil {
			t.Error(err)
		}
		if took := time.Since(began); took < 4*slow {
			t.Errorf("all that took only %v", took)
		}
	},
		modeltest.Reply{ToolCalls: []modeltest.ToolCall{taskCall("c1", "explore", "scout", "sync")}, Delay: slow},
		first("do scout", modeltest.Reply{Text: "found", Delay: slow}),
		modeltest.Reply{Text: "the end", Delay: slow},
		modeltest.Reply{Text: "<summary>all</summary>", Delay: slow},
	)
}

// An abort ends the wait for a server that loads its model, and so does the silence that is accepted.
func TestAbortWhileTheServerLoads(t *testing.T) {
	loads := modeltest.Reply{Status: 503, Body: `{"error":{"message":"Loading model","type":"unavailable_error","code":503}}`, Repeat: true}
	bubble(t, &desk{fs: vfs.NewMem(), opts: registry.Options{Provider: atHome}}, func(d *desk) {
		s := d.create(wire.Config{SessionID: "s1"})
		s.send("go")
		s.until("assistant.turn_start")
		began := time.Now()
		time.Sleep(20 * time.Minute)
		if err := s.s.Abort(context.Background(), ""); err != nil {
			t.Fatal(err)
		}
		s.until("session.idle")
		if took := time.Since(began); took != 20*time.Minute || count(d.stored("s1"), "abort") != 1 || count(d.stored("s1"), "session.error") != 0 {
			t.Errorf("the run ended after %v", took)
		}
	}, loads)
}

// waitingOf are what the events say that model calls wait for.
func waitingOf(t *testing.T, told []wire.Event) (all []wire.ModelWaiting) {
	t.Helper()
	for _, e := range told {
		if e.Type != "session.info" || field(e, "infoType") != wire.InfoModelWaiting {
			continue
		}
		var data struct{ Waiting wire.ModelWaiting }
		if err := json.Unmarshal(e.Data, &data); err != nil || !e.Ephemeral {
			t.Errorf("%s: %v", e.Data, err)
		}
		all = append(all, data.Waiting)
	}
	return all
}

// A client that is interested hears what a call waits for; others hear nothing.
func TestWhatAModelCallWaitsFor(t *testing.T) {
	loads := modeltest.Reply{Status: 503, Body: `{"error":{"message":"Loading model","type":"unavailable_error","code":503}}`}
	bubble(t, &desk{fs: vfs.NewMem(), opts: registry.Options{Provider: atHome}}, func(d *desk) {
		s := d.create(wire.Config{SessionID: "s1"})
		s.send("go")
		if n := len(waitingOf(t, s.answered())); n != 0 {
			t.Errorf("a client that is not interested got %d events", n)
		}
		if err := s.client.Interest(context.Background(), wire.InterestWaiting); err != nil {
			t.Fatal(err)
		}
		s.told = nil
		s.send("and again")
		all := waitingOf(t, s.answered())
		if len(all) != 4 || all[0].Loading || all[0].Tokens == 0 || !all[2].Loading || all[2].SinceMs != 1000 || all[2].Tokens != all[0].Tokens {
			t.Errorf("the events say %+v", all)
		} else if all[3].Loading || all[3].SinceMs != 1000 {
			t.Errorf("when the server has loaded the model and reads the prompt, the event says %+v", all[3])
		}
		if n := count(d.stored("s1"), "session.info"); n != 0 {
			t.Errorf("%d events are in the log", n)
		}
	}, modeltest.Reply{Text: "one"}, loads, loads, modeltest.Reply{Text: "two", Delay: time.Minute})
}

// What the user's file sets for a model goes into its requests, and into no others.
func TestSamplingParametersOfTheUsersFile(t *testing.T) {
	fsys := vfs.NewMem()
	userModels(t, fsys, `{"models": [
    {"id": "m", "request": {"temperature": 0, "seed": 7, "silence": "2h", "extraBody": {"cache_prompt": true}}},
    {"id": "strange", "request": {"extraBody": {"messages": []}}},
  ]}`)
	bubble(t, &desk{fs: fsys, opts: registry.Options{Provider: atHome, Home: "/home"}}, func(d *desk) {
		for model, want := range map[string]string{"m": `"temperature":0,"seed":7,"cache_prompt":true}`, "other": `!"seed"`} {
			s := d.create(wire.Config{SessionID: "s-" + model, Model: model})
			s.send("go")
			s.until("session.idle")
			all := d.model.Requests()
			text, without := strings.CutPrefix(want, "!")
			if got := string(all[len(all)-1].Raw); strings.Contains(got, text) == without {
				t.Errorf("%s got %s", model, got)
			}
		}
		made := len(d.model.Requests())
		s := d.create(wire.Config{SessionID: "s-strange", Model: "strange"})
		s.send("go")
		s.until("session.idle")
		if e := last(t, s.told, "session.error"); !strings.Contains(field(e, "message"), `/home/models.json sets the member "messages" in extraBody for strange`) || len(d.model.Requests()) != made {
			t.Errorf("the error is %s", e.Data)
		}
	}, modeltest.Reply{Text: "done", Repeat: true, Delay: 100 * time.Minute})
}

// A run that names no model waits for the list of a server that loads its model.
func TestTheListOfALoadingServerIsWaitedFor(t *testing.T) {
	loads := modeltest.Reply{Status: 503, Body: `{"error":{"message":"Loading model","type":"unavailable_error","code":503}}`}
	nameless := provider.Provider{Lists: true, Endpoint: atHome.Endpoint}
	bubble(t, &desk{fs: vfs.NewMem(), opts: registry.Options{Provider: nameless}}, func(d *desk) {
		d.model.SetModels(loads)
		time.AfterFunc(200*time.Second, func() { d.model.SetModels(modeltest.Reply{Body: `{"data":[{"id":"listed"}]}`}) })
		s := d.create(wire.Config{SessionID: "s1"})
		began := time.Now()
		s.send("go")
		s.until("session.idle")
		if all := d.model.Requests(); len(all) != 1 || all[0].Model != "listed" || time.Since(began) < 190*time.Second {
			t.Errorf("%d requests after %v", len(all), time.Since(began))
		}
	}, modeltest.Reply{Text: "done"})
}
