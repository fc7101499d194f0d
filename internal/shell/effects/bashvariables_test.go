package effects

import (
	"math/rand/v2"
	"os/exec"
	"strings"
	"testing"
)

// TestVariablesAsInBash writes random lines that set and use variables, in lists, loops and
// conditions. Wherever such a line is clear, bash must run the programs with exactly the values
// that the effects have. A long run, as for TestBashAgrees: -lines 100000 -seed 2.
func TestVariablesAsInBash(t *testing.T) {
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Log("there is no bash to compare with")
		return
	}
	w := variableWriter{rand.New(rand.NewPCG(*fuzzSeed, 11))}
	folder, clear := t.TempDir(), 0
	var batch []string
	for i := range *fuzzLines / 4 {
		if text := w.begin() + w.list(2); effectsOf(text).Unclear == "" && strings.Contains(text, "$") {
			batch = append(batch, text)
			clear++
		}
		if len(batch) == batchSize || i == *fuzzLines/4-1 {
			for _, difference := range compareWithBash(t, bash, folder, batch) {
				t.Error(difference)
			}
			batch = batch[:0]
		}
	}
	t.Logf("%d lines, of which %d are clear and use a variable", *fuzzLines/4, clear)
	if clear*20 < *fuzzLines/4 {
		t.Errorf("only %d of %d lines are clear and use a variable, so the others prove little", clear, *fuzzLines/4)
	}
}

// variableWriter writes lines that set and use the variables x, y and z.
type variableWriter struct{ *rand.Rand }

func (w variableWriter) one(of ...string) string { return of[w.IntN(len(of))] }

func (w variableWriter) name() string { return w.one("x", "x", "y", "z") }

// text is a value, which may use another variable.
func (w variableWriter) text() string {
	return w.one("a", "b", "1", "d/b", `"$`+w.name()+`"`, `"$x"`, `"$y"`, "c", `"a b"`, "''", `"$`+w.name()+`k"`, "a$"+w.name(), "{a,b}", "'*'")
}

// begin sets all variables, so that more of what follows is clear.
func (w variableWriter) begin() string {
	return "x=" + w.one("a", "b", "''") + w.one("; ", "\n", " && ") + "y=" + w.one("c", "$x", `"$x"1`) + "; z=" + w.one("d", "a/b", "'a b'") + "\n"
}

func (w variableWriter) list(depth int) string {
	list := w.statement(depth)
	for range w.IntN(3) {
		list += w.one("; ", "; ", " && ", " || ", "\n", " & ") + w.statement(depth)
	}
	return list
}

func (w variableWriter) statement(depth int) string {
	inner := func() string { return w.list(depth - 1) }
	if depth > 0 {
		switch w.IntN(14) {
		case 0:
			return "if " + w.statement(0) + "; then " + inner() + w.one("", "; else "+inner(), "; elif "+w.statement(0)+"; then "+inner()) + "; fi"
		case 1:
			return "for " + w.name() + " in " + w.text() + " " + w.one(w.text(), "*", "b*", "") + "; do " + inner() + "; done"
		case 2:
			return w.one("while ", "until ") + w.one("true", "false", "[[ -z $x ]] && false", "cat $x") + "; do " + inner() + "; done"
		case 3:
			return "( " + inner() + " )"
		case 4:
			return "{ " + inner() + "\n}"
		case 5:
			return w.statement(0) + " | " + w.statement(depth-1)
		case 6:
			return "case " + w.text() + " in " + w.one("a", "b", `"$x"`, "*") + ") " + inner() + " ;; *) " + w.statement(depth-1) + " ;; esac"
		case 7:
			return "[[ " + w.text() + " " + w.one("==", "!=") + " " + w.one("a", "$x", `"$y"`) + " ]]"
		}
	}
	switch w.IntN(9) {
	case 0, 1, 2:
		return w.name() + "=" + w.text()
	case 3:
		return w.one("true", "false")
	}
	return w.one("cat ", "rm ", "ls -l ", "git show ", "head ") + w.text() + w.one("", " "+w.text())
}
