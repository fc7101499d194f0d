package approval

import (
	"testing"

	"github.com/sidestick-dev/sidestick/internal/agent"
	"github.com/sidestick-dev/sidestick/internal/permit"
)

// The mode of an agent's permissions makes decisions stricter, and never allows anything.
func TestTheModeOfAnAgentOnlyMakesDecisionsStricter(t *testing.T) {
	allowed, denied := &permit.Answer{Outcome: permit.Approved}, &permit.Answer{Outcome: permit.Forbidden, Why: "a rule"}
	look := permit.Command{Programs: []permit.Program{{Name: "ls", ReadOnly: true}}}
	for _, tc := range []struct {
		mode    agent.Mode
		request permit.Request
		decided *permit.Answer
		want    permit.Outcome
	}{
		{"", permit.Request{Kind: permit.Write}, allowed, permit.Approved},
		{agent.Planning, permit.Request{Kind: permit.Write}, allowed, permit.Forbidden},
		{agent.Planning, permit.Request{Kind: permit.Write}, nil, permit.Forbidden},
		{agent.Planning, permit.Request{Kind: permit.Read}, allowed, permit.Approved},
		{agent.Planning, permit.Request{Kind: permit.Read}, nil, permit.Forbidden},
		{agent.Planning, permit.Request{Kind: permit.Read}, denied, permit.Forbidden},
		{agent.Planning, permit.Request{Kind: permit.Shell, Command: look}, allowed, permit.Approved},
		{agent.Planning, permit.Request{Kind: permit.Shell, Command: permit.Command{Programs: []permit.Program{{Name: "rm"}}}}, allowed, permit.Forbidden},
		{agent.Planning, permit.Request{Kind: permit.MCP}, allowed, permit.Forbidden},
		{agent.Planning, permit.Request{Kind: permit.CustomTool}, allowed, permit.Forbidden},
		{agent.Unasking, permit.Request{Kind: permit.Write}, allowed, permit.Approved},
		{agent.Unasking, permit.Request{Kind: permit.Write}, nil, permit.Forbidden},
	} {
		if got := withMode(tc.mode, &tc.request, tc.decided); got == nil || got.Outcome != tc.want {
			t.Errorf("%q, %s, %+v: got %+v, want %v", tc.mode, tc.request.Kind, tc.decided, got, tc.want)
		}
	}
}
