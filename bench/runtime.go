package main

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"time"

	copilot "github.com/github/copilot-sdk/go"
)

// subject is a runtime that is measured.
type subject struct {
	role string // a or b
	path string // absolute
	args []string
	dialect
	inProcess bool // it is loaded by this process, which needs the build tag copilot_inprocess
}

// bench is what a scenario works with: one runtime, the model, and folders that
// nobody else uses.
type bench struct {
	subject
	served     *model
	sizes      sizes
	home, work string
}

func newBench(of subject, model *model, sizes sizes, dir string) (*bench, error) {
	b := &bench{subject: of, served: model, sizes: sizes, home: filepath.Join(dir, "home"), work: filepath.Join(dir, "work")}
	for _, d := range []string{b.home, b.work} {
		if err := os.Mkdir(d, 0o700); err != nil {
			return nil, err
		}
	}
	return b, nil
}

// start spawns the runtime and connects to it. It returns when the runtime has
// answered its first request. Stop it with ForceStop.
func (b *bench) start(ctx context.Context) (*copilot.Client, error) {
	loggedIn := false
	env := append(os.Environ(), "COPILOT_HOME="+b.home, "XDG_CONFIG_HOME="+b.home, "XDG_STATE_HOME="+b.home)
	if b.env != nil {
		env = append(env, b.env(b.served.url)...)
	}
	options := &copilot.ClientOptions{UseLoggedInUser: &loggedIn}
	if b.inProcess {
		for _, e := range append(env, "COPILOT_CLI_PATH="+b.path) { // the SDK takes no others
			name, value, _ := strings.Cut(e, "=")
			if err := os.Setenv(name, value); err != nil {
				return nil, err
			}
		}
		options.Connection = copilot.InProcessConnection{}
	} else {
		options.Connection = copilot.StdioConnection{Path: b.path, Args: b.args}
		options.WorkingDirectory, options.Env = b.work, env
	}
	client := copilot.NewClient(options)
	if err := client.Start(ctx); err != nil {
		client.ForceStop()
		return nil, err
	}
	return client, nil
}

// session starts the runtime and creates one session.
func (b *bench) session(ctx context.Context) (*copilot.Client, *copilot.Session, error) {
	client, err := b.start(ctx)
	if err != nil {
		return nil, nil, err
	}
	s, err := client.CreateSession(ctx, b.config())
	if err != nil {
		client.ForceStop()
		return nil, nil, err
	}
	return client, s, nil
}

type echoArguments struct {
	Text string `json:"text"`
}

// config is the session of every scenario: the scripted model, streaming, and one
// tool of the client.
func (b *bench) config() *copilot.SessionConfig {
	streaming := true
	var provider *copilot.ProviderConfig // nil: the name of the model has one
	if b.provider != nil {
		provider = b.provider(b.served.url)
	}
	return &copilot.SessionConfig{
		Model:               b.model,
		Streaming:           &streaming,
		Provider:            provider,
		OnPermissionRequest: copilot.PermissionHandler.ApproveAll,
		Tools: []copilot.Tool{copilot.DefineTool(toolName, "Returns the text.",
			func(a echoArguments, _ copilot.ToolInvocation) (string, error) { return a.Text, nil })},
	}
}

// say sends a message that the scripted model acts on, and waits for the end of
// the run.
func say(ctx context.Context, s *copilot.Session, what script) error {
	_, err := s.SendAndWait(ctx, copilot.MessageOptions{Prompt: what.String()})
	return err
}

// milliseconds since a moment.
func milliseconds(since time.Time) float64 { return float64(time.Since(since).Microseconds()) / 1000 }
