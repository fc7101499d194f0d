package permit

import (
	"slices"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/wire"
)

// FromWire returns the rules of a message of the protocol. from is where they came from,
// for [Rule.From]. Rules that [NewRule] refuses are left out.
func FromWire(rules []wire.PermissionRule, from string) []Rule {
	var read []Rule
	for _, r := range rules {
		if rule, err := NewRule(r.Kind, argument(r), true); err == nil {
			rule.From = from
			read = append(read, rule)
		}
	}
	return read
}

func argument(r wire.PermissionRule) string {
	if r.Argument == nil {
		return ""
	}
	return *r.Argument
}

// elsewhere are kinds of the protocol for things that this program does not have. A rule for
// one of them has no effect because there is nothing that it could allow or deny. Source:
// the permission requests of the SDK, and the comment on its PermissionRule.
var elsewhere = []string{
	"githubmcp", "memory", "hook", "factory", "extension-management", "extension-permission-access", "extension-env-access",
}

// CheckWire returns why a rule that a client sets could never match, as [fault.Invalid] with
// what to write instead; nil if every rule can match. It accepts rules of kinds that the
// protocol has and this program does not ask about.
func CheckWire(rules []wire.PermissionRule) error {
	for _, r := range rules {
		if slices.Contains(elsewhere, strings.ToLower(r.Kind)) {
			continue
		}
		rule, err := NewRule(r.Kind, argument(r), true)
		switch {
		case rule.Kind == "":
			return invalid(r.Kind, "there is no kind of rule %q; the kinds are shell, read, write, url, mcp and custom-tool", r.Kind)
		case err == nil:
			err = rule.check()
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// ToWire is the reverse of [FromWire]. The result is never nil.
func ToWire(rules []Rule) []wire.PermissionRule {
	out := make([]wire.PermissionRule, 0, len(rules))
	for _, r := range rules {
		out = append(out, wire.PermissionRule{Kind: string(r.Kind), Argument: wire.Optional(r.Argument)})
	}
	return out
}
