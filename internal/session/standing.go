package session

import (
	"context"

	"github.com/sidestick-dev/sidestick/internal/permit"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// Offer is what a yes to an open question can allow beyond the one call, so that who
// asks a person says what exactly they would grant.
type Offer struct {
	// Rules are what [Session.AnswerPermission] makes of an approval that names none.
	// Empty: there is only a yes for once.
	Rules []permit.Rule
	// Places are the folders that rules without a path reach.
	Places permit.Places
	// Location is what an approval for the location is kept for.
	Location wire.PermissionLocation
}

// Offer says what an open question can be answered with. It is empty if the question
// is not open any more.
func (s *Session) Offer(ctx context.Context, requestID string) (o Offer, err error) {
	err = s.do(ctx, func() error {
		w := s.waits[requestID]
		if w == nil || w.permission == nil {
			return nil
		}
		q := askedFor(wire.Raw(w.permission.Data))
		o.Rules = sameScheme(s.rulesFor(q).Covering(q), q.Address)
		o.Places = s.allPlaces()
		return nil
	})
	if err != nil || len(o.Rules) == 0 {
		return o, err
	}
	o.Location, err = s.Location(ctx, "")
	return o, err
}

// Rules are all that are in force, each with who said it.
func (s *Session) Rules(ctx context.Context) (r permit.Rules, err error) {
	err = s.do(ctx, func() error {
		r = s.rulesFor(permit.Request{Kind: permit.URL}) // addresses, too
		return nil
	})
	return r, err
}
