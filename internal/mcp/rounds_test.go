package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/sidestick-dev/sidestick/internal/tool"
)

// asksInRounds is a server of protocol 2026-07-28 whose tool asks some things in each of some rounds.
func asksInRounds(rounds, things int) *sdk.Server {
	s := sdk.NewServer(&sdk.Implementation{Name: "s", Version: "1"}, nil)
	round := 0
	s.AddTool(&sdk.Tool{Name: "asks", InputSchema: json.RawMessage(`{"type":"object"}`)}, func(_ context.Context, q *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		if round > 0 && (q.Params.RequestState != fmt.Sprint("state ", round) || len(q.Params.InputResponses) != things) {
			return nil, fmt.Errorf("in round %d it got %q and %d answers", round, q.Params.RequestState, len(q.Params.InputResponses))
		}
		if round == rounds {
			return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: "done"}}}, nil
		}
		round++
		asked := sdk.InputRequestMap{}
		for i := range things {
			asked[fmt.Sprint(i)] = &sdk.ElicitParams{Message: "Which?", RequestedSchema: map[string]any{"type": "object", "properties": map[string]any{"which": map[string]any{"type": "string"}}}}
		}
		return &sdk.CallToolResult{InputRequests: asked, RequestState: fmt.Sprint("state ", round)}, nil
	})
	return s
}

// A server of the newest protocol asks with its answer. The person may take longer than a call, and the rounds are bounded.
func TestAServerAsksInRounds(t *testing.T) {
	for _, tc := range []struct {
		rounds, things int
		want           string
	}{
		{2, 2, "done"},
		{maxRounds, 1, "done"},
		{maxRounds + 1, 1, "more than 10 rounds"},
		{1, maxAsked, "done"},
		{1, maxAsked + 1, "more than 10 things"},
		{maxEmpty, 0, "done"},
		{maxEmpty + 1, 0, "put the request off 3 times"},
	} {
		t.Run(fmt.Sprintf("%d rounds of %d", tc.rounds, tc.things), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := &fakeHost{cwd: "/", asker: &client{elicit: func(_ context.Context, q Elicitation) (Answer, error) {
					time.Sleep(callTime * 2 / 3) // a person
					if q.ToolCallID != "c1" {
						t.Errorf("it is asked for %q", q.ToolCallID)
					}
					return Answer{Action: "accept", Content: map[string]any{"which": "this"}}, nil
				}}}
				m := &inMemory{servers: map[string]*sdk.Server{"s": asksInRounds(tc.rounds, tc.things)}}
				s := New(Options{Host: h, Transport: m.transport})
				s.Configure(Configuration{Servers: map[string]jsonText{"s": jsonText(`{"command":"x"}`)}})
				s.Await(t.Context())
				h.meta = map[string]any{"k": "v", sdk.MetaKeyProtocolVersion: "2024-11-05"} // of a hook
				if res := called(t, s, "s-asks").Run(t.Context(), tool.Call{ID: "c1", Arguments: json.RawMessage(`{}`)}); !strings.Contains(res.Text, tc.want) {
					t.Errorf("%+v, want %q", res, tc.want)
				}
				s.Close()
				m.end()
			})
		})
	}
}

// Tools that run only as tasks are left out by name.
func TestToolsThatRunOnlyAsTasks(t *testing.T) {
	var tasks onlyTasks
	tasks.note([]byte(`{"jsonrpc":"2.0","id":1,"result":{"tools":[{"name":"slow","execution":{"taskSupport":"required"}},{"name":"may","execution":{"taskSupport":"optional"}}]}}`))
	if !tasks.has("slow") || tasks.has("may") || tasks.has("other") {
		t.Errorf("%v", tasks.names)
	}
}
