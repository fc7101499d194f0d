//go:build programs

package programs

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// steps is the story, in order.
var steps = []string{"tool", "streaming", "permission", "ask", "hooks", "provider", "mcp", "structured", "abort", "join", "list", "restart"}

// row is a version of an SDK over one transport.
type row struct {
	language, version, transport string
	// without says which steps are left out, and why.
	without map[string]string
	// complaint is in the one traceback that the SDK prints on standard error, by a fault of its own. Empty: it prints
	// nothing there.
	complaint string
}

const (
	stdio     = "stdio"
	tcp       = "tcp"
	inprocess = "inprocess"
)

// noSchema is why older versions leave out the step structured.
var noSchema = map[string]string{"structured": "send and wait have no schema in this version"}

// unknownBlock is in the result of the command of the step permission. Versions before 1.0.5 do not know this kind of
// block and cannot decode the event; nothing that they send tells the server which version they are.
const unknownBlock = "'type': 'shell_exit'"

// rows are the programs that run. Python 1.0.0 has no transport in process, so it has no row for that.
var rows = []row{
	{"python", "1.0.0", stdio, noSchema, unknownBlock},
	{"python", "1.0.0", tcp, noSchema, unknownBlock},
	{"python", "1.0.27", stdio, nil, ""},
	{"python", "1.0.27", tcp, nil, ""},
	{"python", "1.0.27", inprocess, nil, ""},
	{"node", "1.0.14", stdio, noSchema, ""},
	{"node", "1.0.14", tcp, noSchema, ""},
	{"node", "1.0.14", inprocess, noSchema, ""},
	{"node", "1.0.15-preview.4", stdio, nil, ""},
	{"node", "1.0.15-preview.4", tcp, nil, ""},
	{"node", "1.0.15-preview.4", inprocess, nil, ""},
	{"go", "1.0.14", stdio, nil, ""},
	{"go", "1.0.14", tcp, nil, ""},
	{"go", "1.0.14", inprocess, nil, ""},
	{"rust", "1.0.29-preview.4", stdio, nil, ""},
	{"rust", "1.0.29-preview.4", tcp, nil, ""},
	{"rust", "1.0.29-preview.4", inprocess, nil, ""},
}

func (r *row) name() string { return strings.Join([]string{r.language, r.version, r.transport}, "-") }

// steps are those of the story that the row has.
func (r *row) steps() []string {
	return slices.DeleteFunc(slices.Clone(steps), func(step string) bool { return r.without[step] != "" })
}

// mayComplain reports whether the program's standard error is what the row expects.
func (r *row) mayComplain(stderr string) bool {
	if r.complaint == "" {
		return stderr == ""
	}
	return strings.Contains(stderr, r.complaint) && strings.Count(stderr, "Traceback") == 1
}

// own reports whether a line of standard output is the program's own. By a fault of its own, the SDK for Go prints
// there that it cannot read from a connection over TCP that it has just closed.
func (r *row) own(line string) bool {
	return r.language != "go" || r.transport != tcp || !strings.Contains(line, "use of closed network connection")
}

// command starts the program of the row. scratch is a folder of this run.
func (r *row) command(scratch string) ([]string, error) {
	packages := filepath.Join(installed, r.language+"-"+r.version)
	program := filepath.Join("testdata", r.language)
	switch r.language {
	case "go":
		return []string{filepath.Join(installed, "go", "story")}, r.in(filepath.Join(program, "go.mod"))
	case "rust":
		return []string{filepath.Join(installed, "rust", "story")}, r.in(filepath.Join(program, "Cargo.toml"))
	case "python":
		path, err := filepath.Abs(filepath.Join(program, "story.py"))
		return []string{filepath.Join(packages, "bin", "python"), path}, err
	default:
		path, err := besidePackages(filepath.Join(program, "story.mjs"), packages, scratch)
		return []string{"node", path}, err
	}
}

// in checks that a program is built with the version of the row.
func (r *row) in(manifest string) error {
	text, err := os.ReadFile(manifest)
	if err == nil && !strings.Contains(string(text), r.version) {
		err = fmt.Errorf("%s does not name version %s, which the table names", manifest, r.version)
	}
	return err
}
