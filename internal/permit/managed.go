package permit

import (
	"slices"
	"strings"
)

// Managed is a policy that the host of a session injects and nobody can loosen: neither rules
// and approvals, nor a mode, nor a hook. The zero value changes nothing.
type Managed struct {
	// Deny rules are further deny rules. Ask rules name what the user decides each time,
	// unless a deny rule denies it. Allow rules are further allow rules.
	Deny, Ask, Allow []Rule
	// NoBypass keeps everything from being allowed at once: all calls, all folders, or all
	// addresses. FailClosed means that this is so because the policy names a mode that
	// this version does not know.
	NoBypass, FailClosed bool
}

// managedFrom is where the rules of a managed policy come from, in reasons.
const managedFrom = "managed settings"

// ParseManaged returns a managed policy from the texts of its rules and its mode for
// bypassing permissions. A rule that is malformed, or could never match, is [fault.Invalid]:
// its author believes that it is enforced.
func ParseManaged(deny, ask, allow []string, bypass string) (m Managed, err error) {
	if m.Deny, err = managedRules(deny, true); err != nil {
		return m, err
	}
	if m.Ask, err = managedRules(ask, true); err != nil {
		return m, err
	}
	if m.Allow, err = managedRules(allow, false); err != nil {
		return m, err
	}
	m.NoBypass = bypass != ""
	m.FailClosed = m.NoBypass && bypass != "disable" && bypass != "allow-auto-only"
	return m, nil
}

// managedRules parses rules. wide makes those for paths cover more in doubt.
func managedRules(texts []string, wide bool) (rules []Rule, err error) {
	for _, text := range texts {
		r, err := managedRule(text)
		if err != nil {
			return nil, err
		}
		rules = append(rules, r)
		if wide && (r.Kind == Read || r.Kind == Write) && strings.HasPrefix(r.Argument, "**/") {
			r.Argument = "/" + r.Argument // also outside the folder of the session
			rules = append(rules, r)
		}
	}
	return rules, nil
}

// managedRule parses a rule in the form of managed policies: kinds begin with a capital letter,
// as in "Read(**)", and "Shell(git push *)" is what "shell(git push:*)" is here.
func managedRule(text string) (Rule, error) {
	kind, argument, narrowed := strings.Cut(strings.TrimSpace(text), "(")
	lower := Kind(strings.ToLower(strings.TrimSpace(kind)))
	if !slices.Contains([]Kind{Shell, Read, Write, URL}, lower) {
		r, err := ParseRule(text)
		r.From = managedFrom
		return r, err
	}
	argument, closed := strings.CutSuffix(strings.TrimSpace(argument), ")")
	argument = strings.TrimSpace(argument)
	written := string(lower)
	switch {
	case narrowed && !closed, !narrowed, argument == "":
		if narrowed {
			written += "(" + argument // not a rule; ParseRule says why
		}
		if closed {
			written += ")"
		}
	case argument == "*" || argument == "**":
	case lower == Shell:
		if words, ok := strings.CutSuffix(argument, " *"); ok {
			argument = strings.TrimSpace(words) + ":*"
		}
		if strings.Contains(strings.TrimSuffix(argument, ":*"), "*") {
			return Rule{}, invalid(text, "a * is allowed only at the end, as in Shell(git push *)")
		}
		written += "(" + argument + ")"
	default:
		written += "(" + argument + ")"
	}
	r, err := ParseRule(written)
	r.From = managedFrom
	return r, err
}

// Join returns both policies: what either denies, asks about or keeps from being bypassed is so.
func (m Managed) Join(other Managed) Managed {
	return Managed{
		Deny: slices.Concat(m.Deny, other.Deny), Ask: slices.Concat(m.Ask, other.Ask), Allow: slices.Concat(m.Allow, other.Allow),
		NoBypass: m.NoBypass || other.NoBypass, FailClosed: m.FailClosed || other.FailClosed,
	}
}

// Under returns the rules that hold under a managed policy.
func (r Rules) Under(m Managed) Rules {
	r.Deny = append(slices.Clip(r.Deny), m.Deny...)
	r.Ask = append(slices.Clip(r.Ask), m.Ask...)
	r.Allow = append(slices.Clip(r.Allow), m.Allow...)
	if m.NoBypass {
		r.All, r.AnyURL, r.Folders.Anywhere = false, false, false
	}
	return r
}

// mustAsk is the decision about a request that an ask rule covers, or may cover: they match as
// deny rules do.
func (r Rules) mustAsk(q Request) (Decision, bool) {
	if len(r.Ask) == 0 {
		return Decision{}, false
	}
	asking := r
	asking.Deny, asking.Ask, asking.Sandboxed = r.Ask, nil, false // a sandbox does not enforce them
	d, decided := asking.denied(q)
	if !decided {
		return Decision{}, false
	}
	why := "the user decides each time what ask rules of the " + managedFrom + " cover"
	if d.Rule.Kind != "" {
		why = "the user decides each time, by " + d.Rule.withSource()
	}
	return Decision{Why: why, Rule: d.Rule, Doubt: true, Managed: true}, true
}

// Withheld returns the paths that a tool leaves out of what it reads below a folder, in the form
// of [Rules.DeniedPaths]: those that are denied, and those about which the user is asked.
func (r Rules) Withheld() []string {
	r.Deny = slices.Concat(r.Deny, r.Ask)
	return r.DeniedPaths(Read)
}
