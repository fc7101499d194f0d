package effects

import (
	"regexp"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/lazy"
)

// goAction matches an action of a template that only selects fields, or decides and repeats by
// them: no function, and no variable. Source: text/template, "Actions".
var goAction = lazy.Value[*regexp.Regexp]{Make: func() *regexp.Regexp {
	return regexp.MustCompile(`^(- )?\s*(((else )?if|range|with)\s+)?((\.\w*)+|"[^"\\]*"|\d+|end|else)\s*( -)?$`)
}}

// goListIsSafe accepts the templates and operands of go list for which it fetches nothing:
// folders, and packages of the standard library.
func goListIsSafe(text string) bool {
	if !strings.Contains(text, "{{") {
		first, _, _ := strings.Cut(text, "/")
		return !strings.Contains(text, "@") && (strings.HasPrefix(first, ".") || !strings.Contains(first, ".") || strings.HasSuffix(text, ".go"))
	}
	for _, rest := range strings.Split(text, "{{")[1:] {
		action, _, closed := strings.Cut(rest, "}}")
		if !closed || !goAction.Get().MatchString(action) {
			return false
		}
	}
	return true
}

// goDocIsSafe accepts the operands of go doc that name no module on another machine.
func goDocIsSafe(text string) bool {
	return !strings.Contains(text, "/") && !strings.Contains(text, "@") || goListIsSafe(text) && !strings.Contains(text, "{{")
}
