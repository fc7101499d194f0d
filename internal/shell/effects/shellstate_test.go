package effects

import "testing"

// Text that looks like a name or a comment can still be run by bash, and change the shell.
func TestHiddenCodeChangesTheShell(t *testing.T) {
	for text, changes := range map[string]bool{
		"echo >& '$((PATH=1))'": true, "echo >& a\\$b": true, "case a in b) x''#;; *) PATH=.\nesac": true,
		"echo >& out.txt": false, "echo 2>&1": false, "echo # PATH=.": false,
	} {
		if why := Of(text, "/w", "/n/u", asWritten).AltersShell; (why != "") != changes {
			t.Errorf("%q: %q", text, why)
		}
	}
}
