package app_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
)

// scripted starts `sidestick demo model` beside everything else, or the demo's agent,
// and points the script's environment to it, by what that prints.
func scripted(ts *testscript.TestScript, neg bool, args []string) {
	agent := len(args) == 1 && args[0] == "agent"
	usage(ts, neg || len(args) != 0 && !agent, "scripted [agent]")
	if agent {
		at := demo(ts, "agent", `(?m)^  sidestick agent chat (\S+)$`)
		ts.Setenv("AGENT", at[1])
		return
	}
	export := demo(ts, "model", `(?m)^  export OPENAI_BASE_URL=(\S+) SIDESTICK_MODEL=(\S+)$`)
	ts.Setenv("OPENAI_BASE_URL", export[1])
	ts.Setenv("SIDESTICK_MODEL", export[2])
}

// demo starts a part of the demo that serves, and waits until it says where.
func demo(ts *testscript.TestScript, part, says string) []string {
	w := worldOf(ts)
	binary, err := exec.LookPath("sidestick")
	ts.Check(err)
	p := &process{cmd: exec.Command(binary, "demo", part), stdout: newOutput(), stderr: newOutput(), ended: make(chan struct{})}
	p.cmd.Stdout, p.cmd.Stderr = p.stdout, p.stderr
	p.stdin, err = p.cmd.StdinPipe()
	ts.Check(err)
	ts.Check(p.cmd.Start())
	go func() { p.err = p.cmd.Wait(); close(p.ended) }()
	w.model = p
	return p.until(ts, regexp.MustCompile(says))
}

// chapter prints the first block under a heading of a document.
func chapter(ts *testscript.TestScript, neg bool, args []string) {
	usage(ts, neg || len(args) != 2, "chapter FILE HEADING")
	fmt.Fprint(ts.Stdout(), block(ts, args[0], args[1]))
}

func block(ts *testscript.TestScript, file, heading string) string {
	text, err := os.ReadFile(ts.MkAbs(file))
	ts.Check(err)
	_, after, found := strings.Cut(string(text), "\n## "+heading+"\n")
	_, after, fenced := strings.Cut(after, "\n```")
	_, after, _ = strings.Cut(after, "\n") // the language
	body, _, closed := strings.Cut(after, "\n```\n")
	if !found || !fenced || !closed {
		ts.Fatalf("%s has no block under %q", file, heading)
	}
	return body + "\n"
}

// sessionID is what differs from one walk to the next.
var sessionID = regexp.MustCompile(`\b[0-9a-f]{8}(?:-[0-9a-f-]*)?`)

// follow does at a terminal what a chapter shows, and wants to see what stands there,
// line by line and in that order. A line that begins with $ is a command, and what
// stands after › is typed. /home/ann is the script's folder.
func follow(ts *testscript.TestScript, neg bool, args []string) {
	usage(ts, neg || len(args) != 2, "follow FILE HEADING")
	running := false
	end := func() {
		if running {
			exits(ts, false, []string{"0"})
		}
	}
	text := block(ts, args[0], args[1])
	if agent := ts.Getenv("AGENT"); agent != "" {
		text = strings.ReplaceAll(text, "127.0.0.1:4243", strings.TrimPrefix(agent, "http://"))
	}
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		if command, ok := strings.CutPrefix(line, "$ "); ok {
			end()
			terminal(ts, false, []string{"sh", "-c", command})
			running = true
			continue
		}
		prompt, typed, asks := strings.Cut(line, "› ")
		switch {
		case line == "":
		case asks:
			shows(ts, false, []string{pattern(ts, prompt+"› ")})
			types(ts, false, []string{typed + `\r`})
		default:
			shows(ts, false, []string{pattern(ts, line) + `\r?\n`})
		}
	}
	end()
}

// pattern matches a line of a chapter.
func pattern(ts *testscript.TestScript, line string) string {
	quoted := strings.ReplaceAll(regexp.QuoteMeta(line), "/home/ann", regexp.QuoteMeta(filepath.Dir(ts.MkAbs("."))))
	return sessionID.ReplaceAllString(quoted, sessionID.String())
}
