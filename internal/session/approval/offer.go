package approval

import (
	"context"

	"github.com/sidestick-dev/sidestick/internal/permit"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// Offer says what an approval of an open request can allow beyond the one call, so that a
// program can show the user exactly what an approval grants.
type Offer struct {
	// Rules are rules with which the same call is allowed and runs in the same place. If there
	// are none, only this one call can be approved.
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
			o.Rules, o.Folders = p.policy.offered(d, r), p.policy.allFolders(d)
			o.Placed, o.Again = r.placed, r.about != nil && (r.about.Bypass != "" || r.about.Again != "")
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

// offered returns the rules that an approval of a request beyond one call can add; none if the
// request can be approved only once.
func (p *policy) offered(d disk, r *request) []permit.Rule {
	rules := p.covering(d, r.parsed())
	if len(rules) == 0 || r.parsed().Kind != permit.Shell {
		return rules
	}
	if r.about == nil { // from before a resume: what the command does is not known
		return nil
	}
	_, now := p.decide(d, r.about)
	if now.repeats(*r.about, rules) {
		return rules
	}
	for _, address := range r.about.Command.URLs {
		rules = with(rules, now.rules.Covering(permit.Request{Kind: permit.URL, Address: address}))
	}
	if now.repeats(*r.about, rules) {
		return rules
	}
	return nil
}

// repeats reports whether the same command is allowed with further rules, and runs in the same
// place. No rules let a command leave a sandbox that works.
func (r *ruling) repeats(q permit.Request, rules []permit.Rule) bool {
	q.Again, q.NoTry = "", true // it is not about the run that is asked about, but about later ones
	again := r.rules.With(rules...).DecideIn(r.sandboxing, q)
	return !r.AsksOutside && again.Verdict == permit.Allow && again.Place == r.Place
}
