package tool

import (
	"cmp"
	"iter"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/lazy"
	"github.com/sidestick-dev/sidestick/internal/quarantine"
	"github.com/sidestick-dev/sidestick/internal/sandbox"
	"github.com/sidestick-dev/sidestick/internal/shell"
)

// watch is what is known about a sandbox before a command runs in it.
type watch struct {
	boxes   *sandbox.Boxes                        // nil: it runs outside
	end     func(command string) quarantine.Found // looks at what the command has made; nil: nobody looks
	private map[string]string                     // see [sandbox.Boxes.Private]; only for a command that is tried
	reads   bool                                  // all programs that are known of the command only read
}

// watch notes the state of the sandbox, and of the folders, before a command runs.
func (k *console) watch(policy *sandbox.Policy) watch {
	w := watch{}
	switch {
	case k.boxes == nil:
		return w
	case policy == nil && k.guard != nil:
		end := k.guard.Outside()
		w.end = func(string) quarantine.Found { return end() }
		return w
	case policy == nil:
		return w
	case policy.Mode == sandbox.WorkspaceWrite && k.guard != nil:
		w.end = k.guard.Begin(*policy)
	}
	w.boxes = k.boxes
	_ = w.boxes.Refused(*policy) // those of earlier commands
	if policy.Unread {
		w.private = w.boxes.Private(*policy)
	}
	return w
}

// result completes the result of a command. If the command ran in a sandbox, and the sandbox is
// why it failed, the model reads what the sandbox withholds, and the user can be asked. See look.
func (w watch) result(res Result, r shell.Report, c shell.Command) Result {
	switch {
	case w.boxes != nil && c.Sandbox.Unread:
		return w.tried(res, r, c)
	case w.boxes != nil:
		res = confined(res, r, c, w.boxes.Refused(*c.Sandbox))
	}
	return w.look(res, c)
}

// look adds to the result of a command what it has made that acts later, and that was moved aside.
func (w watch) look(res Result, c shell.Command) Result {
	if w.end == nil {
		return res
	}
	return withAside(res, w.end(shortened(c.Text)))
}

// confined completes the result of a command that ran in a sandbox. hosts are what its proxy has
// refused.
func confined(res Result, r shell.Report, c shell.Command, hosts []string) Result {
	res.Sandboxed = true
	if r.Running || r.Stopped || r.Code == 0 {
		return res
	}
	why, sure := stoppedBy(r.Output, c.Start, c.Sandbox), "seems to have"
	if len(hosts) > 0 {
		why = withheld{shortened(strings.Join(hosts, "; ")), "a connection to " + shortened(strings.Join(hosts, ", ")), allowHost(hosts[0])}
		sure = "has"
	}
	switch {
	case why.line != "":
		res.StoppedBy = "the sandbox " + sure + " stopped it (" + why.line + "); the first run may have had a part of its effect"
		res.Text = closing(res.Text, "<the sandbox "+sure+" refused this: "+why.cause+"; its limits: "+withholds(c.Sandbox)+"; the user can "+why.remedy+">").Text
	case c.Sandbox != nil:
		if text := otherLocalhost(r.Output); text != "" {
			res.Text = closing(res.Text, text).Text
		}
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

// relevant is how much of the end of an output is searched, in bytes. The reason of a failure
// comes last.
const relevant = 4 << 10

// withheld is what a sandbox has refused. The zero value is that it has refused nothing.
type withheld struct {
	line   string // of the output, that shows it, shortened
	cause  string // without a semicolon
	remedy string // what the user can do, after "the user can"
}

// What the user can do about a refusal.
const (
	openFolder = "open a folder (--add-dir), or let the command run outside (--sandbox-exclude and a rule that allows it)"
	leaveBox   = "let the command run outside (--sandbox-exclude and a rule that allows it), or switch the sandbox off (/sandbox disable, --no-sandbox)"
)

// allowHost is what the user can do to allow a host of an address; "" if it is not known.
func allowHost(address string) string {
	host, _, _ := strings.Cut(address, ":")
	return "allow the host (--allow-tool 'url(" + cmp.Or(host, "HOST") + ")'), or let the command run outside (--sandbox-exclude and a rule that allows it)"
}

// stoppedBy returns why a sandbox was the reason of a failure, by the lines of the output. The
// command began in dir.
func stoppedBy(output, dir string, p *sandbox.Policy) withheld {
	for line := range lastLines(output) {
		if expects.Get().MatchString(line) {
			continue
		}
		if cause, remedy := refused(line, dir, p); cause != "" {
			return withheld{shortened(line), shortened(strings.ReplaceAll(cause, ";", ",")), remedy}
		}
	}
	return withheld{}
}

// lastLines yields the lines at the end of an output.
func lastLines(output string) iter.Seq[string] {
	output = output[max(0, len(output)-relevant):]
	return func(yield func(string) bool) {
		for line := range strings.FieldsFuncSeq(output, func(r rune) bool { return r == '\n' || r == '\r' }) {
			if !yield(strings.TrimSpace(line)) {
				return
			}
		}
	}
}

// refused returns what a sandbox has refused by a line of an output, "" if it is no refusal, and what
// the user can do.
func refused(line, dir string, p *sandbox.Policy) (cause, remedy string) {
	lower := strings.ToLower(line)
	hidden := ""
	if !offline.Get().MatchString(line) && !strings.Contains(lower, "read-only file system") {
		hidden = namedHidden(line, dir, p)
	}
	switch {
	case strings.Contains(lower, "no such file"):
		return hidden, openFolder
	case strings.HasSuffix(lower, "command not found"):
		return hiddenProgram(line), openFolder
	case offline.Get().MatchString(line):
		return "a connection", allowHost("")
	}
	if port := localPort(line); port != "" && listens(port) {
		return "a connection to a server of your machine (localhost:" + port + "): the sandbox has a localhost of its own", leaveBox
	}
	switch {
	case !denied.Get().MatchString(line):
		return "", ""
	case hidden == homeHidden:
		return hidden, openFolder
	}
	return "writing outside of its folders, or to a protected file", openFolder
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
var paths = lazy.Value[*regexp.Regexp]{Make: func() *regexp.Regexp { return regexp.MustCompile(`[^\s:;,'"()<>]*/[^\s:;,'"()<>]*`) }}

// homeHidden is what a sandbox refuses to a command that uses the home folder.
const homeHidden = "reading your home folder"

// namedHidden returns what a sandbox refuses of a file that a line names, and that exists, but
// not in the sandbox; "" if the line names no such file. A relative path begins in dir.
func namedHidden(line, dir string, p *sandbox.Policy) string {
	for _, path := range paths.Get().FindAllString(line, -1) {
		if rest, ok := strings.CutPrefix(path, "~/"); ok {
			path = filepath.Join(home(), rest)
		} else if !filepath.IsAbs(path) {
			path = filepath.Join(dir, path)
		}
		path = filepath.Clean(path)
		if _, err := os.Lstat(path); err != nil {
			continue
		}
		in := func(folder string) bool { return isWithin(folder, path) }
		switch {
		case slices.ContainsFunc(p.Deny, in):
			return "reading " + path
		case slices.ContainsFunc(slices.Concat(p.Folders, p.Read, p.Write), in):
		case home() != "" && in(home()):
			return homeHidden
		default:
			return "reading " + path
		}
	}
	return ""
}

// home is the home folder of the user, "" if it is not known.
func home() string {
	dir, _ := os.UserHomeDir()
	return dir
}

// isWithin reports whether a path is a folder, or is in it.
func isWithin(folder, path string) bool {
	rest, ok := strings.CutPrefix(path, strings.TrimSuffix(folder, "/"))
	return ok && (rest == "" || rest[0] == '/')
}

// hiddenProgram returns what a sandbox refuses if a program exists that a shell in the sandbox
// did not find: "bash: line 1: NAME: command not found".
func hiddenProgram(line string) string {
	parts := strings.Split(line, ": ")
	if len(parts) < 2 {
		return ""
	}
	name := parts[len(parts)-2]
	if _, err := exec.LookPath(name); err != nil {
		return ""
	}
	return "running " + name + ", which is in a folder that it hides"
}
