package effects

import (
	"context"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/sidestick-dev/sidestick/internal/permit"
)

var (
	fuzzLines = flag.Int("lines", 2000, "how many lines TestBashAgrees writes")
	fuzzSeed  = flag.Uint64("seed", 1, "the seed of the lines of TestBashAgrees")
)

// TestBashAgrees writes random lines and has bash run those that are clear, with a stub
// in place of every program (testdata/record.bash). The programs that ran, their
// arguments and folders, and the files that redirections opened must all be among the
// effects. A long run:
//
//	go test ./internal/shell/effects -run TestBashAgrees -lines 1000000 -seed 2 -timeout 1h
func TestBashAgrees(t *testing.T) {
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Log("there is no bash to compare with")
		return
	}
	w := newLineWriter(*fuzzSeed)
	folder, clear, failed := t.TempDir(), 0, 0
	batch := make([]string, 0, batchSize)
	for i := range *fuzzLines {
		if text := w.line(); effectsOf(text).Unclear == "" {
			batch = append(batch, text)
			clear++
		}
		if len(batch) == batchSize || i == *fuzzLines-1 {
			for _, difference := range compareWithBash(t, bash, folder, batch) {
				t.Error(difference)
				failed++
			}
			batch = batch[:0]
		}
		if failed > 40 {
			t.Fatal("too many differences")
		}
	}
	t.Logf("%d lines, of which %d are clear", *fuzzLines, clear)
	if clear*4 < *fuzzLines {
		t.Errorf("only %d of %d lines are clear, so the others prove little", clear, *fuzzLines)
	}
}

const batchSize = 1000

func effectsOf(text string) permit.Command { return Of(text, "/w", "/n/u", asWritten) }

// compareWithBash runs lines in bash, and returns what is not among their effects.
func compareWithBash(t *testing.T, bash, folder string, lines []string) (differences []string) {
	t.Helper()
	for i := range lines {
		arrange(t, filepath.Join(folder, strconv.Itoa(i)))
	}
	log := filepath.Join(folder, "log")
	if err := os.WriteFile(filepath.Join(folder, "lines"), []byte(strings.Join(lines, "\x00")+"\x00"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(log, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, bash, "--norc", "--noprofile", "testdata/record.bash", folder, log)
	cmd.Env = []string{"LC_ALL=C.UTF-8"}
	var messages strings.Builder
	cmd.Stderr = &messages
	if err := cmd.Run(); err != nil && cmd.ProcessState.ExitCode() < 0 {
		t.Fatalf("bash: %v\n%s", err, messages.String())
	}
	data, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	seen := make([]witness, len(lines))
	for i := range lines {
		seen[i] = witness{text: lines[i], command: effectsOf(lines[i]), top: filepath.Join(folder, strconv.Itoa(i))}
	}
	fields := strings.Split(string(data), "\x00")
	for len(fields) > 5 {
		number, _ := strconv.Atoi(fields[1])
		count, _ := strconv.Atoi(fields[4])
		seen[number].ran(fields[2], fields[3], fields[5:5+count])
		fields = fields[5+count:]
	}
	for _, found := range notOpened.FindAllStringSubmatch(messages.String(), -1) {
		if i, err := strconv.Atoi(found[1]); err == nil && i < len(seen) {
			seen[i].failed(found[2])
		}
	}
	for i := range seen {
		seen[i].left()
		differences = append(differences, seen[i].differences...)
	}
	return differences
}

// arranged are the files that each line finds, relative to the folder that it runs in.
var arranged = []string{"-n", "1", "a", "b", "d/b"}

// arrange makes the folder of a line, unless the line before it has left it as it was.
func arrange(t *testing.T, top string) {
	t.Helper()
	if slices.Equal(contents(top), arranged) {
		return
	}
	here := filepath.Join(top, "in/here")
	if err := os.RemoveAll(top); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(here, "d"), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, name := range arranged {
		if err := os.WriteFile(filepath.Join(here, name), []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// contents lists the files of a line's folder, sorted. A file that is empty now has a > behind it.
func contents(top string) (names []string) {
	_ = filepath.WalkDir(top, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return nil
		}
		name, _ := filepath.Rel(filepath.Join(top, "in/here"), path)
		if info, err := d.Info(); err == nil && info.Size() == 0 {
			name += ">"
		}
		names = append(names, name)
		return nil
	})
	slices.Sort(names)
	return names
}

// witness compares the effects of a line with what bash did.
type witness struct {
	text, top   string
	command     permit.Command
	differences []string
}

func (w *witness) differs(what string) {
	w.differences = append(w.differences, strconv.Quote(w.text)+" "+what)
}

// ran checks a call of a program.
func (w *witness) ran(dir, files string, words []string) {
	if !slices.ContainsFunc(slices.Concat(w.command.Programs, w.command.Besides), func(p permit.Program) bool {
		return w.sameWords(p.Words, words, w.harmless(p))
	}) {
		w.differs("ran " + strconv.Quote(strings.Join(words, "|")))
	}
	if rel, err := filepath.Rel(filepath.Join(w.top, "in/here"), dir); err != nil || rel != "." && !w.names(filepath.Join("/w", rel)) {
		w.differs("ran a program in " + dir)
	}
	for file := range strings.SplitSeq(files, "//") {
		_, name, ok := strings.Cut(file, ":")
		if rel, err := filepath.Rel(filepath.Join(w.top, "in/here"), name); filepath.IsAbs(name) && err == nil {
			name = rel
		}
		if ok && !w.names(filepath.Join("/w", name)) {
			w.differs("opened " + file)
		}
	}
}

// harmless reports whether no option does harm in a call of a program, or of the one
// that it wraps.
func (w *witness) harmless(p permit.Program) bool {
	return slices.ContainsFunc(w.command.Programs, func(q permit.Program) bool {
		at := len(p.Words) - len(q.Words)
		return at >= 0 && slices.Equal(p.Words[at:], q.Words) && readOnlyPrograms.Get()[q.Name].harmless
	})
}

// sameWords reports whether the words that a program got are those of its effects. A
// pattern stands for its matches, and $? and the like for a number, or for nothing.
// options means that a match may be the name of an option.
func (w *witness) sameWords(listed, got []string, options bool) bool {
	if len(listed) == 0 {
		return len(got) == 0
	}
	numbers := strings.Contains(w.text, "$")
	if numbers && strings.Trim(listed[0], "0") == "" && w.sameWords(listed[1:], got, options) {
		return true
	}
	if len(got) == 0 {
		return false
	}
	options = options || listed[0] == "--"
	if listed[0] == got[0] || listed[0] == "-" && strings.HasPrefix(got[0], "/dev/fd/") || numbers && number.ReplaceAllString(listed[0], "") == number.ReplaceAllString(got[0], "") {
		if w.sameWords(listed[1:], got[1:], options) {
			return true
		}
	}
	if !strings.ContainsAny(listed[0], wildcards) || !mayMatch(listed[0], got[0]) || strings.HasPrefix(got[0], "-") && !options {
		return false
	}
	return w.sameWords(listed[1:], got[1:], options) || w.sameWords(listed, got[1:], options)
}

var number = regexp.MustCompile(`[0-9]+`)

// names reports whether a path is among the effects.
func (w *witness) names(path string) bool {
	return slices.ContainsFunc(w.command.Paths, func(p permit.Path) bool {
		return p.Name == path || strings.ContainsAny(p.Name, wildcards)
	})
}

// left checks the files that are there after the line.
func (w *witness) left() {
	for _, name := range contents(w.top) {
		if slices.Contains(arranged, name) {
			continue
		}
		if name = strings.TrimSuffix(name, ">"); !w.names(filepath.Join("/w", name)) || !w.command.Redirects {
			w.differs("wrote " + name)
		}
	}
}

// notOpened is the message of bash 5 about a file that it could not open.
var notOpened = regexp.MustCompile(`(?m)^(\d+): line \d+: (?:cd: )?(.*): (?:No such file or directory|Is a directory|Not a directory|Permission denied|ambiguous redirect)$`)

// failed checks a file that bash could not open.
func (w *witness) failed(name string) {
	if strings.HasPrefix(name, "$'") { // it has a control character
		return
	}
	ends := strings.TrimLeft(filepath.Clean("/"+strings.TrimPrefix(name, w.top)), "./")
	if !slices.ContainsFunc(w.command.Paths, func(p permit.Path) bool {
		return strings.HasSuffix(p.Name, ends) || strings.ContainsAny(p.Name, wildcards)
	}) {
		w.differs("could not open " + name)
	}
}
