package effects

import (
	"bytes"
	"context"
	"math/rand/v2"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"
)

// sedPieces are what random scripts of sed are made of.
var sedPieces = strings.Split(`s y p d e r R W F / | , # [ ] [^ [[:alpha:]] [[:alpha:]/] [[.].] [[=/=]] [^]/] [a[:digit:]/] \/ \] \[ \\ \n \c[ \c a b x
1 $ 2,3 ! { } ; :a ba t a\ i\x g pe w I M & \1 ( ) * . ^ + ~ 0~3 l q = % \% \, s/a/b/ s/[/]/;e;/ \|x| s| s, y/ab/cd/ z v D n;d \x5d \d093 Q5
/a/ /[^/]/ s/a/[^/]*/ s/[^/]*/x/ s,[a,],x, s/\(a\)/\1/g`, " ")

// GNU sed --sandbox rejects scripts that run a program, read or write a file. It must accept
// all that count as safe here; it may find other mistakes in them. A long run:
//
//	go test ./internal/shell/effects -run TestSedAgrees -lines 100000 -seed 2
func TestSedAgrees(t *testing.T) {
	version, _ := exec.CommandContext(t.Context(), "sed", "--version").Output()
	if !strings.Contains(string(version), "GNU sed") {
		t.Log("there is no GNU sed to compare with")
		return
	}
	random, safe := rand.New(rand.NewPCG(*fuzzSeed, 7)), 0
	for range *fuzzLines {
		script := randomScript(random, sedPieces, "", "", " ", "\n")
		if !sedIsSafe(script) {
			continue
		}
		safe++
		for _, option := range []string{"-n", "--posix"} {
			var messages bytes.Buffer
			runScript(t, &messages, "sed", "--sandbox", option, script)
			if strings.Contains(messages.String(), "sandbox") {
				t.Errorf("sed %s: %q counts as safe: %s", option, script, messages.String())
			}
		}
	}
	if safe < *fuzzLines/40 {
		t.Errorf("only %d of %d scripts are safe, so they prove little", safe, *fuzzLines)
	}
}

// awkPieces are what random programs of awk are made of.
var awkPieces = strings.Split(`print|printf "%s", |$1|$0|NR|NF|x|a[1]|"s"|"a\"b"|/x/|/[/]/|/"/|/|(|)|{|}|;|,|>|>>|> "OUT"|&&|!|~|==|=|+|-|*|?|:|if (x)|else|in|length|
length()|substr($0,1)|system("echo >OUT")|getline|getline < "f"|close("x")|ENVIRON["S"]|@f()|return|++|--|1|2.5|.|/=|>=|<|"|$|^|_|print > (|print(1)|
sub(/a/,"b")|printf "x" > "OUT"|print 1 +
"a" > "OUT"|/ > "OUT" /|a / "x" > "OUT"|1.system("echo >OUT")`, "|")

// No awk of this machine may write a file or print the environment for a program that counts as
// safe.
func TestAwkWritesNothing(t *testing.T) {
	t.Chdir(t.TempDir())
	t.Setenv("S", "SECRET")
	if err := os.WriteFile("f", []byte("SECRET\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	random, ran := rand.New(rand.NewPCG(*fuzzSeed, 8)), 0
	for range *fuzzLines {
		program := "{ " + randomScript(random, awkPieces, " ", " ", "\n") + " }"
		if !awkIsSafe(program) || ran > *fuzzLines/8 {
			continue
		}
		ran++
		for _, awk := range [][]string{{"gawk"}, {"mawk"}, {"busybox", "awk"}, {"awk"}} {
			var out bytes.Buffer
			runScript(t, &out, awk[0], append(slices.Clone(awk[1:]), program)...)
			if _, err := os.Stat("OUT"); err == nil || strings.Contains(out.String(), "SECRET") {
				t.Fatalf("%s: %q counts as safe, and wrote a file or printed %q", awk, program, out.String())
			}
		}
	}
	if ran < *fuzzLines/40 {
		t.Errorf("only %d of %d programs are safe, so they prove little", ran, *fuzzLines)
	}
}

// randomScript joins random pieces with random separators.
func randomScript(random *rand.Rand, pieces []string, separators ...string) string {
	var script strings.Builder
	for range 1 + random.IntN(6) {
		script.WriteString(pieces[random.IntN(len(pieces))] + separators[random.IntN(len(separators))])
	}
	return script.String()
}

// runScript runs a program on one line of input, if this machine has it. A script that does not
// end is stopped.
func runScript(t *testing.T, out *bytes.Buffer, program string, args ...string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader("a b\n"), out, out
	_ = cmd.Run() // most random scripts are wrong, and machines without the program have nothing to compare
}
