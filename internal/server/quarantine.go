package server

import (
	"context"

	"github.com/sidestick-dev/sidestick/internal/session"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// listAside and takeBack are methods of our own, see wire/quarantine.go.
func listAside(ctx context.Context, s *session.Session, _ none) (any, error) {
	items, err := session.Quarantine(s).List(ctx)
	return wire.MovedAsideList{Items: items}, err
}

func takeBack(ctx context.Context, s *session.Session, p wire.TakeBack) (any, error) {
	if p.Path == "" {
		return nil, missing("path")
	}
	item, err := session.Quarantine(s).Allow(ctx, p)
	return item, err
}
