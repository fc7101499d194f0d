package tool

import (
	"regexp"

	"github.com/sidestick-dev/sidestick/internal/lazy"
)

// The lines that systems and programs print for what a sandbox refuses: the texts of the C
// library at the end of a line behind a colon, as programs print them, those of Python behind
// the number of the error, the names of the errors, as node prints them, and that of our own
// proxy (package proxy). A text in quotes
// or within a sentence is no refusal, because tests print such lines.
var (
	denied = lazy.Value[*regexp.Regexp]{Make: func() *regexp.Regexp {
		return refusalLine("permission denied|operation not permitted|read-only file system|device or resource busy", "EACCES|EPERM|EROFS")
	}}
	offline = lazy.Value[*regexp.Regexp]{Make: func() *regexp.Regexp {
		return refusalLine(`could not resolve host: [^\s'"]+|temporary failure in name resolution|name or service not known|no such host|network is unreachable`,
			"EAI_AGAIN|ENOTFOUND|ENETUNREACH|listen EPERM|is not allowed in the sandbox")
	}}
	// expects matches a line in which a test says what it expects.
	expects = lazy.Value[*regexp.Regexp]{Make: func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)\b(?:want|wants|wanted|expect|expects|expected|expecting|got|assert\w*)\b`)
	}}
)

// refusalLine matches a line with one of these texts, in any case, or one of these names.
func refusalLine(texts, names string) *regexp.Regexp {
	const end = `[\s.!)\]]*(?:\([^()]*\)[\s.)]*)?$`
	return regexp.MustCompile(`(?:^|[:;(\])] ?)(?i:` + texts + `)` + end +
		`|\[Errno -?\d+\] (?i:` + texts + `)` +
		`|(?:^|[^\w'"` + "`" + `])(?:` + names + `)(?:$|[^\w'"` + "`" + `])`)
}
