package app

import (
	"context"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/app/cli"
	"github.com/sidestick-dev/sidestick/internal/app/wiring"
	"github.com/sidestick-dev/sidestick/internal/config"
	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/keys"
)

// checkKey says where the key of the configured provider comes from, and whether it can be read.
func checkKey(ctx context.Context, cfg config.Config, stored *keys.Store) []cli.Check {
	p := cfg.Provider()
	f := cli.Check{About: "key", Grade: cli.Good, Is: "none is sent"}
	switch {
	case p.KeyName == "" && p.Kind == config.Copilot:
		f.Is = "the GitHub token comes from " + cfg.GitHubToken.From
		return []cli.Check{f}
	case p.KeyName == "" && (p.Azure.Token != "" || p.AWS.Secret != ""):
		f.Is = "the credentials of the cloud are in the environment"
		return []cli.Check{f}
	case p.KeyName == "":
		return []cli.Check{f}
	}
	for _, source := range cfg.KeySources() {
		if p.Key != "" && source.Key == p.Key {
			f.Is = "the key of " + p.KeyName + " is in the variable " + source.Variable
			return []cli.Check{f}
		}
	}
	all, err := stored.Entries()
	entry, known := all[p.KeyName]
	if err == nil {
		_, err = stored.Key(ctx, p.KeyName, "")
	}
	switch {
	case err != nil:
		f.Grade, f.Is = cli.Bad, fault.Message(err)
	case !known && p.NoKey == nil:
	case !known:
		text, next, _ := strings.Cut(fault.Message(p.NoKey), "; ")
		f.Grade, f.Is, f.Next = cli.Bad, text, next
	default:
		f.Is = "the key of " + p.KeyName + " comes from " + placeOf(entry, stored)
	}
	return []cli.Check{f}
}

func placeOf(e keys.Entry, stored *keys.Store) string {
	switch {
	case e.Keyring:
		return "the keyring of the operating system"
	case len(e.Command) > 0:
		return "the command " + e.Command[0]
	}
	return cli.Tilde(stored.Path())
}

// checkCertificates reports files of certificates that cannot be used.
func checkCertificates(cfg config.Config) []cli.Check {
	_, ignored, err := wiring.Certificates(cfg)
	switch {
	case err != nil:
		return []cli.Check{{About: "CA files", Is: cli.Message(err), Next: "correct the setting; calls to models are not made without it"}}
	case ignored != nil:
		return []cli.Check{{About: "CA files", Grade: cli.Fair, Is: "ignored: " + ignored.Error(), Next: "correct the variable, or unset it"}}
	}
	return nil
}
