package front_test

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/sidestick-dev/sidestick/internal/testing/glass"
)

// measured is the variable with the program that is measured: a binary that was built as a release
// is. Without it, it is the test binary, which is larger.
const measured = "SIDESTICK_FRONT_BINARY"

func (d *desk) measured(args ...string) {
	d.t.Helper()
	if path := os.Getenv(measured); path != "" {
		d.launch(exec.Command(path, args...))
		return
	}
	d.start(args[1:]...)
}

// BenchmarkStart measures the time from the start of the program to its first frame. Run it with
// -benchtime 60x; p50-ms is the median.
func BenchmarkStart(b *testing.B) {
	d := newDesk(b)
	var all []time.Duration
	for b.Loop() {
		began := time.Now()
		d.measured("chat")
		d.shows("Ask anything")
		all = append(all, time.Since(began))
		b.StopTimer()
		_ = d.cmd.Process.Signal(syscall.SIGTERM)
		d.ends()
		b.StartTimer()
	}
	slices.Sort(all)
	b.ReportMetric(float64(all[len(all)/2].Microseconds())/1000, "p50-ms")
}

// BenchmarkIdle measures the processor time of 20 seconds in which nothing happens.
func BenchmarkIdle(b *testing.B) {
	d := newDesk(b)
	d.measured("chat")
	d.shows("Ask anything")
	glass.Pause(2 * time.Second)
	before := d.processor()
	for b.Loop() {
		glass.Pause(20 * time.Second)
	}
	b.ReportMetric(float64((d.processor()-before).Microseconds())/1000/float64(b.N), "cpu-ms/20s")
}

// processor is the processor time of all threads of the program.
func (d *desk) processor() (sum time.Duration) {
	threads, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/schedstat", d.cmd.Process.Pid))
	for _, f := range threads {
		text, _ := os.ReadFile(f)
		ns, _ := strconv.ParseInt(strings.Fields(string(text) + " 0")[0], 10, 64)
		sum += time.Duration(ns)
	}
	return sum
}

// BenchmarkMemory measures the memory (PSS) of the program with a session of 10,000 events open, and
// how long it takes to open.
func BenchmarkMemory(b *testing.B) {
	d := newDesk(b, say("Hello."))
	d.start("--session", "long")
	d.shows("Ask anything")
	d.says("first")
	d.shows("Hello.")
	d.idle()
	d.leave()
	log := filepath.Join(d.home, "session-state", "long", "events.jsonl")
	lengthen(b, log, 10_000)
	for b.Loop() {
		began := time.Now()
		d.measured("chat", "--resume", "long")
		d.shows("Ask anything", "earlier")
		b.ReportMetric(float64(time.Since(began).Microseconds())/1000, "open-ms")
		glass.Pause(3 * time.Second)
		b.ReportMetric(float64(d.pss())/1024, "PSS-MiB")
		_ = d.cmd.Process.Signal(syscall.SIGTERM)
		d.ends()
	}
}

// lengthen repeats the exchange of a log until it has so many events.
func lengthen(b *testing.B, path string, events int) {
	b.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		b.Fatal(err)
	}
	var head, body []string
	for line := range strings.Lines(string(text)) {
		switch {
		case strings.Contains(line, `"type":"session.shutdown"`):
		case len(body) > 0 || strings.Contains(line, `"type":"user.message"`):
			body = append(body, line)
		default:
			head = append(head, line)
		}
	}
	parent, n := "", 0
	var out strings.Builder
	add := func(line string) {
		id := between(line, `"id":"`, `","timestamp"`)
		next := fmt.Sprintf("%08x-0000-4000-8000-000000000000", n)
		n++
		line = strings.Replace(line, `"id":"`+id+`","timestamp"`, `"id":"`+next+`","timestamp"`, 1)
		if was := between(line, `"parentId":"`, `"`); was != "" && parent != "" {
			line = strings.Replace(line, `"parentId":"`+was+`"`, `"parentId":"`+parent+`"`, 1)
		}
		parent = next
		out.WriteString(line)
	}
	for _, line := range head {
		add(line)
	}
	for n < events {
		for _, line := range body {
			add(line)
		}
	}
	if err := os.WriteFile(path, []byte(out.String()), 0o600); err != nil {
		b.Fatal(err)
	}
}

func between(text, before, after string) string {
	_, text, ok := strings.Cut(text, before)
	if !ok {
		return ""
	}
	text, _, _ = strings.Cut(text, after)
	return text
}

// pss is the proportional set size, in KiB.
func (d *desk) pss() (kib int) {
	f, err := os.Open(fmt.Sprintf("/proc/%d/smaps_rollup", d.cmd.Process.Pid))
	if err != nil {
		d.t.Fatal(err)
	}
	defer f.Close()
	for s := bufio.NewScanner(f); s.Scan(); {
		if _, err := fmt.Sscanf(s.Text(), "Pss: %d kB", &kib); err == nil {
			return kib
		}
	}
	return 0
}

// BenchmarkTyped measures how long it takes until 50 KB are in the input box that a terminal has sent
// without marks of pasted text, as one line and as many, at once and key by key.
func BenchmarkTyped(b *testing.B) {
	for name, text := range map[string]string{"line": strings.Repeat("words of a text ", 50<<10/16), "lines": strings.Repeat("A line of forty characters for a test.\n", 50<<10/40)} {
		for how, size := range map[string]int{"at once": 50 << 10, "key by key": 1} {
			b.Run(name+" "+how, func(b *testing.B) {
				d := newDesk(b)
				d.measured("chat")
				d.empty()
				before := d.processor()
				for b.Loop() {
					for piece := range slices.Chunk([]byte(text+"the end"), size) {
						d.write(string(piece))
					}
					d.shows("the end")
					d.press("ctrl+c")
					d.empty()
				}
				b.ReportMetric(float64((d.processor()-before).Milliseconds())/float64(b.N), "cpu-ms/op")
			})
		}
	}
}
