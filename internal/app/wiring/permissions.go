package wiring

import (
	"os"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/app/cli"
	"github.com/sidestick-dev/sidestick/internal/config"
	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/permit"
	"github.com/sidestick-dev/sidestick/internal/shell/effects"
)

// AllowReading is the adjustment for an agent that the user has started in a directory:
// reading files there, and commands that change nothing, need no approval. Programs on
// the SDKs are asked, because they expect it.
func AllowReading(r *permit.Rules) { r.ReadsInside, r.ReadOnly = true, true }

// permissions are the permission rules of the command line.
func permissions(cfg config.Config) (permit.Rules, error) {
	r := permit.Rules{All: cfg.AllowAll.Value, AllBy: strings.TrimPrefix(cfg.AllowAll.From, "flag "), Folders: permit.Folders{Anywhere: cfg.AllPaths.Value}, State: effects.RealPath(cli.Absolute(cfg.Home.Value))}
	for _, list := range []struct {
		given config.Setting[[]string]
		rules *[]permit.Rule
	}{{cfg.AllowTools, &r.Allow}, {cfg.DenyTools, &r.Deny}} {
		for _, text := range list.given.Value {
			rule, err := permit.ParseRule(text)
			if err != nil {
				return r, fault.New(fault.Invalid, "permissions", list.given.From, "%q: %s", text, fault.Message(err))
			}
			rule.From = list.given.From
			*list.rules = append(*list.rules, rule)
		}
	}
	for _, given := range cfg.Protected.Value {
		name, err := permit.ParseProtected(given)
		if err != nil {
			return r, fault.New(fault.Invalid, "permissions", cfg.Protected.From, "%q: %s", given, fault.Message(err))
		}
		r.Protected = append(r.Protected, name)
	}
	for _, given := range cfg.Folders.Value {
		dir := effects.RealPath(cli.Absolute(given))
		info, err := os.Stat(dir)
		switch {
		case dir == "" || err != nil:
			return r, fault.New(fault.Invalid, "permissions", cfg.Folders.From, "there is no folder %s", given)
		case !info.IsDir():
			return r, fault.New(fault.Invalid, "permissions", cfg.Folders.From, "%s is not a folder", given)
		case permit.OfKernel(dir):
			return r, fault.New(fault.Invalid, "permissions", cfg.Folders.From, "%s cannot be a folder to work in: %s", given, permit.KernelFolder)
		}
		r.Folders.More = append(r.Folders.More, dir)
	}
	return r, nil
}
