//lint:file-ignore SA1019 servers use sampling, although the newest version of the protocol advises against it.

package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/sidestick-dev/sidestick/internal/tool"
)

// samples is a server with a tool that has a model answer several requests at once, and returns what came of them.
func samples(several int) *sdk.Server {
	s := sdk.NewServer(&sdk.Implementation{Name: "samples", Version: "1"}, older)
	type none struct{}
	sdk.AddTool(s, &sdk.Tool{Name: "ask"}, func(ctx context.Context, q *sdk.CallToolRequest, _ none) (*sdk.CallToolResult, any, error) {
		texts := make([]string, several)
		var all sync.WaitGroup
		for i := range several {
			all.Go(func() {
				res, err := q.Session.CreateMessage(ctx, &sdk.CreateMessageParams{MaxTokens: 5, Messages: []*sdk.SamplingMessage{{Role: "user", Content: &sdk.TextContent{Text: "Say hi."}}}})
				if err != nil {
					texts[i] = err.Error()
					return
				}
				texts[i] = res.Model + ": " + res.Content.(*sdk.TextContent).Text
			})
		}
		all.Wait()
		return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: strings.Join(texts, "\n")}}}, nil, nil
	})
	return s
}

func TestAServerAsksAModel(t *testing.T) {
	for name, tc := range map[string]struct {
		answer string
		err    error
		want   string
	}{
		"answered":      {`{"role":"assistant","model":"m","content":{"type":"text","text":"Hi."}}`, nil, "m: Hi."},
		"refused":       {"", nil, "rejected the sampling request"},
		"nobody":        {"", tool.ErrNobody, "no client of this session"},
		"failed":        {"", errors.New("the session is closing"), "the session is closing"},
		"no message":    {`{}`, nil, "with no message"},
		"another thing": {`[]`, nil, "with no message"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var asked Sampling
				h := &fakeHost{cwd: "/", asker: &client{sample: func(_ context.Context, q Sampling) (json.RawMessage, error) {
					asked = q
					if tc.answer == "" {
						return nil, tc.err
					}
					return json.RawMessage(tc.answer), tc.err
				}}}
				res := sampling(t, h, 1)
				if !strings.Contains(res.Text, tc.want) || asked.AgentID != "agent-1" || asked.Number != 1 || !strings.Contains(string(asked.Params), "Say hi.") {
					t.Errorf("%q for %+v", res.Text, asked)
				}
			})
		})
	}
}

// A server cannot keep the clients busy with requests.
func TestAServerAsksForTooMuch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hold := make(chan struct{})
		h := &fakeHost{cwd: "/", asker: &client{sample: func(ctx context.Context, _ Sampling) (json.RawMessage, error) {
			select {
			case <-hold:
			case <-ctx.Done():
			}
			return nil, nil
		}}}
		go func() { synctest.Wait(); close(hold) }()
		res := sampling(t, h, maxSamplings+3)
		if got := strings.Count(res.Text, "open already"); got != 3 {
			t.Errorf("%d of %d were refused: %s", got, maxSamplings+3, res.Text)
		}
	})
}

// sampling runs the tool of the server.
func sampling(t *testing.T, h *fakeHost, several int) tool.Result {
	t.Helper()
	m := &inMemory{servers: map[string]*sdk.Server{"s": samples(several)}}
	s := New(Options{Host: h, Transport: m.transport})
	s.Configure(Configuration{Servers: map[string]jsonText{"s": jsonText(`{"command":"x"}`)}})
	s.Await(t.Context())
	res := called(t, s, "s-ask").Run(t.Context(), tool.Call{ID: "c1", AgentID: "agent-1", Arguments: json.RawMessage(`{}`)})
	s.Close()
	m.end()
	return res
}

func TestReadSample(t *testing.T) {
	got, err := ReadSample(json.RawMessage(`{"systemPrompt":"Be brief.","maxTokens":7,"messages":[
		{"role":"user","content":[{"type":"text","text":"What is"},{"type":"text","text":"this?"},{"type":"image","data":"QQ==","mimeType":"image/png"}]},{"role":"assistant","content":{"type":"text","text":"A."}}]}`))
	want := SampleRequest{System: "Be brief.", MaxTokens: 7, Turns: []Turn{{Text: "What is\nthis?", Pictures: []string{"data:image/png;base64,QQ=="}}, {Assistant: true, Text: "A."}}}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Error(diff, err)
	}
	for params, want := range map[string]string{
		`{}`: "no messages", `[]`: "cannot be read", `{"messages":[{"role":"user"}]}`: "cannot be read", `{"messages":[{"role":"system","content":{"type":"text"}}]}`: "role",
		`{"messages":[{"role":"user","content":{"type":"audio"}}]}`: `"audio"`, `{"messages":[{"role":"user","content":{"type":"text"}}],"tools":[{}]}`: "tools",
	} {
		if _, err := ReadSample(json.RawMessage(params)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", params, err, want)
		}
	}
}

func TestExecutions(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := &inMemory{servers: map[string]*sdk.Server{"s": testServer()}}
		s := New(Options{Host: &fakeHost{cwd: "/"}, Transport: m.transport})
		s.Configure(Configuration{Servers: map[string]jsonText{"s": jsonText(`{"command":"x"}`)}})
		s.Await(t.Context())
		if _, _, err := s.Execution(t.Context(), "e", "other"); err == nil {
			t.Error("for a server that is not connected")
		}
		ctx, end, err := s.Execution(t.Context(), "e0", "s")
		if err != nil {
			t.Fatal(err)
		}
		if _, _, err := s.Execution(t.Context(), "e0", "s"); err == nil {
			t.Error("twice with one id")
		}
		for i := 1; i < maxSamplings; i++ {
			if _, _, err := s.Execution(t.Context(), fmt.Sprint("e", i), "s"); err != nil {
				t.Error(err)
			}
		}
		if _, _, err := s.Execution(t.Context(), "one more", "s"); err == nil {
			t.Error("there is no bound")
		}
		if !s.CancelExecution("e0") || ctx.Err() == nil || s.CancelExecution("other") {
			t.Error("canceling")
		}
		end()
		if s.CancelExecution("e0") {
			t.Error("after its end")
		}
		s.Close()
		m.end()
	})
}
