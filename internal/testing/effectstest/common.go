package effectstest

import "strings"

// Class says what is expected of a common command.
type Class int

const (
	// Reads is a command that only reads in its folder: nobody should be asked about it.
	Reads Class = iota
	// Builds is a command that changes files in its folder or runs the project's own code. It
	// needs a rule, or a sandbox in which it may write in the folder.
	Builds
	// Leaves is a command whose effects go beyond the folder: to other machines, to daemons, to
	// the system, or to other processes.
	Leaves
)

// Common returns the commands of one class that coding agents and developers run most. They
// were written for this test, and not taken from logs.
func Common(class Class) []string {
	lines := map[Class]string{Reads: readsFiles + readsTools, Builds: builds, Leaves: leaves}[class]
	all := strings.Split(strings.TrimSuffix(lines, "\n"), "\n")
	if class == Reads {
		all = append(all, commonTexts...)
	}
	return all
}

// commonTexts are common commands of more than one line, or with backquotes.
var commonTexts = []string{
	"cat <<'EOF'\n{\"a\": [1, 2], \"b\": \"$x\"}\nEOF",
	"cat <<EOF\nuser: $USER\nfolder: $PWD\nEOF",
	"jq . <<'EOF'\n{\"a\": 1}\nEOF",
	"for f in *.go; do\n  echo \"== $f\"\n  head -5 \"$f\"\ndone",
	"if [ -f package.json ]; then\n  jq .scripts package.json\nfi",
	"ls -la\necho ---\ngit status --short",
	"cd src\nls\npwd",
	"while IFS= read -r line; do\n  echo \"> $line\"\ndone < README.md",
	"echo \"Date: `date +%F`\"",
	"# look around\nls src\n# and the tests\nls tests",
}
