package e2e_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	copilot "github.com/github/copilot-sdk/go"

	"github.com/sidestick-dev/sidestick/internal/testing/modeltest"
)

// program is a program on the official SDK that holds the recorded conversations with the
// built binary, where the SDKs' own test of the recording did more than send prompts.
// Source: the tests of the SDKs of that name, in Go where they have one.
type program func(*stage)

// programs are those of the recordings, by name; the tables programs_*_test.go.
var programs = joined(mcpPrograms, clientPrograms, pendingPrograms, storagePrograms, historyPrograms)

// stage is what a program runs on: a runtime whose Copilot API is the recording.
type stage struct {
	*testing.T
	rec        *modeltest.Recording
	player     *modeltest.Player
	url        string // of the player
	home, work string
}

// perform runs a program. It fails the test where a request differs from the recording, and where the
// last answer of a conversation was not asked for.
func perform(t *testing.T, rec *modeltest.Recording, play program) {
	t.Parallel()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	s := &stage{T: t, rec: rec, home: filepath.Join(root, "home"), work: filepath.Join(root, "work")}
	for _, folder := range []string{s.home, s.work} {
		if err := os.Mkdir(folder, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	s.player = modeltest.Play(rec, s.work)
	t.Cleanup(s.player.Close)
	if s.url, err = s.player.Listen(); err != nil {
		t.Fatal(err)
	}
	play(s)
	if m := s.player.Mismatch(); m != "" {
		t.Error(m)
	}
	for i, c := range rec.Conversations {
		if !continued(rec, scene{}, i) && !reached(s.player.Requests(), c) {
			t.Errorf("nobody asked for the last answer of conversation %d", i)
		}
	}
}

// reached reports whether a request ended where the last answer of a conversation begins.
func reached(requests []modeltest.Request, conversation []modeltest.Message) bool {
	end := len(conversation)
	for end > 0 && conversation[end-1].Role == "assistant" {
		end--
	}
	for _, r := range requests {
		if len(r.Messages) == end {
			return true
		}
	}
	return false
}

// env is the environment of a runtime whose Copilot API is the recording.
func (s *stage) env() []string {
	return append(environment(s.home), "COPILOT_API_URL="+s.url, "GITHUB_TOKEN=token-of-the-recording")
}

// client starts a runtime of its own, with the options that change changes.
func (s *stage) client(change ...func(*copilot.ClientOptions)) *copilot.Client {
	s.Helper()
	options := copilot.ClientOptions{Connection: copilot.StdioConnection{Path: binary, Env: s.env()}, WorkingDirectory: s.work}
	for _, c := range change {
		c(&options)
	}
	return started(s.T, options)
}

// shared starts a runtime that several clients use.
func (s *stage) shared() *process { return serve(s.T, s.home, s.env()...) }

// create starts a session that allows everything, unless config says something else.
func (s *stage) create(c *copilot.Client, config copilot.SessionConfig) *talk {
	s.Helper()
	if config.OnPermissionRequest == nil {
		config.OnPermissionRequest = copilot.PermissionHandler.ApproveAll
	}
	config.WorkingDirectory = s.work
	return create(s.T, c, config)
}

// resume continues a session as create starts one.
func (s *stage) resume(c *copilot.Client, id string, config copilot.ResumeSessionConfig) *talk {
	s.Helper()
	if config.OnPermissionRequest == nil {
		config.OnPermissionRequest = copilot.PermissionHandler.ApproveAll
	}
	config.WorkingDirectory = s.work
	return resume(s.T, c, id, config)
}

// must fails the test with an error.
func (s *stage) must(err error) {
	s.Helper()
	if err != nil {
		s.Fatal(err)
	}
}

// asked sends the prompts one after the other. perform compares the requests with the recording.
func (t *talk) asked(prompts ...string) {
	t.t.Helper()
	for _, p := range prompts {
		t.ask(p)
	}
}

// toolOf is a tool of the program; run makes the result from one argument.
func toolOf(name, argument string, run func(value string) string) copilot.Tool {
	return copilot.Tool{
		Name: name, Description: "recorded",
		Parameters: object{"type": "object", "properties": object{argument: object{"type": "string"}}},
		Handler: func(call copilot.ToolInvocation) (copilot.ToolResult, error) {
			arguments, _ := call.Arguments.(object)
			return copilot.ToolResult{TextResultForLLM: run(fmt.Sprint(arguments[argument])), ResultType: "success"}, nil
		},
	}
}

// lastRequest is what the model was asked last.
func (s *stage) lastRequest() *modeltest.Request {
	s.Helper()
	requests := s.player.Requests()
	if len(requests) == 0 {
		s.Fatal("the model was not asked")
	}
	return &requests[len(requests)-1]
}
