package session_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/sidestick-dev/sidestick/internal/session"
	"github.com/sidestick-dev/sidestick/internal/session/provider"
	"github.com/sidestick-dev/sidestick/internal/session/registry"
	"github.com/sidestick-dev/sidestick/internal/vfs"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// historyChange is something that happens between two messages of a session.
type historyChange struct {
	do func(d *desk, s *seat) *seat
	// kept is how many pieces of the reasoning before it go back with the next message, of the two
	// that there are: all of them, if what was sent is only continued.
	kept int
	// responses is kept for Responses if it is another number, plus one.
	responses int
}

// same is a change that the seat stays at.
func same(t *testing.T, f func(d *desk, s *seat) error) func(*desk, *seat) *seat {
	return func(d *desk, s *seat) *seat {
		if err := f(d, s); err != nil {
			t.Error(err)
		}
		return s
	}
}

func historyChanges(t *testing.T) map[string]historyChange {
	ctx := context.Background()
	settings := func(f func(session.Settings) error) func(*desk, *seat) *seat {
		return same(t, func(_ *desk, s *seat) error { return f(s.s.Settings()) })
	}
	withTools := func(list ...wire.Tool) func(*desk, *seat) *seat {
		return same(t, func(_ *desk, s *seat) error { return s.client.Tools().Set(ctx, list) })
	}
	look := tools("look").Tools[0]
	changed := look
	changed.Description = "looks closely"
	return map[string]historyChange{
		"nothing": {do: same(t, func(*desk, *seat) error { return nil }), kept: 2},
		"a resume": {do: func(d *desk, s *seat) *seat {
			d.stop()
			d.start(d.opts)
			cfg := reasoningSession(s.s.ID())
			return d.resumeWith(cfg, noting)
		}, kept: 2},
		"a mode and back": {do: settings(func(t session.Settings) error {
			if err := t.SetMode(ctx, "plan"); err != nil {
				return err
			}
			return t.SetMode(ctx, "interactive")
		}), kept: 2},
		"plan mode":           {do: settings(func(t session.Settings) error { return t.SetMode(ctx, "plan") })},
		"another directory":   {do: settings(func(t session.Settings) error { _, err := t.SetWorkingDirectory(ctx, "/work/sub"); return err })},
		"another effort":      {do: settings(func(t session.Settings) error { return t.SetReasoningEffort(ctx, "high") }), kept: 2, responses: 1},
		"a tool more":         {do: withTools(look, wire.Tool{Name: "other", Description: "does other"})},
		"a tool changed":      {do: withTools(changed)},
		"the same tool again": {do: withTools(look), kept: 2},
		"new instructions": {do: func(d *desk, s *seat) *seat {
			d.file("/work/AGENTS.md", "Be brief.\n")
			return s
		}},
		"an agent": {do: same(t, func(_ *desk, s *seat) error {
			_, err := s.s.Agents().Select(ctx, "scout")
			return err
		})},
		"a compaction": {do: same(t, func(_ *desk, s *seat) error { _, err := s.s.Compaction().Run(ctx, ""); return err })},
		"a rewind": {do: func(d *desk, s *seat) *seat {
			s.ask("Once more.")
			s.truncate(d.message("Once more."))
			return s
		}, kept: 2},
		"a message meanwhile": {do: func(_ *desk, s *seat) *seat {
			s.send("Once more.")
			s.until("external_tool.requested")
			requested := field(s.told[len(s.told)-1], "requestId")
			if _, err := s.s.Send(ctx, wire.Send{Prompt: "Look there, too.", Mode: "immediate"}); err != nil {
				t.Error(err)
			}
			s.reply(requested, `"result":"seen it"`)
			s.until("session.idle")
			return s
		}, kept: 4},
		"an idle hour": {do: func(_ *desk, s *seat) *seat { time.Sleep(time.Hour); return s }, kept: 2}, // the conversation leaves memory
	}
}

// noting is a client whose hooks add to the conversation.
var noting, _ = hooking(map[string]any{
	"userPromptSubmitted": map[string]any{"additionalContext": "by the way"},
	"postToolUse":         map[string]any{"additionalContext": "check it"},
	"preToolUse":          map[string]any{"modifiedArgs": map[string]any{"q": "that"}},
})

func reasoningSession(id string) wire.Config {
	cfg := whole(tools("look"))
	cfg.SessionID, cfg.Hooks, cfg.ReasoningEffort = id, yes(), "low"
	cfg.CustomAgents = []wire.CustomAgent{{Name: "scout", Prompt: "You look."}}
	return cfg
}

// talking answers as looks does, and summarises.
func talking(n int, r *asked) said {
	if strings.Contains(r.parts[len(r.parts)-1].json, "Please create a detailed summary") {
		return said{text: "<overview>All about it.</overview>"}
	}
	return looks(n, r)
}

// Whatever changes what a model reads: reasoning goes back only if everything before it is as the
// model read it then, byte for byte. [vendors] checks that of every request.
func TestNothingBeforeReasoningChanges(t *testing.T) {
	for _, v := range theVendors() {
		for name, tc := range historyChanges(t) {
			t.Run(v.name+"/"+name, func(t *testing.T) {
				amongVendors(t, talking, func(d *desk, models *vendors) {
					if err := d.fs.MkdirAll("/work/sub", 0o755); err != nil {
						t.Fatal(err)
					}
					cfg := reasoningSession("s1")
					cfg.Model = v.id()
					s := d.createWith(cfg, noting)
					s.ask("Look.")
					s = tc.do(d, s)
					before := len(models.requests)
					s.ask("And now?")
					checkKept(t, v, tc, models, before)
					s.ask("And then?")
					if v.name != "plain" && len(models.signs(-1)) < 2 {
						t.Errorf("later reasoning does not go back: %v", models.signs(-1))
					}
				})
			})
		}
	}
}

// checkKept checks the reasoning in a request, the first after a change.
func checkKept(t *testing.T, v vendor, tc historyChange, models *vendors, request int) {
	t.Helper()
	want := tc.kept
	switch {
	case !v.sealed:
		return // what goes back is not bound to anything
	case v.name == "responses" && tc.responses > 0:
		want = tc.responses - 1
	}
	if got := models.signs(request); len(got) != want {
		t.Errorf("%d pieces of reasoning go back, %v, want %d:\n%s", len(got), got, want, models.request(request).body)
	}
}

// Old results that are shortened change what comes before later reasoning, which is left out.
func TestShortenedResultsLeaveReasoningOut(t *testing.T) {
	long := strings.Repeat("seen it ", 1000)
	for _, v := range theVendors() {
		models := &vendors{t: t, answers: talking}
		narrow := func(name string) (provider.Provider, bool) {
			p, ok := vendorNamed(name)
			p.ContextTokens = 12_000
			return p, ok
		}
		bubble(t, &desk{fs: vfs.NewMem(), calls: models, opts: registry.Options{Named: narrow}}, func(d *desk) {
			cfg := whole(tools("look"))
			cfg.Model = v.id()
			cfg.SystemMessage = &wire.SystemMessageSet{Mode: "replace", Content: "Be brief."}
			s := d.create(cfg)
			for i := range 8 {
				s.send(fmt.Sprint("Look ", i))
				s.answer(`"result":"` + long + `"`)
				s.until("session.idle")
			}
			if n := count(s.told, "session.truncation"); n == 0 {
				t.Errorf("%s: nothing was shortened", v.name)
			}
		})
	}
}
