//go:build linux

package torture_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	copilot "github.com/github/copilot-sdk/go"

	"github.com/sidestick-dev/sidestick/internal/testing/modeltest"
)

// inCommand is the point of a death while a command runs.
const inCommand = -1

// mortal is a program on the official SDK whose server dies in the middle of its run.
type mortal struct {
	*program
	home  string
	sent  []string // the prompts that the server acknowledged
	after int      // the death comes with this event; 0: never; inCommand
	die   func()

	counting sync.Mutex // guards heard
	heard    int
}

// hear lets the server die.
func (m *mortal) hear(copilot.SessionEvent) {
	m.counting.Lock()
	defer m.counting.Unlock()
	if m.heard++; m.heard == m.after {
		m.die()
	}
}

// dieInCommand lets the server die when a command has begun.
func (m *mortal) dieInCommand(ctx context.Context) {
	for ctx.Err() == nil {
		if note, err := os.Stat(filepath.Join(m.home, "ledger")); err == nil && note.Size() > 0 { // the shell makes the file before it notes
			m.die()
			return
		}
		time.Sleep(time.Millisecond) // the shell is another process
	}
}

// run has two commands run, and sends a message that waits for them.
func (m *mortal) run(ctx context.Context, c *copilot.Client) error {
	var err error
	if m.after == inCommand {
		if err = os.WriteFile(filepath.Join(m.home, "hold"), nil, 0o600); err != nil {
			return err
		}
		go m.dieInCommand(ctx)
	}
	m.session, err = c.CreateSession(ctx, &copilot.SessionConfig{
		SessionID: "s1", Provider: m.provider(), Streaming: copilot.Bool(true), WorkingDirectory: m.home,
		OnPermissionRequest: copilot.PermissionHandler.ApproveAll, OnEvent: m.hear,
	})
	if err != nil {
		return err
	}
	for _, prompt := range []string{"Run.", "Later."} {
		if _, err := m.session.Send(ctx, copilot.MessageOptions{Prompt: prompt}); err != nil {
			return err
		}
		m.sent = append(m.sent, prompt)
	}
	return m.untilAnswered(ctx)
}

// goOn continues the run at the next server.
func (m *mortal) goOn(ctx context.Context, c *copilot.Client) (err error) {
	m.session, err = c.ResumeSession(ctx, "s1", &copilot.ResumeSessionConfig{
		Provider: m.provider(), ContinuePendingWork: copilot.Bool(true), OnPermissionRequest: copilot.PermissionHandler.ApproveAll,
	})
	if err != nil && len(m.sent) == 0 && strings.Contains(err.Error(), "not found") {
		return nil // nobody was promised that it exists
	}
	if err != nil {
		return err
	}
	return m.untilAnswered(ctx)
}

// untilAnswered waits until each message of the log, and each that was acknowledged, is answered before
// the next one begins, or its failure is named.
func (m *mortal) untilAnswered(ctx context.Context) error {
	for {
		events, err := m.session.GetEvents(ctx)
		if err != nil {
			return err
		}
		open := m.unanswered(events)
		if open == "" {
			return nil
		}
		select {
		case <-ctx.Done():
			var kinds []string
			for _, e := range events {
				kinds = append(kinds, string(e.Type()))
			}
			return fmt.Errorf("%s; the log has %s", open, strings.Join(kinds, " "))
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// unanswered says which message has no answer, "" for none.
func (m *mortal) unanswered(events []copilot.SessionEvent) string {
	open, said := "", map[string]bool{}
	for _, e := range events {
		switch d := e.Data.(type) {
		case *copilot.UserMessageData:
			if open != "" {
				return fmt.Sprintf("%q has overtaken %q", d.Content, open)
			}
			open, said[d.Content] = d.Content, true
		case *copilot.AssistantMessageData:
			if len(d.ToolRequests) == 0 {
				open = ""
			}
		case *copilot.SessionErrorData:
			open = ""
		}
	}
	for _, prompt := range m.sent {
		if !said[prompt] {
			return fmt.Sprintf("%q is not in the log", prompt)
		}
	}
	return open
}

// results counts the results that a model has read: all of them, and those of commands that were not
// interrupted.
func results(r *modeltest.Request) (all, whole int) {
	for _, message := range r.Messages {
		if message.Role != "tool" {
			continue
		}
		if all++; !strings.Contains(message.Content, "interrupted") {
			whole++
		}
	}
	return all, whole
}

// attempts bounds how many commands the model asks for. A death interrupts at most one of the two.
const attempts = 4

// commands are the answers of a model that wants two commands run, one after the other, and asks again
// for one that was interrupted. Each command notes its number in the ledger. It also notes there if another one
// runs at the same time. It ends after a moment, unless the file hold is there, if its server lives then,
// and else never by itself, so that a command that has outlived its server is seen.
func commands() (replies []modeltest.Reply) {
	const run = `{"command":"server=$(cat server); ( flock -n 9 || echo overlap >>ledger; echo %d >>ledger; sleep 0.1; ` +
		`while [ -e hold ]; do sleep 0.05; done; until kill -0 $server 2>/dev/null || [ ! -e ledger ]; do sleep 0.05; done ) 9>>lock","description":"d"}`
	for n := range attempts {
		replies = append(replies, modeltest.Reply{
			When: func(r *modeltest.Request) bool {
				all, whole := results(r)
				return all == n && whole < 2 && !slices.ContainsFunc(r.Messages, func(m modeltest.Message) bool {
					return m.Role == "user" && strings.Contains(m.Content, "Later.")
				})
			},
			Repeat: true, Text: "I will.", Piece: 2,
			ToolCalls: []modeltest.ToolCall{{ID: fmt.Sprint("run-", n), Name: "bash", Arguments: fmt.Sprintf(run, n)}},
		})
	}
	return append(replies, modeltest.Reply{Repeat: true, Text: "Done.", Piece: 1})
}

// served starts a server whose process the commands know.
func served(t *testing.T, home string) *process {
	t.Helper()
	p := begun(t, home, fault{kind: none})
	if err := os.WriteFile(filepath.Join(home, "server"), fmt.Append(nil, p.cmd.Process.Pid), 0o600); err != nil {
		t.Fatal(err)
	}
	return p
}

// dies has a program work at a server that dies with an event, and go on at the next. It returns how many
// events the program heard from the first, and adds to asked if the model asked for a command again
// that had begun.
func dies(t *testing.T, with syscall.Signal, after int, asked *atomic.Int64) (heard int) {
	t.Helper()
	home, err := os.MkdirTemp("", "torture-")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = os.RemoveAll(home) }() // what is left is in the temporary folder
	model := modeltest.NewServer(commands()...)
	defer model.Close()
	first := served(t, home)
	m := &mortal{program: &program{model: model, told: map[string]string{}}, home: home, after: after}
	m.die = func() { _ = first.cmd.Process.Signal(with) } // it may have ended
	if err := m.with(first, m.run); err != nil && after == 0 {
		t.Errorf("without a death: %v", err)
	}
	if after != 0 {
		m.die() // if the run had fewer events
		select {
		case <-first.ended:
		case <-time.After(2 * patience):
			t.Errorf("event %d, %v: the server has not ended", after, with)
		}
	}
	first.kill()
	_ = os.Remove(filepath.Join(home, "hold")) // it is there if the death came during a command
	second := served(t, home)
	m.after = 0
	if err := m.with(second, m.goOn); err != nil {
		t.Errorf("event %d, %v: %v", after, with, err)
	}
	second.kill()
	if left := commandsIn(home); left != nil {
		t.Errorf("event %d, %v: commands are left: %q", after, with, left)
	}
	ledger, _ := os.ReadFile(filepath.Join(home, "ledger")) // none if no command has begun
	lines := strings.Fields(string(ledger))
	if slices.Contains(lines, "overlap") || len(slices.Compact(slices.Sorted(slices.Values(lines)))) != len(lines) {
		t.Errorf("event %d, %v: a command ran twice, or two at the same time: %q", after, with, lines)
	}
	if len(lines) > 2 {
		asked.Add(1)
	}
	m.counting.Lock()
	defer m.counting.Unlock()
	return m.heard
}

// commandsIn waits until no command of the server with this home runs, and returns those that do not end.
func commandsIn(home string) (left []string) {
	for late := time.Now().Add(patience); ; time.Sleep(5 * time.Millisecond) {
		left = nil
		names, _ := filepath.Glob("/proc/[0-9]*/environ") // the pattern is good
		for _, name := range names {
			if environ, err := os.ReadFile(name); err == nil && bytes.Contains(environ, []byte("HOME="+home+"\x00")) {
				line, _ := os.ReadFile(filepath.Join(filepath.Dir(name), "cmdline")) // empty if it has ended
				left = append(left, strings.ReplaceAll(string(line), "\x00", " "))
			}
		}
		if left == nil || time.Now().After(late) {
			return left
		}
	}
}

// A server is killed, or asked to end, while a command runs and at points that are evenly spread over a run, and the run is
// continued at the next server at once: no call of a command runs twice or is left, no command runs at the
// same time as another one, and every message is answered or its failure named, in order.
func TestDeaths(t *testing.T) {
	var asked atomic.Int64
	heard := dies(t, syscall.SIGKILL, 0, &asked)
	points := []int{inCommand}
	for i := range deaths/2 - 1 {
		points = append(points, 1+i*heard/(deaths/2-1))
	}
	each(points, func(after int) {
		dies(t, syscall.SIGKILL, after, &asked)
		dies(t, syscall.SIGTERM, after, &asked)
	})
	if asked.Load() < 2 {
		t.Errorf("a command was asked for again after %d deaths, want at least the two during a command", asked.Load())
	}
	t.Logf("%d deaths at points of a run of %d events; after %d of them the model asked for a command again that had begun", deaths, heard, asked.Load())
}
