package permit

import "github.com/sidestick-dev/sidestick/internal/wire"

// FromWire returns the rules of a message of the protocol. from is where they came from,
// for [Rule.From]. Rules of an unknown kind are left out.
func FromWire(rules []wire.PermissionRule, from string) []Rule {
	var read []Rule
	for _, r := range rules {
		argument := ""
		if r.Argument != nil {
			argument = *r.Argument
		}
		if rule, err := NewRule(r.Kind, argument, true); err == nil {
			rule.From = from
			read = append(read, rule)
		}
	}
	return read
}

// ToWire is the reverse of [FromWire]. The result is never nil.
func ToWire(rules []Rule) []wire.PermissionRule {
	out := make([]wire.PermissionRule, 0, len(rules))
	for _, r := range rules {
		out = append(out, wire.PermissionRule{Kind: string(r.Kind), Argument: wire.Optional(r.Argument)})
	}
	return out
}
