package session

import (
	"slices"

	"github.com/sidestick-dev/sidestick/internal/model"
	"github.com/sidestick-dev/sidestick/internal/session/offer"
	"github.com/sidestick-dev/sidestick/internal/turn"
)

// offers is what a call to a model is made of tools. Most calls of a session offer the tools of the
// call before.
type offers struct {
	from   []*offer.Tool
	byName map[string]turn.Offer
	sent   []model.Tool
}

// of returns the tools by the name that the model calls them, and as the model gets them. The
// caller modifies neither.
func (o *offers) of(offered []*offer.Tool) (map[string]turn.Offer, []model.Tool) {
	if o.byName != nil && slices.Equal(offered, o.from) {
		return o.byName, o.sent
	}
	o.from, o.byName, o.sent = offered, make(map[string]turn.Offer, len(offered)), make([]model.Tool, 0, len(offered))
	for _, t := range offered {
		o.byName[t.Sent.Name] = turn.Offer{Tool: t.Tool, Schema: t.Schema}
		o.sent = append(o.sent, t.Sent)
	}
	return o.byName, o.sent
}
