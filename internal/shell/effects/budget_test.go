package effects

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/sidestick-dev/sidestick/internal/permit"
)

// What judging any line may cost, with all that it allocates and the stack.
const (
	mostBytes = 64 << 20
	mostTime  = slower * time.Second
)

// cost is what judging a line has cost.
type cost struct {
	bytes, stack uint64
	time         time.Duration // of the processor
	command      permit.Command
}

func (c cost) tooMuch() bool { return c.bytes+c.stack > mostBytes || c.time > mostTime }

func (c cost) String() string {
	return fmt.Sprintf("%d MB, %d MB of stack, %d ms: %d programs, %d paths, %.60q", c.bytes>>20, c.stack>>20, c.time.Milliseconds(), len(c.command.Programs), len(c.command.Paths), c.command.Unclear)
}

// costOf judges a line in a folder, with rules of each kind.
func costOf(line, dir string) (c cost) {
	done := make(chan struct{})
	go func() { // a new stack
		defer close(done)
		defer runtime.UnlockOSThread()
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		runtime.LockOSThread()
		start := threadTime()
		c.command = Judge(line, dir, "/home/u")
		everyRule(dir).DecideIn(permit.Sandboxing{On: true, ReadOnly: true, Workspace: true, AutoAllow: true}, permit.Request{Kind: permit.Shell, Command: c.command})
		c.time = threadTime() - start
		runtime.ReadMemStats(&after)
		c.bytes = after.TotalAlloc - before.TotalAlloc
		c.stack = max(after.StackInuse, before.StackInuse) - before.StackInuse
	}()
	<-done
	return c
}

// everyRule has rules of each kind.
func everyRule(dir string) permit.Rules {
	r := permit.Rules{Folders: permit.Folders{Primary: dir}, ReadOnly: true, ReadsInside: true, Protected: []string{"*.own", "a/b/c"}, Brought: []string{"/opt/plugin"}, State: "/home/u/.state"}
	for _, text := range []string{"read(**/.env)", "write(**/a/**/b/*.key)", "shell(rm:*)", "shell(git push)", "url(evil.example)", "read(/etc/shadow)", "write"} {
		rule, err := permit.ParseRule(text)
		if err != nil {
			panic(err)
		}
		r.Deny = append(r.Deny, rule)
	}
	for _, text := range []string{"shell(git:*)", "shell(go test)", "write", "url(good.example)"} {
		rule, err := permit.ParseRule(text)
		if err != nil {
			panic(err)
		}
		r.Allow = append(r.Allow, rule)
	}
	return r
}

// wideTree makes a folder in which looking things up is expensive.
func wideTree(t testing.TB) string {
	t.Helper()
	top := t.TempDir()
	must := func(err error) {
		if err != nil {
			t.Fatal(err)
		}
	}
	for i := range 60 {
		must(os.MkdirAll(filepath.Join(top, "many", fmt.Sprint(i)), 0o755))
		for j := range 60 {
			must(os.WriteFile(filepath.Join(top, "many", fmt.Sprint(i), fmt.Sprint(j)), nil, 0o644))
		}
	}
	must(os.Mkdir(filepath.Join(top, "big"), 0o755))
	for i := range 4000 {
		must(os.WriteFile(filepath.Join(top, "big", fmt.Sprintf("a%0100d", i)), nil, 0o644))
	}
	must(os.MkdirAll(filepath.Join(top, "a/b/c"), 0o755))
	must(os.Symlink("loop", filepath.Join(top, "loop")))
	must(os.Symlink("a/b/../b/../b/../b/c", filepath.Join(top, "link")))
	for name, text := range map[string]string{
		".git/HEAD": "ref: refs/heads/main\n", ".git/config": "[user]\n\tname = x\n" + strings.Repeat("[branch \"a\"]\n\tmerge = refs/heads/a\n", 1000), ".git/objects/x": "", ".git/refs/x": "",
	} {
		must(os.MkdirAll(filepath.Dir(filepath.Join(top, name)), 0o755))
		must(os.WriteFile(filepath.Join(top, name), []byte(text), 0o644))
	}
	return top
}

// FuzzCost looks for a line that costs more than it may.
func FuzzCost(f *testing.F) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 50 {
		f.Add(someData(rng))
	}
	top := wideTree(f)
	f.Fuzz(func(t *testing.T, data []byte) { checkCost(t, grown(data), top) })
}

// checkCost judges a line, and once more if something else in this process has allocated.
func checkCost(t *testing.T, line, top string) {
	t.Helper()
	c := costOf(line, top)
	for range 3 {
		if c.tooMuch() {
			c = costOf(line, top)
		}
	}
	if c.tooMuch() {
		t.Errorf("%s\n%.300q … %.100q (%d bytes)", c, line, line[max(0, len(line)-100):], len(line))
	}
	if c.command.Unclear == tooCostly && !c.command.Hidden && len(c.command.Programs) == 0 {
		t.Errorf("%.300q is too costly, and hides nothing", line)
	}
}

var costs = flag.Int("costs", 0, "judge this many random lines, and print the most expensive ones")

func TestCosts(t *testing.T) {
	if *costs == 0 {
		t.Skip("-costs is not set")
	}
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 0))
	top := wideTree(t)
	worst, slowest, start := cost{}, cost{}, time.Now()
	for i := range *costs {
		if i%20_000 == 0 {
			fmt.Println(i, "lines in", time.Since(start))
		}
		line := grown(someData(rng))
		c := costOf(line, top)
		if c.tooMuch() {
			checkCost(t, line, top)
		}
		if c.bytes+c.stack > worst.bytes+worst.stack+(1<<20) {
			worst = c
			fmt.Printf("%d %s: %.200q (%d)\n", i, c, line, len(line))
		}
		if c.time > slowest.time+50*time.Millisecond {
			if c = costOf(line, top); c.time > slowest.time+50*time.Millisecond {
				slowest = c
				fmt.Printf("%d %s: %.200q (%d)\n", i, c, line, len(line))
			}
		}
	}
	fmt.Println(*costs, "lines in", time.Since(start))
}
