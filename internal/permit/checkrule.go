package permit

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/sidestick-dev/sidestick/internal/invisible"
	"github.com/sidestick-dev/sidestick/internal/lazy"
)

// check returns why a rule could never match, as [fault.Invalid] with what to write instead;
// nil if it can match. Such a rule is refused and not interpreted: a user who writes it
// believes that it denies something.
func (r Rule) check() error {
	if r.Argument == "" {
		return nil
	}
	why := ""
	switch {
	case hasInvisible(r.Argument):
		why = "it contains a character that is not visible; type the rule again"
	case r.Kind == Shell:
		why = shellProblem(r.Argument)
	case r.Kind == Read, r.Kind == Write:
		why = pathProblem(r.Kind, r.Argument)
	case r.Kind == CustomTool:
		why = nameProblem(r.Argument)
	}
	if why == "" {
		return nil
	}
	return invalid(r.String(), "%s", why)
}

// hasInvisible reports whether a text contains control characters or characters that leave no mark.
// Spaces of other kinds are parts of names: those of screenshots on a Mac have a narrow one.
func hasInvisible(text string) bool {
	return strings.ContainsFunc(text, func(c rune) bool { return unicode.IsControl(c) || invisible.Is(c) })
}

// special are the characters that other programs give a meaning in patterns of paths, and
// these rules do not. In a name they are written with a \ before them.
const special = `[{,|"'`

// braces is a brace expansion of a shell, such as {a,b} or {1..3}.
var braces = lazy.Value[*regexp.Regexp]{Make: func() *regexp.Regexp { return regexp.MustCompile(`\{[^{}]*(,|\.\.)[^{}]*\}`) }}

// pathProblem says why a pattern can match no path, or matches another one than its author
// meant; "" if nothing is wrong with it.
func pathProblem(kind Kind, pattern string) string {
	bare, ok := withoutQuoted(pattern)
	say := func(why string) string {
		named := Rule{Kind: kind, Argument: quoteSpecial(pattern, special)}
		if named.check() != nil {
			return why
		}
		return fmt.Sprintf("%s; if it is part of a name, the rule is %s", why, named)
	}
	switch {
	case !ok:
		return `folders are separated by /; \ comes only before one of * ? [ { , | " ' \ in a name`
	case bare[0] == '!':
		return "a rule cannot make an exception with !; write what the rule covers"
	case bare[0] == '$':
		return "a rule does not replace variables; write the path itself"
	case strings.Count(bare, `"`) > 1, strings.Count(bare, `'`) > 1:
		return say("quotes are not removed; write the path without them")
	case braces.Get().MatchString(bare):
		return say("braces are not expanded; write one rule for each path")
	case strings.Contains(bare, "["):
		return say("[ is not a pattern here, only *, ? and ** are")
	case strings.ContainsAny(bare, ",|"):
		return say("a rule names one path; write one rule for each")
	}
	for _, e := range strings.Split(bare, "/") {
		if e != "**" && strings.Contains(e, "**") {
			return "** stands for whole folders, as in src/**/*.go"
		}
	}
	return ""
}

// withoutQuoted returns a pattern without the characters that have a \ before them; ok is
// false if a \ comes before a letter, a digit or nothing.
func withoutQuoted(pattern string) (bare string, ok bool) {
	var b strings.Builder
	quoted := false
	for _, c := range pattern {
		switch {
		case quoted && (unicode.IsLetter(c) || unicode.IsDigit(c)):
			return "", false
		case quoted:
			quoted = false
			b.WriteByte('_')
		case c == '\\':
			quoted = true
		default:
			b.WriteRune(c)
		}
	}
	return b.String(), !quoted
}

// quoteSpecial puts a \ before each of the given characters that has none.
func quoteSpecial(pattern, chars string) string {
	var b strings.Builder
	quoted := false
	for _, c := range pattern {
		if !quoted && strings.ContainsRune(chars, c) {
			b.WriteByte('\\')
		}
		quoted = !quoted && c == '\\' && !strings.ContainsRune(chars, c)
		b.WriteRune(c)
	}
	return b.String()
}

// nameProblem says why no tool can have a name; "" if one can.
func nameProblem(name string) string {
	kind, rest, split := strings.Cut(name, ":")
	switch {
	case strings.ContainsAny(name, "*?"):
		return "a tool is named by its whole name"
	case split && slices.Contains([]string{"shell", "read", "write", "url"}, kind):
		return fmt.Sprintf("write %s(%s)", kind, rest)
	case strings.ContainsAny(name[:1], "\"'"), strings.ContainsAny(name, "`,;|&<>$\\"):
		return "this is not the name of a tool; write one rule for each tool, with nothing but its name"
	}
	return ""
}
