package wiring

import (
	"context"
	"os"
	"path/filepath"

	"github.com/sidestick-dev/sidestick/internal/app/cli"
	"github.com/sidestick-dev/sidestick/internal/config"
	"github.com/sidestick-dev/sidestick/internal/keys"
	"github.com/sidestick-dev/sidestick/internal/obs"
	"github.com/sidestick-dev/sidestick/internal/shell"
)

// Keys opens the keys of providers that the environment does not have. It reads nothing. secrets
// gets to know each of them. Close the result.
func Keys(cfg config.Config, sys cli.System, secrets *obs.Redactor) *keys.Store {
	o := keys.Options{
		FS: sys.FS, Path: filepath.Join(cli.Absolute(cfg.Home.Value), keys.File),
		Environ: func() []string { return shell.Environ(os.Environ(), secretVariables(cfg)) }, Secrets: secrets,
	}
	if !cfg.Keyring.Value {
		o.NoRing = "it is switched off (" + cfg.Keyring.From + ")"
	}
	return keys.Open(o)
}

// keysOf returns what finds the key of a provider for each call, as [model.Endpoint.Keys] says;
// nil if the environment has the key, or if none is looked for.
func keysOf(p config.Provider, stored *keys.Store) func(context.Context, string) (string, error) {
	if p.Key != "" || p.KeyName == "" {
		return nil
	}
	return func(ctx context.Context, refused string) (string, error) {
		key, err := stored.Key(ctx, p.KeyName, refused)
		if err == nil && key == "" {
			return "", p.NoKey
		}
		return key, err
	}
}

// keysAt returns what finds the key for an address that a client names, without a credential.
func keysAt(stored *keys.Store) func(string) func(context.Context, string) (string, error) {
	return func(address string) func(context.Context, string) (string, error) {
		name, err := config.KeyName(address)
		if err != nil {
			return nil
		}
		return func(ctx context.Context, refused string) (string, error) { return stored.Key(ctx, name, refused) }
	}
}

// Callable says why the configured model cannot be called; nil if it can, as far as that is known
// without asking a keyring or a command, or if nothing is called because a recording is replayed.
func (p *Parts) Callable() error {
	if p.tape.Player != nil || p.Config.Provider().Kind != config.Vendor {
		return nil
	}
	return missing(p.Config.Provider(), p.keys)
}

// missing says why a provider cannot be called, as far as that is known without asking a keyring or
// a command; nil if nothing is.
func missing(p config.Provider, stored *keys.Store) error {
	if p.Missing != nil || p.NoKey == nil || p.Key != "" {
		return p.Missing
	}
	all, err := stored.Entries()
	if _, known := all[p.KeyName]; err != nil || known {
		return err
	}
	return p.NoKey
}
