package wiring

import (
	"github.com/sidestick-dev/sidestick/internal/config"
	"github.com/sidestick-dev/sidestick/internal/model"
	"github.com/sidestick-dev/sidestick/internal/session"
)

// Source is a provider whose models can be used.
type Source struct {
	// Name is how users know it: the name of a vendor, or an address.
	Name string
	// Prefix is what the name of a model has before it to be called here, such as "ollama:".
	Prefix   string
	Vendor   string // as in [config.Provider]
	Provider session.Provider
}

// Sources are the providers of the configuration, as [config.Config.Sources] lists them.
func Sources(cfg config.Config) []Source { return sources(cfg, cfg.Sources()) }

// LocalSources are the servers that may run on this machine.
func LocalSources(cfg config.Config) []Source { return sources(cfg, cfg.Locals()) }

func sources(cfg config.Config, all []config.Provider) (list []Source) {
	for _, p := range all {
		s := Source{Name: model.PublicAddress(p.BaseURL), Vendor: p.Vendor}
		switch {
		case p.Kind == config.Copilot:
			s.Name, s.Provider = "copilot", Copilot(cfg)
		case p.Kind == config.Vendor && p.Vendor != "":
			s.Name, s.Prefix, s.Provider = p.Vendor, p.Vendor+":", vendorOf(p)
		case p.Kind == config.Vendor:
			s.Prefix, s.Provider = p.BaseURL+"#", vendorOf(p)
		default:
			bare := cfg
			bare.Model.Value = ""
			s.Provider = Provider(bare)
		}
		list = append(list, s)
	}
	return list
}
