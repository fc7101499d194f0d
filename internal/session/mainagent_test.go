package session_test

import (
	"strings"
	"testing"

	"github.com/sidestick-dev/sidestick/internal/testing/modeltest"
	"github.com/sidestick-dev/sidestick/internal/vfs"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// The agent that a client chooses decides on the model, its effort, the tools and the
// instructions of every call.
func TestTheMainAgentDecidesOnItsCalls(t *testing.T) {
	inBubble(t, vfs.NewMem(), func(d *desk) {
		cfg := tools("lookup", "deploy", "plan")
		cfg.Model, cfg.ReasoningEffort = "large", "high"
		cfg.CustomAgents = []wire.CustomAgent{{
			Name: "reviewer", Prompt: "Review.", Tools: []string{"lookup", "custom:deploy"}, Model: "small", ReasoningEffort: "low",
		}}
		cfg.Agent, cfg.DefaultAgent = "reviewer", &wire.DefaultAgent{ExcludedTools: []string{"deploy"}}
		s := d.create(cfg)
		s.send("go")
		s.until("session.idle")
		request := string(d.model.Requests()[0].Raw)
		for want, there := range map[string]bool{
			`"model":"small"`: true, `"reasoning_effort":"low"`: true, "Review.": true,
			`"name":"lookup"`: true, `"name":"deploy"`: false, `"name":"plan"`: false,
		} {
			if strings.Contains(request, want) != there {
				t.Errorf("%s is in the request: %v, want %v:\n%s", want, !there, there, request)
			}
		}
	}, modeltest.Reply{Text: "ok"})
}
