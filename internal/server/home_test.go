package server_test

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/sidestick-dev/sidestick/internal/eventlog/files"
	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/gate"
	"github.com/sidestick-dev/sidestick/internal/obs"
	"github.com/sidestick-dev/sidestick/internal/server"
	"github.com/sidestick-dev/sidestick/internal/session/registry"
	"github.com/sidestick-dev/sidestick/internal/vfs"
)

// homes admits two principals, each to a home of its own.
type homes map[string]*server.Home

func (homes) Closed() bool { return true }

func (h homes) Admit(_ context.Context, credential string) (e gate.Entrance[*server.Home], err error) {
	if h[credential] == nil {
		return e, fault.New(fault.Denied, "gate", "", "nobody has this token")
	}
	return gate.Entrance[*server.Home]{Principal: gate.Principal{Name: credential}, Home: h[credential]}, nil
}

// A connection reaches the sessions of its home and no others: not by id, not in a list, and not in the news.
func TestAConnectionHasOneHome(t *testing.T) {
	var other *registry.Registry
	two := func(first *server.Home) gate.Gate[*server.Home] {
		disk := vfs.NewMem()
		store, err := files.Open(files.Options{Root: home, FS: disk})
		if err != nil {
			t.Fatal(err)
		}
		other = registry.New(registry.Options{Store: store, FS: disk, Cwd: "/work", Home: "/other", UserHome: "/user", Version: "test", Provider: first.Provider})
		return homes{"ann": first, "bob": &server.Home{Sessions: other, Secrets: &obs.Redactor{}}}
	}
	inBubble(t, setup{Gate: two}, func(t *testing.T, p *process) {
		defer func() {
			if err := other.Close(context.Background()); err != nil {
				t.Error(err)
			}
		}()
		ann, bob, nobody := p.connect(), p.connect(), p.connect()
		ann.call("connect", `{"token":"ann"}`)
		bob.call("connect", `{"token":"bob"}`)
		for name, refused := range map[string]message{
			"a wrong token": nobody.answer(nobody.request("connect", `{"token":"eve"}`)),
			"no token":      nobody.answer(nobody.request("session.list", `{}`)),
		} {
			if !strings.HasPrefix(refused.failure.Message, "AUTHENTICATION_FAILED: ") {
				t.Errorf("%s: %s", name, refused.raw)
			}
		}
		ann.call("connect", `{"token":"bob"}`) // a further credential does not change the home
		ann.call("session.create", `{"sessionId":"hers"}`)
		bob.call("session.create", `{"sessionId":"his"}`)
		synctest.Wait()
		for _, c := range []struct {
			peer        *peer
			sessions    *registry.Registry
			own, others string
		}{{ann, p.sessions, "hers", "his"}, {bob, other, "his", "hers"}} {
			if !c.sessions.InMemory(c.own) || c.sessions.InMemory(c.others) {
				t.Errorf("%s is not in the home of its client alone", c.own)
			}
			if m := c.peer.answer(c.peer.request("session.resume", `{"sessionId":"`+c.others+`"}`)); m.failure.Code == 0 {
				t.Errorf("a session of another home is resumed: %s", m.raw)
			}
			if got := string(c.peer.call("session.delete", `{"sessionId":"`+c.others+`"}`)); !strings.Contains(got, `"success":false`) {
				t.Errorf("a session of another home is deleted: %s", got)
			}
			if got := string(c.peer.call("session.getMetadata", `{"sessionId":"`+c.others+`"}`)); got != "{}" {
				t.Errorf("the metadata of a session of another home: %s", got)
			}
			onlyNewsOf(t, c.peer, c.own, c.others)
		}
	})
}

// onlyNewsOf checks that a client has news of a session, and none of another one.
func onlyNewsOf(t *testing.T, c *peer, own, others string) {
	t.Helper()
	told := false
	for _, m := range c.messages() {
		told = told || m.news != "" && strings.Contains(string(m.raw), `"`+own+`"`)
		if m.news != "" && strings.Contains(string(m.raw), `"`+others+`"`) {
			t.Errorf("the home of %s has news of another: %s", own, m.raw)
		}
	}
	if !told {
		t.Errorf("there is no news of %s", own)
	}
}
