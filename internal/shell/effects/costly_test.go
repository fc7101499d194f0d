package effects

import (
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/sidestick-dev/sidestick/internal/permit"
	"github.com/sidestick-dev/sidestick/internal/testing/effectstest"
)

// long repeats a text up to the longest line.
func long(text string) string { return strings.Repeat(text, (maxText-200)/len(text)) }

// costly are lines of which each costs much more than it may if one thing is not counted.
var costly = map[string]string{
	"a value that doubles":                   "a=x; " + strings.Repeat("a=$a$a; ", 26) + "echo $a",
	"a value that doubles more often":        "a=x; " + strings.Repeat("a=$a$a; ", 30) + "echo $a",
	"parentheses":                            strings.Repeat("(", 60_000),
	"parentheses that close":                 strings.Repeat("(", 30_000) + "ls" + strings.Repeat(")", 30_000),
	"substitutions":                          "echo " + long("$("),
	"arithmetic":                             "echo " + strings.Repeat("$((", 12_000) + "1" + strings.Repeat("))", 12_000),
	"subscripts":                             long("a["),
	"blocks":                                 long("{ "),
	"conditions":                             long("if "),
	"a long pipeline":                        long("ls |") + "ls",
	"a long list":                            long("ls&&") + "ls",
	"the same text before a list of braces":  "cat " + strings.Repeat("a", 30_000) + "{" + strings.Repeat(",", 30_000) + "}",
	"the same text in a range of braces":     strings.Repeat("for x in a b c d e f g h; do ", 2) + "cat " + strings.Repeat("a", 50_000) + "{1..99}; done; done",
	"many variables in many processes":       manyVariables(3_000) + strings.Repeat("(ls);", 8_000),
	"many uses of a variable in a word":      "x=yy; echo " + long("$x"),
	"loops in loops":                         strings.Repeat("for x in a b c d e f g h i j k l m n o p; do ", 2) + strings.Repeat("cat z z z z;", 4_000) + "done; done",
	"short options in loops":                 strings.Repeat("for x in a b c d e f g h i j k l m n o p; do ", 2) + "ls -" + strings.Repeat("a", 60_000) + "; done; done",
	"folders of find for each {}":            "find " + strings.Repeat("a ", 12_000) + "-type f -exec cat " + strings.Repeat("{} ", 12_000) + "+",
	"find that runs find":                    "find . " + long("-exec find "),
	"the ends of a text that may be paths":   "tee '" + long(",/") + "'",
	"a path of many elements":                "tee " + long("a/"),
	"a path that goes up":                    "cat " + long("../"),
	"quotes in a value":                      "CI=" + long("''1"),
	"programs that a runner may run":         "docker run --none " + long("a "),
	"tests":                                  long("[[ a ]]\n"),
	"definitions of jq":                      "jq '" + long("def a: b;") + " .'",
	"brackets of jq":                         "jq '" + long("[") + "'",
	"archives of tar":                        "tar " + long("-f a* "),
	"commands in commands":                   inCommands("ls; a=x; "+strings.Repeat("a=$a$a;", 30), 12),
	"a command in each argument of a runner": "xargs " + long("sh -c 'ls;ls' "),
	"changes of the folder":                  strings.Repeat("cd a/../b/../c;", 4_000),
	"here-documents":                         strings.Repeat("cat <<a\n"+strings.Repeat("$HOME", 100)+"\na\n", 120),
	"a script in each round":                 strings.Repeat("for x in a b c d e f g h i j k l m n o p; do ", 2) + "sed '" + long("s/a/b/;") + "' c; done; done",
	"the ends of options":                    "rsync a" + strings.Repeat("b", 20_000) + strings.Repeat(" -a --", 6_000),
	"arguments like options":                 "git log " + long("--since=a,/b "),
	"functions that call themselves":         "f() { f; f; }; " + long("f;"),
	"aliases":                                "alias a='a;a'; " + long("a;"),
	"a huge number of characters":            "printf %1000000000s; echo {1..999999999} $((1<<999999)); seq 1 1000000000; a[999999999]=1; echo ${a//x/yyyy}",
}

func manyVariables(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "%c%c%c=a;", 'a'+i%26, 'a'+i/26%26, 'a'+i/676)
	}
	return b.String()
}

// inCommands puts a command into the argument of a shell, n times.
func inCommands(text string, n int) string {
	for range n {
		next := `bash -c "` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, `$`, `\$`).Replace(text) + `"`
		if len(next) > maxText {
			break
		}
		text = next
	}
	return text
}

// No line costs more than it may, and a line of which not everything is looked at is unclear.
func TestCostlyLines(t *testing.T) {
	top := wideTree(t)
	for name, line := range costly {
		t.Run(name, func(t *testing.T) {
			if len(line) > maxText {
				t.Fatalf("the line has %d bytes", len(line))
			}
			checkCost(t, line, top)
		})
	}
}

// What costs too much is asked about, also where everything that is found is allowed, and is
// not taken for a command that a deny rule does not match.
func TestCostlyLinesAreAsked(t *testing.T) {
	r := permit.Rules{Folders: permit.Folders{Primary: "/w"}, ReadOnly: true, ReadsInside: true, Allow: []permit.Rule{{Kind: permit.Shell}, {Kind: permit.Write}}}
	for _, line := range []string{costly["a value that doubles"], costly["parentheses"], costly["loops in loops"], "ls; " + costly["a value that doubles"] + "; rm x"} {
		c := Of(line, "/w", "/home/u", asWritten)
		if c.Unclear == "" || !c.Hidden || c.AltersShell == "" || c.Text != line {
			t.Errorf("%.40q: unclear %q, hidden %v, alters the shell %q", line, c.Unclear, c.Hidden, c.AltersShell)
		}
		if d := r.Decide(permit.Request{Kind: permit.Shell, Command: c}); d.Verdict != permit.Ask {
			t.Errorf("%.40q: %v, %s", line, d.Verdict, d.Why)
		}
		denying := r
		denying.Deny, denying.All = []permit.Rule{{Kind: permit.Shell, Argument: "rm:*"}}, true
		if d := denying.Decide(permit.Request{Kind: permit.Shell, Command: c}); d.Verdict != permit.Ask || !d.Doubt {
			t.Errorf("%.40q: %v, %s, although it may run rm", line, d.Verdict, d.Why)
		}
	}
	c := Of(costly["a value that doubles"], "/w", "/home/u", asWritten)
	if c.Unclear != tooCostly {
		t.Errorf("it is unclear because %s", c.Unclear)
	}
	if c := Of("rm a; "+costly["a value that doubles"], "/w", "/home/u", asWritten); len(c.Programs) != 1 || c.Programs[0].Name != "rm" {
		t.Errorf("what comes before is lost: %+v", c.Programs)
	}
}

// Ordinary commands, also long ones, need a small part of the budget.
func TestOrdinaryCommandsAreCheap(t *testing.T) {
	check := func(text string, part int) {
		b := newBudget()
		c := of(text, "/w", "/home/u", asWritten, b)
		if bytes, steps := maxBytes-b.bytes, maxSteps-b.steps; bytes > maxBytes/part || steps > maxSteps/part || c.Unclear == tooCostly {
			t.Errorf("%.60q (%d bytes) needs %d bytes and %d steps", text, len(text), bytes, steps)
		}
	}
	for _, text := range slices.Concat(effectstest.Ordinary(), effectstest.Reading()) {
		check(text, 20)
	}
	prose := strings.Repeat("The reader takes `a`, b and c from $HOME/x.go; it writes \"d\" if (e) holds.\n", 400)
	check("cat > a.go <<'EOF'\n"+prose+"EOF\n", 2)
	check("git commit -m '"+prose[:8000]+"'", 4)
	var files []string
	for i := range 400 {
		files = append(files, fmt.Sprintf("internal/shell/effects/file%d.go", i))
	}
	check("gofmt -l "+strings.Join(files, " "), 2)
}

// Files that git would read cost no more than they may, whatever someone has put into them.
func TestCostlyRepositories(t *testing.T) {
	repositoryWith := func(name, text string) string {
		top := t.TempDir()
		for n, c := range map[string]string{".git/HEAD": "ref: refs/heads/main\n", ".git/config": "[user]\n\tname = x\n", ".git/objects/x": "", ".git/refs/x": "", name: text} {
			if err := os.MkdirAll(filepath.Dir(filepath.Join(top, n)), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(top, n), []byte(c), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		return top
	}
	settings := "[user]\n" + strings.Repeat("a=\n", (maxSettings-100)/3)
	index := func(entries uint32) string {
		return string(binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32([]byte("DIRC"), 4), entries))
	}
	for what, top := range map[string]string{
		"settings":          repositoryWith(".git/config", settings),
		"one long value":    repositoryWith(".git/config", "[user]\na="+strings.Repeat("a ", (maxSettings-100)/2)),
		"parts of an index": repositoryWith(".git/index", index(1)+strings.Repeat("\x01", 62)),
		"names in an index": repositoryWith(".git/index", index(1<<22)),
		"HEAD":              repositoryWith(".git/HEAD", "ref: refs/"+strings.Repeat("a", maxSettings-100)),
	} {
		if strings.HasSuffix(what, "an index") { // 90 MB, of which the disk has none
			if err := os.Truncate(filepath.Join(top, ".git/index"), 90<<20); err != nil {
				t.Fatal(err)
			}
		}
		c := costOf("git status", top)
		if c.tooMuch() {
			t.Errorf("%s: %s", what, c)
		}
		t.Logf("%s: %s", what, c)
	}
}
