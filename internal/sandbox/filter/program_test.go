package filter_test

import (
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/sidestick-dev/sidestick/internal/sandbox/filter"
)

// patterns are arguments that no rule may be confused by: where no argument decides, all
// give the same verdict.
var patterns = [][6]uint64{
	{},
	{1, 1, 1, 1, 1, 1},
	{1 << 32, 1 << 32, 1 << 32, 1 << 32, 1 << 32, 1 << 32},
	{1<<64 - 1, 1<<64 - 1, 1<<64 - 1, 1<<64 - 1, 1<<64 - 1, 1<<64 - 1},
	{0xffffffff_00000000, 0x1_00005412, 0xffff6000, 3, 2, 1},
}

func TestEveryCallHasItsVerdict(t *testing.T) {
	for column, p := range processors {
		kinds := callsOf(t, column)
		for _, o := range sandboxes() {
			m := newMachine(t, p.goarch, o)
			for number := range uint32(1200) {
				checkCall(t, m, p, o, number, kinds[number])
			}
			for _, number := range []uint32{1 << 29, 1 << 30, 1<<30 + 41, 1<<30 + 520, 1<<31 - 1, 1 << 31, 1<<32 - 1} {
				checkCall(t, m, p, o, number, listed{})
			}
		}
	}
}

func checkCall(t *testing.T, m machine, p processor, o filter.Options, number uint32, c listed) {
	t.Helper()
	for _, args := range patterns {
		if got, want := m.verdict(t, p.audit, number, args), c.verdict(o); want != "" && got != want {
			t.Errorf("%s %+v: call %d %s%x is %s, want %s", p.goarch, o, number, c.name, args, got, want)
		}
		for _, audit := range p.foreign {
			if got := m.verdict(t, audit, number, args); got != "killed" {
				t.Errorf("%s %+v: call %d in the format %#x is %s", p.goarch, o, number, audit, got)
			}
		}
	}
}

// listed is a line of testdata/calls.txt; the zero value is a number without a call.
type listed struct{ name, kind string }

// verdict returns what has to happen to the call, "" if its arguments decide.
func (l listed) verdict(o filter.Options) string {
	refusedIf := map[string]bool{
		"refused":  true,
		"readonly": o.ReadOnly,
		"ipc":      !o.Namespaces,
		"signal":   !o.Namespaces && o.LandlockABI < 6,
	}
	switch {
	case l.kind == "arguments":
		return ""
	case l.kind == "" || l.kind == "absent":
		return "absent"
	case l.kind == "elsewhere" && !o.Namespaces:
		return "unsupported"
	case refusedIf[l.kind]:
		return "refused"
	}
	return "allowed"
}

func TestArgumentsDecide(t *testing.T) {
	for _, line := range lines(t, "testdata/arguments.txt") {
		name, kind, want, args := line[0], line[1], line[2], arguments(t, line[3:])
		tried := 0
		for column, p := range processors {
			number, found := numberOf(t, column, name)
			for _, o := range sandboxes() {
				if !found || !applies(t, kind, o) {
					continue
				}
				tried++
				if got := newMachine(t, p.goarch, o).verdict(t, p.audit, number, args); got != want {
					t.Errorf("%s %+v: %s is %s", p.goarch, o, strings.Join(line, " "), got)
				}
			}
		}
		if tried == 0 {
			t.Errorf("nothing has been tried for %q", line)
		}
	}
}

// applies reports whether a line about a kind of sandbox is about this one.
func applies(t *testing.T, kind string, o filter.Options) bool {
	kinds := map[string]bool{
		"any":         true,
		"namespaces":  o.Namespaces,
		"landlock":    !o.Namespaces,
		"landlock<6":  !o.Namespaces && o.LandlockABI < 6,
		"landlock>=6": !o.Namespaces && o.LandlockABI >= 6,
		"readonly":    o.ReadOnly,
		"writable":    !o.ReadOnly,
	}
	is, known := kinds[kind]
	if !known {
		t.Fatalf("there is no kind of sandbox %q", kind)
	}
	return is
}

// Every call whose arguments decide must have lines for both outcomes.
func TestArgumentsAreListedForEveryCallThatNeedsThem(t *testing.T) {
	results := map[string][]string{}
	for _, line := range lines(t, "testdata/arguments.txt") {
		results[line[0]] = append(results[line[0]], line[2])
	}
	for column := range processors {
		for _, c := range callsOf(t, column) {
			got := results[c.name]
			if c.kind == "arguments" && !(slices.Contains(got, "allowed") && slices.Contains(got, "refused")) {
				t.Errorf("%s has the results %v in testdata/arguments.txt", c.name, got)
			}
		}
	}
}

func TestTheKernelTakesProgramsOfThisSize(t *testing.T) {
	for _, p := range processors {
		for _, o := range sandboxes() {
			raw, err := filter.ProgramFor(p.goarch, o)
			if err != nil || len(raw) > 1000 { // the kernel takes 4096
				t.Errorf("%s %+v: %d instructions, %v", p.goarch, o, len(raw), err)
			}
		}
	}
}

func TestWithoutAVersionOfLandlockSignalsAreRefused(t *testing.T) {
	number, _ := numberOf(t, 0, "kill")
	if got := newMachine(t, "amd64", filter.Options{}).verdict(t, processors[0].audit, number, [6]uint64{}); got != "refused" {
		t.Errorf("kill is %s", got)
	}
}

func TestAnEmptyFilterIsNotInstalled(t *testing.T) {
	if err := filter.Install(nil); err == nil {
		t.Errorf("Install(nil) = %v", err)
	}
}

// callsOf returns the calls of a processor by number.
func callsOf(t testing.TB, column int) map[uint32]listed {
	t.Helper()
	calls := map[uint32]listed{}
	for _, line := range lines(t, "testdata/calls.txt") {
		if text := line[1+column]; text != "-" {
			calls[uint32(arguments(t, []string{text})[0])] = listed{name: line[0], kind: line[3]}
		}
	}
	return calls
}

func numberOf(t testing.TB, column int, name string) (uint32, bool) {
	t.Helper()
	for number, c := range callsOf(t, column) {
		if c.name == name {
			return number, true
		}
	}
	return 0, false
}

// lines returns the words of each line of a table.
func lines(t testing.TB, name string) (all [][]string) {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		if words := strings.Fields(line); len(words) > 0 && words[0] != "#" {
			all = append(all, words)
		}
	}
	if len(all) < 100 {
		t.Fatalf("%s has %d lines", name, len(all))
	}
	return all
}

func arguments(t testing.TB, words []string) (args [6]uint64) {
	t.Helper()
	for i, word := range words {
		n, err := strconv.ParseUint(word, 0, 64)
		if err != nil {
			t.Fatal(err)
		}
		args[i] = n
	}
	return args
}
