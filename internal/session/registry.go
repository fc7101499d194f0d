package session

import (
	"context"
	"log/slog"
	"path/filepath"
	"runtime/debug"
	"sync"
	"time"

	"github.com/sidestick-dev/sidestick/internal/agent"
	"github.com/sidestick-dev/sidestick/internal/catalog"
	"github.com/sidestick-dev/sidestick/internal/clientfs"
	"github.com/sidestick-dev/sidestick/internal/eventlog"
	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/mcp"
	"github.com/sidestick-dev/sidestick/internal/mcp/oauth"
	"github.com/sidestick-dev/sidestick/internal/model"
	"github.com/sidestick-dev/sidestick/internal/obs"
	"github.com/sidestick-dev/sidestick/internal/permit"
	"github.com/sidestick-dev/sidestick/internal/plugin"
	"github.com/sidestick-dev/sidestick/internal/quarantine"
	"github.com/sidestick-dev/sidestick/internal/session/approval"
	"github.com/sidestick-dev/sidestick/internal/session/discovery"
	"github.com/sidestick-dev/sidestick/internal/session/hook"
	"github.com/sidestick-dev/sidestick/internal/session/ledger"
	"github.com/sidestick-dev/sidestick/internal/session/listing"
	"github.com/sidestick-dev/sidestick/internal/session/offer"
	"github.com/sidestick-dev/sidestick/internal/session/provider"
	"github.com/sidestick-dev/sidestick/internal/session/servers"
	"github.com/sidestick-dev/sidestick/internal/session/state"
	"github.com/sidestick-dev/sidestick/internal/session/taped"
	"github.com/sidestick-dev/sidestick/internal/session/usersettings"
	"github.com/sidestick-dev/sidestick/internal/shell"
	"github.com/sidestick-dev/sidestick/internal/shell/effects"
	"github.com/sidestick-dev/sidestick/internal/tool"
	"github.com/sidestick-dev/sidestick/internal/vfs"
	"github.com/sidestick-dev/sidestick/internal/wire"
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
	Tools func(tool.Host) Toolbox
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
	// Clone copies the git repositories of plugins. nil: they are refused.
	Clone plugin.Clone
	// Resolve returns where an absolute path leads, links resolved; "" if that is unknown.
	// Default [effects.RealPath].
	Resolve func(path string) string
	// Cwd is the working directory of sessions that name none.
	Cwd string
	// FS is where git repositories are looked for. Default the operating system.
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
	Observe []Observer
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

// Registry is all sessions of one process: those in memory, and through the
// store those on disk. It is safe for concurrent use.
type Registry struct {
	*listing.Lists
	opts    Options
	home    *Home
	running sync.WaitGroup // every goroutine that a session started
	user    *usersettings.Settings
	facts   *provider.Facts
	tokens  *oauth.Tokens // for MCP servers, of the user
	kept    *clientfs.Folders

	mu     sync.Mutex // guards slots; never held across I/O
	slots  map[string]*slot
	closed bool
	leave  func(*Session) // how the sessions close that are opened too late; set with closed
}

// slot reserves the id of a session while it is opened and while it is in memory.
type slot struct {
	ready   chan struct{} // closed when session or err is set
	session *Session
	err     error
}

// NewRegistry returns a registry without sessions in memory.
func NewRegistry(opts Options) *Registry {
	if opts.Logger == nil {
		opts.Logger = slog.New(slog.DiscardHandler)
	}
	if opts.FS == nil {
		opts.FS = vfs.OS{}
	}
	if opts.Workspaces == nil && opts.Store != nil {
		opts.Workspaces = workspace.Disk{FS: opts.FS, Dir: opts.Store.Dir}
	}
	if opts.RunScript == nil {
		opts.RunScript = shell.RunScript
	}
	if opts.Resolve == nil {
		opts.Resolve = effects.RealPath
	}
	if opts.Builtin == nil {
		opts.Builtin = func() []tool.Definition { return nil }
	}
	opts.Builtin = sync.OnceValue(opts.Builtin)
	r := &Registry{opts: opts, slots: map[string]*slot{}}
	sessions := ""
	if opts.Store != nil {
		sessions = filepath.Dir(opts.Store.Dir("any"))
	}
	r.kept = clientfs.NewFolders(opts.FS, opts.Logger, sessions)
	r.user = usersettings.Open(opts.FS, opts.Home)
	r.facts = provider.OpenFacts(opts.FS, opts.Home, opts.Logger)
	r.tokens = oauth.OpenTokens(opts.FS, filepath.Join(opts.Home, oauth.File))
	r.home = r.open()
	r.Lists = listing.New(listing.Options{
		Store: opts.Store, Catalog: opts.Catalog, Logger: opts.Logger,
		Named: func(id string) (string, bool) {
			return workspace.New(id, opts.Workspaces.Files(id)).Name(context.Background())
		},
	})
	return r
}

// open makes what the sessions have in common.
func (r *Registry) open() *Home {
	opts := &r.opts
	h := &Home{
		Registrar: registrar{r}, Version: opts.Version, Model: opts.Model, Copilot: opts.Copilot, ToolSet: opts.ToolSet, Tools: opts.Tools, Builtin: opts.Builtin,
		Subagents: opts.Subagents, AgentModels: opts.AgentModels, Nudges: opts.Nudges, WatchCalls: opts.WatchCalls, UserLeaves: opts.UserLeaves,
		Rules: opts.Rules, Sandbox: opts.Sandbox, Folder: opts.Home, UserHome: opts.UserHome, Programs: opts.Programs, Redactor: opts.Redactor,
		Secrets: opts.Secrets, RunScript: opts.RunScript, Resolve: opts.Resolve, Cwd: opts.Cwd, FS: opts.FS, IdleTimeout: opts.IdleTimeout, Observe: opts.Observe, Trace: opts.Trace, Tape: opts.Tape,
		Ledger: opts.Ledger, Logger: opts.Logger,
		Grants: approval.OpenGrants(opts.FS, opts.Permissions), Quarantine: quarantine.Open(opts.FS, opts.Home), ServerFiles: r.serverFiles(), Sheets: new(offer.Sheets),
	}
	h.Models = provider.New(opts.Model, r.facts, provider.Home{
		Version: opts.Version, Default: opts.Provider, Copilot: opts.Copilot, Named: opts.Named, Fallback: opts.Fallback, KeysAt: opts.KeysAt, NoWebSockets: opts.NoWebSockets,
	})
	h.HookFiles = &hook.Files{
		FS: opts.FS, Resolve: opts.Resolve, Counts: r.Trust().Counts, RunScript: opts.RunScript, Secrets: opts.Secrets, Disabled: r.user.HooksDisabled,
	}
	h.Plugins = plugin.NewStore(opts.FS, opts.Home, opts.Cwd)
	h.Plugins.CloneWith(opts.Clone)
	h.Plugins.OnReplace(r.Trust().replaced)
	h.MCP = servers.Home{Options: opts.MCP, Version: opts.Version, Apps: opts.MCPApps, Files: h.ServerFiles, Project: r.ProjectOf}
	if opts.Home != "" {
		h.MCP.Tokens = r.tokens
	}
	h.Finder = discovery.NewFinder(discovery.Options{
		FS: opts.FS, Plugins: h.Plugins, Resolve: opts.Resolve, Counts: r.Trust().Counts, Home: opts.Home, UserHome: opts.UserHome, Cwd: opts.Cwd,
	})
	h.Paths = approval.Paths{FS: opts.FS, Resolve: opts.Resolve, GitRoot: h.Finder.GitRoot}
	return h
}

// Finder finds instructions and skills in folders, without a session.
func (r *Registry) Finder() *discovery.Finder { return r.home.Finder }

// Plugins are those of the user and of the host.
func (r *Registry) Plugins() *plugin.Store { return r.home.Plugins }

// Models finds where the calls of models go.
func (r *Registry) Models() *provider.Models { return r.home.Models }

// Builtin returns the tools that come with the program.
func (r *Registry) Builtin() []tool.Definition { return r.opts.Builtin() }

// registrar is a registry as its sessions see it; it implements [Registrar].
type registrar struct{ r *Registry }

func (r registrar) Publish(change wire.Lifecycle) { r.r.Publish(change) }

func (r registrar) Put(id string, o state.Outline, name string, size int64, modified time.Time) {
	r.r.Put(id, o, name, size, modified)
}

func (r registrar) Left(s *Session) { r.r.remove(s) }

func (r registrar) Hold() { r.r.running.Add(1) }

func (r registrar) Release() { r.r.running.Done() }

// remove frees the slot of a session that has left memory.
func (r *Registry) remove(s *Session) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if sl := r.slots[s.id]; sl != nil && sl.session == s {
		delete(r.slots, s.id)
	}
}

// Delete removes a session from memory and disk, also while clients are attached.
// [fault.NotFound] if there is none. If ctx ends early, the session may be closed and still
// be on disk.
func (r *Registry) Delete(ctx context.Context, id string) error {
	if s := r.loaded(id); s != nil && s.storage.kept != nil {
		return r.delete(ctx, id, s.storage.kept)
	}
	return r.delete(ctx, id, r.opts.Store)
}

func (r *Registry) delete(ctx context.Context, id string, from eventlog.Store) error {
	if s := r.loaded(id); s != nil {
		if err := s.close(ctx, true); err != nil {
			return err
		}
	}
	if err := from.Delete(ctx, id); err != nil {
		if fault.KindOf(err) == fault.NotFound {
			return wire.SessionNotFound(id)
		}
		return err
	}
	if err := r.home.Grants.Forget(id); err != nil {
		r.opts.Logger.Warn("the grants of a deleted session are left behind", "session", id, "err", err)
	}
	r.Forget(id)
	r.Publish(wire.Lifecycle{Type: wire.LifecycleDeleted, SessionID: id})
	return nil
}

// loaded returns the session if it is in memory, else nil.
func (r *Registry) loaded(id string) *Session {
	r.mu.Lock()
	defer r.mu.Unlock()
	if sl := r.slots[id]; sl != nil {
		return sl.session
	}
	return nil
}

// Close closes every session, writing its session.shutdown, and waits for all
// of them, at most until ctx ends; then the error is [fault.Unavailable], and the sessions
// still close. A run that is under way is aborted. Nothing can be created or resumed after.
func (r *Registry) Close(ctx context.Context) error { return closeAll(ctx, r, (*Session).startClosing) }

// Suspend is [Registry.Close] for a process that is asked to end while its users want their runs: the log of a
// session with a run stays as it is, so that a resume with ContinuePendingWork goes on with the run
// and asks its open questions again, as after kill -9. Commands end.
func Suspend(ctx context.Context, r *Registry) error { return closeAll(ctx, r, suspend) }

// closeAll closes every session with leave, which is called on its goroutine.
func closeAll(ctx context.Context, r *Registry, leave func(*Session)) error {
	defer r.Lists.Close(ctx)
	r.mu.Lock()
	r.closed, r.leave = true, leave
	r.running.Add(1) // until all sessions are asked: another Close may wait already
	open := make([]*Session, 0, len(r.slots))
	for _, sl := range r.slots {
		if sl.session != nil {
			open = append(open, sl.session)
		}
	}
	r.mu.Unlock()
	for _, s := range open {
		s.beginClose(leave)
	}
	r.running.Done()
	done := make(chan struct{})
	go func() { // ends with the last session, and the questions to servers
		r.running.Wait()
		r.facts.Stop()
		close(done)
	}()
	select {
	case <-done:
		r.kept.Close()
		return nil
	case <-ctx.Done():
		return fault.New(fault.Unavailable, "session.Close", "", "%d sessions were still working: %w", len(open), ctx.Err())
	}
}

func trace() string { return string(debug.Stack()) }

// Settings returns the user's settings.
func (r *Registry) Settings() *usersettings.Settings { return r.user }
