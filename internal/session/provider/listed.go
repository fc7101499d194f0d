package provider

import (
	"context"
	"time"

	"github.com/sidestick-dev/sidestick/internal/agent"
)

// listLimit bounds the wait of an agent for a provider's list of models.
const listLimit = 10 * time.Second

// Listed returns the models that a provider lists; none if it has no list, or does not answer within ten seconds.
func (m *Models) Listed(ctx context.Context, p Provider) (all []agent.Listed) {
	ctx, cancel := context.WithTimeout(ctx, listLimit)
	defer cancel()
	list, err := m.client.Models(ctx, p.Endpoint)
	if err != nil {
		return nil
	}
	for _, one := range list {
		all = append(all, agent.Listed{ID: one.ID, Name: one.Name})
	}
	return all
}
