package app

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"sync"

	"github.com/sidestick-dev/sidestick/extension"
	"github.com/sidestick-dev/sidestick/internal/catalog"
	"github.com/sidestick-dev/sidestick/internal/config"
	"github.com/sidestick-dev/sidestick/internal/eventlog/files"
	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/model"
	"github.com/sidestick-dev/sidestick/internal/model/chat"
	"github.com/sidestick-dev/sidestick/internal/model/extensions"
	"github.com/sidestick-dev/sidestick/internal/obs"
	"github.com/sidestick-dev/sidestick/internal/permit"
	"github.com/sidestick-dev/sidestick/internal/prompt"
	"github.com/sidestick-dev/sidestick/internal/server"
	"github.com/sidestick-dev/sidestick/internal/session"
)

// parts is the program put together.
type parts struct {
	cfg      config.Config
	provider session.Provider
	models   *model.Client
	store    *files.Store
	sessions *session.Registry
	server   *server.Server

	logs   *slog.Logger
	logEnd io.Closer
}

// build makes the parts from a configuration. It starts nothing; call close. adjust
// may change the rules of the command line; nil leaves them.
func build(cfg config.Config, sys System, adjust func(*permit.Rules)) (*parts, error) {
	p := &parts{cfg: cfg}
	secrets := &obs.Redactor{}
	for _, s := range []config.Secret{cfg.GitHubToken.Value, cfg.AgentToken.Value, cfg.APIKey.Value, cfg.ConnectionToken.Value} {
		secrets.Add(string(s))
	}
	if err := checkAgentModel(cfg); err != nil {
		return nil, err
	}
	rules, err := permissions(cfg)
	if err != nil {
		return nil, usageError{err}
	}
	if adjust != nil {
		adjust(&rules)
	}
	p.logs, p.logEnd, err = obs.NewLogger(obs.Options{
		Level: cfg.LogLevel.Value, Dir: cfg.LogDir.Value, Stderr: sys.Stderr, Redactor: secrets,
	})
	if err != nil {
		return nil, usageError{err}
	}
	p.store, err = files.Open(files.Options{
		Root: filepath.Join(absolute(cfg.Home.Value), "session-state"), FS: sys.FS,
		Sync: durability(cfg.Durability.Value), Logger: p.logs,
	})
	if err != nil {
		return nil, errors.Join(err, p.logEnd.Close())
	}
	cwd, err := os.Getwd()
	if err != nil {
		cwd = "" // it was removed; a session can still name its own
	}
	signer := func(ctx context.Context) (*extension.Signer, error) {
		return extensionSigner(ctx, absolute(cfg.Home.Value), sys.FS)
	}
	p.models = model.New(model.Options{Logger: p.logs}, chat.New(), extensions.New(signer))
	p.provider = provider(cfg)
	p.sessions = session.NewRegistry(session.Options{
		Store: p.store, Model: p.models, Version: Version(), Provider: p.provider, Rules: rules,
		Permissions: filepath.Join(absolute(cfg.Home.Value), "permissions.json"),
		Cwd:         cwd, FS: sys.FS, Tools: Toolbox(cfg), Home: absolute(cfg.Home.Value), UserHome: userHome(),
		Programs: sync.OnceValue(func() []string { return prompt.Programs(exec.LookPath) }), IdleTimeout: cfg.IdleTimeout.Value, Logger: p.logs,
		Catalog: catalog.Options{Path: catalogPath(cfg)}, Secrets: secretVariables(cfg),
	})
	p.server = server.New(server.Options{
		Sessions: p.sessions, Models: p.models, Provider: p.provider, Version: Version(),
		Token: string(cfg.ConnectionToken.Value), Logger: p.logs, Identity: identity(cfg),
	})
	return p, nil
}

// userHome is the user's own folder, "" if nobody knows it.
func userHome() string {
	home, err := os.UserHomeDir()
	if err != nil {
		return ""
	}
	return home
}

// catalogPath is where the list of the sessions is kept.
func catalogPath(cfg config.Config) string {
	return filepath.Join(absolute(cfg.Home.Value), "catalog.db")
}

// close flushes the sessions and the log. It does not take longer than
// flushWait.
func (p *parts) close() error {
	ctx, cancel := context.WithTimeout(context.Background(), flushWait)
	defer cancel()
	return p.closeWithin(ctx)
}

// closeWithin is close with another bound.
func (p *parts) closeWithin(ctx context.Context) error {
	err := p.sessions.Close(ctx)
	if err != nil {
		p.logs.Error("not everything was flushed", "err", err)
	}
	return errors.Join(err, p.logEnd.Close())
}

// durability is what the store calls it.
func durability(name string) files.Sync {
	switch name {
	case "always":
		return files.SyncAlways
	case "os":
		return files.SyncOS
	}
	return files.SyncTurn
}

// provider is where sessions without a provider of their own go.
func provider(cfg config.Config) session.Provider {
	p := cfg.Provider()
	made := session.Provider{Model: p.Model, AgentToken: string(cfg.AgentToken.Value)}
	made.Endpoint = model.Endpoint{
		BaseURL: p.BaseURL, BearerToken: string(p.Key), UserAgent: session.UserAgent(Version(), ""), IntegrationID: "sidestick",
	}
	switch p.Kind {
	case config.Copilot:
		made.Endpoint.Copilot = true
	case config.None:
		made.Model, made.Endpoint = agentModel(p), model.Endpoint{}
		made.Missing = &fault.Error{Op: "model", Kind: fault.Invalid, Err: errors.New(cfg.NoModelHelp())}
	}
	return made
}

func identity(cfg config.Config) *server.Identity {
	i := &server.Identity{
		Token: string(cfg.GitHubToken.Value), TokenFrom: cfg.GitHubToken.From, API: cfg.GitHubAPI.Value,
	}
	p := cfg.Provider()
	if address, ok := extensions.Address(p.Model); ok {
		i.ProviderURL = address
	} else if p.Kind == config.OpenAI {
		i.ProviderURL = p.BaseURL
	}
	return i
}

// absolute keeps the state where it was said to be if the directory changes.
func absolute(path string) string {
	if abs, err := filepath.Abs(path); err == nil {
		return abs
	}
	return path
}

// Version is the version of the module, "dev" for a build from a checkout.
func Version() string {
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" && info.Main.Version != "(devel)" {
		return info.Main.Version
	}
	return "dev"
}
