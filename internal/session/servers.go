package session

import (
	"cmp"
	"context"
	"encoding/json"
	"maps"
	"net/url"
	"slices"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/mcp"
	"github.com/sidestick-dev/sidestick/internal/mcp/oauth"
	"github.com/sidestick-dev/sidestick/internal/projectfiles"
	"github.com/sidestick-dev/sidestick/internal/sandbox"
	"github.com/sidestick-dev/sidestick/internal/session/mailbox"
	"github.com/sidestick-dev/sidestick/internal/tool"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// Servers are the MCP servers of a session, as clients see and change them. Their methods do
// not run on the session's goroutine.
type Servers struct{ s *Session }

// MCP returns the MCP servers of a session.
func MCP(s *Session) Servers { return Servers{s} }

// configure applies the configuration of a client. It starts servers and returns at once. It is
// called on the session's goroutine, or while the session is opened.
func (m Servers) configure(cfg wire.Config) {
	if is(cfg.RequestMCPApps) && !m.s.config.apps {
		m.s.log.recordOrEmit(&wire.SessionWarning{WarningType: "mcp_apps", Message: "requestMcpApps has no effect: MCP Apps are switched off. Start the runtime with COPILOT_MCP_APPS=true."})
	}
	for _, text := range cfg.MCPProblems {
		m.s.log.recordOrEmit(&wire.SessionWarning{WarningType: "mcp", Message: text})
	}
	cfg.DisabledMCP = m.disabledBy(cfg)
	m.s.tools.serverSettings.note(cfg, m.s.reg.tokensFor(cfg))
	m.follow()
	set := m.s.tools.servers.Load()
	m.useGitHubToken(cfg.GitHubToken)
	gitHub := gitHubServer(m.s, cfg, m.s.config.providers.Own)
	if set == nil && len(cfg.MCPServers) == 0 && gitHub == nil {
		if cfg.GitHubMCP != nil {
			m.s.log.recordOrEmit(&wire.SessionWarning{WarningType: "mcp", Message: "githubMcpToolConfig has no effect: there is no GitHub token"})
		}
		return
	}
	if set == nil {
		set = m.make()
	}
	set.Configure(mcp.Configuration{
		Servers: cfg.MCPServers, Disabled: cfg.DisabledMCP, Indirect: cfg.EnvValueMode == "indirect",
		Tokens: m.s.reg.tokensFor(cfg), ClientDocument: cfg.ClientDocument,
		Warn: func(text string) { m.s.log.recordOrEmit(&wire.SessionWarning{WarningType: "mcp", Message: text}) },
	})
	if gitHub != nil {
		set.Later(wire.GitHubServer, gitHub)
	}
}

// disabledBy is the list of disabled servers after the configuration of a client; nil leaves it as it
// is. What the client says is recorded. A session that is opened again without a list has that of its log.
func (m Servers) disabledBy(cfg wire.Config) []string {
	switch {
	case cfg.DisabledMCP != nil:
		m.recordDisabled(cfg.DisabledMCP)
	case cfg.DisabledInFiles == nil && m.s.tools.serverSettings.disabled != nil:
		return nil
	}
	if named := m.s.state.DisabledServers; cfg.DisabledMCP != nil || len(named)+len(cfg.DisabledInFiles) > 0 {
		return append(append([]string{}, named...), cfg.DisabledInFiles...) // not nil
	}
	return nil
}

// recordDisabled records which servers clients have disabled, if that is not what the log says.
func (m Servers) recordDisabled(names []string) {
	if !slices.Equal(names, m.s.state.DisabledServers) {
		m.s.log.recordOrEmit(serversDisabled(names))
	}
}

func serversDisabled(names []string) wire.Data {
	message := "No MCP server is disabled."
	if len(names) > 0 {
		message = "These MCP servers are disabled: " + strings.Join(names, ", ") + "."
	}
	return wire.WithJSON(&wire.SessionInfo{InfoType: wire.InfoServersDisabled, Message: message}, wire.FieldDisabled, append([]string{}, names...))
}

// NoteDisabled records that a client has disabled a server, or enabled it again, so that a resume and a fork
// keep to it.
func (m Servers) NoteDisabled(ctx context.Context, name string, disabled bool) error {
	return m.s.change(ctx, func() error {
		names := slices.DeleteFunc(slices.Clone(m.s.state.DisabledServers), func(n string) bool { return wire.SameServer(n, name) })
		if disabled {
			names = append(names, name)
		}
		m.recordDisabled(names)
		return nil
	})
}

// reconfigure applies what an update of a client says of MCP servers. It is called on the session's
// goroutine.
func (m Servers) reconfigure(cfg wire.Config) {
	m.s.tools.serverSettings.note(cfg, nil)
	m.follow()
	if set := m.s.tools.servers.Load(); set != nil && cfg.EnvValueMode != "" {
		set.SetIndirect(m.s.tools.serverSettings.indirect)
	}
}

// The places where tokens for MCP servers are kept.
const (
	TokensPersistent = "persistent" // in the home folder, for all sessions
	tokensInMemory   = "in-memory"  // in the session
)

// tokensFor returns where the tokens for MCP servers are kept; nil if the client does not say, and for
// those that are kept in memory.
func (r *Registry) tokensFor(cfg wire.Config) *oauth.Tokens {
	if cfg.TokenStorage != TokensPersistent || r.opts.Home == "" {
		return nil
	}
	return r.tokens
}

// Tokens are the tokens of the user for MCP servers, which sessions with [TokensPersistent] use.
func (r *Registry) Tokens() *oauth.Tokens { return r.tokens }

// checkSignIn checks the settings for signing in to MCP servers.
func checkSignIn(cfg wire.Config, invalid func(format string, args ...any) error) error {
	if s := cfg.TokenStorage; s != "" && s != TokensPersistent && s != tokensInMemory {
		return invalid("mcpOAuthTokenStorage is %q, want %q or %q", s, TokensPersistent, tokensInMemory)
	}
	if d := cfg.ClientDocument; d != "" {
		if u, err := url.Parse(d); err != nil || u.Scheme != "https" || u.Host == "" || u.Path == "" || u.Path == "/" {
			return invalid("authClientIdMetadataUrl %q is not the https address of a document", d)
		}
	}
	return nil
}

// serverFiles are the files that configure MCP servers.
func (r *Registry) serverFiles() *mcp.Files {
	f := &mcp.Files{FS: r.opts.FS, Counts: r.Trust().Counts, Resolve: r.opts.Resolve, Environ: func() []string { return nil }}
	if r.opts.Home != "" {
		f.User = projectfiles.Paths(projectfiles.Servers, projectfiles.Home, r.opts.Home)[0]
	}
	if r.opts.UserHome != "" {
		f.Other = projectfiles.Paths(projectfiles.Servers, projectfiles.UserHome, r.opts.UserHome)[0]
	}
	if r.opts.MCP != nil {
		f.Environ = func() []string { return r.opts.MCP().Environ }
	}
	return f
}

// ServerFiles returns the files of the user and of projects that configure MCP servers.
func (r *Registry) ServerFiles() *mcp.Files { return r.servers }

// FindServers returns the servers in the files of the user, and of the project that a folder is in.
// It reads files.
func (r *Registry) FindServers(folder string) (found []mcp.Found, problems []string) {
	return r.servers.Find(r.ProjectOf(folder))
}

// ProjectOf returns the folder of the project that a folder is in: its git repository or, outside
// of one, the folder itself. "" is the working directory of this program. It reads files.
func (r *Registry) ProjectOf(folder string) string {
	folder = cmp.Or(folder, r.opts.Cwd)
	return cmp.Or(r.finder.GitRoot(folder), folder)
}

// sourceProject is the source of the servers in files of a project.
const sourceProject = "workspace"

// withServerFiles adds to the configuration of a client the MCP servers in files, if it asks for
// them, and those of plugins. A server of the client takes the place of one in a file, and that
// of one in a plugin. It reads files.
func (r *Registry) withServerFiles(cfg wire.Config) wire.Config {
	found, problems := r.pluginServers(cfg)
	if is(cfg.EnableConfigDiscovery) {
		more, wrong := r.FindServers(cfg.WorkingDirectory)
		found, problems = append(found, more...), append(problems, wrong...)
	}
	cfg.MCPProblems = problems
	if is(cfg.EnableConfigDiscovery) && cfg.GitHubMCP != nil {
		cfg.DisabledInFiles = append(slices.Clip(cfg.DisabledInFiles), disabledGitHub(r.servers)...)
	}
	if len(found) == 0 {
		return cfg
	}
	servers := map[string]json.RawMessage{}
	for _, one := range found {
		if cfg.MCPServers[one.Name] == nil {
			cfg.Unread.Add(wire.UnreadServer("mcpServers."+one.Name+".", wire.Raw(one.Config)))
		}
		servers[one.Name] = mcp.WithSource(one.Config, one.Source)
		if one.Source == sourceProject {
			servers[one.Name] = mcp.MarkOfProject(servers[one.Name], one.Written, r.ProjectOf(cfg.WorkingDirectory))
		}
		if one.Disabled && cfg.MCPServers[one.Name] == nil {
			cfg.DisabledInFiles = append(slices.Clip(cfg.DisabledInFiles), one.Name)
		}
	}
	maps.Copy(servers, cfg.MCPServers)
	cfg.MCPServers = servers
	return cfg
}

// disabledGitHub returns the names by which the user's file disables GitHub's server, which is in no file.
// An unreadable file is a problem that FindServers names.
func disabledGitHub(files *mcp.Files) []string {
	_, disabled, _ := files.Users()
	return slices.DeleteFunc(slices.Clone(disabled), func(name string) bool { return !wire.SameServer(name, wire.GitHubServer) })
}

// make makes the set of servers, on the session's goroutine or while the session is opened.
func (m Servers) make() *mcp.Set {
	set := m.newSet(serverHost(m))
	m.s.tools.servers.Store(set)
	return set
}

// newSet returns servers of the session that there are none of yet.
func (m Servers) newSet(h mcp.Host) *mcp.Set {
	var o mcp.Options
	if m.s.reg.opts.MCP != nil {
		o = m.s.reg.opts.MCP()
	}
	o.Host, o.Version, o.Apps = h, m.s.reg.opts.Version, m.s.config.apps
	return mcp.New(o)
}

// Set returns the servers. [fault.Unavailable] if the session has none.
func (m Servers) Set() (*mcp.Set, error) {
	if set := m.s.tools.servers.Load(); set != nil {
		return set, nil
	}
	return nil, fault.New(fault.Unavailable, "mcp", m.s.id, "no MCP host initialized: no MCP servers are configured for this session")
}

// interested starts the servers again that wait for a client which answers events of a type. It is
// called on the session's goroutine.
func (m Servers) interested(event wire.EventType) {
	if set := m.s.tools.servers.Load(); set != nil && (event == eventSignIn || event == eventHeaders) {
		set.Retry()
	}
}

// List returns the servers and their states; without a server, the host is absent.
func (m Servers) List(ctx context.Context) (wire.MCPServerList, error) {
	set := m.s.tools.servers.Load()
	if set == nil {
		return wire.MCPServerList{}, m.s.do(ctx, func() error { return nil }) // the error of a closed session
	}
	return set.List(), nil
}

// Begin returns the servers, of a session that has none the empty set.
func (m Servers) Begin(ctx context.Context) (*mcp.Set, error) {
	return mailbox.Ask(ctx, m.s.do, func() (*mcp.Set, error) {
		if set := m.s.tools.servers.Load(); set != nil {
			return set, nil
		}
		return m.make(), nil
	})
}

// AppContext returns what SetAppContext has set last, nil for nothing.
func (m Servers) AppContext(ctx context.Context) (context json.RawMessage, err error) {
	return mailbox.Ask(ctx, m.s.do, func() (json.RawMessage, error) { return m.s.tools.appContext, nil })
}

// SetAppContext sets what MCP Apps are told about the program that shows them.
func (m Servers) SetAppContext(ctx context.Context, context json.RawMessage) error {
	return m.s.do(ctx, func() error { m.s.tools.appContext = context; return nil })
}

// Apps reports whether the session has MCP Apps: they are switched on, and a client has asked for
// them.
func (m Servers) Apps(ctx context.Context) (bool, error) {
	return mailbox.Ask(ctx, m.s.do, func() (bool, error) { return m.s.config.apps, nil })
}

// MCPApps reports whether MCP Apps are switched on.
func (r *Registry) MCPApps() bool { return r.opts.MCPApps }

// serverHost is a session as its MCP servers need it; it implements [mcp.Host].
type serverHost struct{ s *Session }

func (h serverHost) Cwd() string { return *h.s.at.Load() }

func (h serverHost) Notify(data wire.Data) { h.s.log.emit(data) }

func (h serverHost) Conceal(address string, headers map[string]string) {
	h.s.secrets.AddURL(address)
	for name, value := range headers {
		h.s.secrets.AddHeader(name, value)
	}
}

func (h serverHost) Redact(text string) string { return h.s.secrets.Redact(text) }

func (h serverHost) Warn(text string) {
	_ = h.s.post(context.Background(), func() error { // an error is that of a closed session
		h.s.log.recordOrEmit(&wire.SessionWarning{WarningType: "mcp", Message: text})
		return nil
	})
}

func (h serverHost) Progress(c tool.Call, message string) {
	h.s.tools.emitOfRun(c.AgentID, &wire.ToolProgress{ToolCallID: c.ID, ProgressMessage: message})
}

func (h serverHost) Meta(ctx context.Context, c tool.Call, server, name string, meta map[string]any) map[string]any {
	if !h.s.hooks.Any() {
		return meta
	}
	return h.s.hooks.PreMCPToolCall(ctx, hookedCall(c), server, name, meta)
}

func (h serverHost) Sandbox(ctx context.Context, of *mcp.OfProject) (*sandbox.Boxes, *sandbox.Policy, error) {
	var policy *sandbox.Policy
	var err error
	if of == nil {
		policy, err = h.s.permissions.ServerPolicy(ctx)
	} else if err = h.s.reg.servers.CheckScripts(of.Config, of.Folder); err == nil { // they may have changed since the file was read
		policy, err = h.s.permissions.ProjectServerPolicy(ctx, of.Folder, of.Name, of.Digest)
	}
	if policy == nil || err != nil {
		return nil, nil, err
	}
	boxes, err := mailbox.Ask(ctx, h.s.post, func() (*sandbox.Boxes, error) { return h.s.tools.own().ServerBoxes, nil })
	return boxes, policy, err
}
