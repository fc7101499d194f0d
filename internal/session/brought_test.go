package session_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/testing/modeltest"
	"github.com/sidestick-dev/sidestick/internal/vfs"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// ownProvider is a session whose client brings the provider of its model.
func ownProvider() wire.Config {
	return wire.Config{SessionID: "s1", Model: "big", Provider: &wire.Provider{BaseURL: "http://client.test/v1", APIKey: "client-key"}}
}

// The conversation of a session whose client brought the provider goes to no other one, until somebody
// chooses a model of the server.
func TestAConversationStaysAtItsProvider(t *testing.T) {
	for name, tc := range map[string]struct {
		begin  wire.Config
		resume wire.Config
		choose func(s *seat) error
		asked  bool
	}{
		"it is resumed without one":                 {begin: ownProvider(), resume: wire.Config{SessionID: "s1"}},
		"a GitHub token is no choice":               {begin: ownProvider(), resume: wire.Config{SessionID: "s1", GitHubToken: "gh-token"}},
		"the event of the resume is left out":       {begin: ownProvider(), resume: wire.Config{SessionID: "s1", DisableResume: true}},
		"the program repeats the name of the model": {begin: ownProvider(), resume: wire.Config{SessionID: "s1", Model: "big"}},
		"it does so without the event of a resume":  {begin: ownProvider(), resume: wire.Config{SessionID: "s1", Model: "big", DisableResume: true}},
		"the program repeats it in session.options.update": {begin: ownProvider(), resume: wire.Config{SessionID: "s1"}, choose: func(s *seat) error {
			return s.client.Update(context.Background(), wire.OptionsPatch{Config: wire.Config{Model: "big"}})
		}},
		"the user chooses the model of that name of the server": {begin: ownProvider(), resume: wire.Config{SessionID: "s1", Model: "big", ServerModel: true}, asked: true},
		"a model of that name is chosen": {begin: ownProvider(), resume: wire.Config{SessionID: "s1"}, asked: true, choose: func(s *seat) error {
			return s.s.Settings().SwitchModel(context.Background(), wire.ModelSwitch{ModelID: "big"})
		}},
		"it is resumed with its provider":                 {begin: ownProvider(), resume: ownProvider(), asked: true},
		"a model is named":                                {begin: ownProvider(), resume: wire.Config{SessionID: "s1", Model: "m"}, asked: true},
		"a model is named, without the event of a resume": {begin: ownProvider(), resume: wire.Config{SessionID: "s1", Model: "m", DisableResume: true}, asked: true},
		"a model is chosen": {begin: ownProvider(), resume: wire.Config{SessionID: "s1"}, asked: true, choose: func(s *seat) error {
			return s.s.Settings().SwitchModel(context.Background(), wire.ModelSwitch{ModelID: "m"})
		}},
		"the provider has a name": {resume: wire.Config{SessionID: "s1"}, begin: wire.Config{
			SessionID: "s1", Model: "corp/big", Models: []wire.ProviderModel{{ID: "big", Provider: "corp"}},
			Providers: []wire.NamedProvider{{Name: "corp", Provider: wire.Provider{BaseURL: "http://client.test/v1"}}},
		}},
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, vfs.NewMem(), func(d *desk) {
				s := d.create(tc.begin)
				s.send("a secret")
				s.until("session.idle")
				if err := s.client.Detach(context.Background()); err != nil {
					t.Fatal(err)
				}
				made := len(d.model.Requests())
				s = d.resume(tc.resume)
				if tc.choose != nil {
					if err := tc.choose(s); err != nil {
						t.Fatal(err)
					}
				}
				s.send("and more")
				s.until("session.idle")
				if got := len(d.model.Requests()) > made; got != tc.asked {
					t.Errorf("a model was called: %v, want %v", got, tc.asked)
				}
				if failed := count(d.stored("s1"), "session.error") == 1; failed == tc.asked {
					t.Errorf("the run failed: %v", failed)
				}
				if log := d.stored("s1"); slices.ContainsFunc(log, func(e wire.Event) bool { return strings.Contains(string(e.Data), "client-key") }) {
					t.Error("the log has the key")
				}
			}, modeltest.Reply{Text: "one"}, modeltest.Reply{Text: "two"})
		})
	}
}

// A fork of such a session needs the provider, too.
func TestAForkStaysAtItsProvider(t *testing.T) {
	inBubble(t, vfs.NewMem(), func(d *desk) {
		s := d.create(ownProvider())
		s.send("a secret")
		s.until("session.idle")
		made := len(d.model.Requests())
		fork, err := d.reg.Fork(context.Background(), "s1", "", "")
		if err != nil {
			t.Fatal(err)
		}
		s = d.resume(wire.Config{SessionID: fork})
		s.send("and more")
		s.until("session.idle")
		if got := len(d.model.Requests()) - made; got != 0 {
			t.Errorf("the server's model was called %d times", got)
		}
	}, modeltest.Reply{Text: "one"})
}

// A client that continues the work of such a session without its provider is refused, and nothing is used
// up: a client that brings the provider goes on with it.
func TestPendingWorkWaitsForItsProvider(t *testing.T) {
	inBubble(t, vfs.NewMem(), func(d *desk) {
		s := d.create(ownProvider())
		s.send("go")
		s.until("assistant.turn_start")
		synctest.Wait() // until the model has the call
		d.crash()
		before := len(d.stored("s1"))
		for _, model := range []string{"", "big"} {
			cfg := wire.Config{SessionID: "s1", Model: model, ContinuePendingWork: true}
			if _, err := d.reg.Resume(context.Background(), cfg, nil, nil); fault.KindOf(err) != fault.Denied {
				t.Errorf("Resume with the model %q = %v", model, err)
			}
		}
		if after := len(d.stored("s1")); after != before {
			t.Errorf("the log has %d events, and had %d", after, before)
		}
		cfg := ownProvider()
		cfg.ContinuePendingWork = true
		d.resume(cfg).until("session.idle")
		if got := field(last(t, d.stored("s1"), "assistant.message"), "content"); got != "done" {
			t.Errorf("the answer is %q", got)
		}
	}, modeltest.Silent(), modeltest.Reply{Text: "done"})
}

// A client that joins with a GitHub token, and no provider, does not move the session to the provider of
// the server.
func TestATokenDoesNotReplaceAClientsProvider(t *testing.T) {
	inBubble(t, vfs.NewMem(), func(d *desk) {
		s := d.create(ownProvider())
		d.resume(wire.Config{SessionID: "s1", GitHubToken: "gh-token"})
		s.send("go")
		s.until("session.idle")
		if got := d.model.Requests()[0].Header.Get("Authorization"); got != "Bearer client-key" {
			t.Errorf("the request had the key %q", got)
		}
	}, modeltest.Reply{Text: "done"})
}
