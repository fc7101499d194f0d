package server_test

import (
	"strings"
	"testing"
)

// The agent that a session talks to is one of its models, although no provider lists
// it, and even without a provider.
func TestModelsOfASessionWithAnAgent(t *testing.T) {
	for _, tc := range []struct {
		name   string
		setup  setup
		models int
	}{
		{"beside a provider", setup{}, 2}, {"without one", setup{NoProvider: true}, 1},
	} {
		t.Run(tc.name, func(t *testing.T) {
			inBubble(t, tc.setup, func(t *testing.T, p *process) {
				c := p.connect()
				c.call("session.create", `{"sessionId":"s1","model":"extension:https://agent.test/a"}`)
				list := string(c.call("session.model.list", `{"sessionId":"s1"}`))
				if !strings.Contains(list, `"id":"extension:https://agent.test/a"`) || strings.Count(list, `"id":`) != tc.models {
					t.Errorf("the models are %s, want %d, the agent among them", list, tc.models)
				}
			})
		})
	}
}
