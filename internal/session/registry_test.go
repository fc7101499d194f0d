package session_test

import (
	"context"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/session/registry"
	"github.com/sidestick-dev/sidestick/internal/testing/modeltest"
	"github.com/sidestick-dev/sidestick/internal/vfs"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

func TestIDsThatCannotBe(t *testing.T) {
	inBubble(t, vfs.NewMem(), func(d *desk) {
		d.create(wire.Config{SessionID: "s1"})
		for id, want := range map[string]fault.Kind{
			"s1": fault.Conflict, "../x": fault.Invalid, "a/b": fault.Invalid, `a\b`: fault.Invalid, "..": fault.Invalid,
			"a\x00b": fault.Invalid, "\xff": fault.Invalid, strings.Repeat("x", 201): fault.Invalid,
		} {
			if _, err := d.reg.Create(context.Background(), wire.Config{SessionID: id}, nil); fault.KindOf(err) != want {
				t.Errorf("Create(%q) = %v, want %v", id, err, want)
			}
			if _, err := d.reg.Resume(context.Background(), wire.Config{SessionID: id + "x"}, nil, nil); err == nil {
				t.Errorf("Resume(%q) succeeded", id+"x")
			}
		}
		if _, err := d.reg.Resume(context.Background(), wire.Config{SessionID: "nobody"}, nil, nil); fault.KindOf(err) != fault.NotFound || !strings.Contains(err.Error(), "not found") {
			t.Errorf("Resume of an unknown session = %v", err)
		}
		for _, id := range []string{"Größe 1", "user:42", "日本"} {
			d.create(wire.Config{SessionID: id})
		}
	})
}

func TestConfigurationsThatContradictThemselvesCreateNothing(t *testing.T) {
	inBubble(t, vfs.NewMem(), func(d *desk) {
		for name, cfg := range map[string]wire.Config{
			"a tool without a name":           {Tools: []wire.Tool{{}}},
			"two tools of one name":           {Tools: []wire.Tool{{Name: "a"}, {Name: "a"}}},
			"a provider without address":      {Provider: &wire.Provider{}},
			"an address of another kind":      {Provider: &wire.Provider{BaseURL: "ftp://x"}},
			"a dialect we do not speak":       {Provider: &wire.Provider{BaseURL: "http://x", Type: "gopher"}},
			"a named provider without a name": {Providers: []wire.NamedProvider{{Provider: wire.Provider{BaseURL: "http://x"}}}},
			"a named provider with a slash":   {Providers: []wire.NamedProvider{{Name: "a/b", Provider: wire.Provider{BaseURL: "http://x"}}}},
			"a named provider nowhere":        {Providers: []wire.NamedProvider{{Name: "a"}}},
			"two providers of one name":       {Providers: []wire.NamedProvider{{Name: "a", Provider: wire.Provider{BaseURL: "http://x"}}, {Name: "a", Provider: wire.Provider{BaseURL: "http://y"}}}},
			"a model of no provider":          {Models: []wire.ProviderModel{{ID: "m", Provider: "a"}}},
			"a model without an id":           {Providers: []wire.NamedProvider{{Name: "a", Provider: wire.Provider{BaseURL: "http://x"}}}, Models: []wire.ProviderModel{{Provider: "a"}}},
			"two models of one name": {
				Providers: []wire.NamedProvider{{Name: "a", Provider: wire.Provider{BaseURL: "http://x"}}},
				Models:    []wire.ProviderModel{{ID: "m", Provider: "a"}, {ID: "m", Provider: "a"}},
			},
			"a choice that is not registered": {Model: "a/n", Providers: []wire.NamedProvider{{Name: "a", Provider: wire.Provider{BaseURL: "http://x"}}}},
			"one provider and several":        {Provider: &wire.Provider{BaseURL: "http://x"}, Providers: []wire.NamedProvider{{Name: "a", Provider: wire.Provider{BaseURL: "http://x"}}}},
		} {
			cfg.SessionID = "s1"
			if _, err := d.reg.Create(context.Background(), cfg, nil); fault.KindOf(err) != fault.Invalid {
				t.Errorf("%s: Create = %v, want invalid", name, err)
			}
		}
		if _, err := d.fs.Stat("/home/session-state/s1"); err == nil {
			t.Error("something was stored")
		}
	})
}

func TestDelete(t *testing.T) {
	inBubble(t, vfs.NewMem(), func(d *desk) {
		s := d.create(wire.Config{SessionID: "s1"})
		s.send("hi")
		s.until("session.idle")
		if err := d.reg.Delete(context.Background(), "s1"); err != nil {
			t.Fatal(err)
		}
		if m, err := d.reg.Metadata(t.Context(), "s1"); m != nil || err != nil {
			t.Errorf("Metadata after Delete = %+v, %v", m, err)
		}
		if _, err := d.reg.Resume(context.Background(), wire.Config{SessionID: "s1"}, nil, nil); fault.KindOf(err) != fault.NotFound {
			t.Errorf("Resume after Delete = %v", err)
		}
		if err := d.reg.Delete(context.Background(), "s1"); fault.KindOf(err) != fault.NotFound {
			t.Errorf("a second Delete = %v", err)
		}
	}, modeltest.Reply{Text: "hello"})
}

func TestListShowsSessionsWithContentNewestFirst(t *testing.T) {
	inBubble(t, vfs.NewMem(), func(d *desk) {
		for _, id := range []string{"a", "empty", "b"} {
			s := d.create(wire.Config{SessionID: id, WorkingDirectory: "/" + id})
			if id == "empty" {
				continue
			}
			time.Sleep(time.Second) // fake: the list is sorted by time
			s.send("About " + id + "\nand more")
			s.until("session.idle")
		}
		list, err := d.reg.List(t.Context(), wire.SessionContext{})
		if err != nil || len(list) != 2 || list[0].SessionID != "b" || list[1].SessionID != "a" || list[0].Summary != "About b" {
			t.Errorf("List = %+v, %v", list, err)
		}
		if list, _ := d.reg.List(t.Context(), wire.SessionContext{Cwd: "/a"}); len(list) != 1 || list[0].SessionID != "a" {
			t.Errorf("List of /a = %+v", list)
		}
		if id, err := d.reg.LastID(t.Context()); id != "b" || err != nil {
			t.Errorf("LastID = %s, %v", id, err)
		}
	}, modeltest.Reply{Text: "x", Repeat: true})
}

// The conversation of an unused session leaves memory, and no client notices: the next message
// finds the conversation where it was.
func TestAnUnusedSessionRestsAndComesBack(t *testing.T) {
	inBubble(t, vfs.NewMem(), func(d *desk) {
		d.stop()
		d.start(registry.Options{IdleTimeout: time.Minute})
		cfg, no := whole(tools("lookup")), false
		cfg.InfiniteSessions = &wire.InfiniteSessions{Enabled: &no} // nothing is summarised
		s := d.create(cfg)
		s.send("My name is " + strings.Repeat("Ada ", 250_000))
		s.answer(`"result":"` + strings.Repeat("looked up ", 100_000) + `"`)
		s.until("session.idle")
		used := heap()
		time.Sleep(59 * time.Second)
		if now := heap(); now < used-1<<20 {
			t.Errorf("the heap fell from %d to %d bytes before the timeout", used, now)
		}
		s.send("And?") // counts as activity
		s.until("session.idle")
		used = heap() // the model server keeps what it was sent
		time.Sleep(59 * time.Second)
		if now := heap(); now < used-1<<20 {
			t.Errorf("the heap fell from %d to %d bytes though the session was used", used, now)
		}
		time.Sleep(2 * time.Second)
		if now := heap(); now > used-1<<20 {
			t.Errorf("the heap has %d bytes, %d before: the conversation is still there", now, used)
		}
		s.send("Again?")
		s.until("session.idle")
		requests := d.model.Requests()
		before, after := requests[len(requests)-2].Messages, requests[len(requests)-1].Messages
		if len(after) != len(before)+2 || !cmp.Equal(before, after[:len(before)]) {
			t.Errorf("the model read %d messages before and %d after, want the same and two more", len(before), len(after))
		}
		if n := count(s.rest(), "session.resume") + count(s.told, "session.shutdown"); n != 0 {
			t.Error("the client was informed that its session had left memory")
		}
	},
		modeltest.Reply{ToolCalls: []modeltest.ToolCall{call("c1", "lookup", `{"q":"1"}`)}},
		modeltest.Reply{Text: "ok", Repeat: true},
	)
}

// heap is the size of the reachable memory in bytes, without pools.
func heap() uint64 {
	synctest.Wait()
	for range 3 {
		runtime.GC()
	}
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

func TestASessionThatWaitsForAPersonDoesNotRest(t *testing.T) {
	inBubble(t, vfs.NewMem(), func(d *desk) {
		d.stop()
		d.start(registry.Options{IdleTimeout: time.Minute})
		s := d.create(tools("lookup"))
		s.send("go")
		e := s.until("external_tool.requested")
		time.Sleep(time.Hour)
		if !s.reply(field(e, "requestId"), `"result":"r"`) {
			t.Error("the answer was not taken")
		}
		s.until("session.idle")
		if got, want := d.conversation(), "user: go\nassistant: [lookup {\"q\":\"1\"}]\ntool: r\n"; got != want {
			t.Errorf("the model read:\n%s\nwant:\n%s", got, want)
		}
	},
		modeltest.Reply{ToolCalls: []modeltest.ToolCall{call("c1", "lookup", `{"q":"1"}`)}},
		modeltest.Reply{Text: "ok", Repeat: true},
	)
}

// Callers that open one new session at the same time all get it, also if the first of them
// is refused.
func TestOpenAtTheSameTime(t *testing.T) {
	inBubble(t, vfs.NewMem(), func(d *desk) {
		refused := brief
		refused.Agent = "nobody"
		var opening sync.WaitGroup
		for i := range 8 {
			cfg := brief
			if i%2 == 0 {
				cfg = refused
			}
			opening.Go(func() {
				c, err := d.reg.Open(context.Background(), cfg, nil, nil)
				if want := cfg.Agent == ""; (err == nil) != want {
					t.Errorf("Open with agent %q: %v", cfg.Agent, err)
				}
				if c != nil {
					d.sit(c)
				}
			})
		}
		opening.Wait()
		if stored := d.stored("s1"); count(stored, "session.start") != 1 || count(stored, "session.resume") != 3 {
			t.Errorf("want one start and three resumes:\n%s", types(stored))
		}
	})
}
