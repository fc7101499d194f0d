package session_test

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"github.com/sidestick-dev/sidestick/extension"
	"github.com/sidestick-dev/sidestick/internal/eventlog/files"
	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/model"
	"github.com/sidestick-dev/sidestick/internal/model/anthropic"
	"github.com/sidestick-dev/sidestick/internal/model/bedrock"
	"github.com/sidestick-dev/sidestick/internal/model/chat"
	"github.com/sidestick-dev/sidestick/internal/model/extensions"
	"github.com/sidestick-dev/sidestick/internal/model/gemini"
	"github.com/sidestick-dev/sidestick/internal/model/ollama"
	"github.com/sidestick-dev/sidestick/internal/model/responses"
	"github.com/sidestick-dev/sidestick/internal/session"
	"github.com/sidestick-dev/sidestick/internal/session/provider"
	"github.com/sidestick-dev/sidestick/internal/session/registry"
	"github.com/sidestick-dev/sidestick/internal/testing/modeltest"
	"github.com/sidestick-dev/sidestick/internal/tool"
	"github.com/sidestick-dev/sidestick/internal/vfs"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// desk is a registry on a disk and a model that are both in memory, used inside
// a synctest bubble: time is fake, and a hang is a deadlock that fails the test.
type desk struct {
	t     *testing.T
	fs    vfs.FS
	disk  *vfs.Mem // below fs, for crashes; nil: fs itself
	model *modeltest.Server
	reg   *registry.Registry
	tools func(tool.Host) session.Toolbox // nil: no built-in tools
	opts  registry.Options                // of a process, as far as a test chooses them
	agent *agentHost                      // the agent that extension: names, nil for none
	store registry.Store                  // nil: files in fs
	calls http.RoundTripper               // carries the model calls; nil: to model
	loops bool                            // answers that repeat themselves are stopped

	started registry.Options // those of reg
}

// inBubble runs a test with a desk and checks at its end that all has ended.
func inBubble(t *testing.T, fsys vfs.FS, f func(d *desk), replies ...modeltest.Reply) {
	bubble(t, &desk{fs: fsys}, f, replies...)
}

// equipped is inBubble with the built-in tools of toolbox.
func equipped(t *testing.T, f func(d *desk), replies ...modeltest.Reply) {
	bubble(t, &desk{fs: vfs.NewMem(), tools: toolbox}, f, replies...)
}

func bubble(t *testing.T, d *desk, f func(d *desk), replies ...modeltest.Reply) {
	synctest.Test(t, func(t *testing.T) {
		d.t, d.model = t, modeltest.NewServer(replies...)
		d.start(d.opts)
		f(d)
		d.stop()
		d.model.Close()
	})
}

// start opens the registry, as a process does when it starts.
func (d *desk) start(opts registry.Options) {
	store := d.store
	if store == nil {
		inFiles, err := files.Open(files.Options{Root: "/home/session-state", FS: d.fs})
		if err != nil {
			d.t.Fatalf("files.Open: %v", err)
		}
		store = inFiles
	}
	opts.Tools = d.tools
	opts.Builtin = d.definitions
	quiet := slog.New(slog.DiscardHandler)
	opts.Permissions = cmp.Or(opts.Permissions, "/home/permissions.json")
	opts.Store, opts.Version, opts.Cwd, opts.FS = store, "test", "/work", d.fs
	calls := model.Options{Transport: d.model.Transport(), Logger: quiet, Idle: time.Minute, StopRepeating: d.loops}
	if d.calls != nil {
		calls.Transport = d.calls
	}
	if opts.Tape.Recorder != nil {
		calls.Around = opts.Tape.Recorder.Around
	}
	var signer func(context.Context) (*extension.Signer, error)
	if d.agent != nil {
		d.agent.beside(&calls)
		signer = d.agent.sign
	}
	opts.Model = model.New(calls, chat.New(), responses.New(), anthropic.New(), gemini.New(), bedrock.New(), ollama.New(), extensions.New(signer))
	if opts.Provider.Endpoint.BaseURL == "" && opts.Provider.Missing == nil {
		opts.Provider = provider.Provider{Endpoint: model.Endpoint{BaseURL: "http://model.test/v1"}, Model: "m"}
	}
	d.started, d.reg = opts, registry.New(opts)
}

// toolbox is the built-in tools of sessions in these tests: those that need nothing
// but the session.
func toolbox(h tool.Host) session.Toolbox {
	return session.Toolbox{Tools: []tool.Tool{tool.AskUser(h), tool.ExitPlanMode(h), tool.TaskComplete()}}
}

// peer is a client as the session calls it: each method has a function that returns
// the result, or nil for none.
type peer map[string]func(params map[string]any) (any, error)

func (p peer) Call(ctx context.Context, method string, params, result any) error {
	f := p[method]
	if f == nil {
		return fault.New(fault.NotFound, "client", method, "no such method")
	}
	var decoded map[string]any
	if err := recode(params, &decoded); err != nil {
		return err
	}
	answer, err := f(decoded)
	if err != nil || answer == nil {
		return errors.Join(err, ctx.Err())
	}
	return recode(answer, result)
}

// recode turns one value into another, by way of JSON.
func recode(from, to any) error {
	b, err := json.Marshal(from)
	if err != nil {
		return err
	}
	return json.Unmarshal(b, to)
}

// stop ends the registry, as a process does that was asked to end.
func (d *desk) stop() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	if err := d.reg.Close(ctx); err != nil {
		d.t.Errorf("Close: %v", err)
	}
}

func yes() *bool { v := true; return &v }

// tools is a configuration with client tools, whose client decides permissions.
func tools(names ...string) wire.Config {
	cfg := wire.Config{SessionID: "s1", RequestPermission: yes(), Streaming: yes()}
	for _, n := range names {
		cfg.Tools = append(cfg.Tools, wire.Tool{
			Name: n, Description: "does " + n, SkipPermission: !strings.HasPrefix(n, "ask"),
			Parameters: json.RawMessage(`{"type":"object","properties":{"q":{"type":"string"}},"required":["q"]}`),
		})
	}
	return cfg
}

// whole is a configuration under which no result goes to a file.
func whole(cfg wire.Config) wire.Config {
	no := false
	cfg.LargeOutput = &wire.LargeOutput{Enabled: &no}
	return cfg
}

// seat is an attached client that keeps the events that it receives.
type seat struct {
	d      *desk
	client *session.Client
	s      *session.Session
	told   []wire.Event // received so far
	news   chan wire.Event
	// withheld are the ids of events in told that package server does not send. It is
	// complete after rest.
	withheld map[string]bool
}

func (d *desk) create(cfg wire.Config) *seat { return d.createWith(cfg, nil) }

func (d *desk) createWith(cfg wire.Config, peer session.Peer) *seat {
	d.t.Helper()
	c, err := d.reg.Create(context.Background(), cfg, peer)
	if err != nil {
		d.t.Fatalf("Create: %v", err)
	}
	return d.sit(c)
}

func (d *desk) resume(cfg wire.Config) *seat { return d.resumeWith(cfg, nil) }

func (d *desk) resumeWith(cfg wire.Config, peer session.Peer) *seat {
	d.t.Helper()
	c, err := d.reg.Resume(context.Background(), cfg, peer, nil)
	if err != nil {
		d.t.Fatalf("Resume: %v", err)
	}
	return d.sit(c)
}

func (d *desk) sit(c *session.Client) *seat {
	s := &seat{d: d, client: c, s: c.Session(), news: make(chan wire.Event, 10_000), withheld: map[string]bool{}}
	go func() {
		defer close(s.news)
		for rec, err := range c.Tail().Records(context.Background()) {
			if err != nil {
				return
			}
			e, err := wire.ParseEvent(rec.AppendJSON(nil))
			if err != nil {
				d.t.Errorf("received %s: %v", rec.AppendJSON(nil), err)
				return
			}
			if c.Withholds(rec) {
				s.withheld[e.ID] = true
			}
			s.news <- e
		}
	}()
	return s
}

// until receives events up to the first one of a type, which it returns.
func (s *seat) until(t wire.EventType) wire.Event {
	s.d.t.Helper()
	for e := range s.news {
		s.told = append(s.told, e)
		if e.Type == t {
			return e
		}
	}
	s.d.t.Fatalf("the session ended before a %s; received:\n%s", t, types(s.told))
	return wire.Event{}
}

// rest receives events until the session has nothing more to do.
func (s *seat) rest() []wire.Event {
	synctest.Wait()
	for {
		select {
		case e, ok := <-s.news:
			if !ok {
				return s.told
			}
			s.told = append(s.told, e)
		default:
			return s.told
		}
	}
}

func (s *seat) send(prompt string) {
	s.d.t.Helper()
	if _, err := s.s.Send(context.Background(), wire.Send{Prompt: prompt}); err != nil {
		s.d.t.Fatalf("Send(%q): %v", prompt, err)
	}
}

// answer gives the next external tool call its result.
func (s *seat) answer(result string) wire.Event {
	s.d.t.Helper()
	e := s.until("external_tool.requested")
	if !s.reply(field(e, "requestId"), result) {
		s.d.t.Fatalf("the answer to %s was not taken", e.Data)
	}
	return e
}

// reply answers an external tool call with the JSON of the protocol.
func (s *seat) reply(requestID, result string) bool {
	s.d.t.Helper()
	ok, err := s.tryReply(requestID, result)
	if err != nil {
		s.d.t.Fatalf("AnswerToolCall: %v", err)
	}
	return ok
}

func (s *seat) tryReply(requestID, result string) (bool, error) {
	s.d.t.Helper()
	var a wire.ToolCallAnswer
	if err := json.Unmarshal(fmt.Appendf(nil, `{"requestId":%q,%s}`, requestID, result), &a); err != nil {
		s.d.t.Fatalf("answer %s: %v", result, err)
	}
	return s.client.Tools().Answer(context.Background(), a)
}

// crash ends the process of the desk as kill -9 does, so that all that was written
// is there, and starts another on the same disk.
func (d *desk) crash() {
	disk := d.disk
	if disk == nil {
		disk = d.fs.(*vfs.Mem)
	}
	for _, dir := range []string{"/home", "/home/session-state", "/home/session-state/s1"} {
		if err := disk.SyncDir(dir); err != nil {
			d.t.Fatal(err)
		}
	}
	disk.CrashTorn(func(_ string, unsynced int) int { return unsynced })
	d.stop() // it cannot write any more
	d.start(d.opts)
}

// conversation is the messages of the model's last request, one a line, without
// the system message and the time.
func (d *desk) conversation() string {
	d.t.Helper()
	reqs := d.model.Requests()
	if len(reqs) == 0 {
		d.t.Fatal("the model was not asked")
	}
	var b strings.Builder
	for _, m := range reqs[len(reqs)-1].Messages {
		if m.Role == "system" {
			continue
		}
		text := m.Content
		if _, after, ok := strings.Cut(text, "</current_datetime>\n\n"); ok {
			text = after
		}
		fmt.Fprintf(&b, "%s: %s", m.Role, text)
		for _, c := range m.ToolCalls {
			fmt.Fprintf(&b, "[%s %s]", c.Name, c.Arguments)
		}
		b.WriteString("\n")
	}
	return b.String()
}

// stored reads a session's log as it is on disk.
func (d *desk) stored(id string) []wire.Event {
	d.t.Helper()
	var out []wire.Event
	for line, err := range d.reg.History(context.Background(), id) {
		if err != nil {
			d.t.Fatalf("History: %v", err)
		}
		e, err := wire.ParseEvent(line)
		if err != nil {
			d.t.Fatal(err)
		}
		out = append(out, e)
	}
	return out
}

// call is a tool call as the fake model makes it.
func call(id, name, args string) modeltest.ToolCall {
	return modeltest.ToolCall{ID: id, Name: name, Arguments: args}
}
