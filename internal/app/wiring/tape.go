package wiring

import (
	"context"
	"crypto/tls"
	"log/slog"
	"net/http"

	"github.com/sidestick-dev/sidestick/internal/app/cli"
	"github.com/sidestick-dev/sidestick/internal/config"
	"github.com/sidestick-dev/sidestick/internal/model"
	"github.com/sidestick-dev/sidestick/internal/model/tape"
	"github.com/sidestick-dev/sidestick/internal/obs"
	"github.com/sidestick-dev/sidestick/internal/session/provider"
	"github.com/sidestick-dev/sidestick/internal/session/taped"
)

// openTape opens the recording that the configuration names, for writing or reading. A file that
// cannot be used is a mistake in the command line.
func openTape(cfg config.Config, sys cli.System, secrets *obs.Redactor, logs *slog.Logger) (t taped.Tape, err error) {
	if path := cfg.Tape.Record.Value; path != "" {
		t.Recorder, err = tape.Record(tape.RecorderOptions{
			Path: cli.Absolute(path), Program: "sidestick " + cli.Version(), Secrets: secrets, Logger: logs, FS: sys.FS,
		})
	}
	if path := cfg.Tape.Replay.Value; path != "" {
		t.Player, err = tape.Open(tape.PlayerOptions{Path: cli.Absolute(path), Tools: cfg.Tape.Tools.Value, Secrets: secrets, FS: sys.FS})
	}
	if err != nil {
		return taped.Tape{}, cli.NewUsageError(err)
	}
	return t, nil
}

// around returns what is put around the transports of model calls; nil for nothing.
func around(t taped.Tape) func(http.RoundTripper) http.RoundTripper {
	switch {
	case t.Recorder != nil:
		return t.Recorder.Around
	case t.Player != nil:
		return t.Player.Around
	}
	return nil
}

// replaying returns a provider as it is in a replay, which needs no key and asks for no address:
// that of the recording, if the configuration has none.
func replaying(p provider.Provider, player *tape.Player) provider.Provider {
	if player == nil {
		return p
	}
	if p.Endpoint.Copilot {
		p.Servers = serversAt(p.Endpoint.BaseURL, p.Locate)
	}
	p.Locate, p.Endpoint.Keys = nil, nil
	ep, name, ok := player.Endpoint()
	switch {
	case p.Endpoint.BaseURL != "":
		p.Missing = nil
		if p.Endpoint.Copilot && ep.Copilot {
			p.Endpoint.BaseURL = ep.BaseURL
		}
	case ok && p.Model == "":
		ep.UserAgent = p.Endpoint.UserAgent
		return provider.Provider{Model: name, Named: true, Endpoint: ep}
	case ok:
		p.Endpoint, p.Missing = ep, nil
		p.Endpoint.WireModel = ""
	}
	return p
}

// serversAt returns the configured address of the Copilot API: a recording, whoever made it, does not
// choose to whom a token is sent.
func serversAt(base string, locate func(context.Context, string) string) func(context.Context, string) string {
	if locate != nil {
		return locate
	}
	return func(context.Context, string) string { return base }
}

// Replayed says what was wrong with a replay: the first request that was not recorded. It returns
// nil without a replay, and for one in which every request was recorded.
func (p *Parts) Replayed() error {
	if p.tape.Player == nil {
		return nil
	}
	return p.tape.Player.Err()
}

// closeTape ends a recording.
func (p *Process) closeTape() error {
	if p.tape.Recorder == nil {
		return nil
	}
	return p.tape.Recorder.Close()
}

// LeftOver returns how many recorded calls of models a replay has not made, of how many.
func (p *Process) LeftOver() (unused, of int) {
	if p.tape.Player == nil {
		return 0, 0
	}
	return p.tape.Player.Unused()
}

// modelOptions are the options of the client of models.
func modelOptions(t taped.Tape, cfg config.Config, adjust Adjust, certificates func() *tls.Config, logs *slog.Logger, secrets *obs.Redactor) model.Options {
	retry := model.Retry{Immediate: t.Player != nil, Total: cfg.RetryTotal()}
	if retry.Total == 0 {
		retry.Attempts = 1
	}
	return model.Options{
		TLS: certificates, Logger: logs, OnRetry: adjust.OnRetry, Secrets: secrets, Around: around(t), Retry: retry,
		Idle: cfg.LongestSilence(), StopRepeating: cfg.RepeatedAnswers.Value == "stop",
	}
}
