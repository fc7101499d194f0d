package main

import (
	"bytes"
	"encoding/json"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"time"
)

// sidestick builds the program of this checkout.
func sidestick(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "sidestick")
	if runtime.GOOS == "windows" {
		path += ".exe"
	}
	out, err := exec.Command("go", "build", "-C", "..", "-o", path, "./cmd/sidestick").CombinedOutput()
	if err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	return path
}

// Every scenario runs to its end with both runtimes, and every figure has a ratio or
// a zero that has none. Sizes are tiny: this is no measurement.
func TestEveryScenario(t *testing.T) {
	path := sidestick(t)
	var out bytes.Buffer
	err := run(t.Context(), []string{
		"-a", path, "-b", path, "-b-args", "--durability os",
		"-sessions", "3", "-tools", "2", "-chunks", "10", "-burst", "200", "-turns", "10", "-limit", "2m",
	}, &out)
	if err != nil {
		t.Fatalf("%v\n%s", err, out.String())
	}
	for _, s := range scenarioNames() {
		if !strings.Contains(out.String(), "\n"+s+" ") {
			t.Errorf("no line of %s in:\n%s", s, out.String())
		}
	}
	for line := range strings.Lines(out.String()) {
		fields := strings.Fields(line)
		bad := strings.Contains(line, "failed") || strings.Contains(line, "lost")
		if n := len(fields); bad && (fields[n-1] != "0" || fields[n-2] != "0") {
			t.Errorf("want zeros: %q", line)
		}
	}
}

// The model is called in each dialect, with and without tools.
func TestEveryDialect(t *testing.T) {
	path := sidestick(t)
	for _, d := range dialects()[1:] {
		var out bytes.Buffer
		err := run(t.Context(), []string{
			"-a", path, "-b", path, "-b-dialect", d.name, "-scenario", "relay,loop", "-sessions", "2", "-tools", "2", "-chunks", "10", "-limit", "2m",
		}, &out)
		if err != nil || !regexp.MustCompile(`messages that failed +0 +0`).MatchString(out.String()) {
			t.Errorf("%s: %v\n%s", d.name, err, out.String())
		}
	}
}

func TestJSON(t *testing.T) {
	path := sidestick(t)
	var out bytes.Buffer
	err := run(t.Context(), []string{"-b", path, "-scenario", "loop", "-sessions", "2", "-tools", "3", "-json"}, &out)
	if err != nil {
		t.Fatal(err)
	}
	var r result
	if err := json.Unmarshal(out.Bytes(), &r); err != nil || r.Scenario != "loop" || r.Runtime != "b" || r.Round != 1 || len(r.Figures) < 4 {
		t.Errorf("run -json printed %s (%v)", out.String(), err)
	}
}

func TestUsage(t *testing.T) {
	here, err := filepath.Abs("main.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct{ args, want string }{
		{"", "give the runtime to measure with -b"},
		{"-b /nowhere/sidestick", "-b: "},
		{"-b " + here + " -scenario create,walk", `no scenario "walk"`},
		{"-b " + here + " -b-dialect latin", `no dialect "latin"`},
		{"-b " + here + " -turns 9", "-turns at least 10"},
		{"-b " + here + " more", `unexpected argument "more"`},
	} {
		if _, _, err := parse(strings.Fields(tc.args)); err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("parse(%q) = %v, want %q", tc.args, err, tc.want)
		}
	}
}

func TestScriptIsReadFromTheLastMessage(t *testing.T) {
	first, last := script{chunks: 9}, script{chunks: 20, gap: 2 * time.Millisecond, tools: 3}
	body := []byte(`{"messages":[{"role":"user","content":"` + first.String() + `"},{"role":"tool"},` +
		`{"role":"user","content":"now ` + last.String() + ` Thanks."},{"role": "tool"},{"role":"tool"}],"stream": true}`)
	if got, want := read(body, `"role":"tool"`), (request{last, 2, true}); got != want {
		t.Errorf("read = %+v, want %+v", got, want)
	}
	if got, want := read([]byte(`{"messages":[]}`), "x"), (request{script: script{chunks: 1}}); got != want {
		t.Errorf("read without a script = %+v, want %+v", got, want)
	}
}

// The ratio is that of runs made one after the other: a machine that is slower in one
// round is slower for both.
func TestRatioIsTakenRoundByRound(t *testing.T) {
	r := row{values: map[string][]float64{"a": {1, 10, 2}, "b": {2, 20, 4}}}
	if got, ok := r.ratio(); !ok || got != 2 {
		t.Errorf("ratio = %v, %v, want 2", got, ok)
	}
	for name, values := range map[string]map[string][]float64{
		"a round is missing": {"a": {1, 2}, "b": {1}},
		"a is zero":          {"a": {0}, "b": {1}},
		"one runtime":        {"b": {1}},
	} {
		if got, ok := (row{values: values}).ratio(); ok {
			t.Errorf("%s: ratio = %v, want none", name, got)
		}
	}
}

func TestRuntimesTakeTurnsAtBeingFirst(t *testing.T) {
	p := plan{subjects: []subject{{role: "a"}, {role: "b"}}}
	order := ""
	for round := range 3 {
		for _, s := range p.order(round) {
			order += s.role
		}
	}
	if order != "abbaab" {
		t.Errorf("order = %s, want abbaab", order)
	}
}

func TestMedianOfTwoLiesBetweenThem(t *testing.T) {
	for want, values := range map[float64][]float64{0: nil, 3: {3}, 2: {3, 1}, 5: {9, 5, 1}} {
		if got := median(values); got != want {
			t.Errorf("median(%v) = %v, want %v", values, got, want)
		}
	}
}
