package app

import (
	"os"

	"github.com/spf13/cobra"

	"github.com/sidestick-dev/sidestick/internal/config"
	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/permit"
	"github.com/sidestick-dev/sidestick/internal/shell/effects"
)

// permissionFlags say what tools may do without asking.
func (o *options) permissionFlags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringArrayVar(&o.flags.AllowTools, "allow-tool", nil, "allow this without asking, a `rule` such as 'shell(go test:*)' or write; repeatable")
	f.StringArrayVar(&o.flags.DenyTools, "deny-tool", nil, "deny this without asking, a `rule`; it goes before every other; repeatable")
	f.BoolVar(&o.flags.AllowAll, "allow-all", false, "allow every tool call without asking")
	f.BoolVar(&o.flags.AllPaths, "allow-all-paths", false, "allow files everywhere, not only in the working directory")
	f.StringArrayVar(&o.flags.Folders, "add-dir", nil, "a `folder` whose files are allowed like those of the working directory; repeatable")
	f.BoolVar(&o.flags.AllowAll, "allow-all-tools", false, "the same as --allow-all")
	f.BoolVar(&o.flags.AllowAll, "yolo", false, "the same as --allow-all")
}

// lookFreely is for a person who has started the agent in a directory: looking at
// what is in it is what an agent is for, and is not asked about. The SDKs' programs
// are asked, for they expect it.
func lookFreely(r *permit.Rules) { r.ReadsInside, r.ReadOnly = true, true }

// permissions are the rules of the command line.
func permissions(cfg config.Config) (permit.Rules, error) {
	r := permit.Rules{All: cfg.AllowAll.Value, AllBy: "--yolo", Places: permit.Places{Anywhere: cfg.AllPaths.Value}}
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
	for _, given := range cfg.Folders.Value {
		dir := effects.RealPath(absolute(given))
		info, err := os.Stat(dir)
		switch {
		case dir == "" || err != nil:
			return r, fault.New(fault.Invalid, "permissions", cfg.Folders.From, "there is no folder %s", given)
		case !info.IsDir():
			return r, fault.New(fault.Invalid, "permissions", cfg.Folders.From, "%s is no folder", given)
		}
		r.Places.More = append(r.Places.More, dir)
	}
	return r, nil
}
