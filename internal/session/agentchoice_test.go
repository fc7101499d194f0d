package session_test

import (
	"context"
	"strings"
	"testing"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/session/registry"
	"github.com/sidestick-dev/sidestick/internal/testing/modeltest"
	"github.com/sidestick-dev/sidestick/internal/vfs"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// mender is the file of an agent of the user.
const mender = "---\nname: mender\ndescription: Mends.\n---\nMend it."

// chosen runs a conversation on a machine where the user has an agent in a file.
func chosen(t *testing.T, f func(d *desk)) {
	t.Helper()
	d := &desk{fs: vfs.NewMem(), opts: registry.Options{Home: "/home/config"}}
	bubble(t, d, func(d *desk) {
		d.file("/home/config/agents/mender.md", mender)
		f(d)
	}, modeltest.Reply{Text: "ok", Repeat: true})
}

// current is the name of the selected agent, "" for the default one.
func (s *seat) current() string {
	s.d.t.Helper()
	info, err := s.s.Agents().Current(context.Background())
	if err != nil {
		s.d.t.Fatal(err)
	}
	if info == nil {
		return ""
	}
	return info.Name
}

func TestACreateOrResumeChoosesAnAgentOfAFile(t *testing.T) {
	chosen(t, func(d *desk) {
		s := d.create(wire.Config{SessionID: "s1", Agent: "mender"})
		if got := s.current(); got != "mender" || count(d.stored("s1"), "subagent.selected") != 1 {
			t.Errorf("the agent is %q, in:\n%s", got, types(d.stored("s1")))
		}
		s.send("go")
		s.until("session.idle")
		if request := string(d.model.Requests()[0].Raw); !strings.Contains(request, "Mend it.") {
			t.Errorf("the request is %s", request)
		}
		if _, err := d.reg.Create(context.Background(), wire.Config{SessionID: "s2", Agent: "nobody"}, nil); fault.KindOf(err) != fault.NotFound {
			t.Errorf("an unknown agent: %v", err)
		}
		d.create(wire.Config{SessionID: "s3"})
		if s := d.resume(wire.Config{SessionID: "s3", Agent: "mender"}); s.current() != "mender" {
			t.Errorf("the agent after a resume in memory is %q", s.current())
		}
	})
}

func TestTheSelectedAgentIsRestored(t *testing.T) {
	client := []wire.CustomAgent{{Name: "scout", Prompt: "Find it."}}
	for _, tc := range []struct {
		name           string
		agent          string
		again          wire.Config
		want           string
		lost           bool
		deselect, gone bool // before the process ends
		foreign        bool // the log is that of another machine
	}{
		{name: "of a file", agent: "mender", want: "mender"},
		{name: "of a client that brings it again", agent: "scout", again: wire.Config{CustomAgents: client}, want: "scout"},
		{name: "of a client that does not", agent: "scout", lost: true},
		{name: "of a file that was deleted", agent: "mender", gone: true, lost: true},
		{name: "the client chooses another", agent: "mender", again: wire.Config{CustomAgents: client, Agent: "scout"}, want: "scout"},
		{name: "the log of another machine", agent: "mender", foreign: true, lost: true},
		{name: "deselected", agent: "mender", deselect: true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			chosen(t, func(d *desk) {
				s := d.create(wire.Config{SessionID: "s1", CustomAgents: client})
				if _, err := s.s.Agents().Select(context.Background(), tc.agent); err != nil {
					t.Fatal(err)
				}
				if tc.deselect {
					if err := s.s.Agents().Deselect(context.Background()); err != nil {
						t.Fatal(err)
					}
				}
				cfg := tc.again
				cfg.SessionID = "s1"
				for range 2 {
					d.crash() // which takes the file, too
					if !tc.gone {
						d.file("/home/config/agents/mender.md", mender)
					}
					if tc.foreign {
						d.start(registry.Options{Home: "/home/config", Permissions: "/elsewhere/permissions.json"})
					}
					s = d.resume(cfg)
					if got := s.current(); got != tc.want {
						t.Errorf("the agent is %q, want %q", got, tc.want)
					}
				}
				warnings := 0
				for _, e := range d.stored("s1") {
					if field(e, "warningType") == "agent_not_restored" {
						warnings++
					}
				}
				if tc.lost != (warnings == 1) || warnings > 1 {
					t.Errorf("%d warnings in:\n%s", warnings, types(d.stored("s1")))
				}
			})
		})
	}
}
