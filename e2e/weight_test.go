package e2e_test

import (
	"bytes"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// Every start pays for the code that package variables run, and for each 64 KB of the program
// that such code is in. Values are made when they are first needed, with package lazy.
func TestOnlyThreePackagesOfOursRunCodeAtStart(t *testing.T) {
	const stack = "internal/stack"
	// Their tables are needed by the first request and the first event in any case.
	may := map[string]int{"internal/server": 60 << 10, "internal/wire": 40 << 10, stack: 1} // less than so many bytes
	cmd := exec.Command(binary, "version")
	cmd.Env = append(os.Environ(), "GODEBUG=inittrace=1")
	var trace bytes.Buffer
	cmd.Stderr = &trace
	if err := cmd.Run(); err != nil {
		t.Fatal(err)
	}
	inits := regexp.MustCompile(`(?m)^init (\S+) @.* (\d+) bytes, \d+ allocs$`).FindAllStringSubmatch(trace.String(), -1)
	if len(inits) < 50 {
		t.Fatalf("the trace has %d packages:\n%s", len(inits), &trace)
	}
	first := slices.IndexFunc(inits, func(m []string) bool { return strings.HasSuffix(m[1], stack) })
	if first < 0 || first > 10 {
		t.Errorf("%s is number %d of %d packages to be initialised, want one of the first: it has no effect later", stack, first, len(inits))
	}
	for _, m := range inits {
		name, ours := strings.CutPrefix(m[1], "github.com/sidestick-dev/sidestick/")
		if !ours {
			continue
		}
		if size, err := strconv.Atoi(m[2]); err != nil || size >= may[name] {
			t.Errorf("%s runs code at start and allocates %s bytes, want none (less than %d): make its variables lazy.Value", name, m[2], may[name])
		}
	}
}

// A program that can call a method by a name that is computed keeps all exported methods of all
// types: 4 MB of this program. Templates are what did that.
func TestTheLinkerDropsMethodsThatNothingCalls(t *testing.T) {
	out, err := exec.Command("go", "tool", "nm", binary).Output()
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for line := range strings.Lines(string(out)) {
		if f := strings.Fields(line); len(f) > 2 {
			names = append(names, f[2])
		}
	}
	if !slices.Contains(names, "main.main") {
		t.Fatalf("%d symbols, and none of them is main.main", len(names))
	}
	for _, unwanted := range []string{"text/template.(*Template).execute", "reflect.Value.MethodByName"} {
		if slices.Contains(names, unwanted) {
			t.Errorf("%s is in the program", unwanted)
		}
	}
}
