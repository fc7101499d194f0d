package effects

import (
	"regexp"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/lazy"
)

// maxScript is how many bytes a script of sed, awk or jq may have to be safe. Their readers go
// through a script several times and look names up in lists; a script on a command line that only
// prints is far shorter.
const maxScript = 8 << 10

// regexEnd returns the index of the delimiter that ends a regular expression. ok is false
// if the expression has no end in its line, or a bracket expression of which it is not
// certain where it ends: programs disagree about a ] at its beginning, about a backslash
// before its ], and about [. .] and [= =]. A delimiter inside a bracket expression is certain:
// a program that ends the expression there finds the bracket open, and runs nothing.
func regexEnd(s string, delimiter byte) (end int, ok bool) {
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '\n':
			return 0, false
		case '\\':
			i++
			if i < len(s) && (s[i] == '\n' || s[i] == 'c') { // \c[ is one character for GNU sed
				return 0, false
			}
		case delimiter:
			return i, true
		case '[':
			n := bracketEnd(s[i+1:])
			if n < 0 {
				return 0, false
			}
			i += 1 + n
		}
	}
	return 0, false
}

// characterClasses are the names in [[:name:]].
var characterClasses = set{names: "alpha digit alnum upper lower space blank punct print graph cntrl xdigit"}

// bracketEnd returns the index of the ] that ends a bracket expression; s begins after its
// [. It returns -1 if that is not certain.
func bracketEnd(s string) int {
	begin := 0
	if strings.HasPrefix(s, "^") {
		begin = 1
	}
	for i := begin; i < len(s); i++ {
		switch s[i] {
		case ']':
			if i == begin {
				return -1
			}
			return i
		case '[':
			rest, named := strings.CutPrefix(s[i+1:], ":")
			name, _, ended := strings.Cut(rest, ":]")
			if !named || !ended || !characterClasses.Get()[name] {
				return -1
			}
			i += len(name) + 3
		case '\\':
			if i++; i >= len(s) || strings.IndexByte("]\\[\n", s[i]) >= 0 {
				return -1
			}
		case '\n':
			return -1
		}
	}
	return -1
}

// printfAssigns finds %n, with which the printf of bash sets the variable that an
// argument names, which may be PATH. Source: bash 5.2, builtins/printf.def.
var printfAssigns = lazy.Value[*regexp.Regexp]{Make: func() *regexp.Regexp {
	return regexp.MustCompile(`%[^%a-zA-Z\\]*[hjlLtz]*n`)
}}

func printfIsSafe(s string) bool { return !printfAssigns.Get().MatchString(s) }
