package server

import (
	"cmp"

	"github.com/sidestick-dev/sidestick/internal/model"
	"github.com/sidestick-dev/sidestick/internal/model/known"
	"github.com/sidestick-dev/sidestick/internal/session/provider"
)

// completed adds to the list of a provider what the catalogue of models knows and the list leaves
// open, and the limits of the user's file in place of those of the list. A file that cannot be
// read adds nothing; runs fail with its error.
func (c *conn) completed(p provider.Provider, list []model.Info) []model.Info {
	if c.home().Known == nil {
		return list
	}
	provider := known.ProviderOf(p.Vendor, p.Endpoint.BaseURL)
	all := make([]model.Info, len(list)) // the list is kept for other callers
	for i, info := range list {
		found, err := c.home().Known.Find(provider, info.ID)
		if err != nil {
			c.srv.opts.Logger.Warn("the list of models lacks what the user knows about them", "err", err)
			return list
		}
		all[i] = complete(info, found)
	}
	return all
}

func complete(info model.Info, found known.Found) model.Info {
	m := found.Model()
	if found.User.Prompt() > 0 || info.MaxPrompt+info.MaxContext == 0 {
		info.MaxPrompt, info.MaxContext = int(m.PromptTokens), int(m.ContextTokens)
	}
	info.MaxOutput = int(cmp.Or(found.User.OutputTokens, int64(info.MaxOutput), m.OutputTokens))
	if m.Images != nil && (found.User.Images != nil || !info.Vision) {
		info.Vision = *m.Images
	}
	if found.User.ReasoningEfforts != nil || info.ReasoningEfforts == nil {
		info.ReasoningEfforts = m.ReasoningEfforts
	}
	return info
}
