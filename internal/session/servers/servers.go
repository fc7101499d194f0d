// Package servers has the MCP servers of a session: those that its clients and files configure, and
// those that agents bring. Package mcp runs servers and speaks with them; here is which of them a
// session has, and what it records of that.
//
// Begin with [New]. [Servers.Configure] starts what a client configures, [Servers.Start] what an
// agent brings, and [Servers.Set] has the servers themselves. GitHub's server, which no file
// configures, is in [GitHub].
//
// # What always holds
//
//   - The log names the servers that clients have disabled, and nothing else of servers.
//   - Servers of a project's files run in the sandbox that [Session] returns for them.
package servers

import (
	"cmp"
	"context"
	"encoding/json"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/sidestick-dev/sidestick/internal/agent"
	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/mcp"
	"github.com/sidestick-dev/sidestick/internal/mcp/oauth"
	"github.com/sidestick-dev/sidestick/internal/sandbox"
	"github.com/sidestick-dev/sidestick/internal/session/mailbox"
	"github.com/sidestick-dev/sidestick/internal/session/state"
	"github.com/sidestick-dev/sidestick/internal/tool"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// Home is what the servers of all sessions of a home have in common.
type Home struct {
	// Options returns the options of a set of servers, but for their host. nil: the zero value.
	Options func() mcp.Options
	Version string     // of this program, which is sent to servers
	Apps    bool       // MCP Apps are switched on
	Files   *mcp.Files // configure servers
	// Project returns the folder of the project that a folder is in.
	Project func(folder string) string
	Tokens  *oauth.Tokens // of the user, for [TokensPersistent]; nil: they are kept in memory
}

// Session is the interface of [Servers] to their session. GitHub is called on the session's goroutine,
// or while the session is opened. The other methods beside those of the Recorder are those of
// [mcp.Host], which describes them: any goroutine calls them.
type Session interface {
	state.Recorder
	Cwd() string
	Conceal(address string, headers map[string]string)
	Redact(text string) string
	Progress(c tool.Call, message string)
	Meta(ctx context.Context, c tool.Call, server, tool string, meta map[string]any) map[string]any
	Sandbox(ctx context.Context, of *mcp.OfProject) (*sandbox.Boxes, *sandbox.Policy, error)
	Asker() mcp.Asker
	Folders(ctx context.Context) ([]string, error)
	// GitHub returns where GitHub's server is for the session, with the token of the process.
	GitHub() GitHub
}

// Servers are the MCP servers of a session. Methods with a context, Set, Current and OfMain are safe
// for concurrent use; those with a context are not called on the session's goroutine, and return as
// [mailbox.Goroutine] describes. The others are called on that goroutine, or while the session is
// opened.
type Servers struct {
	session Session
	id      string // of the session
	home    *Home

	// Other goroutines read these.
	set  atomic.Pointer[mcp.Set] // nil before a client configures a server
	main atomic.Pointer[OfAgent] // those that the main agent brings; nil if it brings none
	// gitHubToken is for GitHub's server; nil: there is none.
	gitHubToken atomic.Pointer[string]
	// nextToken is what [Servers.FollowTokens] has returned last; wantsToken is set once a client has asked for GitHub's server.
	nextToken  atomic.Pointer[func(context.Context) (string, error)]
	wantsToken atomic.Bool
	prompts    prompts // of set; safe for concurrent use

	// The rest belongs to the session's goroutine.
	settings   settings
	apps       bool            // a client shows MCP Apps
	appContext json.RawMessage // what MCP Apps are told of the client; nil: nothing
}

// New returns the servers of a session, of which there are none yet.
func New(session Session, id string, home *Home) *Servers {
	return &Servers{session: session, id: id, home: home}
}

// Configure applies the configuration of a client, of a session whose main agent is main. It starts
// servers and returns at once.
func (m *Servers) Configure(cfg wire.Config, main agent.Definition) {
	m.showApps(cfg)
	if cfg.RequestMCPApps != nil && *cfg.RequestMCPApps && !m.apps {
		m.session.RecordOrEmit("", &wire.SessionWarning{WarningType: "mcp_apps", Message: "requestMcpApps has no effect: MCP Apps are switched off. Start the runtime with COPILOT_MCP_APPS=true."})
	}
	for _, text := range cfg.MCPProblems {
		m.session.RecordOrEmit("", &wire.SessionWarning{WarningType: "mcp", Message: text})
	}
	cfg.DisabledMCP = m.disabledBy(cfg)
	m.settings.note(cfg, m.home.tokensFor(cfg))
	m.Follow(main)
	set := m.set.Load()
	m.UseGitHubToken(cfg.GitHubToken)
	gitHub := m.gitHub(cfg)
	if set == nil && len(cfg.MCPServers) == 0 && gitHub == nil {
		if cfg.GitHubMCP != nil {
			m.session.RecordOrEmit("", &wire.SessionWarning{WarningType: "mcp", Message: "githubMcpToolConfig has no effect: there is no GitHub token"})
		}
		return
	}
	if set == nil {
		set = m.make()
	}
	set.Configure(mcp.Configuration{
		Servers: cfg.MCPServers, Disabled: cfg.DisabledMCP, Indirect: cfg.EnvValueMode == "indirect",
		Tokens: m.home.tokensFor(cfg), ClientDocument: cfg.ClientDocument,
		Warn: func(text string) { m.session.RecordOrEmit("", &wire.SessionWarning{WarningType: "mcp", Message: text}) },
	})
	if gitHub != nil {
		set.Later(wire.GitHubServer, gitHub)
	}
}

// disabledBy is the list of disabled servers after the configuration of a client; nil leaves it as it
// is. What the client says is recorded. A session that is opened again without a list has that of its log.
func (m *Servers) disabledBy(cfg wire.Config) []string {
	switch {
	case cfg.DisabledMCP != nil:
		m.recordDisabled(cfg.DisabledMCP)
	case cfg.DisabledInFiles == nil && m.settings.disabled != nil:
		return nil
	}
	if named := m.session.State().DisabledServers; cfg.DisabledMCP != nil || len(named)+len(cfg.DisabledInFiles) > 0 {
		return append(append([]string{}, named...), cfg.DisabledInFiles...) // not nil
	}
	return nil
}

// recordDisabled records which servers clients have disabled, if that is not what the log says.
func (m *Servers) recordDisabled(names []string) {
	if !slices.Equal(names, m.session.State().DisabledServers) {
		m.session.RecordOrEmit("", Disabled(names))
	}
}

// Disabled is the event that names the servers that clients have disabled.
func Disabled(names []string) wire.Data {
	message := "No MCP server is disabled."
	if len(names) > 0 {
		message = "These MCP servers are disabled: " + strings.Join(names, ", ") + "."
	}
	return wire.WithJSON(&wire.SessionInfo{InfoType: wire.InfoServersDisabled, Message: message}, wire.FieldDisabled, append([]string{}, names...))
}

// NoteDisabled records that a client has disabled a server, or enabled it again, so that a resume and a fork
// keep to it.
func (m *Servers) NoteDisabled(ctx context.Context, name string, disabled bool) error {
	return m.session.Change(ctx, func() error {
		names := slices.DeleteFunc(slices.Clone(m.session.State().DisabledServers), func(n string) bool { return wire.SameServer(n, name) })
		if disabled {
			names = append(names, name)
		}
		m.recordDisabled(names)
		return nil
	})
}

// Reconfigure applies what an update of a client says of MCP servers, of a session whose main agent is
// main.
func (m *Servers) Reconfigure(cfg wire.Config, main agent.Definition) {
	m.showApps(cfg)
	m.settings.note(cfg, nil)
	m.Follow(main)
	if set := m.set.Load(); set != nil && cfg.EnvValueMode != "" {
		set.SetIndirect(m.settings.indirect)
	}
}

// showApps notes whether a client shows MCP Apps.
func (m *Servers) showApps(cfg wire.Config) {
	if cfg.RequestMCPApps != nil {
		m.apps = *cfg.RequestMCPApps && m.home.Apps
	}
}

// make makes the set of servers, on the session's goroutine or while the session is opened.
func (m *Servers) make() *mcp.Set {
	set := m.newSet("", false)
	m.set.Store(set)
	return set
}

// newSet returns servers of an agent that there are none of yet; agentID is "" for the session.
func (m *Servers) newSet(agentID string, ofAgent bool) *mcp.Set {
	var o mcp.Options
	if m.home.Options != nil {
		o = m.home.Options()
	}
	o.Host, o.Version, o.Apps = host{m.session, agentID, ofAgent, &m.prompts}, m.home.Version, m.apps
	return mcp.New(o)
}

// Set returns the servers. [fault.Unavailable] if the session has none.
func (m *Servers) Set() (*mcp.Set, error) {
	if set := m.set.Load(); set != nil {
		return set, nil
	}
	return nil, fault.New(fault.Unavailable, "mcp", m.id, "no MCP host initialized: no MCP servers are configured for this session")
}

// Current returns the servers; nil if the session has none.
func (m *Servers) Current() *mcp.Set { return m.set.Load() }

// Retry starts the servers again that wait for a client which answers their questions.
func (m *Servers) Retry() {
	if set := m.set.Load(); set != nil {
		set.Retry()
	}
}

// Closing returns a function that ends the servers of the session and of the main agent, and waits for
// their programs. It is not called on the session's goroutine.
func (m *Servers) Closing() (end func()) {
	set, own := m.set.Load(), m.main.Load()
	return func() {
		if set != nil {
			set.Close()
		}
		own.Close()
	}
}

// List returns the servers and their states; without a server, the host is absent.
func (m *Servers) List(ctx context.Context) (wire.MCPServerList, error) {
	set := m.set.Load()
	if set == nil {
		return wire.MCPServerList{}, m.session.Do(ctx, func() error { return nil }) // the error of a closed session
	}
	return set.List(), nil
}

// Begin returns the servers, of a session that has none the empty set.
func (m *Servers) Begin(ctx context.Context) (*mcp.Set, error) {
	return mailbox.Ask(ctx, m.session.Do, func() (*mcp.Set, error) {
		if set := m.set.Load(); set != nil {
			return set, nil
		}
		return m.make(), nil
	})
}

// AppContext returns what SetAppContext has set last, nil for nothing.
func (m *Servers) AppContext(ctx context.Context) (context json.RawMessage, err error) {
	return mailbox.Ask(ctx, m.session.Do, func() (json.RawMessage, error) { return m.appContext, nil })
}

// SetAppContext sets what MCP Apps are told about the program that shows them.
func (m *Servers) SetAppContext(ctx context.Context, context json.RawMessage) error {
	return m.session.Do(ctx, func() error { m.appContext = context; return nil })
}

// Apps reports whether the session has MCP Apps: they are switched on, and a client has asked for
// them.
func (m *Servers) Apps(ctx context.Context) (bool, error) {
	return mailbox.Ask(ctx, m.session.Do, func() (bool, error) { return m.apps, nil })
}

// settings are the settings of clients for the MCP servers of agents. The servers of the
// session keep them, too.
type settings struct {
	indirect bool
	disabled []string
	tokens   *oauth.Tokens // nil: those of the session are kept in memory
	document string        // about the program of the client, for signing in
}

// note takes over what a configuration says of these settings. tokens are those that it names.
func (s *settings) note(cfg wire.Config, tokens *oauth.Tokens) {
	s.tokens, s.document = cmp.Or(tokens, s.tokens), cmp.Or(cfg.ClientDocument, s.document)
	if cfg.EnvValueMode != "" {
		s.indirect = cfg.EnvValueMode == "indirect"
	}
	if cfg.DisabledMCP != nil {
		s.disabled = cfg.DisabledMCP
	}
}

// The places where tokens for MCP servers are kept, as clients name them.
const (
	TokensPersistent = "persistent" // in the home folder, for all sessions
	tokensInMemory   = "in-memory"  // in the session
)

// tokensFor returns where the tokens for MCP servers are kept; nil if the client does not say, and for
// those that are kept in memory.
func (h *Home) tokensFor(cfg wire.Config) *oauth.Tokens {
	if cfg.TokenStorage != TokensPersistent {
		return nil
	}
	return h.Tokens
}

// CheckSignIn checks the settings of a client for signing in to MCP servers. invalid makes the error.
func CheckSignIn(cfg wire.Config, invalid func(format string, args ...any) error) error {
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

// host is a session as one set of servers needs it; it implements [mcp.Host].
type host struct {
	Session
	agentID string // of the agent that brings the servers; "" for the session and its main agent
	ofAgent bool
	prompts *prompts // of the session's own servers
}

// Notify sends the events of servers that an agent brings as those of the agent. The list of servers
// is that of the session, so its event is not sent for them.
func (h host) Notify(data wire.Data) {
	switch changed := data.(type) {
	case *wire.MCPPromptsListChanged:
		h.prompts.forget(changed.ServerName)
	case *wire.MCPStatusChanged:
		h.prompts.forget(changed.ServerName)
	}
	if _, loaded := data.(*wire.MCPServersLoaded); !loaded || !h.ofAgent {
		h.Emit(h.agentID, data)
	}
}

func (h host) Warn(text string) {
	_ = h.Post(context.Background(), func() error { // an error is that of a closed session
		h.RecordOrEmit("", &wire.SessionWarning{WarningType: "mcp", Message: text})
		return nil
	})
}
