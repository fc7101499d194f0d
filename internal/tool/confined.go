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
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// watch is what is known about a sandbox before a command runs in it. The zero value is for
// a command that runs outside.
type watch struct {
	boxes   *sandbox.Boxes
	present []string // see [sandbox.Policy.Present]
}

// watch notes the state of the sandbox before a command runs in it.
func (k *console) watch(policy *sandbox.Policy) watch {
	if policy == nil || k.boxes == nil {
		return watch{}
	}
	w := watch{boxes: k.boxes}
	_ = w.boxes.Refused(*policy) // those of earlier commands
	if policy.Mode == sandbox.WorkspaceWrite {
		w.present = policy.Present()
	}
	return w
}

// result completes the result of a command. If the command ran in a sandbox, and the sandbox is
// why it failed, the model reads what the sandbox withholds, and the user can be asked. If the
// command has made files that make programs run by themselves, the user is told.
func (w watch) result(res Result, r shell.Report, c shell.Command) Result {
	if w.boxes == nil {
		return res
	}
	res = confined(res, r, c, w.boxes.Refused(*c.Sandbox))
	if c.Sandbox.Mode != sandbox.WorkspaceWrite {
		return res
	}
	made := slices.DeleteFunc(c.Sandbox.Present(), func(path string) bool { return slices.Contains(w.present, path) })
	if len(made) > 0 {
		made = sandbox.Disarm(made)
		text := "A command has made files that can make programs run by themselves: " + strings.Join(made, ", ") + ". Look at them before you trust them."
		res.After = append(res.After, &wire.SessionWarning{WarningType: "sandbox", Message: text})
	}
	return res
}

// confined completes the result of a command that ran in a sandbox. hosts are what its proxy has
// refused.
func confined(res Result, r shell.Report, c shell.Command, hosts []string) Result {
	res.Sandboxed = true
	if r.Running || r.Stopped || r.Code == 0 {
		return res
	}
	line, sure := stoppedBy(r.Output, c.Start, c.Sandbox), "seems to have"
	if len(hosts) > 0 {
		line, sure = shortened(strings.Join(hosts, "; ")), "has"
	}
	if line != "" {
		res.StoppedBy = "the sandbox " + sure + " stopped it (" + line + "); the first run may have had a part of its effect"
		res.Text = closing(res.Text, "<the sandbox "+sure+" refused this: "+withholds(c.Sandbox)+">").Text
	}
	return res
}

// withholds says what a sandbox does not allow, in words for the model.
func withholds(p *sandbox.Policy) string {
	folders := strings.Join(p.Folders, ", ")
	text := "it may write only in " + folders
	switch {
	case p.Mode == sandbox.ReadOnly:
		text = "it may not write in " + folders
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
// library, of node, of curl and git, of Go and Python, and that of our own proxy (package proxy).
var refusals = []string{
	"permission denied", "operation not permitted", "read-only file system", "device or resource busy", "eacces", "eperm", "erofs",
	"could not resolve host", "temporary failure in name resolution", "name or service not known", "eai_again", "enotfound", "no such host",
	"network is unreachable", "enetunreach", "listen eperm", "is not allowed in the sandbox",
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
			rest, ok := strings.CutPrefix(path, strings.TrimSuffix(folder, "/"))
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
