package e2e_test

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sidestick-dev/sidestick/internal/jsonrpc"
)

// joins is how often a client joins and leaves: 100,000 take some minutes.
var joins = flag.Int("joins", 2000, "how often a client joins and leaves a session")

// A client that joins a session and leaves it again and again, by detaching and by closing its connection, leaves
// nothing behind: no memory, descriptors, threads or sessions in the list. The log grows by the one session.resume
// of each join that the protocol demands, and by nothing if the client disables it.
func TestAClientJoinsAndLeaves(t *testing.T) {
	home := t.TempDir()
	p := serve(t, home, "GOGC=25")
	dial := func() *jsonrpc.Conn { return dialed(t, p.url) }
	call := func(c *jsonrpc.Conn, method, params string) string { return mustCall(t, c, method, params) }
	owner, guest := dial(), dial()
	defer owner.Close()
	defer guest.Close()
	call(owner, "session.create", `{"sessionId":"s1"}`)
	lines := func() int {
		data, err := os.ReadFile(filepath.Join(home, "session-state", "s1", "events.jsonl"))
		if err != nil {
			t.Fatal(err)
		}
		return bytes.Count(data, []byte("\n"))
	}
	rounds := []struct {
		name  string
		lines int // that each join adds to the log
		join  func()
	}{
		{"detaching", 1, func() {
			call(guest, "session.resume", `{"sessionId":"s1"}`)
			call(guest, "session.detach", `{"sessionId":"s1"}`)
		}},
		{"detaching, without session.resume", 0, func() {
			call(guest, "session.resume", `{"sessionId":"s1","disableResume":true}`)
			call(guest, "session.detach", `{"sessionId":"s1"}`)
		}},
		{"closing the connection", 0, func() {
			c := dial()
			call(c, "session.resume", `{"sessionId":"s1","disableResume":true}`)
			_ = c.Close()
		}},
		{"resuming anew", 0, func() { call(guest, "session.resume", `{"sessionId":"s1","disableResume":true}`) }},
	}
	for _, r := range rounds {
		each := *joins / len(rounds)
		for range each / 4 {
			r.join()
		}
		before, written := footprint(t, p.cmd.Process.Pid), lines()
		for range each - each/4 {
			r.join()
		}
		now := footprint(t, p.cmd.Process.Pid)
		t.Logf("%s: after %d joins %s, after %d %s; the log has %d lines", r.name, each/4, before, each, now, lines())
		if got, want := lines()-written, (each-each/4)*r.lines; got != want {
			t.Errorf("%s: the log has grown by %d lines, want %d", r.name, got, want)
		}
		if now.files > before.files+4 || now.threads > before.threads+8 || now.memory > before.memory+24<<10 {
			t.Errorf("%s: the process has grown from %s to %s", r.name, before, now)
		}
	}
	if list := call(owner, "sessions.list", `{}`); strings.Count(list, `"sessionId"`) > 1 {
		t.Errorf("the list has more than one session: %s", list)
	}
}

func dialed(t *testing.T, address string) *jsonrpc.Conn {
	t.Helper()
	near, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	c := jsonrpc.NewConn(near, func(context.Context, *jsonrpc.Request) func() (any, error) { return nil }, jsonrpc.Options{})
	go func() { _ = c.Run(context.Background()) }() // ends with the connection
	return c
}

func mustCall(t *testing.T, c *jsonrpc.Conn, method, params string) string {
	t.Helper()
	answer, err := c.Call(soon(t), method, json.RawMessage(params))
	if err != nil {
		t.Fatalf("%s %s: %v", method, params, err)
	}
	return string(answer)
}

// held is what a process holds: resident memory in KiB, descriptors and threads.
type held struct{ memory, files, threads int }

func (h held) String() string {
	return fmt.Sprintf("%d MiB, %d descriptors, %d threads", h.memory>>10, h.files, h.threads)
}

func footprint(t *testing.T, pid int) (h held) {
	t.Helper()
	files, err := os.ReadDir(fmt.Sprintf("/proc/%d/fd", pid))
	if err != nil {
		t.Fatal(err)
	}
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		t.Fatal(err)
	}
	h.files = len(files)
	for line := range strings.Lines(string(status)) {
		_, _ = fmt.Sscanf(line, "VmRSS: %d kB", &h.memory) // on one line of many
		_, _ = fmt.Sscanf(line, "Threads: %d", &h.threads)
	}
	return h
}
