//go:build unix

package torture_test

import "github.com/sidestick-dev/sidestick/internal/testing/modeltest"

// replies is what the model says in the sessions: calls where a step wants them,
// else a text.
func replies(v variant, sessions []*talk) []modeltest.Reply {
	var all []modeltest.Reply
	for _, t := range sessions {
		if v.scene != nil {
			all = append(all, v.scene.replies(t)...)
			continue
		}
		toStall := modeltest.LastIs(t.mark("stall"))
		stall := modeltest.Reply{When: func(r *modeltest.Request) bool { return !t.again.Load() && toStall(r) }, Text: filler(max(v.text, 64)), StallAfter: 2}
		if !v.streaming {
			stall = modeltest.Reply{When: stall.When, Silent: true}
		}
		all = append(all, stall,
			modeltest.Reply{When: modeltest.LastIs(t.mark("one")), Repeat: true, Text: "Let me see.", ToolCalls: t.calls("one", 1, true)},
			modeltest.Reply{When: modeltest.LastIs(t.mark("many")), Repeat: true, ToolCalls: t.calls("many", v.calls, v.asks)},
			modeltest.Reply{When: modeltest.LastIs(t.mark("change")), Repeat: true, ToolCalls: t.calls("change", 1, true)},
		)
	}
	return append(all, modeltest.Reply{Repeat: true, Text: "Done. " + filler(v.text), Piece: max(16, v.text/8)})
}

// calls are n calls; asks says whether somebody has to be asked about them.
func (t *talk) calls(step string, n int, asks bool) []modeltest.ToolCall {
	names := []string{"left", "right"}
	if asks {
		names = []string{"probe"}
	}
	var all []modeltest.ToolCall
	for i := range n {
		all = append(all, modeltest.ToolCall{
			ID: t.id + "-" + step + "-" + string(rune('a'+i)), Name: names[i%len(names)], Arguments: `{"at":"` + step + `"}`,
		})
	}
	return all
}
