package wiring

import (
	"cmp"
	"context"
	"errors"
	"io"
	"iter"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"time"

	"github.com/sidestick-dev/sidestick/extension"
	"github.com/sidestick-dev/sidestick/internal/agent"
	"github.com/sidestick-dev/sidestick/internal/app/cli"
	"github.com/sidestick-dev/sidestick/internal/catalog"
	"github.com/sidestick-dev/sidestick/internal/config"
	"github.com/sidestick-dev/sidestick/internal/eventlog"
	"github.com/sidestick-dev/sidestick/internal/eventlog/files"
	"github.com/sidestick-dev/sidestick/internal/gate"
	"github.com/sidestick-dev/sidestick/internal/keys"
	"github.com/sidestick-dev/sidestick/internal/mcp"
	"github.com/sidestick-dev/sidestick/internal/model"
	"github.com/sidestick-dev/sidestick/internal/model/anthropic"
	"github.com/sidestick-dev/sidestick/internal/model/bedrock"
	"github.com/sidestick-dev/sidestick/internal/model/chat"
	"github.com/sidestick-dev/sidestick/internal/model/extensions"
	"github.com/sidestick-dev/sidestick/internal/model/gemini"
	"github.com/sidestick-dev/sidestick/internal/model/known"
	"github.com/sidestick-dev/sidestick/internal/model/ollama"
	"github.com/sidestick-dev/sidestick/internal/model/responses"
	"github.com/sidestick-dev/sidestick/internal/obs"
	"github.com/sidestick-dev/sidestick/internal/permit"
	"github.com/sidestick-dev/sidestick/internal/plugin"
	"github.com/sidestick-dev/sidestick/internal/prompt"
	"github.com/sidestick-dev/sidestick/internal/server"
	"github.com/sidestick-dev/sidestick/internal/session"
	"github.com/sidestick-dev/sidestick/internal/session/approval"
	"github.com/sidestick-dev/sidestick/internal/spans"
	"github.com/sidestick-dev/sidestick/internal/tool"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// Parts is the runtime, put together from a configuration.
type Parts struct {
	Config   config.Config
	Provider session.Provider // of sessions that bring none of their own
	Sessions *session.Registry
	Server   *server.Server
	Logs     *slog.Logger
	Ignored  error // a file of certificates that cannot be used and need not be; nil for none. The log has it, too

	logEnd io.Closer   // the log file, if there is one
	spans  *spans.File // nil if there is none
	keys   *keys.Store
	tape   session.Tape
}

// Adjust is how a command changes the runtime that [Build] makes. The zero value changes
// nothing.
type Adjust struct {
	// Rules may change the permission rules of the command line.
	Rules func(*permit.Rules)
	// Sandbox has commands run in a sandbox if no setting says whether they do.
	Sandbox bool
	// AskFirst has the user asked about every command that nobody has read, before it runs anywhere.
	AskFirst bool
	// Log may wrap the handler of the log.
	Log func(slog.Handler) slog.Handler
	// Secrets knows the secrets of the configuration; [cli.Options] has it. nil: one that
	// knows only the keys and tokens.
	Secrets *obs.Redactor
	// Ignored is [server.Options.Ignored].
	Ignored []wire.Setting
	// Left is [server.Options.Left].
	Left func()
	// UserLeaves is [session.Options.UserLeaves].
	UserLeaves bool
	// OnRetry is [model.Options.OnRetry].
	OnRetry func(next int, wait, left time.Duration, err error)
}

// Models makes a client of models that speaks every dialect the program has. signer signs
// calls of Copilot Extensions agents, as [extensions.New] says; nil signs none.
func Models(opts model.Options, signer func(context.Context) (*extension.Signer, error)) *model.Client {
	return model.New(opts, chat.New(), responses.New(), anthropic.New(), gemini.New(), bedrock.New(), ollama.New(), extensions.New(signer))
}

// Build makes the parts. It starts nothing; call [Parts.Close]. An error in what the user
// configured is a [cli.UsageError].
func Build(cfg config.Config, sys cli.System, adjust Adjust) (*Parts, error) {
	p := &Parts{Config: cfg}
	secrets := cmp.Or(adjust.Secrets, &obs.Redactor{})
	for _, s := range append(cfg.VendorKeys(), cfg.GitHubToken.Value, cfg.AgentToken.Value, cfg.APIKey.Value, cfg.ConnectionToken.Value) {
		secrets.Add(string(s))
	}
	if err := cmp.Or(CheckAgentModel(cfg), checkFallback(cfg, sys, secrets)); err != nil {
		return nil, err
	}
	rules, err := permissions(cfg)
	if err != nil {
		return nil, cli.NewUsageError(err)
	}
	adjust.rules(&rules)
	confined, err := confinement(cfg, adjust.Sandbox)
	if err != nil {
		return nil, cli.NewUsageError(err)
	}
	certificates, ignored, err := Certificates(cfg)
	if err != nil {
		return nil, err
	}
	if err := p.openLog(sys, adjust, secrets); err != nil {
		return nil, err
	}
	if p.Ignored = ignored; ignored != nil {
		p.Logs.Warn("certificates are ignored", "err", ignored)
	}
	store, err := p.open(sys, secrets)
	if err != nil {
		return nil, errors.Join(err, p.logEnd.Close())
	}
	signer := func(ctx context.Context) (*extension.Signer, error) {
		return ExtensionSigner(ctx, cli.Absolute(cfg.Home.Value), sys.FS)
	}
	host := SandboxHost(cfg, p.Logs)
	confined.Works = func() approval.Works { return works(host, adjust.AskFirst) }
	models := Models(modelOptions(p.tape, cfg, adjust, certificates, p.Logs, secrets), signer)
	p.keys = Keys(cfg, sys, secrets)
	p.Provider = replaying(Provider(cfg, p.keys), p.tape.Player)
	p.Sessions = session.NewRegistry(session.Options{
		Store: store, Model: models, Version: cli.Version(), UserLeaves: adjust.UserLeaves, Provider: p.Provider, Named: named(cfg, p.keys, p.tape.Player), KeysAt: keysAt(p.keys), Copilot: replaying(Copilot(cfg), p.tape.Player), Tape: p.tape, Rules: rules,
		Permissions: ApprovalsPath(cli.Absolute(cfg.Home.Value)),
		Cwd:         startedIn(), FS: sys.FS, Tools: Toolbox(cfg, host, p.Logs), MCP: func() mcp.Options { return servers(cfg) }, MCPApps: appsEnabled(), NoWebSockets: !cfg.WebSockets.Value, Sandbox: confined, Home: cli.Absolute(cfg.Home.Value), UserHome: userHome(),
		Clone:    plugin.Git(os.Environ()),
		Fallback: cfg.FallbackModels(), ToolSet: cfg.ToolSet.Value, WatchCalls: cfg.RepeatedCalls.Value == "stop", Subagents: limits(cfg.Subagents), AgentModels: cfg.Subagents.ModelsByAgent(),
		Programs: sync.OnceValue(func() []string { return prompt.Programs(exec.LookPath) }), IdleTimeout: cfg.IdleTimeout.Value, Logger: p.Logs,
		Observe: p.observe(cfg, sys), Trace: traces(cfg), Catalog: catalog.Options{Path: catalogPath(cfg)}, Secrets: secretVariables(cfg), RunScript: runScript, Redactor: secrets, Builtin: func() []tool.Definition { return Definitions(cfg) },
	})
	home := &server.Home{
		Sessions: p.Sessions, Provider: p.Provider, Known: known.New(sys.FS, known.Path(cli.Absolute(cfg.Home.Value))),
		Identity: identity(cfg), Secrets: secrets, ShowKeys: cfg.ShowKeys.Value, Ignored: adjust.Ignored,
	}
	p.Server = server.New(server.Options{
		Gate: gate.One(string(cfg.ConnectionToken.Value), home), Models: models, Version: cli.Version(), Logger: p.Logs,
		Sandboxes: func() wire.HostSupport { return hostSupport(host.Support()) }, Left: adjust.Left,
	})
	return p, nil
}

// openLog opens the log of the process.
func (p *Parts) openLog(sys cli.System, adjust Adjust, secrets *obs.Redactor) (err error) {
	p.Logs, p.logEnd, err = obs.NewLogger(obs.Options{
		Level: p.Config.LogLevel.Value, Dir: p.Config.LogDir.Value, Stderr: sys.Stderr, Redactor: secrets,
	})
	if err != nil {
		return cli.NewUsageError(err)
	}
	if adjust.Log != nil {
		p.Logs = slog.New(adjust.Log(p.Logs.Handler()))
	}
	return nil
}

// open opens the store of the sessions and, if there is one, the recording.
func (p *Parts) open(sys cli.System, secrets *obs.Redactor) (*files.Store, error) {
	store, err := files.Open(files.Options{
		Root: sessionsPath(p.Config), FS: sys.FS,
		Sync: durability(p.Config.Durability.Value), Logger: p.Logs,
	})
	if err != nil {
		return nil, err
	}
	p.tape, err = openTape(p.Config, sys, secrets, p.Logs)
	return store, err
}

// startedIn is the folder that the program was started in, "" if that was removed; a session can
// still name its own.
func startedIn() string {
	cwd, err := os.Getwd()
	if err != nil {
		return ""
	}
	return cwd
}

// rules lets the command change the rules.
func (a *Adjust) rules(r *permit.Rules) {
	if a.Rules != nil {
		a.Rules(r)
	}
}

// limits are the limits on sub-agents.
func limits(s config.Subagents) agent.Limits {
	return agent.Limits{Depth: s.Depth.Value, Running: s.Running.Value, Total: s.Total.Value}
}

// userHome is the user's home directory, "" if the system does not know it.
func userHome() string {
	home, err := os.UserHomeDir()
	if err != nil {
		return ""
	}
	return home
}

// sessionsPath is the folder that holds the logs of the sessions.
func sessionsPath(cfg config.Config) string {
	return filepath.Join(cli.Absolute(cfg.Home.Value), "session-state")
}

// ApprovalsPath is the file that holds the approvals that outlast a session.
func ApprovalsPath(home string) string { return filepath.Join(home, "permissions.json") }

// catalogPath is the file that holds the list of the sessions.
func catalogPath(cfg config.Config) string {
	return filepath.Join(cli.Absolute(cfg.Home.Value), "catalog.db")
}

// FlushWait bounds how long the end of the process waits for its sessions to write
// their last events. SDKs give a server 10 seconds to exit.
const FlushWait = 5 * time.Second

// Close flushes the sessions and the log, and aborts runs that are under way. It takes at most
// [FlushWait].
func (p *Parts) Close() error { return p.within(p.CloseWithin) }

// Suspend is Close that leaves the runs under way to a later resume.
func (p *Parts) Suspend() error { return p.within(p.SuspendWithin) }

func (p *Parts) within(end func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(context.Background(), FlushWait)
	defer cancel()
	return end(ctx)
}

// CloseWithin is Close with the bound that ctx sets.
func (p *Parts) CloseWithin(ctx context.Context) error { return p.end(p.Sessions.Close(ctx)) }

// SuspendWithin is Suspend with the bound that ctx sets.
func (p *Parts) SuspendWithin(ctx context.Context) error {
	return p.end(session.Suspend(ctx, p.Sessions))
}

// end closes the rest; err is how the sessions have ended.
func (p *Parts) end(err error) error {
	if err != nil {
		p.Logs.Error("not everything was flushed", "err", err)
	}
	p.keys.Close()
	if p.spans != nil {
		err = errors.Join(err, p.spans.Close())
	}
	return errors.Join(err, p.closeTape(), p.logEnd.Close())
}

// observe returns what writes the spans of sessions; nil if none are to be written.
func (p *Parts) observe(cfg config.Config, sys cli.System) func(context.Context, string, iter.Seq2[eventlog.Record, error]) {
	if to := cfg.TraceElsewhere; to.Value != "" {
		p.Logs.Warn("spans are written to files only; set COPILOT_OTEL_FILE_EXPORTER_PATH", "setting", to.From)
	}
	if cfg.TraceFile.Value == "" {
		return nil
	}
	p.spans = spans.New(spans.Options{
		Path: cli.Absolute(cfg.TraceFile.Value), FS: sys.FS, Source: cfg.TraceSource.Value, Content: cfg.TraceContent.Value, Version: cli.Version(), Logger: p.Logs,
	})
	return p.spans.Observe
}

// traces returns what makes the spans of tool calls; nil if no spans are written.
func traces(cfg config.Config) func(session, run, traceparent string) string {
	if cfg.TraceFile.Value == "" {
		return nil
	}
	return spans.ToolContext
}

// durability is the store's value for a setting that config has checked.
func durability(name string) files.Sync {
	switch name {
	case "always":
		return files.SyncAlways
	case "os":
		return files.SyncOS
	}
	return files.SyncTurn
}
