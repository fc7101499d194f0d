package command_test

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/permit"
	"github.com/sidestick-dev/sidestick/internal/plugin"
	"github.com/sidestick-dev/sidestick/internal/session/command"
	"github.com/sidestick-dev/sidestick/internal/session/discovery"
	"github.com/sidestick-dev/sidestick/internal/session/state"
	"github.com/sidestick-dev/sidestick/internal/testing/statetest"
	"github.com/sidestick-dev/sidestick/internal/turn"
	"github.com/sidestick-dev/sidestick/internal/vfs"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// caller is a client with slash commands.
type caller struct {
	brings []wire.Command
	got    []wire.Data // sent to this client alone
}

func (c *caller) Commands() []wire.Command { return c.brings }

func (c *caller) Send(_ string, event wire.Data) { c.got = append(c.got, event) }

// asked returns the request ids of the commands that the client was asked to carry out.
func (c *caller) asked() (ids []string) {
	for _, e := range c.got {
		if e, ok := e.(*wire.CommandExecute); ok {
			ids = append(ids, e.RequestID)
		}
	}
	return ids
}

// scene is a session with its commands. It has the skill "brew" and the prompt "greet" in a file.
type scene struct {
	command.Desk // what no test of this package calls; the wire transcripts do
	*command.Commands
	statetest.Session
	clients []command.Client
	watches bool
	did     []string       // what the commands of the program did, and what became of the queue
	queue   []state.Queued // what waits
	fails   error          // what the commands of the program return
}

// Servers implements [command.Desk]: the session has one server with a prompt.
func (s *scene) Servers() command.Servers { return oneServer{} }

type oneServer struct{ command.Servers }

func (oneServer) ServerPrompts(context.Context) []wire.CommandInfo {
	return []wire.CommandInfo{{Name: "mcp__lib__report", Kind: "skill"}}
}

func (oneServer) ServerPrompt(_ context.Context, name, input string) (wire.CommandPrompt, bool, error) {
	return wire.CommandPrompt{Prompt: "Report on " + input, DisplayPrompt: "/" + name + " " + input}, name == "mcp__lib__report", nil
}

func (s *scene) Clients() []command.Client { return s.clients }

func (s *scene) Interested(event wire.EventType) bool { return s.watches && event == "command.queued" }

func (s *scene) Send(_ context.Context, m wire.Send) (string, error) {
	return "m1", s.does("send " + m.DisplayPrompt)
}

func (s *scene) does(what string) error {
	s.did = append(s.did, what)
	return s.fails
}

func (s *scene) Model(context.Context) (string, error) { return "", s.fails }

func (s *scene) SwitchModel(_ context.Context, name string) error { return s.does("model " + name) }

func (s *scene) Mode(context.Context) (wire.Mode, error) { return "plan", s.fails }

func (s *scene) SetMode(_ context.Context, mode wire.Mode) error {
	return s.does("mode " + string(mode))
}

func (s *scene) Retry(context.Context) error { return s.does("retry") }

func (s *scene) Summarize(_ context.Context, focus string) (int64, error) {
	return 7, s.does("compact " + focus)
}

func (s *scene) Usage(context.Context) (wire.UsageMetrics, error) {
	return wire.UsageMetrics{TotalUserRequests: 3}, s.fails
}

func (s *scene) Changed(context.Context) ([]wire.RewindFile, string, error) {
	return []wire.RewindFile{{LinesAdded: 2}, {LinesAdded: 1, LinesRemoved: 4}}, "", s.fails
}

func (s *scene) Enqueue(q state.Queued) error {
	s.queue = append(s.queue, q)
	return s.fails
}

func (s *scene) Begin(id string) (bool, error) {
	n := len(s.queue)
	s.queue = slices.DeleteFunc(s.queue, func(q state.Queued) bool { return q.ID == id })
	return len(s.queue) < n, nil
}

func (s *scene) Next(q state.Queued) error { return s.does("next " + q.Send.DisplayPrompt) }

func (s *scene) Stop() { _ = s.does("stop") }

func (s *scene) Scope(context.Context) (discovery.Scope, error) {
	return discovery.Scope{Cwd: "/work", Settings: discovery.Settings{SkillDirectories: []string{"/skills"}, DiscoverSkills: true}}, nil
}

// emits is what the discovery reports.
type emits struct{ *scene }

func (emits) Emit(context.Context, wire.Data) error { return nil }

func (emits) RunText(context.Context, string, string, []permit.Rule) (output, why string) {
	return "", "no commands run here"
}

func (emits) MayRead(context.Context, string) (why string) { return "" }

func (emits) Withheld(context.Context, string) (why string) { return "" }

func newScene(t *testing.T) *scene {
	t.Helper()
	disk := vfs.NewMem()
	for name, text := range map[string]string{
		"/skills/brew/SKILL.md":                 "---\nname: brew\ndescription: Brews.\n---\nBrew it.\n",
		"/work/.github/prompts/greet.prompt.md": "---\ndescription: Greets.\nmodel: other\n---\nGreet ${input:whom}.\n",
	} {
		if err := disk.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := vfs.WriteFileAtomic(disk, name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	s := &scene{}
	finder := discovery.NewFinder(discovery.Options{
		FS: disk, Resolve: filepath.Clean, Counts: func(string, string) error { return nil }, Home: "/user", Cwd: "/work", Plugins: plugin.NewStore(disk, "", "/work"),
	})
	s.Commands = command.New(s, "s1", discovery.New(finder, emits{s}, "s1"))
	return s
}

// join attaches a client that brings commands.
func (s *scene) join(t *testing.T, names ...string) *caller {
	t.Helper()
	c := &caller{}
	for _, name := range names {
		c.brings = append(c.brings, wire.Command{Name: name, Description: "of a client"})
	}
	if err := command.Check(c.brings); err != nil {
		t.Fatal(err)
	}
	c.brings = command.Named(c.brings)
	s.clients = append(s.clients, c)
	return c
}

// on runs f as on the session's goroutine.
func (s *scene) on(f func()) {
	_ = s.Do(context.Background(), func() error { f(); return nil })
}

// ask has a client carry a command out, in a bubble, and returns the request's id and, later, the result.
func (s *scene) ask(ctx context.Context, c *caller, do func(context.Context) error) (id string, ended <-chan error) {
	result := make(chan error, 1)
	go func() { result <- do(ctx) }()
	synctest.Wait()
	return c.asked()[len(c.asked())-1], result
}

func (s *scene) invoke(ctx context.Context) error {
	_, err := s.Invoke(ctx, "/Deploy", "now ")
	return err
}

// A command of a client hides those of the program and of skills with its name.
func TestWhoseCommandsAreListed(t *testing.T) {
	s := newScene(t)
	s.join(t, "/Usage", "brew")
	s.join(t, "usage")
	list, err := s.List(t.Context(), wire.CommandFilter{})
	var names []string
	for _, k := range list {
		names = append(names, k.Name+" "+string(k.Kind))
	}
	want := []string{"usage client", "brew client", "help builtin", "model builtin", "effort builtin", "mode builtin", "plan builtin", "autopilot builtin", "retry builtin", "rename builtin", "context builtin", "status builtin", "share builtin", "env builtin", "cwd builtin", "add-dir builtin", "list-dirs builtin", "mcp builtin", "agents builtin", "skills builtin", "memory builtin", "plugins builtin", "init builtin", "review builtin", "security-review builtin", "research builtin", "fleet builtin", "every builtin", "after builtin", "tasks builtin", "background builtin", "compact builtin", "rules builtin", "reset-allowed-tools builtin", "allow builtin", "allow-all builtin", "sandbox builtin", "greet skill", "mcp__lib__report skill"}
	if err != nil || !slices.Equal(names, want) {
		t.Errorf("List = %q, %v, want %q", names, err, want)
	}
	no := false
	list, err = s.List(t.Context(), wire.CommandFilter{IncludeClientCommands: &no, IncludeSkills: &no})
	if err != nil || len(list) != 35 {
		t.Errorf("without those of clients and of skills: %d commands, %v, want 35", len(list), err)
	}
	s.Announce(s.clients[0])
	changed, _ := s.clients[1].(*caller).got[0].(*wire.CommandsChanged)
	if changed == nil || len(changed.Commands) != 2 || len(s.clients[0].(*caller).got) > 0 {
		t.Errorf("the others were sent %+v, want two commands, and the client itself none", changed)
	}
}

// The commands that a client cannot bring.
func TestCommandsThatAreRefused(t *testing.T) {
	for why, names := range map[string][]string{
		"has no name": {"/"}, "no space": {"a b"}, "two slash commands": {"go", "/GO"}, "at most": make([]string, 1001),
	} {
		var list []wire.Command
		for _, name := range names {
			list = append(list, wire.Command{Name: name})
		}
		if err := command.Check(list); err == nil || !strings.Contains(err.Error(), why) {
			t.Errorf("%.5q: %v, want an error with %q", names, err, why)
		}
	}
}

// Of the clients that bring a command, the one that attached last carries it out, and nobody else can end it.
func TestAClientCarriesACommandOut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newScene(t)
		first, last := s.join(t, "deploy"), s.join(t, "DEPLOY")
		id, ended := s.ask(t.Context(), last, s.invoke)
		if e := last.got[0].(*wire.CommandExecute); e.Command != "/DEPLOY now" || e.Args != "now" || len(first.got) > 0 {
			t.Errorf("the last client was sent %+v, and the first %v, want /DEPLOY now, and nothing", e, first.got)
		}
		if ok, err := s.Answer(t.Context(), first, id, nil); ok || err != nil {
			t.Errorf("the answer of another client: %v, %v, want false", ok, err)
		}
		if ok, err := s.Answer(t.Context(), first, "another", nil); !ok || err != nil {
			t.Errorf("the answer to a command that nobody carries out: %v, %v, want true", ok, err)
		}
		s.on(func() { s.Pass(last, first) }) // it attached again
		failed := ""
		if ok, err := s.Answer(t.Context(), first, id, &failed); !ok || err != nil {
			t.Errorf("the answer of the new attachment: %v, %v, want true", ok, err)
		}
		if err := <-ended; fault.KindOf(err) != fault.Unavailable || !strings.Contains(err.Error(), "handler failed") {
			t.Errorf("Invoke = %v, want that the handler failed", err)
		}
		synctest.Wait()
		if want := []wire.EventType{"command.completed"}; !slices.Equal(s.Types(), want) {
			t.Errorf("all clients were sent %v, want %v", s.Types(), want)
		}
	})
}

// A command ends when its client leaves, and for its caller when that leaves.
func TestACommandWhoseClientOrCallerLeaves(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newScene(t)
		c := s.join(t, "deploy")
		_, ended := s.ask(t.Context(), c, func(ctx context.Context) error {
			failed, err := s.Execute(ctx, "deploy", "")
			return errors.Join(err, errors.New(failed))
		})
		s.on(func() { s.Left(c) })
		if err := <-ended; !strings.Contains(err.Error(), "has left") {
			t.Errorf("Execute = %v, want that the client has left", err)
		}
		ctx, leave := context.WithCancel(t.Context())
		id, ended := s.ask(ctx, c, s.invoke)
		leave()
		if err := <-ended; !errors.Is(err, context.Canceled) {
			t.Errorf("Invoke = %v, want %v", err, context.Canceled)
		}
		synctest.Wait()
		if ok, err := s.Answer(t.Context(), c, id, nil); !ok || err != nil {
			t.Errorf("a late answer: %v, %v, want true", ok, err)
		}
		if want := []wire.EventType{"command.completed", "command.completed"}; !slices.Equal(s.Types(), want) {
			t.Errorf("all clients were sent %v, want %v", s.Types(), want)
		}
	})
}

// What the commands of the program do, and what they answer.
func TestCommandsOfTheProgram(t *testing.T) {
	for line, want := range map[string]string{
		"/model":       `{"kind":"text","text":"The model is the first that the provider lists."}`,
		"/model gpt":   `model gpt {"kind":"completed","message":"The model is now gpt."}`,
		"/plan":        `mode plan {"kind":"completed","message":"The session is in plan mode.","mode":"plan"}`,
		"/retry":       `retry {"kind":"completed"}`,
		"/compact it":  `compact it {"kind":"completed","message":"The conversation was summarized: 7 tokens fewer."}`,
		"/usage":       `{"kind":"text","text":"Since the session was opened:\n  model calls   0, for 3 messages\n  changes       2 files, +3 -4 lines\n"}`,
		"/brew":        `{"kind":"agent-prompt","displayPrompt":"/brew","prompt":"Follow the skill \"brew\", which is in /skills/brew/SKILL.md:`,
		"/greet Ann":   `"displayPrompt":"/greet Ann","notice":"These parts of /work/.github/prompts/greet.prompt.md have no effect: model.","prompt":"Greet Ann."}`,
		"/plan it":     "takes no argument",
		"/quit":        "works only in sidestick chat",
		"/review":      `"prompt":"Review the changes in this repository`,
		"/nothing":     "there is no slash command /nothing",
		"/mode":        `"kind":"select-subcommand"`,
		"/help":        `/model [NAME]  show the model, or switch to another\n`,
		"/greet":       `/greet needs whom`,
		"/autopilot":   `mode autopilot {`,
		"/mode hectic": `mode hectic {`,
	} {
		s := newScene(t)
		name, input, _ := strings.Cut(line, " ")
		result, err := s.Invoke(t.Context(), name, input)
		got := strings.Join(s.did, " ") + " "
		if err != nil {
			got += err.Error()
		} else if text, err := wire.Marshal(result); err == nil {
			got += string(text)
		}
		if !strings.Contains(strings.TrimSpace(got), want) {
			t.Errorf("%s: %s, want %s", line, got, want)
		}
	}
}

// A command without a caller that shows its result: the clients get its text, and a prompt is sent.
func TestACommandIsExecuted(t *testing.T) {
	s := newScene(t)
	for _, line := range []string{"usage", "greet"} {
		if failed, err := s.Execute(t.Context(), line, map[string]string{"greet": "Ann"}[line]); failed != "" || err != nil {
			t.Errorf("%s: %q, %v", line, failed, err)
		}
	}
	s.fails = fault.New(fault.Conflict, "session", "s1", "it works")
	if failed, err := s.Execute(t.Context(), "retry", ""); !strings.Contains(failed, "it works") || err != nil {
		t.Errorf("retry: %q, %v, want that it works", failed, err)
	}
	if want := []string{"send /greet Ann", "retry"}; !slices.Equal(s.did, want) {
		t.Errorf("did %q, want %q", s.did, want)
	}
	if want := []wire.EventType{"session.info", "session.warning"}; !slices.Equal(s.Types(), want) {
		t.Errorf("clients were sent %v, want %v", s.Types(), want)
	}
}

// A queued command is offered to the clients that watch the queue, and carried out here if they do not handle it.
func TestAQueuedCommand(t *testing.T) {
	for name, test := range map[string]struct {
		command string
		answer  func(t *testing.T, s *scene, id string)
		did     []string
		events  []wire.EventType
	}{
		"that nobody watches": {command: "/compact", did: []string{"compact "}, events: []wire.EventType{"command.queued", "session.info", "command.completed"}},
		"that a client handles": {command: "/compact", answer: func(t *testing.T, s *scene, id string) {
			if ok, err := s.AnswerQueued(t.Context(), id, true, true); !ok || err != nil {
				t.Errorf("AnswerQueued = %v, %v, want true", ok, err)
			}
			if ok, err := s.AnswerQueued(t.Context(), id, true, true); ok || err != nil {
				t.Errorf("the second answer: %v, %v, want false", ok, err)
			}
		}, did: []string{"stop"}, events: []wire.EventType{"command.queued", "command.completed"}},
		"that no client handles": {command: "/brew it", answer: func(t *testing.T, s *scene, id string) {
			if ok, err := s.AnswerQueued(t.Context(), id, false, true); !ok || err != nil {
				t.Errorf("AnswerQueued = %v, %v, want true", ok, err)
			}
		}, did: []string{"next /brew it"}, events: []wire.EventType{"command.queued", "command.completed"}},
		"whose watcher leaves": {command: "/nothing", answer: func(_ *testing.T, s *scene, _ string) {
			s.on(func() { s.watches = false; s.Unwatched() })
		}, events: []wire.EventType{"command.queued", "command.completed", "session.warning"}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newScene(t)
				s.watches = test.answer != nil
				id, err := s.Commands.Enqueue(t.Context(), test.command, "")
				if err != nil {
					t.Fatal(err)
				}
				ended := make(chan turn.Outcome, 1)
				go func() { ended <- s.Perform(t.Context(), id, test.command) }()
				if synctest.Wait(); test.answer != nil {
					test.answer(t, s, wire.Raw(s.Sent()[0].Data).Get("requestId").Text())
				}
				if out := <-ended; out.Err != nil || out.Aborted || len(s.queue) > 0 {
					t.Errorf("Perform = %+v, and %d commands wait, want none", out, len(s.queue))
				}
				synctest.Wait()
				if !slices.Equal(s.did, test.did) || !slices.Equal(s.Types(), test.events) {
					t.Errorf("did %q and sent %v, want %q and %v", s.did, s.Types(), test.did, test.events)
				}
			})
		})
	}
}

// A command that was removed from the queue, or whose run was aborted, does nothing.
func TestAQueuedCommandThatDoesNothing(t *testing.T) {
	s := newScene(t)
	if _, err := s.Commands.Enqueue(t.Context(), "no command", ""); fault.KindOf(err) != fault.Invalid {
		t.Errorf("Enqueue = %v, want that it is no command", err)
	}
	if out := s.Perform(t.Context(), "gone", "/compact"); out.Err != nil || out.Aborted {
		t.Errorf("a command that was removed: %+v, want nothing", out)
	}
	ctx, abort := context.WithCancel(t.Context())
	abort()
	if out := s.Perform(ctx, "", "/compact"); !out.Aborted {
		t.Errorf("an aborted run: %+v, want that it is aborted", out)
	}
	if len(s.did)+len(s.Sent()) > 0 {
		t.Errorf("did %q and sent %v, want nothing", s.did, s.Types())
	}
}

// The prompt of an MCP server is sent as a message.
func TestAPromptOfAServerIsSent(t *testing.T) {
	s := newScene(t)
	if failed, err := s.Execute(t.Context(), "mcp__lib__report", "Ann"); failed != "" || err != nil {
		t.Fatal(failed, err)
	}
	if !slices.Contains(s.did, "send /mcp__lib__report Ann") {
		t.Errorf("it did %q", s.did)
	}
}
