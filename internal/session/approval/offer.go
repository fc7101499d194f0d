package approval

import (
	"context"

	"github.com/sidestick-dev/sidestick/internal/permit"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// Offer says what an approval of an open request can allow beyond the one call, so that a
// program can show the user exactly what an approval grants.
type Offer struct {
	// Rules are the rules that [Permissions.Answer] uses for an approval without rules. If
	// there are none, only this one call can be approved.
	Rules []permit.Rule
	// Folders are the folders that rules without a path reach.
	Folders permit.Folders
	// Placed says where the command would run, and why. Again means that it would run a
	// second time, because the sandbox stopped it.
	Placed permit.Placed
	Again  bool
	// Input means that the request is to type into a program that is running.
	Input bool
	// Location is the location that an approval for the location is stored for.
	Location wire.PermissionLocation
}

// Offer returns the offer for an open request. It is empty if the request is no longer open.
func (p *Permissions) Offer(ctx context.Context, requestID string) (o Offer, err error) {
	o, err = query(ctx, p, func(d disk) (o Offer, _ error) {
		if r := p.requests.find(requestID); r != nil {
			o.Rules, o.Folders = p.policy.covering(d, r.parsed()), p.policy.allFolders(d)
			o.Placed, o.Again = r.placed, r.about != nil && r.about.Bypass != ""
			o.Input = r.about != nil && r.about.Command.Input
		}
		return o, nil
	})
	if err != nil || len(o.Rules) == 0 {
		return o, err
	}
	o.Location, err = p.Location(ctx, "")
	return o, err
}
