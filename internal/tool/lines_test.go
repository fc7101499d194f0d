//go:build linux

package tool_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/sidestick-dev/sidestick/internal/permit"
	"github.com/sidestick-dev/sidestick/internal/sandbox"
	"github.com/sidestick-dev/sidestick/internal/shell"
	"github.com/sidestick-dev/sidestick/internal/shell/effects"
	"github.com/sidestick-dev/sidestick/internal/testing/attempt"
	"github.com/sidestick-dev/sidestick/internal/tool"
)

// linesOf reads testdata/lines.txt, and puts a folder in the place of that of the agents.
func linesOf(t *testing.T, folder string) (lines []string) {
	t.Helper()
	f, err := os.Open("testdata/lines.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	text := bufio.NewScanner(f)
	text.Buffer(nil, 1<<20)
	for text.Scan() {
		var line string
		if !strings.HasPrefix(text.Text(), `"`) {
			continue
		}
		if err := json.Unmarshal(text.Bytes(), &line); err != nil {
			t.Fatalf("%s: %v", text.Text(), err)
		}
		line = regexp.MustCompile(`\bsleep \d+`).ReplaceAllString(line, "sleep 0.1") // nobody waits for a test
		lines = append(lines, strings.ReplaceAll(line, "/testbed", folder))
	}
	if text.Err() != nil || len(lines) < 300 {
		t.Fatalf("%d lines, %v", len(lines), text.Err())
	}
	return lines
}

// The rule by which a line counts as one whose purpose is to write: outside of quotes and of the texts of
// here-documents, it redirects its output to a file or names a program that writes, or it
// is code that opens a file for writing or installs a package.
var (
	quoted = regexp.MustCompile(`'[^']*'|"(?:\\.|[^"\\])*"`)
	toFile = regexp.MustCompile(`(?:^|[^<>&=-])(?:\d|&)?>{1,2}\|?\s*[^\s&>|/]|>{1,2}\s*/(?:[^d]|d[^e])`)
	writer = regexp.MustCompile(`(?:^|[;&|(\n]|&&|then|do|xargs)\s*(?:cp|mv|rm|mkdir|touch|tee|patch|chmod|ln|sed\s+(?:-\w+\s+)*-\w*i\S*|git\s+(?:checkout|stash|apply|commit|add|reset|restore|rm|init|clone|config|clean|revert|switch|am|merge)|(?:python3?\s+-m\s+)?pip3?\s+(?:install|uninstall)|apt(?:-get)?|npm\s+(?:i|install|ci)|conda|black|isort|autopep8|sqlfluff\s+fix)\b`)
	opens  = regexp.MustCompile(`open\([^\n]*,\s*(?:mode=)?['"][wax]|write_text\(|\.write\(|writelines\(|os\.(?:remove|rename|makedirs|mkdir)|shutil\.`)
)

// isWriting reports whether the purpose of a line is to write.
func isWriting(line string) bool {
	bare := line
	for _, m := range regexp.MustCompile(`<<-?\s*['"]?(\w+)['"]?`).FindAllStringSubmatch(line, -1) {
		bare = regexp.MustCompile(`(?s)\n.*?\n`+regexp.QuoteMeta(m[1])+`(?:\n|$)`).ReplaceAllString(bare, "\n")
	}
	bare = quoted.ReplaceAllString(bare, "q")
	return toFile.MatchString(bare) || writer.MatchString(bare) || opens.MatchString(line)
}

// aProject makes the files that lines name, so that the lines do something: each is Python that does nothing, of 1,500 lines.
func aProject(t *testing.T, folder string, lines []string) {
	t.Helper()
	text := []byte(strings.Repeat("pass  # a line\n", 1500))
	write := func(name string, text []byte) {
		path := filepath.Join(folder, name)
		if os.MkdirAll(filepath.Dir(path), 0o755) == nil {
			_ = os.WriteFile(path, text, 0o644) // a name may be that of a folder already
		}
	}
	names := regexp.MustCompile(`[\w./-]+\.(?:py|rst|txt|md|cfg|toml|ini|sql|json)\b`)
	for _, line := range lines {
		for _, name := range names.FindAllString(line, -1) {
			name = strings.TrimPrefix(name, folder+"/")
			if filepath.IsLocal(name) {
				write(name, text)
			}
		}
	}
}

// TestFewLinesAreAskedAbout holds the promise of docs/sandbox.md, "Commands that nobody can read", for lines of real
// agents: with the default settings and a sandbox, of the lines whose purpose is not to write at most 5 % are asked about, before they
// run or because the sandbox has refused something. They run for real.
func TestFewLinesAreAskedAbout(t *testing.T) {
	for _, way := range []way{{"namespaces", "", 4, 5}, {"landlock", "-", 6, 5}} {
		t.Run(way.name, way.askedAbout)
	}
}

// way is a sandbox to try the lines in.
type way struct {
	name, bwrap string
	stride      int     // one of so many lines runs for real; with namespaces, all that are tried do
	most        float64 // of the lines that do not write, in percent
}

func (way way) askedAbout(t *testing.T) {
	x := newTerminal(t, nil)
	state := t.TempDir()
	h := sandbox.NewHost(sandbox.Options{State: state, Bwrap: way.bwrap})
	s := h.Support()
	if !s.Has(sandbox.ReadOnly) || way.bwrap == "" && s.Weaker() {
		attempt.Missing(t, fmt.Sprintf("this sandbox does not work here: %+v", s.Parts))
	}
	boxes := h.Boxes(filepath.Join(state, "boxes"))
	t.Cleanup(boxes.Close)
	x.shells = shell.New(shell.Options{Temp: filepath.Join(state, "temp"), Sandbox: boxes})
	t.Cleanup(x.shells.Close)
	judge := func(text, dir string) permit.Command { return effects.Judge(text, dir, "/root") }
	for _, tl := range tool.Shell(x, x.shells, boxes, nil, judge) {
		x.tools[tl.Definition().Name] = tl.(tool.Asker)
	}
	folder, err := filepath.EvalSymlinks(x.Cwd())
	if err != nil {
		t.Fatal(err)
	}
	lines := linesOf(t, folder)
	aProject(t, folder, lines)
	rules := permit.Rules{Folders: permit.Folders{Primary: folder}, ReadsInside: true, ReadOnly: true}
	works := permit.Sandboxing{On: true, ReadOnly: true, Workspace: s.Has(sandbox.WorkspaceWrite), Unread: s.HoldsUnread(), AllowBypass: true}
	n := count{}
	for i, line := range lines {
		args, _ := json.Marshal(map[string]any{"command": line, "description": "d", "initial_wait": 20})
		c := x.request(t, "bash", string(args))
		d := rules.DecideIn(works, *c.Permitted)
		why := ""
		switch {
		case d.Verdict != permit.Allow:
			why = "before: " + d.Why + " " + d.Because
		case i%way.stride == 0 || d.Tries && way.bwrap == "":
			c.Sandbox, c.Tries = &sandbox.Policy{Mode: sandbox.ReadOnly, Folders: []string{folder}, Unread: d.Tries}, d.Tries
			why = x.tools["bash"].Run(t.Context(), c).StoppedBy
		}
		n.add(t, line, why)
		auto, untried := works, works
		auto.AutoAllow, untried.Unread = true, false
		if rules.DecideIn(auto, *c.Permitted).Verdict != permit.Allow {
			n.auto++
		}
		if rules.DecideIn(untried, *c.Permitted).Verdict != permit.Allow && !isWriting(line) {
			n.untried++
		}
	}
	if n.looking < 300 {
		t.Errorf("only %d lines do not write", n.looking)
	}
	percent := 100 * float64(n.asked) / float64(n.looking)
	t.Logf("of %d lines, %d are asked about; of %d that do not write, %d (%.1f %%; %d if none was tried); of %d that write, %d; of all with auto-allow, %d before they run",
		len(lines), n.asked+n.writingAsked, n.looking, n.asked, percent, n.untried, n.writing, n.writingAsked, n.auto)
	if works.Workspace && 20*n.auto > len(lines) {
		t.Errorf("with auto-allow, %d of %d lines are asked about before they run, more than 5 %%", n.auto, len(lines))
	}
	if percent > way.most {
		t.Errorf("%.1f %% of the lines that do not write are asked about, more than %.0f %%", percent, way.most)
	}
}

// count is how many lines there are of each kind, and how many of them are asked about.
type count struct{ looking, asked, writing, writingAsked, auto, untried int }

func (n *count) add(t *testing.T, line, why string) {
	switch {
	case isWriting(line):
		n.writing++
		if why != "" {
			n.writingAsked++
		}
	default:
		n.looking++
		if why != "" {
			n.asked++
			t.Logf("asked: %.200q\n\t%.300s", line, why)
		}
	}
}
