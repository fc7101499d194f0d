package mcp

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/sidestick-dev/sidestick/internal/tool"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

func TestResults(t *testing.T) {
	bubble(t, []string{"s"}, func(t *testing.T, h *fakeHost, _ *inMemory, s *Set) {
		s.Await(t.Context())
		run := func(name string) tool.Result {
			return called(t, s, "s-"+name).Run(t.Context(), tool.Call{ID: "c1", Name: "s-" + name, Arguments: json.RawMessage(`{}`)})
		}
		h.meta = map[string]any{"k": "v"}
		if res := run("echo_meta"); res.Outcome != tool.Success || res.Text != `{"k":"v"}` || res.Contents != nil {
			t.Errorf("a text: %+v", res)
		}
		mixed := run("mixed")
		if want := "first\n[resource a: file:///a]\nof a resource\n[resource test://c of type application/zip, 3 bytes, which cannot be shown]\n[a sound of type audio/wav, 4 bytes, which cannot be shown]"; mixed.Text != want {
			t.Errorf("mixed: %s", cmp.Diff(want, mixed.Text))
		}
		if len(mixed.Files) != 1 || mixed.Files[0].Path != "s-mixed-1.png" || len(mixed.Contents) != 5 {
			t.Errorf("pictures %+v, %d blocks", mixed.Files, len(mixed.Contents))
		}
		encoded, err := wire.Marshal(wire.ToolResult{Content: "x", Contents: mixed.Contents})
		want := `{"content":"x","contents":[{"type":"text","text":"first"},{"type":"resource_link","name":"a","uri":"file:///a"},` +
			`{"type":"resource","resource":{"mimeType":"text/plain","text":"of a resource","uri":"test://b"}},` +
			`{"type":"resource","resource":{"blob":"emlw","mimeType":"application/zip","uri":"test://c"}},{"type":"audio","data":"YmVlcA==","mimeType":"audio/wav"}]}`
		if diff := cmp.Diff(want, string(encoded)); diff != "" || err != nil {
			t.Errorf("blocks (-want +got):\n%s%v", diff, err)
		}
		if res := run("structured"); res.Text != `{"n":1}` || string(res.Structured) != `{"n":1}` {
			t.Errorf("structured: %+v", res)
		}
		if res := run("fails"); res.Outcome != tool.Failure || res.Text != "no such table" {
			t.Errorf("a failure: %+v", res)
		}
		if res := run("asks"); res.Outcome != tool.Failure || !strings.Contains(res.Text, "elicitation") {
			t.Errorf("a question that cannot be asked: %+v", res)
		}
		if res := run("progress"); res.Text != "done" {
			t.Errorf("progress: %+v", res)
		}
		if diff := cmp.Diff([]string{"progress c1 1 of 3", "progress c1 2 of 3", "progress c1 3 of 3"}, h.seen("progress")); diff != "" {
			t.Errorf("reports (-want +got):\n%s", diff)
		}
	})
}

// A call ends with its time limit or its run, whatever the server does.
func TestACallCannotBeKept(t *testing.T) {
	bubble(t, []string{"s"}, func(t *testing.T, _ *fakeHost, _ *inMemory, s *Set) {
		s.Await(t.Context())
		begin := time.Now()
		res := called(t, s, "s-hangs").Run(t.Context(), tool.Call{Arguments: json.RawMessage(`{}`)})
		if took := time.Since(begin); res.Outcome != tool.Timeout || took != callTime {
			t.Errorf("after %v: %+v", took, res)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		begin = time.Now()
		res = called(t, s, "s-hangs").Run(ctx, tool.Call{Arguments: json.RawMessage(`{}`)})
		if took := time.Since(begin); res.Outcome != tool.Interrupted || took != time.Second {
			t.Errorf("an abort, after %v: %+v", took, res)
		}
		if res := called(t, s, "s-echo_meta").Run(t.Context(), tool.Call{Arguments: json.RawMessage(`{}`)}); res.Outcome != tool.Success {
			t.Errorf("the next call: %+v", res)
		}
		time.Sleep(time.Hour) // the server gives up
	})
}

func TestAServerAsksTheUser(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var asked Elicitation
		h := &fakeHost{cwd: "/", asker: &client{elicit: func(_ context.Context, q Elicitation) (Answer, error) {
			asked = q
			return Answer{Action: "accept", Content: map[string]any{"which": "this"}}, nil
		}}}
		m := &inMemory{servers: map[string]*sdk.Server{"s": testServer()}}
		s := New(Options{Host: h, Transport: m.transport})
		s.Configure(Configuration{Servers: map[string]jsonText{"s": jsonText(`{"command":"x"}`)}})
		s.Await(t.Context())
		res := called(t, s, "s-asks").Run(t.Context(), tool.Call{ID: "c1", Arguments: json.RawMessage(`{}`)})
		if res.Text != "accept this" || asked.Mode != "form" || asked.ToolCallID != "c1" || asked.Message != "Which?" || !strings.Contains(string(asked.Schema), "which") {
			t.Errorf("the server got %+v for %+v", res, asked)
		}
		s.Close()
		m.end()
	})
}

// A server that waits for an answer gets one when the user aborts the call in which it asks, and
// can serve the next call.
func TestAQuestionEndsWithItsCall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := &fakeHost{cwd: "/", asker: &client{elicit: func(ctx context.Context, _ Elicitation) (Answer, error) {
			<-ctx.Done() // the user decides nothing
			return Answer{}, ctx.Err()
		}}}
		server, answered := testServer(), make(chan string, 1)
		sdk.AddTool(server, &sdk.Tool{Name: "insists"}, func(ctx context.Context, q *sdk.CallToolRequest, _ struct{}) (*sdk.CallToolResult, any, error) {
			a, err := q.Session.Elicit(context.WithoutCancel(ctx), &sdk.ElicitParams{Message: "Which?"})
			if err != nil {
				return nil, nil, err
			}
			answered <- a.Action
			return &sdk.CallToolResult{Content: []sdk.Content{}}, nil, nil
		})
		m := &inMemory{servers: map[string]*sdk.Server{"s": server}}
		s := New(Options{Host: h, Transport: m.transport})
		s.Configure(Configuration{Servers: map[string]jsonText{"s": jsonText(`{"command":"x"}`)}})
		s.Await(t.Context())
		ctx, abort := context.WithTimeout(t.Context(), time.Second)
		defer abort()
		if res := called(t, s, "s-insists").Run(ctx, tool.Call{ID: "c1", Arguments: json.RawMessage(`{}`)}); res.Outcome != tool.Interrupted {
			t.Errorf("the call: %+v", res)
		}
		synctest.Wait()
		select {
		case action := <-answered:
			if action != "cancel" {
				t.Errorf("the server got %q", action)
			}
		default:
			t.Error("the server still waits for an answer")
		}
		s.Close()
		m.end()
	})
}
