package session

import (
	"context"
	"slices"

	"github.com/sidestick-dev/sidestick/internal/permit"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// extend completes an approval that holds for more than one call: what it covers, and
// where it is kept. It reports false if nobody waits for it.
func (s *Session) extend(ctx context.Context, requestID string, a permit.Answer) (_ permit.Answer, ok bool, err error) {
	err = s.do(ctx, func() error {
		w := s.waits[requestID]
		if ok = w != nil && w.permission != nil; !ok {
			return nil
		}
		q := askedFor(wire.Raw(w.permission.Data))
		if q.Personal { // a yes to it is one for once, whatever it says
			a = permit.Answer{Outcome: permit.Approved}
			return nil
		}
		if a.Rules == nil {
			a.Rules = s.rulesFor(q).Covering(q)
		}
		a.Rules = sameScheme(a.Rules, q.Address)
		return nil
	})
	if err != nil || !ok {
		return a, false, err
	}
	switch a.Scope {
	case permit.ForLocation:
		l, err := s.Location(ctx, "")
		if err != nil {
			return a, false, err
		}
		if a.Location == "" {
			a.Location = l.LocationKey
		}
		// Here it holds as soon as the answer is recorded, as one for the session does.
		return a, true, s.reg.grants.change(func(b *book) { b.at(a.Location).add(permit.ToWire(a.Rules)); b.tidy() })
	case permit.Always:
		return a, true, s.reg.grants.change(func(b *book) {
			for _, r := range a.Rules {
				if r.Kind == permit.URL && r.Argument != "" && !slices.Contains(b.Addresses, r.Argument) {
					b.Addresses = append(b.Addresses, r.Argument)
				}
			}
		})
	}
	return a, true, nil
}

// sameScheme lets an approval of a bare host cover the address that was asked about.
func sameScheme(rules []permit.Rule, address string) []permit.Rule {
	const plain = "http://"
	rules = slices.Clone(rules)
	for i, r := range rules {
		if len(address) > len(plain) && address[:len(plain)] == plain && r.Kind == permit.URL && !slices.Contains([]byte(r.Argument), ':') {
			rules[i].Argument = plain + r.Argument
		}
	}
	return rules
}
