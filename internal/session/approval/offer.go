package approval

import (
	"context"

	"github.com/sidestick-dev/sidestick/internal/permit"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// Offer is what an approval of an open request can allow beyond the one call. A program
// that asks the user shows with it what exactly the user would grant.
type Offer struct {
	// Rules are what [Permissions.Answer] makes of an approval that names none. Without
	// any, only this one call can be approved.
	Rules []permit.Rule
	// Folders are the folders that rules without a path reach.
	Folders permit.Folders
	// Location is what an approval for the location is kept for.
	Location wire.PermissionLocation
}

// Offer says how an open request can be approved. The offer is empty if the request is
// not open any more.
func (p *Permissions) Offer(ctx context.Context, requestID string) (o Offer, err error) {
	o, err = query(ctx, p, func(d disk) (o Offer, _ error) {
		r := p.open[requestID]
		if r == nil {
			return o, nil
		}
		q := parseRequest(wire.Raw(r.asked.Data))
		o.Rules = sameScheme(p.rules(d, q).Covering(q), q.Address)
		o.Folders = p.allFolders(d)
		return o, nil
	})
	if err != nil || len(o.Rules) == 0 {
		return o, err
	}
	o.Location, err = p.Location(ctx, "")
	return o, err
}

// Rules are all rules in force, each with its origin.
func (p *Permissions) Rules(ctx context.Context) (permit.Rules, error) {
	return query(ctx, p, func(d disk) (permit.Rules, error) {
		return p.rules(d, permit.Request{Kind: permit.URL}), nil // a kind for which addresses count too
	})
}
