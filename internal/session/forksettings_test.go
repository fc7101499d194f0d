package session_test

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sidestick-dev/sidestick/internal/model/modeltest"
	"github.com/sidestick-dev/sidestick/internal/permit"
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
	return map[string]string{"mode": string(mode), "model": model, "effort": effort, "name": name}
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
