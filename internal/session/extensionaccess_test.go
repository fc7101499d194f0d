package session_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/model"
	"github.com/sidestick-dev/sidestick/internal/session/provider"
	"github.com/sidestick-dev/sidestick/internal/session/registry"
	"github.com/sidestick-dev/sidestick/internal/vfs"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// The agent token of the process is sent to the configured agent and to no other.
func TestOnlyTheConfiguredAgentGetsTheToken(t *testing.T) {
	withAgent(t, parrot, func(d *desk) {
		d.stop()
		d.start(registry.Options{Provider: provider.Provider{Model: theAgent, AgentToken: "ghu_secret", Missing: errors.New("no model")}})
		s := d.create(wire.Config{SessionID: "s1"})
		for _, name := range []string{theAgent, theAgent + "/too", theAgent} {
			if err := s.s.Settings().SwitchModel(context.Background(), wire.ModelSwitch{ModelID: name}); err != nil {
				t.Fatal(err)
			}
			s.send("hello")
			s.until("session.idle")
		}
		var got []string
		for _, h := range d.agent.header {
			got = append(got, h.Get("X-GitHub-Token"))
		}
		if want := []string{"ghu_secret", "", "ghu_secret"}; !slices.Equal(got, want) {
			t.Errorf("the agents got the tokens %q, want %q", got, want)
		}
		if strings.Contains(fmt.Sprint(d.stored("s1")), "ghu_secret") {
			t.Error("the token is in the log")
		}
	})
}

func TestAProviderOfTheTypeExtension(t *testing.T) {
	withAgent(t, parrot, func(d *desk) {
		cfg := wire.Config{SessionID: "s1", Model: "whatever", Provider: &wire.Provider{
			Type: "extension", BaseURL: "https://agent.test/parrot", BearerToken: "ghu_secret", Headers: map[string]string{"X-Team": "blue"},
		}}
		s := d.create(cfg)
		s.send("hello")
		s.until("session.idle")
		if got := field(last(t, s.rest(), "assistant.message"), "content"); got != "You said: hello" {
			t.Errorf("the answer is %q:\n%s", got, types(s.told))
		}
		if h := d.agent.header[0]; h.Get("X-GitHub-Token") != "ghu_secret" || h.Get("X-Team") != "blue" {
			t.Errorf("the headers are %v", h)
		}
		for _, e := range d.stored("s1") {
			if strings.Contains(string(e.Data), "ghu_secret") {
				t.Errorf("the token is in the log: %s", e.Data)
			}
		}
	})
}

func TestAgentsThatCannotBeCalledAreRefusedWhenTheyAreNamed(t *testing.T) {
	inBubble(t, vfs.NewMem(), func(d *desk) {
		for _, tc := range []struct {
			name, address string
			remote        bool
			why           string
		}{
			{"no URL", "agent", false, "not an https URL"},
			{"a file", "file:///etc/passwd", false, "not an https URL"},
			{"nothing", "", false, "not an https URL"},
			{"http elsewhere", "http://agent.test/", false, "by https"},
			{"a password", "https://me:pw@agent.test/", false, "user name or password"},
			{"loopback for another machine", "http://127.0.0.1:8080/", true, "private address"},
			{"a private address for another machine", "https://192.168.0.1/", true, "private address"},
			{"its own name for another machine", "http://localhost/", true, "private address"},
			{"where clouds keep their keys", "https://169.254.169.254/", true, "private address"},
		} {
			t.Run(tc.name, func(t *testing.T) {
				for _, cfg := range []wire.Config{
					{SessionID: "bad", Model: "extension:" + tc.address, Remote: tc.remote},
					{SessionID: "bad", Provider: &wire.Provider{Type: "extension", BaseURL: tc.address}, Remote: tc.remote},
				} {
					_, err := d.reg.Create(context.Background(), cfg, nil)
					if fault.KindOf(err) != fault.Invalid || err == nil || !strings.Contains(err.Error(), tc.why) || strings.Contains(err.Error(), "me:pw") {
						t.Errorf("Create = %v, want %q", err, tc.why)
					}
				}
				if m, err := d.reg.Metadata(context.Background(), "bad"); m != nil || err != nil {
					t.Errorf("a session was left behind: %v, %v", m, err)
				}
			})
		}
	})
}

func TestAModelThatIsSwitchedToIsCheckedToo(t *testing.T) {
	inBubble(t, vfs.NewMem(), func(d *desk) {
		s := d.create(wire.Config{SessionID: "s1", Remote: true})
		err := s.s.Settings().SwitchModel(context.Background(), wire.ModelSwitch{ModelID: "extension:https://10.0.0.1/"})
		if fault.KindOf(err) != fault.Invalid || err == nil {
			t.Errorf("SwitchModel = %v", err)
		}
		if e := s.rest(); count(e, "session.model_change") != 0 {
			t.Error("it was recorded")
		}
	})
}

// A name that was meant to name a provider and names none does not go to the provider of the session.
func TestAModelWithoutItsProviderIsRefusedWhereAClientNamesIt(t *testing.T) {
	misnamed := func(name string) (p provider.Provider, ok bool) {
		if name == "anthropc:m" {
			p.Missing = fault.New(fault.Invalid, "config.Named", name, "there is no such provider")
		}
		return p, p.Missing != nil
	}
	bubble(t, &desk{fs: vfs.NewMem(), opts: registry.Options{Named: misnamed}}, func(d *desk) {
		refused := func(where string, err error) {
			if fault.KindOf(err) != fault.Invalid || err == nil || !strings.Contains(err.Error(), "no such provider") {
				t.Errorf("%s: %v", where, err)
			}
		}
		s := d.create(wire.Config{SessionID: "s1"})
		refused("switch", s.s.Settings().SwitchModel(context.Background(), wire.ModelSwitch{ModelID: "anthropc:m"}))
		for _, cfg := range []wire.Config{{SessionID: "s2", Model: "anthropc:m"}, {SessionID: "s2", FallbackModels: []string{"anthropc:m"}}} {
			_, err := d.reg.Create(context.Background(), cfg, nil)
			refused("create", err)
			cfg.SessionID = "s1"
			_, err = d.reg.Resume(context.Background(), cfg, nil, nil)
			refused("resume", err)
		}
		// A client that brings the provider has its own names.
		d.create(wire.Config{SessionID: "s3", Model: "anthropc:m", Provider: &wire.Provider{BaseURL: "http://own.test/v1"}})
	})
}

func TestAnAgentForAClientOnAnotherMachine(t *testing.T) {
	inPrivate := func(t *testing.T, s *seat) {
		t.Helper()
		s.send("hello")
		s.until("session.idle")
		if e := last(t, s.rest(), "session.error"); !strings.Contains(field(e, "message"), "private") {
			t.Errorf("the error is %s, want that the address is private", e.Data)
		}
	}
	t.Run("a name that leads nowhere public", func(t *testing.T) {
		inBubble(t, vfs.NewMem(), func(d *desk) {
			inPrivate(t, d.create(wire.Config{SessionID: "s1", Model: "extension:https://metadata.internal/", Remote: true}))
		})
	})
	t.Run("one that a client of this machine has named", func(t *testing.T) {
		inBubble(t, vfs.NewMem(), func(d *desk) {
			d.create(wire.Config{SessionID: "s1", Model: "extension:http://127.0.0.1:1/"})
			inPrivate(t, d.resume(wire.Config{SessionID: "s1", Remote: true}))
		})
	})
	t.Run("the one that the process was started with", func(t *testing.T) {
		withAgent(t, parrot, func(d *desk) {
			d.stop()
			d.start(registry.Options{Provider: provider.Provider{Model: theAgent, Missing: errors.New("no model")}})
			s := d.create(wire.Config{SessionID: "s1", Remote: true})
			s.send("hello")
			s.until("session.idle")
			if got := field(last(t, s.rest(), "assistant.message"), "content"); got != "You said: hello" {
				t.Errorf("the agent says %q:\n%s", got, types(s.told))
			}
		})
	})
}

// The agent that the process was started with may be named by a client on another machine,
// too.
func TestTheProcessesOwnAgentMayBeNamedFromElsewhere(t *testing.T) {
	inBubble(t, vfs.NewMem(), func(d *desk) {
		const own = "extension:http://127.0.0.1:8080/"
		d.stop()
		d.start(registry.Options{Provider: provider.Provider{Endpoint: model.Endpoint{BaseURL: "http://model.test/v1"}, Model: own}})
		s := d.create(wire.Config{SessionID: "s1", Model: own, Remote: true})
		for _, name := range []string{"m", own} {
			if err := s.s.Settings().SwitchModel(context.Background(), wire.ModelSwitch{ModelID: name}); err != nil {
				t.Errorf("SwitchModel(%s) = %v", name, err)
			}
		}
		if err := s.s.Settings().SwitchModel(context.Background(), wire.ModelSwitch{ModelID: own + "other"}); fault.KindOf(err) != fault.Invalid || err == nil {
			t.Errorf("SwitchModel to another = %v", err)
		}
	})
}

// The token of a session's provider is sent to that agent, and to no other that the client
// switches to.
func TestATokenIsForItsOwnAgentOnly(t *testing.T) {
	withAgent(t, parrot, func(d *desk) {
		s := d.create(wire.Config{SessionID: "s1", Provider: &wire.Provider{
			Type: "extension", BaseURL: "https://agent.test/parrot", BearerToken: "ghu_secret", Headers: map[string]string{"X-Team": "blue"},
		}})
		if err := s.s.Settings().SwitchModel(context.Background(), wire.ModelSwitch{ModelID: theAgent + "/other"}); err != nil {
			t.Fatal(err)
		}
		s.send("hello")
		s.until("session.idle")
		d.agent.request(t, 0)
		if h := d.agent.header[0]; h.Get("X-GitHub-Token") != "" || h.Get("X-Team") != "" {
			t.Errorf("the headers are %v", h)
		}
	})
}

// A session that a client on another machine has configured calls no private address,
// also after a client of this machine has joined.
func TestASessionFromElsewhereStaysOne(t *testing.T) {
	inBubble(t, vfs.NewMem(), func(d *desk) {
		d.create(wire.Config{SessionID: "s1", Remote: true})
		s := d.resume(wire.Config{SessionID: "s1"})
		err := s.s.Settings().SwitchModel(context.Background(), wire.ModelSwitch{ModelID: "extension:https://10.0.0.1/"})
		if fault.KindOf(err) != fault.Invalid || err == nil {
			t.Errorf("SwitchModel = %v", err)
		}
	})
}
