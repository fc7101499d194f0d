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
	"time"

	"github.com/sidestick-dev/sidestick/internal/client"
	"github.com/sidestick-dev/sidestick/internal/eventlog/files"
	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/model"
	"github.com/sidestick-dev/sidestick/internal/model/modeltest"
	"github.com/sidestick-dev/sidestick/internal/server"
	"github.com/sidestick-dev/sidestick/internal/session"
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
	"session/should_accept_blob_attachments":                                     "shows an image to the model",
	"session/should_abort_a_session":                                             "is aborted during a call; abort has tests of its own",
	"session/sendandwait_throws_operationcanceledexception_when_token_cancelled": "is abandoned during a call",
}

// TestRecordedConversations holds each recorded conversation again: the same
// prompts, and tools that give the recorded results; where the recorded runtime
// had tools of its own, such as view, the client brings them here. Every request that the
// model gets must be one that the recording knows, and the answers come out whole.
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
			if !slices.ContainsFunc(rec.Conversations, answered) {
				continue // the test it belongs to needs no answer of a model
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

// replay holds every conversation of a recording that is not the beginning of
// another, and returns what went wrong.
func replay(t *testing.T, rec *modeltest.Recording) string {
	streams := []bool{false}
	if !multipleChoices(rec) {
		streams = []bool{false, true} // a stream of the recording proxy has one choice only
	}
	for _, streaming := range streams {
		for i, conversation := range rec.Conversations {
			if answered(conversation) && !continued(rec, i) {
				if problem := hold(t, rec, conversation, streaming); problem != "" {
					return fmt.Sprintf("conversation %d, streaming %v: %s", i, streaming, problem)
				}
			}
		}
	}
	return ""
}

// answered reports whether a conversation ends with an answer, and not with a
// question that the recorded client gave up on.
func answered(conversation []modeltest.Message) bool {
	return conversation[len(conversation)-1].Role == "assistant"
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
	for j, other := range rec.Conversations {
		theirs := prompts(other)
		if j > i && answered(other) && len(theirs) >= len(mine) && slices.Equal(theirs[:len(mine)], mine) {
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
func hold(t *testing.T, rec *modeltest.Recording, conversation []modeltest.Message, streaming bool) string {
	player := modeltest.Play(rec, "/work")
	defer player.Close()
	c := dial(t, player)
	defer c.Close()
	s, err := c.CreateSession(t.Context(), client.Config{Params: map[string]any{
		"tools": definitions(conversation), "streaming": streaming, "requestPermission": true,
	}})
	if err != nil {
		return err.Error()
	}
	h := holder{c: c, s: s, results: results(conversation)}
	for _, p := range prompts(conversation) {
		if _, err := s.Send(t.Context(), p); err != nil {
			return err.Error()
		}
		if err := h.untilIdle(t.Context()); err != nil {
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

// dial starts a server whose model is the player, and connects to it.
func dial(t *testing.T, player *modeltest.Player) *client.Client {
	t.Helper()
	store, err := files.Open(files.Options{Root: "/home/session-state", FS: vfs.NewMem()})
	if err != nil {
		t.Fatal(err)
	}
	quiet := slog.New(slog.DiscardHandler)
	models := model.New(model.Options{Transport: player.Transport(), Logger: quiet, Retry: model.Retry{Attempts: 1}})
	provider := session.Provider{Endpoint: model.Endpoint{Kind: model.Copilot, BaseURL: "http://recorded.test", BearerToken: "t"}}
	sessions := session.NewRegistry(session.Options{Store: store, Model: models, Version: "test", Provider: provider, Cwd: "/work", FS: vfs.NewMem()})
	srv := server.New(server.Options{Sessions: sessions, Models: models, Provider: provider, Version: "test"})
	near, far := net.Pipe()
	served := make(chan error, 1)
	go func() { served <- srv.Serve(context.Background(), far) }()
	t.Cleanup(func() {
		if err := <-served; err != nil && fault.KindOf(err) != fault.Unavailable { // the client may hang up first
			t.Errorf("Serve: %v", err)
		}
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		if err := sessions.Close(ctx); err != nil {
			t.Error(err)
		}
	})
	return client.New(near, client.Options{Logger: quiet})
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

func lastAnswer(conversation []modeltest.Message) string {
	return conversation[len(conversation)-1].Content
}

// holder is the client of a replayed conversation.
type holder struct {
	c       *client.Client
	s       *client.Session
	results map[string][]*string
	said    string // the content of the last message
}

// untilIdle answers what is asked until the run is over. The error is the
// session's own, if it had one.
func (h *holder) untilIdle(ctx context.Context) (failed error) {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
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
func (h *holder) answer(ctx context.Context, id, tool string) error {
	params := map[string]any{"sessionId": h.s.ID, "requestId": id}
	result := h.results[tool][0]
	h.results[tool] = h.results[tool][1:]
	switch {
	case result == nil:
		params["result"] = map[string]any{"textResultForLlm": "no", "resultType": "rejected"}
	case strings.HasPrefix(*result, "Failed to execute `"):
		params["error"] = "an exception"
	default:
		params["result"] = *result
	}
	return h.c.Call(ctx, "session.tools.handlePendingToolCall", params, nil)
}
