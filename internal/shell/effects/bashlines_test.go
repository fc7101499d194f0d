package effects

import (
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/testing/effectstest"
)

// lineWriter writes lines of bash: some from a small grammar, some by changing known lines.
// The same seed gives the same lines.
type lineWriter struct {
	*rand.Rand
	known []string
}

func newLineWriter(seed uint64) lineWriter {
	known := slices.Concat(effectstest.Ordinary(), effectstest.Reading())
	for _, t := range slices.Concat(effectstest.Tricks(), effectstest.Writing()) {
		known = append(known, t.Command)
	}
	return lineWriter{rand.New(rand.NewPCG(seed, 11)), known}
}

// line returns a line that is safe to run with stubs, see [touchesMachine].
func (w lineWriter) line() string {
	for {
		text := w.list(2)
		if w.IntN(3) == 0 {
			text = w.known[w.IntN(len(w.known))]
		}
		for range w.IntN(4) - 1 {
			text = w.change(text)
		}
		if !touchesMachine.MatchString(text) && !strings.ContainsRune(text, 0) {
			return text
		}
	}
}

// touchesMachine finds paths that may exist on the machine that runs the test. Nothing
// replaces a program that is called by its path.
var touchesMachine = regexp.MustCompile(`(^|[^\w.~])/+([^w/dn]|d[^e]|de[^v]|dev/[^ns]|w[^/\s]|$)|\.\.\S*/\S*\.\.\S*/\S*\.\.|bin|proc|tmp|200`)

func (w lineWriter) of(choices []string) string { return choices[w.IntN(len(choices))] }

// change makes a small change at a random place.
func (w lineWriter) change(text string) string {
	at := w.IntN(len(text) + 1)
	end := min(at+w.IntN(3), len(text))
	switch w.IntN(5) {
	case 0:
		return text[:at] + text[end:]
	case 1:
		return text[:at] + text[at:end] + text[at:]
	case 2:
		return text[:at] + w.known[w.IntN(len(w.known))]
	}
	return text[:at] + w.of([]string{w.fragment(), w.redirect(), w.of(operators), w.of(marks)}) + text[at:]
}

var (
	programs  = []string{"ls", "cat", "rm", "git", "grep", "head", "echo", "printf", "test", "[", "true", "false", "command", "cd", "nice", "timeout 5", "./x", "time", "!", "x1"}
	operators = []string{";", "&&", "||", "|", "|&", "&", "\n", " ; ", " && ", " || ", " | ", " & "}
	marks     = []string{"'", "\"", "\\", "$", "`", "#", "~", "*", "?", "[", "]", "{", "}", "(", ")", "<", ">", "&", "-", "=", "!", " ", "\t", "\n", "1", "\r", ",", ";", "|", ".", "/"}
	fragments = []string{
		"a", "b", "c", "a", "b", "d/b", "y.go", "1", "12", "1a", "0", "-n", "-l", "-x", "--pre=x", "-", "--", "..", ".", "./a", "../a", "~", "~/a", "$HOME", "$HOME/a", "\"$HOME\"",
		"$?", "\"$?\"", "$#", "*", "'*'", "a*", "-*", "?", "[ab]", "[!a]", "d/*", "[[:alpha:]]", "\"a\"*", "{a,b}", "{a..c}", "{a", "a}", "a,b", "a=b", "a=~/b", "a:~", "x=~", "~+", "~x", "~\"/a\"",
		"\"a b\"", "'a b'", "a\\ b", "\"a\\\"b\"", "\"a\\b\"", "a\\\\b", "\\a", "\"\"", "''", "\\\"", "\"'\"", "'\"'", "\"\\\\\"", "#a", "a#b", "!", "a!", "!a", "\"a!\"", "$'a'", "$\"a\"", "$a", "${a}", "$1",
		"`echo a`", "$(echo a)", "$((1))", "<(ls)", "%", "@", "+", "+a", ":", "=", "==", "=a", "^", "]", "[", "[[", "]]", "if", "then", "do", "done", "in", "esac", "time", "function", "select", "coproc", "é", "@(a)", "a()", "a+=b", "a[1]=b",
		"--file=a", "-fa", "$-", "$!", "$$", "\"$$\"", "a\"b\"'c'd", "\"a\"'b'", "\\*", "\\~", "\"~\"", "'~'/a", "\\\\", "a\\", "&1", "~-", "-1", "1-",
	}
	redirects = []string{">", ">>", "<", "<>", ">|", "&>", "&>>", ">&", "<&", "<<<", "> ", ">& ", "<& ", "< ", ">>  ", "2>", "2>&", "1>&", "0<&", "3>", "3<", "3>&", "12>", "1>", "1a>", "{v}>", "2>&1 ", ">&2 ", "2>&-", "<&-", ">&-", "3>&1-", "2>/dev/null"}
	targets   = []string{"a", "b", "c", "1", "1a", "-", "1-", "2-", "-a", "&1", "2", "12", "/dev/null", "/dev/stderr", "$?", "\"1\"", "'-'", "\"a\"", "*", "d/b", "d", "a-", "1-a", "", "~", "../a", "(a)", "\\1", "x\\-", "1\"\"", "\"\"1", "01", "001", "-1", "--", "1--", "\\-", "~/a", "{a}", "{a,b}"}
	delims    = []string{"E", "'E'", "\"E\"", "E\\F", "E\"\"", "-", "'a b'", "$E", "E#", "\\E"}
	bodies    = []string{"a", "$a", "`ls`", "$(ls)", "\tE", "E ", "\\E", "'", "\"", "a\\", "EE", "\t", "$HOME", "{\"a\": 1}", "; rm x", "!", "E; ls", "EF"}
)

func (w lineWriter) fragment() string { return w.of(fragments) }

func (w lineWriter) word() string {
	text := w.fragment()
	for w.IntN(6) == 0 {
		text += w.fragment()
	}
	return text
}

func (w lineWriter) redirect() string { return w.of(redirects) + w.of(targets) }

// call returns a program with arguments and redirections.
func (w lineWriter) call() string {
	text := w.of(programs)
	if w.IntN(12) == 0 {
		text = w.redirect() + " " + text
	}
	for range w.IntN(4) {
		if w.IntN(4) > 0 {
			text += " "
		}
		if w.IntN(5) == 0 {
			text += w.redirect()
		} else {
			text += w.word()
		}
	}
	if w.IntN(14) > 0 {
		return text
	}
	text += w.of([]string{"<<", "<<-", "<< ", "3<<"}) + w.of(delims) + w.of([]string{"", "", "|cat", " a", "; ls"}) + "\n"
	for range w.IntN(3) {
		text += w.of(bodies) + "\n"
	}
	return text + w.of([]string{"E\n", "EF\n", "\tE\n", "E", "-\n", "a b\n", "$E\n", "E#\n"})
}

// list returns one command or several.
func (w lineWriter) list(depth int) string {
	text := w.compound(depth)
	for w.IntN(3) == 0 {
		text += w.of(operators) + w.compound(depth)
	}
	return text
}

func (w lineWriter) compound(depth int) string {
	if depth == 0 || w.IntN(6) > 0 {
		return w.call()
	}
	in := func() string { return w.list(depth - 1) }
	text := ""
	switch w.IntN(7) {
	case 0:
		text = "if " + in() + "; then " + in() + w.of([]string{"", "; else " + in()}) + "; fi"
	case 1:
		text = w.of([]string{"while ", "until "}) + in() + "; do " + in() + "\nbreak; done"
	case 2:
		text = "{ " + in() + "; }"
	case 3:
		text = "(" + in() + ")"
	case 4:
		text = "case " + w.word() + " in " + w.of([]string{"", "("}) + w.word() + w.of([]string{") ", "|" + w.word() + ") "}) + in() + w.of([]string{";; esac", ";& *) ls;; esac", "\nesac", ";;& *) ls\nesac"})
	case 5:
		text = w.of([]string{"! ", "time ", "time -p ", "! ! "}) + in()
	case 6:
		text = "[[ " + w.word() + " ]] && " + in()
	}
	if w.IntN(4) == 0 {
		text += w.of([]string{"", " "}) + w.redirect()
	}
	return text
}
