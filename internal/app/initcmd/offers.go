package initcmd

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/app/cli"
	"github.com/sidestick-dev/sidestick/internal/app/wiring"
	"github.com/sidestick-dev/sidestick/internal/config"
	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/terminal"
	"github.com/sidestick-dev/sidestick/internal/timeline"
)

// provider asks which provider to use, until one is chosen that lists models.
func (g *guide) provider(ctx context.Context, cfg config.Config) (Offer, error) {
	for {
		g.say("Looking for models on this machine and for keys …")
		offers, err := g.Find(ctx, g.Options, cfg)
		if err != nil {
			return Offer{}, err
		}
		n := 1
		if len(offers) == 0 {
			g.say("Nothing was found: no server of models on this machine, and no key.")
			for _, line := range startLocal(cfg) {
				g.say("%s", line)
			}
		} else {
			g.list(offers)
			if n, err = g.number(ctx, "Which one?", len(offers)+1, 1); err != nil {
				return Offer{}, err
			}
		}
		if n <= len(offers) {
			if f := offers[n-1]; len(f.Models) > 0 {
				return f, nil
			} else if err := g.repair(ctx, f); err != nil {
				return Offer{}, err
			}
			continue
		}
		if cfg, err = g.another(ctx, cfg); err != nil {
			return Offer{}, err
		}
	}
}

// startLocal says in lines how the servers of models that are installed here are started. It has none if none is
// installed, or if none is looked for.
func startLocal(cfg config.Config) (lines []string) {
	if len(cfg.Locals()) == 0 {
		return nil
	}
	for _, a := range wiring.StartLocal(cfg) {
		if lines = append(lines, a.Says()+"."); a.Command != "" {
			lines[len(lines)-1] += " To start it, before `sidestick init` again:"
			lines = append(lines, a.Command)
		}
	}
	return lines
}

// list prints what was found, and the way to anything else.
func (g *guide) list(offers []Offer) {
	for i, f := range offers {
		name := timeline.ExposedLine(f.Name, terminal.Columns/2)
		if f.Local {
			name += ", on this machine"
		}
		about := fmt.Sprintf("%d models", len(f.Models))
		switch {
		case f.Err != nil:
			about = "does not work: " + fault.Message(f.Err)
		case len(f.Models) == 0:
			about = "lists no models"
		case len(f.Models) == 1:
			about = "1 model"
		}
		g.row(number(i+1), name+": "+g.Secrets.Redact(about))
	}
	g.row(number(len(offers)+1), "another provider, with a key or an address")
}

// number is what a row of a list begins with.
func number(n int) string { return fmt.Sprintf("  %2d  ", n) }

// repair offers another key for a provider that does not answer.
func (g *guide) repair(ctx context.Context, f Offer) error {
	if _, err := config.KeyName(f.Name); err != nil || f.Local {
		g.say("%s cannot be used as it is.", f.Name)
		return nil
	}
	yes, err := g.agree(ctx, "Enter another key for "+f.Name+"?", true)
	if err != nil || !yes {
		return err
	}
	return g.key(ctx, f.Name)
}

// another asks for a provider that was not found, and for its key. It returns a configuration that
// knows it.
func (g *guide) another(ctx context.Context, cfg config.Config) (config.Config, error) {
	names := slices.DeleteFunc(config.VendorNames(), func(name string) bool { return name == "azure" || name == "bedrock" })
	g.say("Providers: %s; or the base URL of a server with OpenAI's API, such as http://localhost:8000/v1. (azure and bedrock need more: docs/settings.md.)", strings.Join(names, ", "))
	for {
		name, err := g.line(ctx, "Which provider?")
		if err != nil {
			return cfg, err
		}
		key, err := config.KeyName(name)
		if err != nil {
			g.say("That is not a provider: %s.", cli.Message(err))
			continue
		}
		wanted := !strings.HasPrefix(key, "http") && !slices.Contains([]string{"ollama", "lmstudio", "llamacpp", "vllm"}, key)
		if wanted {
			err = g.key(ctx, key)
		} else if wanted, err = g.agree(ctx, "Does it need a key?", false); err == nil && wanted {
			err = g.key(ctx, key)
		}
		if err == nil {
			cfg.Model = config.Setting[string]{Value: modelAt(key), From: "your answer"}
		}
		return cfg, err
	}
}

// modelAt is the name of some model of a provider.
func modelAt(keyName string) string {
	if strings.HasPrefix(keyName, "http") {
		return keyName + "#*"
	}
	return keyName + ":*"
}

// key asks for a key and stores it. A key that cannot be one is asked for again.
func (g *guide) key(ctx context.Context, name string) error {
	for {
		err := g.AskKey(ctx, g.Options, name)
		if fault.KindOf(err) != fault.Invalid && cli.ExitCode(err) != cli.ExitUsage {
			return err
		}
		g.say("%s", cli.Message(err))
	}
}
