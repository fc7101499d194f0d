package session_test

import (
	"context"
	"maps"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sidestick-dev/sidestick/internal/permit"
	"github.com/sidestick-dev/sidestick/internal/testing/modeltest"
	"github.com/sidestick-dev/sidestick/internal/vfs"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// settingsOf are the settings of a session as clients read them.
func settingsOf(t *testing.T, s *seat) map[string]string {
	t.Helper()
	mode, err := s.s.Settings().Mode(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	model, effort, err := s.s.Settings().Model(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	name, err := s.s.Settings().Name(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	permissions, err := s.s.Permissions().Mode(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	now, err := s.s.Snapshot(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return map[string]string{
		"mode": string(mode), "model": model, "effort": effort, "name": name, "permissions": string(permissions), "folder": now.WorkingDirectory,
	}
}

// Settings outlive a removal of history, in the session and in its forks: above all, an
// approval that was revoked in the removed part does not hold in a fork.
func TestAForkHasTheSettingsOfItsSource(t *testing.T) {
	asks := func(prompt string) modeltest.Reply {
		return modeltest.Reply{When: modeltest.LastIs(prompt), ToolCalls: []modeltest.ToolCall{call("c1", "ask", `{"q":"it"}`)}}
	}
	inBubble(t, vfs.NewMem(), func(d *desk) {
		ctx, cfg := context.Background(), tools("ask")
		s := d.create(cfg)
		if _, err := s.s.Permissions().SetMode(ctx, wire.ModeAssisted); err != nil {
			t.Fatal(err)
		}
		s.send("go")
		e := s.until("permission.requested")
		ok, err := s.s.Permissions().Answer(ctx, field(e, "requestId"), permit.Answer{Outcome: permit.Approved, Scope: permit.ForSession})
		if !ok || err != nil {
			t.Fatal(ok, err)
		}
		s.answer(`"result":"x"`)
		s.until("session.idle")
		s.talk("two")
		effort := "high"
		for what, err := range map[string]error{
			"approvals": s.s.Permissions().Reset(ctx, false), "mode": s.s.Settings().SetMode(ctx, "plan"), "name": s.s.Settings().SetName(ctx, "named"),
			"model": s.s.Settings().SwitchModel(ctx, wire.ModelSwitch{ModelID: "m2", ReasoningEffort: &effort}),
		} {
			if err != nil {
				t.Fatalf("setting the %s: %v", what, err)
			}
		}
		s.truncate(d.message("two"))
		if cfg.SessionID, err = d.reg.Fork(ctx, "s1", "", ""); err != nil {
			t.Fatal(err)
		}
		f := d.resume(cfg)
		if diff := cmp.Diff(settingsOf(t, s), settingsOf(t, f)); diff != "" {
			t.Errorf("the settings (-source +fork):\n%s", diff)
		}
		f.send("again")
		if f.rest(); count(f.told, "permission.requested") == 0 {
			t.Errorf("the fork uses an approval that was revoked in its source:\n%s", types(f.told))
		}
		if err := f.s.Abort(ctx, ""); err != nil {
			t.Error(err)
		}
		f.rest()
	}, asks("go"), asks("again"), modeltest.Reply{Text: "ok", Repeat: true})
}

// Each setting alone that changed in the removed part is that of the source in a fork, and
// the name that a fork is given replaces the source's.
func TestAForkHasEachSettingOfItsSource(t *testing.T) {
	ctx := context.Background()
	for name, change := range map[string]func(s *seat) error{
		"mode":        func(s *seat) error { return s.s.Settings().SetMode(ctx, "plan") },
		"name":        func(s *seat) error { return s.s.Settings().SetName(ctx, "named") },
		"model":       func(s *seat) error { return s.s.Settings().SwitchModel(ctx, wire.ModelSwitch{ModelID: "m2"}) },
		"effort":      func(s *seat) error { return s.s.Settings().SetReasoningEffort(ctx, "high") },
		"folder":      func(s *seat) error { _, err := s.s.Settings().SetWorkingDirectory(ctx, "/elsewhere"); return err },
		"permissions": func(s *seat) error { _, err := s.s.Permissions().SetMode(ctx, wire.ModeAssisted); return err },
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, vfs.NewMem(), func(d *desk) {
				if err := d.fs.MkdirAll("/elsewhere", 0o700); err != nil {
					t.Fatal(err)
				}
				s := d.create(brief)
				if err := s.s.Settings().SwitchModel(ctx, wire.ModelSwitch{ModelID: "m1"}); err != nil {
					t.Fatal(err)
				}
				s.talk("one")
				before := settingsOf(t, s)
				s.talk("two")
				if err := change(s); err != nil {
					t.Fatal(err)
				}
				s.truncate(d.message("two"))
				now := settingsOf(t, s)
				if now[name] == before[name] {
					t.Fatalf("the %s is %q as before: the test changes nothing", name, now[name])
				}
				for _, given := range []string{"", "copy"} {
					id, err := d.reg.Fork(ctx, "s1", "", given)
					if err != nil {
						t.Fatal(err)
					}
					want := maps.Clone(now)
					if given != "" {
						want["name"] = given
					}
					cfg := brief
					cfg.SessionID = id
					if diff := cmp.Diff(want, settingsOf(t, d.resume(cfg))); diff != "" {
						t.Errorf("the settings (-source +fork):\n%s", diff)
					}
				}
			}, modeltest.Reply{Text: "ok", Repeat: true})
		})
	}
}
