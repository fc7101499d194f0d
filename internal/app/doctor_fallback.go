package app

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/sidestick-dev/sidestick/internal/app/cli"
	"github.com/sidestick-dev/sidestick/internal/app/wiring"
	"github.com/sidestick-dev/sidestick/internal/config"
	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/model"
)

// checkSettings reports a setting that is wrong.
func checkSettings(wrong error) []cli.Check {
	if wrong == nil {
		return nil
	}
	return []cli.Check{{About: "settings", Is: "a setting is wrong, so no provider is called; it is named below"}}
}

// aboutFile is the subject of checks of settings files.
const aboutFile = "file"

// checkBroken reports the settings files that were left out. A run ends with the error of such a file. uncalled
// reports whether one is the user's own: no provider may be called without what it says about certificates.
func checkBroken(o *cli.Options) (found []cli.Check, uncalled bool) {
	for _, one := range o.Broken {
		found = append(found, cli.Check{About: aboutFile, Is: "not used: " + cli.Message(one), Next: "correct it, or move it away; no run begins before that"})
	}
	if uncalled = o.BrokenOwn(); uncalled {
		found = append(found, cli.Check{About: "provider", Grade: cli.Fair, Is: "not called, because your settings file is broken", Next: "correct the file first"})
	}
	return found, uncalled
}

// checkFiles names the files with keys and with MCP servers that cannot be read. A run goes on without them.
func (s *survey) checkFiles(local *wiring.Local) (found []cli.Check) {
	const next = "correct it, or move it away"
	if _, err := s.stored.Entries(); err != nil {
		found = append(found, cli.Check{About: aboutFile, Grade: cli.Fair, Is: "not used: " + cli.Message(err), Next: next})
	}
	_, problems := local.FoundServers()
	for _, text := range problems {
		found = append(found, cli.Check{About: aboutFile, Grade: cli.Fair, Is: "not used: " + text, Next: next})
	}
	return found
}

// checkFallbacks asks the providers of the models that take over.
func (s *survey) checkFallbacks(ctx context.Context) (found []cli.Check) {
	names := s.cfg.FallbackModels()
	if len(names) == 0 {
		return nil
	}
	client, err := s.client()
	if err != nil {
		return nil // checkCertificates reports it
	}
	defer client.Close()
	for _, name := range names {
		f := cli.Check{About: "fallback", Grade: cli.Good}
		f.Grade, f.Is, f.Next = s.fallback(ctx, client, name)
		found = append(found, f)
	}
	return found
}

// fallback asks the provider of one such model. Without a key, a run does not begin; a provider
// that does not answer is no reason not to begin one.
func (s *survey) fallback(ctx context.Context, client *model.Client, name string) (grade cli.Grade, is, next string) {
	cfg, shown := s.cfg, config.ShowURL(name)
	cfg.Model = config.Setting[string]{Value: name, From: s.cfg.Fallback.From}
	p := cfg.Provider()
	if p.Kind == config.None {
		return cli.Fair, shown + ": no provider is configured for it", "name its provider, such as ollama:" + shown
	}
	if key := checkKey(ctx, cfg, s.stored)[0]; key.Grade == cli.Bad {
		return cli.Bad, shown + ": " + key.Is, key.Next
	}
	var got offer
	s.askOne(ctx, client, wiring.Source{Vendor: p.Vendor, Provider: wiring.Provider(cfg, s.stored)}, &got)
	wanted := cmp.Or(p.WireModel, p.Model)
	switch {
	case got.err != nil:
		return cli.Fair, shown + ": " + fault.Message(got.err), "it could not take over now"
	case !slices.ContainsFunc(got.rows, func(m modelRow) bool { return m.ID == wanted }):
		return cli.Fair, fmt.Sprintf("%s is not in the list of %s", shown, got.address), "it may still work"
	}
	return cli.Good, fmt.Sprintf("%s is in the list of %s", shown, got.address), ""
}
