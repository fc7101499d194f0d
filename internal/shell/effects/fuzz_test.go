package effects

import (
	"path/filepath"
	"strings"
	"testing"

	"mvdan.cc/sh/v3/syntax"

	"github.com/sidestick-dev/sidestick/internal/permit"
)

// FuzzOf reads any text as a command. Nothing may panic, and a command that needs no rule
// must pass a second, much simpler check: every program anywhere in the text is a listed
// one, nothing is substituted, assigned or defined, and output goes nowhere but to
// /dev/null.
func FuzzOf(f *testing.F) {
	for _, seed := range []string{
		"ls -la src", "git status && git diff | head", "cat a 2>/dev/null", "echo $(rm x)", "a=b ls", "cat <<E\n$x\nE", "find . -exec rm {} +", "timeout 5 nice -n 3 ls",
		"if [ -f a ]; then cat a; fi", "f() { ls; }", "echo 'x", "sed -n '1,5p;s/a/b/' x", "awk '{print $1}' x", "cd a && cd ../.. && ls", "cat ~/x ~u/x $HOME", "[[ a -eq b ]]",
		"echo {a,b} \"!x\" $'\\x41'", "sudo -u x env A=b sh -c 'rm x'", "! time ls & wait", "case x in y) ls;; esac", "while read x; do ls; done < y", "\xff\x00\u202e", "curl x -o y https://z",
		"command -v ls", "xargs -I{} sh -c '{}'", "git -C . --no-pager -c a=b log", "echo a >| b >&2 <&3 {x}>y", "((x))", "let x=1", "declare -x A", "ls *.go .* [a]/b",
	} {
		f.Add(seed)
	}
	rules := permit.Rules{Folders: permit.Folders{Primary: "/w"}, ReadOnly: true, ReadsInside: true}
	f.Fuzz(func(t *testing.T, text string) {
		c := Of(text, "/w", "/home/u", asWritten)
		if c.Hidden && c.Unclear == "" {
			t.Errorf("%q hides programs, but is reported as clear", text)
		}
		for _, p := range c.Programs {
			if p.Name == "" || len(p.Words) == 0 {
				t.Errorf("%q runs a program without a name", text)
			}
		}
		for _, p := range c.Paths {
			if !filepath.IsAbs(p.Name) || filepath.Clean(p.Name) != p.Name {
				t.Errorf("%q names the path %q", text, p.Name)
			}
		}
		if rules.Decide(permit.Request{Kind: permit.Shell, Command: c}).Verdict != permit.Allow {
			return
		}
		if why := suspicious(t, text); why != "" {
			t.Errorf("%q needs no rule, but it has %s", text, why)
		}
	})
}

// suspicious is the second check. It returns what is wrong with the text, "" for nothing.
func suspicious(t *testing.T, text string) (why string) {
	file, err := syntax.NewParser().Parse(strings.NewReader(text), "")
	if err != nil {
		return "a syntax error"
	}
	syntax.Walk(file, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.CmdSubst, *syntax.ProcSubst, *syntax.ArithmExp, *syntax.Assign, *syntax.FuncDecl, *syntax.DeclClause, *syntax.LetClause, *syntax.ArithmCmd, *syntax.ExtGlob:
			why = "an expansion or a definition"
		case *syntax.Redirect:
			target := ""
			if n.Word != nil {
				target = n.Word.Lit()
			}
			reads := n.Op == syntax.RdrIn || n.Op == syntax.Hdoc || n.Op == syntax.DashHdoc || n.Op == syntax.WordHdoc
			duplicates := (n.Op == syntax.DplOut || n.Op == syntax.DplIn) && strings.Trim(target, "0123456789-") == ""
			if !reads && !duplicates && !strings.HasPrefix(plain(n.Word), "/dev/") {
				why = "a redirection to " + target
			}
		case *syntax.CallExpr:
			if len(n.Args) == 0 {
				return true
			}
			name := plain(n.Args[0])
			known := false
			for listed := range readOnlyPrograms.Get() {
				known = known || strings.Fields(listed)[0] == name
			}
			if _, wraps := wrappers.Get()[name]; !known && !wraps {
				why = "the program " + name
			}
		}
		return true
	})
	return why
}

// plain returns a word without its quotes and backslashes.
func plain(w *syntax.Word) string {
	var b strings.Builder
	syntax.Walk(w, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.Lit:
			b.WriteString(strings.ReplaceAll(n.Value, `\`, ""))
		case *syntax.SglQuoted:
			b.WriteString(n.Value)
		}
		return true
	})
	return b.String()
}

// asWritten resolves paths as if there were no symbolic links.
func asWritten(path string) []string { return []string{filepath.Clean(path)} }
