package registry

import (
	"context"
	"log/slog"
	"path/filepath"
	"sync"
	"time"

	"github.com/sidestick-dev/sidestick/internal/clientfs"
	"github.com/sidestick-dev/sidestick/internal/mcp/oauth"
	"github.com/sidestick-dev/sidestick/internal/plugin"
	"github.com/sidestick-dev/sidestick/internal/quarantine"
	"github.com/sidestick-dev/sidestick/internal/session"
	"github.com/sidestick-dev/sidestick/internal/session/approval"
	"github.com/sidestick-dev/sidestick/internal/session/discovery"
	"github.com/sidestick-dev/sidestick/internal/session/hook"
	"github.com/sidestick-dev/sidestick/internal/session/listing"
	"github.com/sidestick-dev/sidestick/internal/session/offer"
	"github.com/sidestick-dev/sidestick/internal/session/provider"
	"github.com/sidestick-dev/sidestick/internal/session/servers"
	"github.com/sidestick-dev/sidestick/internal/session/state"
	"github.com/sidestick-dev/sidestick/internal/session/usersettings"
	"github.com/sidestick-dev/sidestick/internal/shell"
	"github.com/sidestick-dev/sidestick/internal/shell/effects"
	"github.com/sidestick-dev/sidestick/internal/tool"
	"github.com/sidestick-dev/sidestick/internal/vfs"
	"github.com/sidestick-dev/sidestick/internal/wire"
	"github.com/sidestick-dev/sidestick/internal/workspace"
)

// Registry is all sessions of one home: those in memory, and through the
// store those on disk. It is safe for concurrent use.
type Registry struct {
	*listing.Lists
	opts      Options
	home      *session.Home
	running   sync.WaitGroup // every goroutine that a session started
	user      *usersettings.Settings
	tokens    *oauth.Tokens // for MCP servers, of the user
	kept      *clientfs.Folders
	stopFacts func() // ends those that are the registry's own

	mu        sync.Mutex // guards the fields below; never held across I/O
	slots     map[string]*slot
	closed    bool
	followers map[*follower]struct{} // readers of stored sessions
	leave     func(*session.Session) // how the sessions close that are opened too late; set with closed
}

// slot reserves the id of a session while it is opened and while it is in memory.
type slot struct {
	ready   chan struct{} // closed when session or err is set
	session *session.Session
	err     error
}

// New returns a registry without sessions in memory.
func New(opts Options) *Registry {
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
	r := &Registry{opts: opts, slots: map[string]*slot{}, stopFacts: func() {}}
	if r.opts.Facts == nil {
		r.opts.Facts = provider.OpenFacts(opts.FS, opts.Home, opts.Logger)
		r.stopFacts = r.opts.Facts.Stop
	}
	sessions := ""
	if opts.Store != nil {
		sessions = filepath.Dir(opts.Store.Dir("any"))
	}
	r.kept = clientfs.NewFolders(opts.FS, opts.Logger, sessions)
	r.user = usersettings.Open(opts.FS, opts.Home)
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
func (r *Registry) open() *session.Home {
	opts := &r.opts
	h := &session.Home{
		Registrar: registrar{r}, Version: opts.Version, Model: opts.Model, Copilot: opts.Copilot, ToolSet: opts.ToolSet, ToolSearch: opts.ToolSearch, Tools: opts.Tools, Builtin: opts.Builtin,
		Subagents: opts.Subagents, AgentModels: opts.AgentModels, Nudges: opts.Nudges, WatchCalls: opts.WatchCalls, UserLeaves: opts.UserLeaves,
		Rules: opts.Rules, Sandbox: opts.Sandbox, Folder: opts.Home, UserHome: opts.UserHome, Programs: opts.Programs, Redactor: opts.Redactor,
		Secrets: opts.Secrets, RunScript: opts.RunScript, Resolve: opts.Resolve, Cwd: opts.Cwd, FS: opts.FS, IdleTimeout: opts.IdleTimeout, Observe: opts.Observe, Trace: opts.Trace, Tape: opts.Tape,
		Ledger: opts.Ledger, Logger: opts.Logger,
		Grants: grantsOf(opts), Quarantine: quarantine.Open(opts.FS, opts.Home), ServerFiles: r.serverFiles(), Sheets: new(offer.Sheets),
	}
	h.Models = provider.New(opts.Model, opts.Facts, provider.Home{
		Version: opts.Version, Default: opts.Provider, Copilot: opts.Copilot, Named: opts.Named, Fallback: opts.Fallback, KeysAt: opts.KeysAt, NoWebSockets: opts.NoWebSockets,
	})
	h.HookFiles = &hook.Files{
		FS: opts.FS, Resolve: opts.Resolve, Home: opts.Home, Counts: r.Trust().Counts, RunScript: opts.RunScript, Secrets: opts.Secrets, Disabled: r.user.HooksDisabled,
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
		NoClaudeHome: opts.NoClaudeHome, InstructionDirectories: opts.InstructionDirectories,
	})
	h.Paths = approval.Paths{FS: opts.FS, Resolve: opts.Resolve, GitRoot: h.Finder.GitRoot}
	return h
}

// grantsOf opens the grants that sessions share.
func grantsOf(opts *Options) *approval.Grants {
	if !opts.Unkept || opts.Permissions == "" {
		return approval.OpenGrants(opts.FS, opts.Permissions)
	}
	sessions, _ := approval.InMemory()
	_, places := approval.Files(opts.FS, opts.Permissions)
	return approval.NewGrants(sessions, places)
}

// Finder finds instructions and skills in folders, without a session.
func (r *Registry) Finder() *discovery.Finder { return r.home.Finder }

// Plugins are those of the user and of the host.
func (r *Registry) Plugins() *plugin.Store { return r.home.Plugins }

// Models finds where the calls of models go.
func (r *Registry) Models() *provider.Models { return r.home.Models }

// Builtin returns the tools that come with the program.
func (r *Registry) Builtin() []tool.Definition { return r.opts.Builtin() }

// registrar is a registry as its sessions see it; it implements [session.Registrar].
type registrar struct{ r *Registry }

func (r registrar) Publish(change wire.Lifecycle) { r.r.Publish(change) }

func (r registrar) Put(id string, o state.Outline, name string, size int64, modified time.Time) {
	r.r.Put(id, o, name, size, modified)
}

func (r registrar) Left(s *session.Session) { r.r.remove(s) }

func (r registrar) Hold() { r.r.running.Add(1) }

func (r registrar) Release() { r.r.running.Done() }

// remove frees the slot of a session that has left memory.
func (r *Registry) remove(s *session.Session) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if sl := r.slots[s.ID()]; sl != nil && sl.session == s {
		delete(r.slots, s.ID())
	}
}

// loaded returns the session if it is in memory, else nil.
func (r *Registry) loaded(id string) *session.Session {
	r.mu.Lock()
	defer r.mu.Unlock()
	if sl := r.slots[id]; sl != nil {
		return sl.session
	}
	return nil
}

// Settings returns the user's settings.
func (r *Registry) Settings() *usersettings.Settings { return r.user }
