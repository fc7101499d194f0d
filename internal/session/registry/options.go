package registry

import (
	"context"
	"log/slog"
	"time"

	"github.com/sidestick-dev/sidestick/internal/model"

	"github.com/sidestick-dev/sidestick/internal/agent"
	"github.com/sidestick-dev/sidestick/internal/catalog"
	"github.com/sidestick-dev/sidestick/internal/eventlog"
	"github.com/sidestick-dev/sidestick/internal/mcp"
	"github.com/sidestick-dev/sidestick/internal/obs"
	"github.com/sidestick-dev/sidestick/internal/permit"
	"github.com/sidestick-dev/sidestick/internal/plugin"
	"github.com/sidestick-dev/sidestick/internal/session"
	"github.com/sidestick-dev/sidestick/internal/session/approval"
	"github.com/sidestick-dev/sidestick/internal/session/ledger"
	"github.com/sidestick-dev/sidestick/internal/session/provider"
	"github.com/sidestick-dev/sidestick/internal/session/taped"
	"github.com/sidestick-dev/sidestick/internal/session/toolsearch"
	"github.com/sidestick-dev/sidestick/internal/shell"
	"github.com/sidestick-dev/sidestick/internal/tool"
	"github.com/sidestick-dev/sidestick/internal/vfs"
	"github.com/sidestick-dev/sidestick/internal/workspace"
)

// Store is where the logs are. Dir is a folder of this machine for each session: next to its
// log if that is a file, in any case for temporary files of its commands.
type Store interface {
	eventlog.Store
	Dir(session string) string
}

// Options configures a [Registry]. Store, Model and Version are required.
type Options struct {
	Store   Store
	Model   *model.Client
	Version string // of this program, as session.start records it
	// Facts are what is known about models. Registries of a process may share them; the caller that opened them stops
	// them when all registries are closed. nil: the registry opens its own, with the files in Home.
	Facts *provider.Facts
	// UserLeaves says that closing the sessions is the user leaving them, for sessionEnd hooks.
	UserLeaves bool
	// Workspaces is where sessions keep what they have beside their logs. Default: the
	// folders of Store.
	Workspaces workspace.Store
	// Provider is used by sessions that bring none.
	Provider provider.Provider
	// Named returns the provider that the name of a model has, as in "anthropic:claude-opus-5-5";
	// false for other names. It is not asked for sessions that bring a provider. nil: no name has
	// one.
	Named func(model string) (provider.Provider, bool)
	// Fallback are the models that take over when that of a session cannot be called, in this
	// order, for sessions that give no list and bring no provider; nil: none.
	Fallback []string
	// ToolSet says whether models are offered the small set of built-in tools: "small", "full", or "auto", the
	// default, for those whose window is known and small; see [provider.ToolSet].
	ToolSet string
	// ToolSearch says whether, and from how many on, tools of MCP servers and clients are deferred, where a client says nothing.
	ToolSearch toolsearch.Settings
	// Copilot is the Copilot API, for sessions that bring a GitHub token if Provider is missing.
	// The zero value: there is none for them.
	Copilot provider.Provider
	// KeysAt returns what finds the key for the address of a client's provider that has no
	// credential, as [model.Endpoint.Keys]; nil if no key is kept for any. It is optional, and not
	// called for clients on other machines.
	KeysAt func(address string) func(ctx context.Context, refused string) (string, error)
	// Rules apply to every session, before what is approved in it. Folders in them are
	// resolved, as [permit.Folders] requires.
	Rules permit.Rules
	// Sandbox is how commands are confined; optional.
	Sandbox approval.Sandbox
	// Tools makes the built-in tools of a session. nil: there are none.
	Tools func(tool.Host) session.Toolbox
	// MCP returns the options of the MCP servers of a session, but for their host. nil: programs
	// inherit no environment and have no keeper.
	MCP func() mcp.Options
	// MCPApps switches MCP Apps on, for sessions whose client asks for them.
	MCPApps bool
	// NoWebSockets has models of the Copilot API called over HTTP, also where its list says that
	// they can be called over a WebSocket.
	NoWebSockets bool
	// Subagents bounds the sub-agents of each session. AgentModels are models for sub-agents
	// by the name of their agent, instead of those of its definition.
	Subagents   agent.Limits
	AgentModels map[string]string
	// Nudges is how many times a run in autopilot asks the model to continue. Default 5;
	// negative: never.
	Nudges int
	// WatchCalls has a run end, or the user asked, if the model makes the same calls with the same results again and
	// again.
	WatchCalls bool
	// Home is the folder of the user's configuration, UserHome the user's own:
	// instructions and skills are looked for there. Empty: nowhere. Which skills the
	// user has turned off is kept in skills.json in Home; without it, in memory.
	Home, UserHome string
	// NoClaudeHome leaves out the instructions in .claude in UserHome. InstructionDirectories are further folders of
	// instructions of the user; relative paths are relative to a session's working directory.
	NoClaudeHome           bool
	InstructionDirectories []string
	// Programs returns the command-line programs that the system message names. It is
	// called in each run, and may wait for the disk; nil: there are none.
	Programs func() []string
	// Secrets are variables of the environment that no hook inherits, as
	// [shell.Script.Drop].
	Secrets []string
	// Redactor knows the secrets of the process, which are kept out of events. Default: none.
	Redactor *obs.Redactor
	// RunScript runs the command of a hook. Default [shell.RunScript].
	RunScript func(context.Context, shell.Script) (shell.Outcome, error)
	// Permissions is the file that approvals for locations, trusted folders and
	// allowed addresses are kept in, shared by processes. Empty: they last as long as
	// this registry.
	Permissions string
	// Unkept has what is granted in each session end with the registry. It is for a Store that ends with it, too.
	Unkept bool
	// Clone copies the git repositories of plugins. nil: they are refused.
	Clone plugin.Clone
	// Resolve returns where an absolute path leads, links resolved; "" if that is unknown.
	// Default [effects.RealPath].
	Resolve func(path string) string
	// Cwd is the working directory of sessions that name none.
	Cwd string
	// FS is the file system for everything except Store. Default the operating system.
	FS vfs.FS
	// IdleTimeout is after how long without a command a session that neither works
	// nor waits for an answer gives back the memory of its conversation. 0: never.
	IdleTimeout time.Duration
	// Catalog is where lists of sessions come from; its Source and Logger are the
	// registry's. Without a Path every list reads the logs.
	Catalog catalog.Options
	// Builtin returns the definitions of the tools that come with the program, which Tools
	// makes for each session. It is called once; nil: there are none.
	Builtin func() []tool.Definition
	// Observe are called for each session that is created or resumed. Each costs every session a goroutine.
	Observe []session.Observer
	// Trace returns the traceparent of a new span for a tool call in a run that belongs to the span of
	// the traceparent given, which may be empty. nil: there are no spans.
	Trace func(session, run, traceparent string) string
	// Tape is the recording of the process. The zero value: there is none.
	Tape taped.Tape
	// Ledger is asked before every model call of every session, after the budget of its run. It is optional.
	Ledger ledger.Ledger
	// Logger is where diagnostics go. Default nowhere.
	Logger *slog.Logger
}
