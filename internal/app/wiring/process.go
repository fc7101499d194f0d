package wiring

import (
	"context"
	"errors"
	"io"
	"log/slog"

	"github.com/sidestick-dev/sidestick/extension"
	"github.com/sidestick-dev/sidestick/internal/app/cli"
	"github.com/sidestick-dev/sidestick/internal/config"
	"github.com/sidestick-dev/sidestick/internal/model"
	"github.com/sidestick-dev/sidestick/internal/model/anthropic"
	"github.com/sidestick-dev/sidestick/internal/model/bedrock"
	"github.com/sidestick-dev/sidestick/internal/model/chat"
	"github.com/sidestick-dev/sidestick/internal/model/extensions"
	"github.com/sidestick-dev/sidestick/internal/model/gemini"
	"github.com/sidestick-dev/sidestick/internal/model/ollama"
	"github.com/sidestick-dev/sidestick/internal/model/responses"
	"github.com/sidestick-dev/sidestick/internal/obs"
	"github.com/sidestick-dev/sidestick/internal/sandbox"
	"github.com/sidestick-dev/sidestick/internal/session"
	"github.com/sidestick-dev/sidestick/internal/session/provider"
	"github.com/sidestick-dev/sidestick/internal/session/taped"
	"github.com/sidestick-dev/sidestick/internal/spans"
)

// Process is what all homes of this process share.
type Process struct {
	Logs    *slog.Logger
	Ignored error // a file of certificates that cannot be used and need not be; nil for none. The log has it, too

	sys       cli.System
	adjust    Adjust
	secrets   *obs.Redactor
	models    *model.Client
	facts     *provider.Facts // of the models that the homes call, kept in the folder of the process
	sandboxes *sandbox.Host
	tape      taped.Tape
	unsaved   unsaved     // where the sessions are that are not kept
	logEnd    io.Closer   // the log file, if there is one
	spans     *spans.File // nil if there is none
}

// newProcess makes what homes share. It starts nothing. An error in what the user configured is a [cli.UsageError].
func newProcess(cfg config.Config, sys cli.System, adjust Adjust) (*Process, error) {
	p := &Process{sys: sys, adjust: adjust, secrets: adjust.Secrets}
	certificates, ignored, err := Certificates(cfg)
	if err != nil {
		return nil, err
	}
	if err := p.openLog(cfg); err != nil {
		return nil, err
	}
	if p.Ignored = ignored; ignored != nil {
		p.Logs.Warn("certificates are ignored", "err", ignored)
	}
	if p.tape, err = openTape(cfg, sys, p.secrets, p.Logs); err != nil {
		return nil, errors.Join(err, p.logEnd.Close())
	}
	p.sandboxes = SandboxHost(cfg, p.Logs)
	p.models = Models(modelOptions(p.tape, cfg, adjust, certificates, p.Logs, p.secrets), func(ctx context.Context) (*extension.Signer, error) {
		return ExtensionSigner(ctx, cli.Absolute(cfg.Home.Value), sys.FS)
	})
	p.facts = provider.OpenFacts(sys.FS, cli.Absolute(cfg.Home.Value), p.Logs)
	p.openSpans(cfg)
	return p, nil
}

// Models makes a client of models that speaks every dialect the program has. signer signs
// calls of Copilot Extensions agents, as [extensions.New] says; nil signs none.
func Models(opts model.Options, signer func(context.Context) (*extension.Signer, error)) *model.Client {
	return model.New(opts, chat.New(), responses.New(), anthropic.New(), gemini.New(), bedrock.New(), ollama.New(), extensions.New(signer))
}

// openLog opens the log of the process.
func (p *Process) openLog(cfg config.Config) (err error) {
	p.Logs, p.logEnd, err = obs.NewLogger(obs.Options{
		Level: cfg.LogLevel.Value, Dir: cfg.LogDir.Value, Stderr: p.sys.Stderr, Redactor: p.secrets,
	})
	if err != nil {
		return cli.NewUsageError(err)
	}
	if p.adjust.Log != nil {
		p.Logs = slog.New(p.adjust.Log(p.Logs.Handler()))
	}
	return nil
}

// openSpans opens the file of spans, if they are to be written.
func (p *Process) openSpans(cfg config.Config) {
	if to := cfg.TraceElsewhere; to.Value != "" {
		p.Logs.Warn("spans are written to files only; set COPILOT_OTEL_FILE_EXPORTER_PATH", "setting", to.From)
	}
	if cfg.TraceFile.Value == "" {
		return
	}
	p.spans = spans.New(spans.Options{
		Path: cli.Absolute(cfg.TraceFile.Value), FS: p.sys.FS, Source: cfg.TraceSource.Value, Content: cfg.TraceContent.Value, Version: cli.Version(), Logger: p.Logs,
	})
}

// observers are what reads the events of all sessions: the writer of spans, if they are to be written.
func (p *Process) observers() (all []session.Observer) {
	if p.spans != nil {
		all = append(all, p.spans.Observe)
	}
	return all
}

// trace returns what makes the spans of tool calls; nil if no spans are written.
func (p *Process) trace() func(session, run, traceparent string) string {
	if p.spans == nil {
		return nil
	}
	return spans.ToolContext
}

// close closes what the process has opened, when its homes are closed.
func (p *Process) close() (err error) {
	if p.spans != nil {
		err = p.spans.Close()
	}
	return errors.Join(err, p.unsaved.discard(), p.closeTape(), p.logEnd.Close())
}
