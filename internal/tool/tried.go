package tool

import (
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/lazy"
	"github.com/sidestick-dev/sidestick/internal/permit"
	"github.com/sidestick-dev/sidestick/internal/shell"
)

// staysUntried reports whether a command is not to be tried in the sandbox for reading, whatever it does: it
// would go on after its call, or it may need what an earlier command has set in the shell.
func (k *console) staysUntried(c shell.Command) bool {
	return c.Mode != shell.Sync || !c.FreshShell && k.shells.Altered(c) != ""
}

// going is a command that is tried and has not ended when its call did.
type going struct {
	watch watch
	c     shell.Command
}

// mostGoing bounds the commands that are remembered: more than a session has shells.
const mostGoing = 1000

// remember keeps what is needed to complete the result of a command that is tried, and that goes on.
func (k *console) remember(id string, w watch, c shell.Command) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if len(k.going) < mostGoing {
		k.going[id] = going{w, c}
	}
}

// triedLater completes a later result of a command that is tried. It cannot be asked about any more.
func (k *console) triedLater(res Result, r shell.Report) Result {
	k.mu.Lock()
	g, ok := k.going[r.Shell]
	if ok && !r.Running {
		delete(k.going, r.Shell)
	}
	k.mu.Unlock()
	if !ok {
		return res
	}
	exit, after := res.Exit, res.After
	res = g.watch.tried(res, r, g.c)
	res.Exit, res.After, res.StoppedBy = exit, after, ""
	return res
}

// allowUnread is what the user can do about a refusal if nobody could be asked.
const allowUnread = "answer the question at a terminal, allow it with a rule (--allow-tool), or allow all that stays in the sandbox (--sandbox-auto-allow)"

// tried completes the result of a command that nobody has read, and that was tried in the sandbox for reading. It
// may seem to have succeeded although something was refused or is lost: a command can hide an error, and
// write where it is allowed to. So the whole output counts, whatever the exit code, and also what
// the command has left in its private folders and in its shell.
func (w watch) tried(res Result, r shell.Report, c shell.Command) Result {
	res.Sandboxed = true
	if r.Stopped {
		return res
	}
	why := refusedAnywhere(r.Output, c)
	if r.Running {
		text := "; its sandbox only lets it read: nothing that it writes is kept, and it has no network; with mode async the user is asked before it runs"
		if why.line != "" {
			text += "; this was refused: " + why.cause
		}
		res.Text = strings.TrimSuffix(res.Text, ">") + text + ">" // one line, which is known by being the last
		return res
	}
	left := w.leftBehind(c)
	if why.line == "" {
		if i := slices.IndexFunc(left, func(file string) bool { return strings.Contains(c.Text, path.Base(file)) }); i >= 0 {
			why = withheld{"it wrote " + left[i], "keeping " + left[i] + ", which only this sandbox had", allowUnread}
		}
	}
	if why.line != "" {
		res.StoppedBy = permit.Tried + ", which has refused something (" + why.line + "). A yes runs it a second time; the first run may have had a part of its effect"
		res.Text = closing(res.Text, "<the sandbox seems to have refused this: "+why.cause+"; it ran without a question where it may not write and has no network, so its result may be wrong even with exit code 0; the user can "+why.remedy+">").Text
	}
	if why.line == "" && r.Code == 0 && !w.reads { // a program can hide an error
		res.Text = closing(res.Text, "<the sandbox only let it read; if it should have written, use mode async: the user is asked then>").Text
	}
	if lost := notKept(left, r.Exported, c.AltersShell); lost != "" {
		res.Text = closing(res.Text, "<the sandbox has not kept: "+lost+">").Text
	}
	return res
}

// leftBehind returns the files that a command has made or changed in the private folders of its sandbox, sorted.
func (w watch) leftBehind(c shell.Command) []string {
	var files []string
	for name, state := range w.boxes.Private(*c.Sandbox) {
		if w.private[name] != state {
			files = append(files, name)
		}
	}
	slices.Sort(files)
	return files
}

// mostLost bounds the files that a result names.
const mostLost = 5

// notKept says what a command has left in its private folders and in its shell, in words for the model; "" for nothing.
func notKept(files, exported []string, alters string) string {
	var parts []string
	if len(files) > 0 {
		text := shortened(strings.Join(files[:min(len(files), mostLost)], ", "))
		if len(files) > mostLost {
			text += ", …"
		}
		parts = append(parts, text+" (/tmp and the home folder of this sandbox are its own)")
	}
	switch {
	case len(exported) > 0:
		parts = append(parts, "the variables "+shortened(strings.Join(exported, ", ")))
	case alters != "" && !strings.Contains(alters, "arithmetic") && alters != "it could not be read":
		parts = append(parts, "what it has set in its shell ("+shortened(alters)+")")
	}
	return strings.ReplaceAll(strings.Join(parts, "; "), "\n", "?")
}

// refusedAnywhere returns what the sandbox has refused by any line of an output.
func refusedAnywhere(output string, c shell.Command) withheld {
	for line := range strings.FieldsFuncSeq(output, func(r rune) bool { return r == '\n' || r == '\r' }) {
		line = strings.TrimSpace(line)
		if expects.Get().MatchString(line) || ownCache.Get().MatchString(line) {
			continue
		}
		cause, _ := refused(line, c.Start, c.Sandbox)
		if port := localPort(line); cause == "" && port != "" {
			cause = "a connection to localhost:" + port + ", which is that of this sandbox"
		}
		if cause != "" {
			return withheld{shortened(line), shortened(strings.ReplaceAll(cause, ";", ",")), allowUnread}
		}
	}
	return withheld{}
}

// ownCache matches a line about a file that a program keeps only in order to be faster: not to have
// written it changes no result.
var ownCache = lazy.Value[*regexp.Regexp]{Make: func() *regexp.Regexp {
	return regexp.MustCompile(`__pycache__|\.pyc\b|PytestCacheWarning|\.(?:pytest|mypy|ruff)_cache|/\.cache/|\.eslintcache|\.tsbuildinfo|\.vite\b|\.(?:nyc_output|jest-cache)\b`)
}}
