package e2e_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sidestick-dev/sidestick/internal/client"
	"github.com/sidestick-dev/sidestick/internal/eventlog/files"
	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/model"
	"github.com/sidestick-dev/sidestick/internal/model/modeltest"
	"github.com/sidestick-dev/sidestick/internal/server"
	"github.com/sidestick-dev/sidestick/internal/session"
	"github.com/sidestick-dev/sidestick/internal/tool"
	"github.com/sidestick-dev/sidestick/internal/vfs"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// recordings is where they lie beside a developer's checkout; users have none.
const recordings = "../../shared/recordings"

// replayed are the suites whose conversations this version can hold.
var replayed = []string{"session", "streaming_fidelity", "tools", "tool_results", "multi_turn", "event_fidelity", "client_api"}

// excluded are the recordings of those suites that need what is not here yet. A
// recording that can be replayed after all fails the test until its line is gone.
var excluded = map[string]string{
	"session/should_accept_blob_attachments": "shows an image to the model",
}

// TestRecordedConversations holds each recorded conversation again: the same
// prompts, and tools that give the recorded results; where the recorded runtime
// had tools of its own, such as view, the client brings them here. Every request
// that the model gets must be one that the recording knows, and the answers come
// out whole.
func TestRecordedConversations(t *testing.T) {
	if _, err := os.Stat(recordings); err != nil {
		t.Skipf("the recordings are not here (%s); they are test data of the developers", recordings)
	}
	count := 0
	for _, suite := range replayed {
		found, err := filepath.Glob(filepath.Join(recordings, suite, "*.yaml"))
		if err != nil || len(found) == 0 {
			t.Fatalf("no recordings of the suite %s: %v", suite, err)
		}
		for _, file := range found {
			name := suite + "/" + strings.TrimSuffix(filepath.Base(file), ".yaml")
			rec, err := modeltest.LoadRecording(file)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if excluded[name] == "" {
				count++
			}
			t.Run(name, func(t *testing.T) {
				problem := replay(t, rec)
				switch why := excluded[name]; {
				case why == "" && problem != "":
					t.Error(problem)
				case why != "" && problem == "":
					t.Errorf("it can be replayed, although it %s; take it off the list", why)
				}
			})
		}
	}
	t.Logf("%d recordings replayed, %d excluded", count, len(excluded))
}

// way is how a conversation is held.
type way struct {
	streaming bool
	resuming  bool // with a new process for each prompt
}

// replay holds every conversation of a recording that is not the beginning of
// another, in every way it can be, and returns what went wrong.
func replay(t *testing.T, rec *modeltest.Recording) (problem string) {
	for i, conversation := range rec.Conversations {
		if continued(rec, i) {
			continue
		}
		ways := []way{{}}
		if !multipleChoices(rec) { // a stream of the recording proxy has one choice only
			ways = append(ways, way{streaming: true})
		}
		if len(prompts(conversation)) > 1 {
			ways = append(ways, way{resuming: true})
		}
		for _, w := range ways {
			synctest.Test(t, func(t *testing.T) {
				problem = hold(t, rec, conversation, w)
			})
			if problem != "" {
				return fmt.Sprintf("conversation %d, %+v: %s", i, w, problem)
			}
		}
	}
	return ""
}

// multipleChoices reports whether an answer was recorded in several parts.
func multipleChoices(rec *modeltest.Recording) bool {
	for _, c := range rec.Conversations {
		for i := 1; i < len(c); i++ {
			if c[i].Role == "assistant" && c[i-1].Role == "assistant" {
				return true
			}
		}
	}
	return false
}

// continued reports whether a later conversation goes on from the prompts of
// conversation i: recordings hold one for each request where an answer had parts.
func continued(rec *modeltest.Recording, i int) bool {
	mine := prompts(rec.Conversations[i])
	for _, later := range rec.Conversations[i+1:] {
		theirs := prompts(later)
		if len(theirs) >= len(mine) && slices.Equal(theirs[:len(mine)], mine) {
			return true
		}
	}
	return false
}

func prompts(conversation []modeltest.Message) (out []string) {
	for _, m := range conversation {
		if m.Role == "user" {
			out = append(out, m.Content)
		}
	}
	return out
}

// hold plays one conversation through a server and returns what went wrong.
func hold(t *testing.T, rec *modeltest.Recording, conversation []modeltest.Message, w way) string {
	player := modeltest.Play(rec, "/work")
	defer player.Close()
	h := &holder{disk: vfs.NewMem(), player: player, results: results(conversation), config: client.Config{
		ID: "recorded", Params: map[string]any{"tools": definitions(conversation), "streaming": w.streaming, "requestPermission": true},
	}}
	defer func() { h.end() }()
	h.begin(t)
	for i, prompt := range prompts(conversation) {
		if w.resuming && i > 0 {
			h.end()
			h.begin(t)
		}
		if err := h.ask(t.Context(), prompt); err != nil {
			return fmt.Sprintf("%v\n%s", err, player.Mismatch())
		}
	}
	if m := player.Mismatch(); m != "" {
		return m
	}
	if want := lastAnswer(conversation); h.said != want {
		return fmt.Sprintf("the last answer is %q, want %q", h.said, want)
	}
	return ""
}

// begin starts a server whose model is the player, as one process runs it, and
// enters the session there.
func (h *holder) begin(t *testing.T) {
	t.Helper()
	store, err := files.Open(files.Options{Root: "/home/session-state", FS: h.disk})
	if err != nil {
		t.Fatal(err)
	}
	quiet := slog.New(slog.DiscardHandler)
	models := model.New(model.Options{Transport: h.player.Transport(), Logger: quiet, Retry: model.Retry{Attempts: 1}})
	provider := session.Provider{Endpoint: model.Endpoint{Kind: model.Copilot, BaseURL: "http://recorded.test", BearerToken: "t"}}
	sessions := session.NewRegistry(session.Options{Store: store, Model: models, Version: "test", Provider: provider, Cwd: "/work", FS: h.disk})
	srv := server.New(server.Options{Sessions: sessions, Models: models, Provider: provider, Version: "test"})
	near, far := net.Pipe()
	served := make(chan error, 1)
	go func() { served <- srv.Serve(context.Background(), far) }()
	h.c = client.New(near, client.Options{Logger: quiet})
	h.end = func() {
		_ = h.c.Close()                                                            // the server says how it ended
		if err := <-served; err != nil && fault.KindOf(err) != fault.Unavailable { // the client may hang up first
			t.Errorf("Serve: %v", err)
		}
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		if err := sessions.Close(ctx); err != nil {
			t.Error(err)
		}
	}
	enter := h.c.CreateSession
	if h.s != nil {
		enter = h.c.ResumeSession
	}
	if h.s, err = enter(t.Context(), h.config); err != nil {
		t.Fatal(err)
	}
}

// definitions are the tools that a conversation calls, all but the one that the
// recorded runtime did not have either.
func definitions(conversation []modeltest.Message) []map[string]any {
	seen, defs := map[string]bool{"report_intent": true}, []map[string]any{}
	for _, m := range conversation {
		for _, c := range m.ToolCalls {
			if !seen[c.Name] {
				seen[c.Name] = true
				defs = append(defs, map[string]any{"name": shell.Replace(c.Name), "description": "recorded"})
			}
		}
	}
	return defs
}

// shell gives the shell tools the names that they have on Unix.
var shell = strings.NewReplacer("${shell}", "bash", "${read_shell}", "read_bash", "${write_shell}", "write_bash")

// results are the recorded results by tool, in the order of the calls. A call
// without one was rejected.
func results(conversation []modeltest.Message) map[string][]*string {
	byID := map[string]*string{}
	for _, m := range conversation {
		if m.Role == "tool" {
			byID[m.ToolCallID] = &m.Content
		}
	}
	out := map[string][]*string{}
	for _, m := range conversation {
		for _, c := range m.ToolCalls {
			name := shell.Replace(c.Name)
			out[name] = append(out[name], byID[c.ID])
		}
	}
	return out
}

// lastAnswer is what was said last, its parts joined; "" if a prompt had no answer.
func lastAnswer(conversation []modeltest.Message) (text string) {
	for _, m := range slices.Backward(conversation) {
		if m.Role != "assistant" {
			break
		}
		text = m.Content + text
	}
	return text
}

// holder is the client of a replayed conversation.
type holder struct {
	disk    *vfs.Mem
	player  *modeltest.Player
	config  client.Config
	results map[string][]*string

	c    *client.Client
	s    *client.Session
	end  func() // ends the connection and the process behind it
	said string // the content of the last message
}

// ask sends a prompt and answers what is asked until the run is over. A run whose
// model was recorded without an answer is given up. The error is the session's
// own, if it had one.
func (h *holder) ask(ctx context.Context, prompt string) (failed error) {
	h.said = ""
	if _, err := h.s.Send(ctx, prompt); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, time.Hour)
	defer cancel()
	waiting := time.AfterFunc(time.Minute, func() { _ = h.s.Abort(ctx) }) // Next fails with the connection
	defer waiting.Stop()
	for {
		e, err := h.s.Next(ctx)
		if err != nil {
			return err
		}
		var d struct{ RequestID, ToolName, Content, Message string }
		if err := json.Unmarshal(e.Data, &d); err != nil {
			return err
		}
		switch e.Type {
		case "session.idle":
			return failed
		case "session.error":
			failed = fmt.Errorf("session.error: %s", d.Message)
		case "assistant.message":
			h.said = d.Content
		case "permission.requested":
			err = h.decide(ctx, e, d.RequestID)
		case "external_tool.requested":
			err = h.answer(ctx, d.RequestID, d.ToolName)
		}
		if err != nil {
			return err
		}
	}
}

// decide allows a call unless the recorded result says that nobody was there to.
func (h *holder) decide(ctx context.Context, e wire.Event, id string) error {
	var d struct{ PermissionRequest struct{ ToolName string } }
	if err := json.Unmarshal(e.Data, &d); err != nil {
		return err
	}
	kind := "approve-once"
	if next := h.results[d.PermissionRequest.ToolName]; next[0] == nil {
		kind = "reject"
	} else if strings.HasPrefix(*next[0], "Permission denied") {
		kind = "user-not-available"
	}
	return h.c.Call(ctx, "session.permissions.handlePendingPermissionRequest", map[string]any{
		"sessionId": h.s.ID, "requestId": id, "result": map[string]any{"kind": kind},
	}, nil)
}

// answer gives a call its recorded result.
func (h *holder) answer(ctx context.Context, id, name string) error {
	params := map[string]any{"sessionId": h.s.ID, "requestId": id}
	result := h.results[name][0]
	h.results[name] = h.results[name][1:]
	switch {
	case result == nil:
		params["result"] = map[string]any{"textResultForLlm": "no", "resultType": "rejected"}
	case *result == tool.TextInterrupted:
		return h.s.Abort(ctx)
	case strings.HasPrefix(*result, "Failed to execute `"):
		params["error"] = "an exception"
	default:
		params["result"] = *result
	}
	return h.c.Call(ctx, "session.tools.handlePendingToolCall", params, nil)
}
