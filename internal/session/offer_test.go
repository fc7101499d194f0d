package session_test

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sidestick-dev/sidestick/internal/permit"
	"github.com/sidestick-dev/sidestick/internal/testing/modeltest"
	"github.com/sidestick-dev/sidestick/internal/vfs"
)

// An approval without rules of its own allows exactly what was offered.
func TestAnOfferIsWhatAnApprovalAllows(t *testing.T) {
	inBubble(t, vfs.NewMem(), func(d *desk) {
		ctx := context.Background()
		s := d.create(tools("ask"))
		s.send("go")
		id := field(s.until("permission.requested"), "requestId")
		offer, err := s.s.Permissions().Offer(ctx, id)
		want := []permit.Rule{{Kind: permit.CustomTool, Argument: "ask"}}
		if err != nil || !cmp.Equal(offer.Rules, want) || offer.Location.LocationKey == "" || offer.Folders.Primary == "" {
			t.Fatalf("Offer = %+v, %v; want %v", offer, err, want)
		}
		if ok, err := s.s.Permissions().Answer(ctx, id, permit.Answer{Outcome: permit.Approved, Scope: permit.ForSession}); !ok || err != nil {
			t.Fatalf("AnswerPermission = %v, %v", ok, err)
		}
		s.answer(`"result":"done"`)
		s.until("session.idle")
		want[0].From = "approved for this session"
		if r, err := s.s.Permissions().Rules(ctx); err != nil || !cmp.Equal(r.Allow, want) {
			t.Errorf("Rules allow %v, %v; want %v", r.Allow, err, want)
		}
		if offer, err := s.s.Permissions().Offer(ctx, id); err != nil || offer.Rules != nil {
			t.Errorf("a question that is answered offers %+v, %v", offer, err)
		}
	}, modeltest.Reply{ToolCalls: []modeltest.ToolCall{call("c1", "ask", `{"q":"x"}`)}}, modeltest.Reply{Text: "ok"})
}
