package web_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sidestick-dev/sidestick/extension"
	"github.com/sidestick-dev/sidestick/internal/eventlog/files"
	"github.com/sidestick-dev/sidestick/internal/model"
	"github.com/sidestick-dev/sidestick/internal/model/chat"
	"github.com/sidestick-dev/sidestick/internal/model/extensions"
	"github.com/sidestick-dev/sidestick/internal/permit"
	"github.com/sidestick-dev/sidestick/internal/session"
	"github.com/sidestick-dev/sidestick/internal/session/provider"
	"github.com/sidestick-dev/sidestick/internal/session/registry"
	"github.com/sidestick-dev/sidestick/internal/sse"
	"github.com/sidestick-dev/sidestick/internal/testing/modeltest"
	"github.com/sidestick-dev/sidestick/internal/tool"
	"github.com/sidestick-dev/sidestick/internal/vfs"
	"github.com/sidestick-dev/sidestick/internal/web"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// process is a door as one process runs it, on a disk and with a model that are both
// in memory, inside a synctest bubble: time is fake, and a hang fails the test.
type process struct {
	t     *testing.T
	disk  *vfs.Mem
	model *modeltest.Server
	opts  web.Options     // as far as a test chooses them
	agent extension.Agent // in place of the model, nil: the model
	ran   *ran

	sessions *registry.Registry
	door     *web.Door
	host     *modeltest.Host
}

// ran is what the tools of a test have done.
type ran struct {
	mu    sync.Mutex
	calls []string
}

func (r *ran) add(what string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.calls = append(r.calls, what)
}

func (r *ran) String() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return strings.Join(r.calls, ", ")
}

func bubble(t *testing.T, opts web.Options, f func(p *process), replies ...modeltest.Reply) {
	t.Helper()
	bubbleOf(t, &process{opts: opts}, f, replies...)
}

// bubbleOf is bubble with a process that is made already.
func bubbleOf(t *testing.T, p *process, f func(p *process), replies ...modeltest.Reply) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		p.t, p.disk, p.model, p.ran = t, vfs.NewMem(), modeltest.NewServer(replies...), &ran{}
		defer p.model.Close()
		p.start()
		defer p.stop()
		f(p)
	})
}

// local is how a door on loopback is opened that nothing proves anything to.
var local = web.Options{Loopback: true}

func (p *process) start() { p.startOn(p.disk) }

func (p *process) startOn(disk vfs.FS) {
	p.t.Helper()
	store, err := files.Open(files.Options{Root: "/home/session-state", FS: disk})
	if err != nil {
		p.t.Fatal(err)
	}
	quiet := slog.New(slog.DiscardHandler)
	p.sessions = registry.New(registry.Options{
		Store: store, Version: "test", Cwd: "/work", FS: disk, Resolve: filepath.Clean, Tools: p.tools, Permissions: "/home/permissions.json",
		Model:    model.New(model.Options{Transport: p.model.Transport(), Logger: quiet}, chat.New(), extensions.New(nil)),
		Provider: provider.Provider{Endpoint: model.Endpoint{BaseURL: "http://model.test/v1"}, Model: "m"},
	})
	if p.agent != nil {
		p.sessions = p.behind(store)
	}
	opts := p.opts
	opts.Sessions = p.sessions
	if opts.Key, err = web.LoadKey(p.disk, "/home/extension.key"); err != nil {
		p.t.Fatal(err)
	}
	p.door = web.New(opts)
	p.host = modeltest.NewHost(p.door)
}

// stop is the end of a process that was asked to end.
func (p *process) stop() {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	p.host.Close()
	if err := p.door.Close(ctx); err != nil {
		p.t.Errorf("Door.Close: %v", err)
	}
	if err := p.sessions.Close(ctx); err != nil {
		p.t.Errorf("Registry.Close: %v", err)
	}
}

func (p *process) restart() {
	p.stop()
	p.start()
}

// crash is the death of the process, and its next start.
func (p *process) crash() {
	dirs, err := p.disk.ReadDir("/home/session-state")
	if err != nil {
		p.t.Fatal(err)
	}
	for _, dir := range append([]string{"/home", "/home/session-state"}, names(dirs)...) {
		if err := p.disk.SyncDir(dir); err != nil {
			p.t.Fatal(err)
		}
	}
	p.disk.CrashTorn(func(_ string, unsynced int) int { return unsynced })
	p.host.Close()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	_ = p.door.Close(ctx) // it cannot write any more
	_ = p.sessions.Close(ctx)
	p.start()
}

func names[E interface{ Name() string }](dirs []E) (out []string) {
	for _, d := range dirs {
		out = append(out, "/home/session-state/"+d.Name())
	}
	return out
}

// tools are those of sessions here. They have the names of built-in ones, and do
// nothing but to say so.
func (p *process) tools(h tool.Host) session.Toolbox {
	return session.Toolbox{Tools: []tool.Tool{
		&fake{p: p, name: "bash", kind: permit.Shell}, &fake{p: p, name: "edit", kind: permit.Write},
		&fake{p: p, name: "copilot_confirmation", kind: permit.CustomTool}, &fake{p: p, name: "deploy", kind: permit.CustomTool},
		&fake{p: p, name: "view"}, &fake{p: p, name: "web_fetch"}, tool.AskUser(h),
	}}
}

type fake struct {
	p    *process
	name string
	kind permit.Kind // "" asks nobody
}

type fakeArgs struct {
	Command, Path, URL string
}

func (f *fake) Definition() tool.Definition {
	return tool.Definition{Name: f.name, Origin: tool.Builtin, Parameters: json.RawMessage(`{"type":"object"}`)}
}

func (f *fake) Request(_ context.Context, c tool.Call) (*permit.Request, *tool.Result) {
	var a fakeArgs
	_ = json.Unmarshal(c.Arguments, &a)
	switch f.kind {
	case permit.Shell:
		return &permit.Request{
			Kind: permit.Shell, Tool: f.name, Intention: "Try *it*",
			Command: permit.Command{Text: a.Command, Dir: "/work", Programs: []permit.Program{{Name: "make", Words: []string{"make"}}}},
		}, nil
	case permit.Write:
		return &permit.Request{
			Kind: permit.Write, Tool: f.name, Path: permit.Path{Name: a.Path, Real: a.Path}, Diff: "--- a\n+++ b\n@@ -1 +1 @@\n-old\n+```new\n",
		}, nil
	case permit.CustomTool:
		return &permit.Request{Kind: permit.CustomTool, Tool: f.name, Description: "Does *it*", Args: c.Arguments}, nil
	}
	return nil, nil
}

func (f *fake) Run(_ context.Context, c tool.Call) tool.Result {
	var a fakeArgs
	_ = json.Unmarshal(c.Arguments, &a)
	what := a.Command + a.Path + a.URL
	f.p.ran.add(f.name + " " + what)
	if strings.Contains(what, "missing") {
		return tool.Result{Outcome: tool.Failure, Text: "There is no " + what + "."}
	}
	return tool.Result{Outcome: tool.Success, Text: "did " + what}
}

// call is a model's wish to have a tool called.
func call(id, name, args string) modeltest.Reply {
	return calls(modeltest.ToolCall{ID: id, Name: name, Arguments: args})
}

func calls(list ...modeltest.ToolCall) modeltest.Reply { return modeltest.Reply{ToolCalls: list} }

func says(text string) modeltest.Reply { return modeltest.Reply{Text: text} }

// post sends a body to a path and returns the response.
func (p *process) post(ctx context.Context, path, body string, header ...string) *http.Response {
	p.t.Helper()
	req := request(p.t, ctx, path, body)
	for i := 0; i+1 < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	if host := req.Header.Get("Host"); host != "" {
		req.Host = host
	}
	resp, err := p.host.Transport().RoundTrip(req)
	if err != nil {
		p.t.Fatalf("POST %s: %v", path, err)
	}
	return resp
}

func request(t *testing.T, ctx context.Context, path, body string) *http.Request {
	t.Helper()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://localhost"+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	return req
}

// answer is what the agent said.
type answer struct {
	wire         string // the events, one a line, as [transcript] shows them
	confirmation json.RawMessage
}

// say sends what a person wrote in a thread.
func (p *process) say(thread, text string) answer {
	p.t.Helper()
	return p.send(thread, `{"role":"user","content":`+quote(text)+`,"copilot_references":[],"copilot_confirmations":[]}`)
}

// decide sends a person's decision.
func (p *process) decide(thread string, confirmation json.RawMessage, state string) answer {
	p.t.Helper()
	return p.send(thread, `{"role":"user","content":"","copilot_confirmations":[{"state":"`+state+`","confirmation":`+string(confirmation)+`}]}`)
}

// send sends messages as those of a thread.
func (p *process) send(thread, messages string) answer {
	p.t.Helper()
	resp := p.post(p.t.Context(), "/", body(thread, messages))
	return p.read(resp)
}

func body(thread, messages string) string {
	return `{"copilot_thread_id":` + quote(thread) + `,"agent":"pilot","messages":[` + messages + `]}`
}

func (p *process) read(resp *http.Response) answer {
	p.t.Helper()
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	if err != nil {
		p.t.Fatalf("reading: %v", err)
	}
	if resp.StatusCode != http.StatusOK {
		return answer{wire: fmt.Sprintf("%d %s", resp.StatusCode, data)}
	}
	return transcript(p.t, data)
}

func quote(s string) string {
	b, _ := json.Marshal(s)
	return string(b)
}

// transcript shows a stream: the text of default events together, what else they say
// on lines of its own, and named events with their data, ids and seals made alike.
func transcript(t *testing.T, stream []byte) (a answer) {
	t.Helper()
	var out, text strings.Builder
	flush := func() {
		if text.Len() > 0 {
			fmt.Fprintf(&out, "text %q\n", text.String())
			text.Reset()
		}
	}
	r := sse.NewReader(bytes.NewReader(stream), sse.Options{})
	for {
		e, err := r.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatalf("%v in:\n%s", err, stream)
		}
		var c struct {
			Choices []struct {
				Delta  struct{ Role, Content string }
				Finish string `json:"finish_reason"`
			}
			Title, Message string
			Confirmation   json.RawMessage
		}
		_ = json.Unmarshal(e.Data, &c) // of an array nothing is wanted
		switch {
		case e.Name == "copilot_confirmation":
			flush()
			a.confirmation = c.Confirmation
			fmt.Fprintf(&out, "confirm %q\n%s\nwith %s\n", c.Title, c.Message, alike(string(c.Confirmation)))
		case e.Name != "" || len(c.Choices) == 0:
			flush()
			fmt.Fprintf(&out, "%s %s\n", e.Name, alike(string(e.Data)))
		case c.Choices[0].Finish != "":
			flush()
			fmt.Fprintf(&out, "%s\n", c.Choices[0].Finish)
		default:
			text.WriteString(c.Choices[0].Delta.Content)
		}
	}
	flush()
	a.wire = strings.TrimSuffix(out.String(), "stop\n [DONE]\n")
	if a.wire == out.String() {
		t.Errorf("the answer does not end as it should:\n%s", out.String())
	}
	return a
}

var (
	uuids    = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`)
	sessions = regexp.MustCompile(`(ext-)[0-9a-f]{32}`)
	seals    = regexp.MustCompile(`("mac":)"[^"]{43}"`)
)

func alike(s string) string {
	s = seals.ReplaceAllString(s, `$1"MAC"`)
	return sessions.ReplaceAllString(uuids.ReplaceAllString(s, "ID"), "${1}ID")
}

// stored are the types of the events in the log of the one session there is, and
// those events.
func (p *process) stored() (events []wire.Event) {
	p.t.Helper()
	dirs, err := p.disk.ReadDir("/home/session-state")
	if err != nil || len(dirs) != 1 {
		p.t.Fatalf("there are %d sessions, want 1 (%v)", len(dirs), err)
	}
	for line, err := range p.sessions.History(context.Background(), dirs[0].Name()) {
		if err != nil {
			p.t.Fatal(err)
		}
		e, err := wire.ParseEvent(line)
		if err != nil {
			p.t.Fatal(err)
		}
		events = append(events, e)
	}
	return events
}

// conversation is what the model was asked last, without the system message.
func (p *process) conversation() string {
	requests := p.model.Requests()
	if len(requests) == 0 {
		return ""
	}
	var b strings.Builder
	for _, m := range requests[len(requests)-1].Messages {
		if m.Role == "system" {
			continue
		}
		fmt.Fprintf(&b, "%s: %s", m.Role, undated.ReplaceAllString(m.Content, ""))
		for _, c := range m.ToolCalls {
			fmt.Fprintf(&b, "[%s %s]", c.Name, c.Arguments)
		}
		b.WriteString("\n")
	}
	return b.String()
}

var undated = regexp.MustCompile(`<current_datetime>[^<]*</current_datetime>\n\n`)
