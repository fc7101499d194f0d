//go:build linux

package canary_test

// exceptions are lines whose harm a sandbox does not promise to prevent, with the reason.
var exceptions = []struct {
	line string
	mode string // the only mode that it holds for; empty for every one
	why  string
}{}

// excepted returns why the harm of a line in a mode is no flaw; empty if it is one.
func excepted(m mode, line string) string {
	for _, e := range exceptions {
		if e.line == line && (e.mode == "" || e.mode == m.name) {
			return e.why
		}
	}
	return ""
}
