package permit

import "github.com/sidestick-dev/sidestick/internal/wire"

// FromWire reads rules as the protocol has them. from says who gave them and becomes
// [Rule.From]. A rule of a kind that this program does not know is left out.
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

// ToWire is the reverse of [FromWire]; never nil.
func ToWire(rules []Rule) []wire.PermissionRule {
	out := make([]wire.PermissionRule, 0, len(rules))
	for _, r := range rules {
		out = append(out, wire.PermissionRule{Kind: string(r.Kind), Argument: wire.Optional(r.Argument)})
	}
	return out
}
