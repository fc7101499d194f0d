package e2e_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"maps"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/sidestick-dev/sidestick/internal/app/wiring"
	"github.com/sidestick-dev/sidestick/internal/client"
	"github.com/sidestick-dev/sidestick/internal/config"
	"github.com/sidestick-dev/sidestick/internal/eventlog/files"
	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/gate"
	"github.com/sidestick-dev/sidestick/internal/model"
	"github.com/sidestick-dev/sidestick/internal/model/chat"
	"github.com/sidestick-dev/sidestick/internal/server"
	"github.com/sidestick-dev/sidestick/internal/session/provider"
	"github.com/sidestick-dev/sidestick/internal/session/registry"
	"github.com/sidestick-dev/sidestick/internal/testing/modeltest"
	"github.com/sidestick-dev/sidestick/internal/vfs"
)

// holder is the client of a replayed conversation, and the process that it talks to.
type holder struct {
	set        scene
	disk       vfs.FS
	home, work string
	player     *modeltest.Player
	config     client.Config
	byCall     map[string]*string // the recorded results by call
	answers    []string           // the recorded texts of the model

	c    *client.Client
	s    *client.Session
	end  func()         // ends the connection and the process behind it
	said string         // the content of the last message
	held []func() error // decisions that wait for others

	permitted map[string]int // how often permission was asked for a call

	mu      sync.Mutex // guards the rest, which the runtime's questions change too
	results map[string][]*string
	mine    int           // calls of the client's tools without an answer yet
	alone   chan struct{} // closed when there are none
	hooked  map[string]int
	wrong   string // with the input of a hook; "" for none
}

// newHolder prepares a conversation. In real time its files are in a folder for this
// test, else in memory.
func newHolder(t *testing.T, rec *modeltest.Recording, conversation []modeltest.Message, set scene, w way) *holder {
	h := &holder{
		set: set, disk: vfs.NewMem(), home: "/home", work: "/work",
		byCall: map[string]*string{}, permitted: map[string]int{},
		results: results(conversation), hooked: map[string]int{}, alone: make(chan struct{}),
	}
	if w.real {
		root, err := filepath.EvalSymlinks(t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		h.disk, h.home, h.work = vfs.OS{}, filepath.Join(root, "home"), filepath.Join(root, "work")
		h.lay(t)
	}
	h.player = modeltest.Play(rec, h.work)
	h.player.KeepOrder(conversation)
	h.player.Hold(set.cut)
	for _, m := range conversation {
		if m.Role == "assistant" {
			h.answers = append(h.answers, m.Content)
		}
	}
	tools := definitions(conversation, set)
	for call, result := range calls(conversation) {
		h.byCall[call.ID] = result
		if slices.ContainsFunc(tools, func(d object) bool { return d["name"] == call.Name }) {
			h.mine++
		}
	}
	if h.mine == 0 {
		close(h.alone)
	}
	h.config = client.Config{ID: "recorded", Params: object{
		"tools": tools, "streaming": w.streaming, "requestPermission": true, "hooks": set.hooks != nil,
		"requestUserInput": len(h.results["ask_user"]) > 0,
	}}
	return h
}

// lay puts the scene's files into the work folder.
func (h *holder) lay(t *testing.T) {
	t.Helper()
	for name, content := range h.set.files {
		path := filepath.Join(h.work, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.MkdirAll(h.work, 0o755); err != nil {
		t.Fatal(err)
	}
}

// begin starts a server whose model is the player, as one process runs it, and
// enters the session there.
func (h *holder) begin(t *testing.T) {
	t.Helper()
	store, err := files.Open(files.Options{Root: filepath.Join(h.home, "session-state"), FS: h.disk})
	if err != nil {
		t.Fatal(err)
	}
	quiet := slog.New(slog.DiscardHandler)
	models := model.New(model.Options{Transport: h.player.Transport(), Logger: quiet, Retry: model.Retry{Attempts: 1}}, chat.New())
	own := provider.Provider{Endpoint: model.Endpoint{Copilot: true, BaseURL: "http://recorded.test", BearerToken: "t"}}
	sessions := registry.New(registry.Options{
		Store: store, Model: models, Version: "test", Provider: own, Cwd: h.work, FS: h.disk,
		Home: h.home, Tools: wiring.Toolbox(config.Config{Home: config.Setting[string]{Value: h.home}}, wiring.SandboxHost(config.Config{}, quiet), quiet),
	})
	srv := server.New(server.Options{Gate: gate.One("", &server.Home{Sessions: sessions, Provider: own}), Models: models, Version: "test"})
	near, far := net.Pipe()
	served := make(chan error, 1)
	go func() { served <- srv.Serve(context.Background(), far) }()
	h.c = client.New(near, client.Options{Logger: quiet, Asked: h.answerQuestion})
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
	h.enter(t)
}

// enter creates the session, or resumes it the second time.
func (h *holder) enter(t *testing.T) {
	t.Helper()
	enter, cfg := h.c.CreateSession, h.config
	cfg.Params = maps.Clone(cfg.Params)
	maps.Copy(cfg.Params, h.set.params)
	if h.s != nil {
		enter = h.c.ResumeSession
		maps.Copy(cfg.Params, h.set.resumed)
	}
	cfg.Params = h.placed(cfg.Params).(object)
	var err error
	if h.s, err = enter(t.Context(), cfg); err != nil {
		t.Fatal(err)
	}
	for _, b := range h.set.first {
		if err := h.call(t.Context(), b); err != nil {
			t.Fatal(err)
		}
	}
}

// leave ends the session for everybody, as clients do that are done with it.
func (h *holder) leave(t *testing.T) {
	t.Helper()
	if err := h.c.Call(t.Context(), "session.destroy", object{"sessionId": h.s.ID}, nil); err != nil {
		t.Error(err)
	}
}

// call makes a call of the scene.
func (h *holder) call(ctx context.Context, r request) error {
	params := maps.Clone(r.params)
	params["sessionId"] = h.s.ID
	return h.c.Call(ctx, r.method, params, nil)
}

// placed is v with the work folder in the place of ${workdir}.
func (h *holder) placed(v any) any {
	switch v := v.(type) {
	case string:
		return strings.ReplaceAll(v, "${workdir}", h.work)
	case object:
		out := object{}
		for k, e := range v {
			out[k] = h.placed(e)
		}
		return out
	case []any:
		out := []any{}
		for _, e := range v {
			out = append(out, h.placed(e))
		}
		return out
	}
	return v
}

// ask sends a prompt and answers what is asked until the run is over. A run whose
// model was recorded without an answer is given up. The error is the session's
// own, if it had one.
func (h *holder) ask(ctx context.Context, n int, a ask) (failed error) {
	if r, ok := h.set.before[n]; ok {
		if err := h.call(ctx, r); err != nil {
			return err
		}
	}
	h.said = ""
	ctx, cancel := context.WithTimeout(ctx, 5*time.Minute)
	defer cancel()
	send := request{"session.send", object{"prompt": a.prompt}}
	maps.Copy(send.params, h.set.more)
	if a.attachments != nil {
		send.params["attachments"] = h.placed(a.attachments)
	}
	if err := h.call(ctx, send); err != nil {
		return err
	}
	waiting := time.AfterFunc(time.Minute, func() { _ = h.s.Abort(ctx) }) // Next fails with the connection
	defer waiting.Stop()
	cut, heard := n < h.set.cut, ""
	for {
		e, err := h.s.Next(ctx)
		if err != nil {
			return err
		}
		var d struct{ RequestID, ToolName, ToolCallID, Content, DeltaContent, Message string }
		if err := json.Unmarshal(e.Data, &d); err != nil {
			return err
		}
		switch e.Type {
		case "session.idle":
			return failed
		case "session.error":
			failed = fmt.Errorf("session.error: %s", d.Message)
		case "assistant.message":
			if e.AgentID == "" {
				h.said = d.Content
			}
		case "assistant.message_delta":
			heard += d.DeltaContent
			if cut && slices.Contains(h.answers, heard) {
				cut, err = false, h.s.Abort(ctx)
			}
		case "permission.requested":
			err = h.decide(ctx, e, d.RequestID)
		case "tool.execution_start":
			if result, known := h.byCall[d.ToolCallID]; wasInterrupted(result) || known && h.set.abandoned && !missing(d.ToolName, result) {
				err = h.s.Abort(ctx)
			}
		case "external_tool.requested":
			err = h.answer(ctx, d.RequestID, d.ToolName)
		}
		if err != nil {
			return err
		}
	}
}
