package server_test

import (
	"context"
	"encoding/json"
	"errors"
	"path/filepath"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/permit"
	"github.com/sidestick-dev/sidestick/internal/session"
	"github.com/sidestick-dev/sidestick/internal/session/approval"
	"github.com/sidestick-dev/sidestick/internal/tool"
	"github.com/sidestick-dev/sidestick/internal/vfs"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// sandbox is what the process knows about sandboxes.
func (s setup) sandbox() approval.Sandbox {
	const why = "no sandbox works here: bwrap is not installed (install the package bubblewrap)"
	works := map[string]approval.Works{
		"all":     {ReadOnly: true, Workspace: true, Backend: "namespaces", Platform: "linux"},
		"reading": {ReadOnly: true, Backend: "landlock", Platform: "linux", Why: why, Weaker: "bwrap is not installed"},
		"none":    {Backend: "none", Platform: "linux", Why: why},
	}[s.Sandbox]
	settings := approval.SandboxSettings{Locked: s.SandboxFlag}
	settings.On, settings.Explicit, settings.AllowBypass = s.SandboxFlag, s.SandboxFlag, true
	return approval.Sandbox{Works: func() approval.Works { return works }, Settings: settings}
}

func (s setup) sandboxes() func() wire.HostSupport {
	works := s.sandbox().Works()
	if s.Sandbox == "" {
		return nil
	}
	return func() wire.HostSupport {
		return wire.HostSupport{
			Supported: works.Workspace, Reason: works.Why,
			Capabilities: []wire.HostCapability{{Name: "namespaces", Supported: works.Workspace, Reason: works.Why}},
		}
	}
}

// tools are the built-in tools of the sessions, nil for none.
func (p *process) tools() func(tool.Host) session.Toolbox {
	if !p.setup.Agents && p.setup.Sandbox == "" && !p.setup.Files {
		return nil
	}
	return func(h tool.Host) session.Toolbox {
		var tools []tool.Tool
		if p.setup.Agents {
			tools = append(tool.AgentTools(h), tool.Task(h), tool.AskUser(h))
		}
		if p.setup.Sandbox != "" {
			tools = append(tools, fakeBash{})
		}
		if p.setup.Files {
			tools = append(tools, fakeCreate{p.disk})
		}
		return session.Toolbox{Tools: tools}
	}
}

// fakeCreate writes a file.
type fakeCreate struct{ disk vfs.FS }

func (fakeCreate) Definition() tool.Definition {
	return tool.Definition{Name: "create", Parameters: json.RawMessage(`{"type":"object"}`)}
}

func (fakeCreate) Request(_ context.Context, c tool.Call) (*permit.Request, *tool.Result) {
	var args struct{ Path, Text string }
	_ = json.Unmarshal(c.Arguments, &args) // the model of the test wrote it
	return &permit.Request{Kind: permit.Write, Tool: "create", Path: permit.Path{Name: args.Path, Real: args.Path}, Contents: &args.Text}, nil
}

func (f fakeCreate) Run(_ context.Context, c tool.Call) tool.Result {
	path := c.Permitted.Path.Real
	err := errors.Join(f.disk.MkdirAll(filepath.Dir(path), 0o700), vfs.WriteFileAtomic(f.disk, path, []byte(*c.Permitted.Contents), 0o644))
	if err != nil {
		return tool.Result{Outcome: tool.Failure, Text: err.Error()}
	}
	return tool.Result{Outcome: tool.Success, Text: "created " + path}
}

// fakeBash reads one file in a real program's place: "cat /PATH". In a sandbox that does not
// show the file, it fails as cat does. Its result names the sandbox. Of "/gone", it cannot be run at all.
// Any other command writes and does nothing.
type fakeBash struct{}

func (fakeBash) Definition() tool.Definition {
	return tool.Definition{Name: "bash", Parameters: json.RawMessage(`{"type":"object"}`)}
}

func (fakeBash) Request(_ context.Context, c tool.Call) (*permit.Request, *tool.Result) {
	path := fakePath(c)
	if name, file, other := strings.Cut(path, " "); other {
		return &permit.Request{Kind: permit.Shell, Tool: "bash", Command: permit.Command{
			Text: path, Dir: "/work", Paths: []permit.Path{{Name: file, Real: filepath.Join("/work", file)}},
			Programs: []permit.Program{{Name: name, Words: []string{name, file}}},
		}}, nil
	}
	return &permit.Request{Kind: permit.Shell, Tool: "bash", Command: permit.Command{
		Text: "cat " + path, Dir: "/work", Paths: []permit.Path{{Name: path, Real: path}},
		Programs: []permit.Program{{Name: "cat", Words: []string{"cat", path}, ReadOnly: true}},
	}}, nil
}

func fakePath(c tool.Call) string {
	var args struct{ Command string }
	_ = json.Unmarshal(c.Arguments, &args) // the model of the test wrote it
	return strings.TrimPrefix(args.Command, "cat ")
}

func (fakeBash) Run(_ context.Context, c tool.Call) tool.Result {
	path, in := fakePath(c), c.Sandbox
	if path == "/gone" {
		return tool.Result{Outcome: tool.Failure, Text: "the shell is gone"}
	}
	if in == nil {
		return tool.Result{Outcome: tool.Success, Text: "the content of " + path + "\n<exited with exit code 0>", Exit: &tool.Exit{Shell: "sh1"}}
	}
	shown := *in
	shown.ProtectNames = nil // a long list, which package permit tests
	text, err := json.Marshal(shown)
	if err != nil {
		return tool.Result{Outcome: tool.Failure, Text: err.Error()}
	}
	for _, reachable := range [][]string{in.Folders, in.Read, in.Write} {
		for _, folder := range reachable {
			if rel, err := filepath.Rel(folder, path); err == nil && !strings.HasPrefix(rel, "..") {
				return tool.Result{Outcome: tool.Success, Text: string(text), Sandboxed: true}
			}
		}
	}
	return tool.Result{Outcome: tool.Success, Text: string(text), Sandboxed: true, StoppedBy: "cat: " + path + ": No such file or directory"}
}
