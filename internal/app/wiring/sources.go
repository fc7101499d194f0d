package wiring

import (
	"github.com/sidestick-dev/sidestick/internal/config"
	"github.com/sidestick-dev/sidestick/internal/keys"
	"github.com/sidestick-dev/sidestick/internal/model"
	"github.com/sidestick-dev/sidestick/internal/session/provider"
)

// Source is a provider whose models can be used.
type Source struct {
	// Name is how users know it: the name of a vendor, or an address.
	Name string
	// Prefix is what the name of a model has before it to be called here, such as "ollama:".
	Prefix   string
	Vendor   string // as in [config.Provider]
	Provider provider.Provider
}

// Sources are the providers of the configuration, as [config.Config.Sources] lists them.
func Sources(cfg config.Config, stored *keys.Store) []Source {
	all, _ := stored.Entries() // a file that cannot be read has no keys, and a call says so
	return sources(cfg, stored, cfg.Sources(func(name string) bool { _, ok := all[name]; return ok }))
}

// LocalSources are the servers that may run on this machine.
func LocalSources(cfg config.Config, stored *keys.Store) []Source {
	return sources(cfg, stored, cfg.Locals())
}

func sources(cfg config.Config, stored *keys.Store, all []config.Provider) (list []Source) {
	for _, p := range all {
		s := Source{Name: model.PublicAddress(p.BaseURL), Vendor: p.Vendor}
		switch {
		case p.Kind == config.Copilot:
			s.Name, s.Provider = "copilot", Copilot(cfg)
		case p.Kind == config.Vendor && p.Vendor != "":
			s.Name, s.Prefix, s.Provider = p.Vendor, p.Vendor+":", vendorOf(cfg, p, stored)
		case p.Kind == config.Vendor:
			s.Prefix, s.Provider = p.BaseURL+"#", vendorOf(cfg, p, stored)
		default:
			bare := cfg
			bare.Model.Value = ""
			s.Provider = Provider(bare, stored)
		}
		list = append(list, s)
	}
	return list
}
