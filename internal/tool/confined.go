package tool

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/sidestick-dev/sidestick/internal/sandbox"
	"github.com/sidestick-dev/sidestick/internal/shell"
)

// confined completes the result of a command that ran in a sandbox. If the sandbox is likely
// to be why it failed, the model reads what the sandbox withholds, and the user can be asked.
func confined(res Result, r shell.Report, c shell.Command) Result {
	policy := c.Sandbox
	if policy == nil {
		return res
	}
	res.Sandboxed = true
	if r.Running || r.Stopped || r.Code == 0 {
		return res
	}
	if line := stoppedBy(r.Output, c.Start, policy); line != "" {
		res.Withheld = "the sandbox seems to have stopped it (" + line + "); the first run may have had a part of its effect"
		res.Text = closing(res.Text, "<the sandbox seems to have refused this: "+withholds(policy)+">").Text
	}
	return res
}

// withholds says what a sandbox does not allow, in words for the model.
func withholds(p *sandbox.Policy) string {
	folders := strings.Join(p.Folders, ", ")
	text := "it may write only in " + folders
	switch {
	case p.Mode == sandbox.ReadOnly:
		text = "it may only read, in " + folders
	case !p.Git:
		text += ", and not to .git"
	}
	if hosts := slices.Concat(p.Network.Allow, p.Network.AllowURLs); slices.Contains(hosts, "") || slices.Contains(hosts, "*") {
		return text
	} else if len(hosts) > 0 {
		return text + ", and may connect only to " + strings.Join(hosts, ", ")
	}
	return text + ", and has no network"
}

// refusals are the texts of systems and programs for what a sandbox refuses: those of the C
// library, of node, of curl and git, of Go and Python, and that of our own proxy.
var refusals = []string{
	"permission denied", "operation not permitted", "read-only file system", "device or resource busy", "eacces", "eperm", "erofs",
	"could not resolve host", "temporary failure in name resolution", "name or service not known", "eai_again", "enotfound", "no such host",
	"network is unreachable", "enetunreach", "listen eperm", "refused by the sandbox",
}

// relevant is how much of the end of an output is searched, in bytes. The reason of a failure
// comes last.
const relevant = 4 << 10

// stoppedBy returns the line of an output that shows that a sandbox was the reason of a
// failure, shortened; "" if none does. The command began in dir.
func stoppedBy(output, dir string, p *sandbox.Policy) string {
	output = output[max(0, len(output)-relevant):]
	for line := range strings.Lines(output) {
		line = strings.TrimSpace(line)
		lower := strings.ToLower(line)
		refused := slices.ContainsFunc(refusals, func(text string) bool { return strings.Contains(lower, text) })
		if refused || strings.Contains(lower, "no such file") && namesHidden(line, dir, p) || strings.HasSuffix(lower, "command not found") && isHiddenProgram(line) {
			return shortened(line)
		}
	}
	return ""
}

// shortened returns the beginning of a line, at most 200 bytes.
func shortened(line string) string {
	const most = 200
	if len(line) <= most {
		return line
	}
	return strings.ToValidUTF8(line[:most], "") + "…"
}

// paths finds words with a slash in a message.
var paths = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`[^\s:;,'"()<>]*/[^\s:;,'"()<>]*`) })

// namesHidden reports whether a line names a file that exists, but not in the sandbox. A
// relative path begins in dir.
func namesHidden(line, dir string, p *sandbox.Policy) bool {
	for _, path := range paths().FindAllString(line, -1) {
		if !filepath.IsAbs(path) {
			path = filepath.Join(dir, path)
		}
		path = filepath.Clean(path)
		if _, err := os.Lstat(path); err != nil {
			continue
		}
		inside := func(folder string) bool {
			rest, ok := strings.CutPrefix(path, folder)
			return ok && (rest == "" || rest[0] == '/')
		}
		if !slices.ContainsFunc(slices.Concat(p.Folders, p.Read, p.Write), inside) || slices.ContainsFunc(p.Deny, inside) {
			return true
		}
	}
	return false
}

// isHiddenProgram reports whether a program exists that a shell in the sandbox did not find:
// "bash: line 1: NAME: command not found".
func isHiddenProgram(line string) bool {
	parts := strings.Split(line, ": ")
	if len(parts) < 2 {
		return false
	}
	_, err := exec.LookPath(parts[len(parts)-2])
	return err == nil
}
