package wiring

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/sidestick-dev/sidestick/internal/app/cli"
	"github.com/sidestick-dev/sidestick/internal/config"
	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/gate"
	"github.com/sidestick-dev/sidestick/internal/model/known"
	"github.com/sidestick-dev/sidestick/internal/obs"
	"github.com/sidestick-dev/sidestick/internal/permit"
	"github.com/sidestick-dev/sidestick/internal/server"
	"github.com/sidestick-dev/sidestick/internal/session/ledger"
	"github.com/sidestick-dev/sidestick/internal/session/registry"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// Parts is the runtime, put together from a configuration: a process with one home, and the server of its SDK port.
type Parts struct {
	*Process
	*Home
	Server *server.Server

	beside []*Home
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
	// Ignored is [server.Home.Ignored].
	Ignored []wire.Setting
	// Files is [server.Options.Files].
	Files int
	// Left is [server.Options.Left].
	Left func()
	// UserLeaves is [registry.Options.UserLeaves].
	UserLeaves bool
	// Ledger is [registry.Options.Ledger].
	Ledger ledger.Ledger
	// Unsaved has the sessions be removed when the parts are closed.
	Unsaved bool
	// OnRetry is [model.Options.OnRetry].
	OnRetry func(next int, wait, left time.Duration, err error)
}

// Build makes the parts. It starts nothing; call [Parts.Close]. An error in what the user
// configured is a [cli.UsageError].
func Build(cfg config.Config, sys cli.System, adjust Adjust) (*Parts, error) {
	adjust.Secrets = cmp.Or(adjust.Secrets, &obs.Redactor{})
	for _, s := range append(cfg.VendorKeys(), cfg.GitHubToken.Value, cfg.AgentToken.Value, cfg.APIKey.Value, cfg.ConnectionToken.Value) {
		adjust.Secrets.Add(string(s))
	}
	limits, err := limitsOf(cfg, sys, adjust)
	if err != nil {
		return nil, err
	}
	p := &Parts{}
	if p.Process, err = newProcess(cfg, sys, adjust); err != nil {
		return nil, err
	}
	if p.Home, err = p.open(cfg, limits); err != nil {
		return nil, errors.Join(err, p.Process.close())
	}
	home := &server.Home{
		Sessions: p.Sessions, Provider: p.Provider, Known: known.New(sys.FS, known.Path(cli.Absolute(cfg.Home.Value))),
		Identity: identity(cfg), Secrets: p.secrets, ShowKeys: cfg.ShowKeys.Value, Ignored: adjust.Ignored,
	}
	p.Server = server.New(server.Options{
		Gate: gate.One(string(cfg.ConnectionToken.Value), home), Models: p.models, Version: cli.Version(), Logger: p.Logs,
		Sandboxes: func() wire.HostSupport { return hostSupport(p.sandboxes.Support()) }, Left: adjust.Left, Files: adjust.Files,
	})
	return p, nil
}

// OpenBeside opens another home of this process, on the same folder. Its sessions share their logs, keys and settings with
// those of the first home as the sessions of two processes do; what they may do is as adjust says, of which only Rules and
// Sandbox count. Close and Suspend close it, too.
func (p *Parts) OpenBeside(adjust Adjust) (*Home, error) {
	limits, err := limitsOf(p.Config, p.sys, Adjust{Rules: adjust.Rules, Sandbox: adjust.Sandbox, Secrets: p.secrets})
	if err != nil {
		return nil, err
	}
	h, err := p.open(p.Config, limits)
	if err == nil {
		p.beside = append(p.beside, h)
	}
	return h, err
}

// rules lets the command change the rules.
func (a *Adjust) rules(r *permit.Rules) {
	if a.Rules != nil {
		a.Rules(r)
	}
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
func (p *Parts) CloseWithin(ctx context.Context) error {
	return p.end(func(r *registry.Registry) error { return r.Close(ctx) })
}

// SuspendWithin is Suspend with the bound that ctx sets.
func (p *Parts) SuspendWithin(ctx context.Context) error {
	return p.end(func(r *registry.Registry) error { return registry.Suspend(ctx, r) })
}

// end closes the homes, all at the same time, and then the rest.
func (p *Parts) end(home func(*registry.Registry) error) error {
	homes := append([]*Home{p.Home}, p.beside...)
	errs := make([]error, len(homes))
	var ending sync.WaitGroup
	for n, h := range homes {
		ending.Go(func() { errs[n] = fault.Guard("wiring.end", func() error { return home(h.Sessions) }) })
	}
	ending.Wait()
	err := errors.Join(errs...)
	if err != nil {
		p.Logs.Error("not everything was flushed", "err", err)
	}
	p.facts.Stop() // no homes ask any more; a question uses keys and the log
	for _, h := range homes {
		h.keys.Close()
	}
	return errors.Join(err, p.Process.close())
}
