package peers_test

import (
	"bytes"
	"context"
	"net/http/httptest"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/sidestick-dev/sidestick/extension"
)

// debugChat types lines into gh-debug-cli, with our agent behind it, and returns what it
// shows, without colours. It ends with its input.
func debugChat(t *testing.T, agent extension.Agent, lines ...string) string {
	t.Helper()
	binary := os.Getenv("SIDESTICK_GH_DEBUG_CLI")
	if binary == "" {
		t.Skip("SIDESTICK_GH_DEBUG_CLI is not set: a binary of github.com/copilot-extensions/gh-debug-cli, by go build in a checkout of it")
	}
	server := httptest.NewServer(extension.NewHandler(agent, extension.HandlerOptions{
		Unsigned: true, OneEvent: true, Heartbeat: 20 * time.Millisecond, // it signs nothing
	}))
	t.Cleanup(server.Close)
	cmd := exec.CommandContext(soon(t), binary, "chat", "--url", server.URL, "--username", "ann", "--log-level", "DEBUG")
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + t.TempDir()}
	cmd.Stdin = strings.NewReader(strings.Join(lines, "\n") + "\n")
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Run(); err != nil {
		t.Fatalf("%v\n%s", err, out.String())
	}
	return regexp.MustCompile(`\x1b\[[0-9;]*m`).ReplaceAllString(out.String(), "")
}

// complaints are how it says that something is wrong.
var complaints = regexp.MustCompile(`(?m)^.*(Alas|cannot have more|error (creating|sending|marshal)|failed to read).*$`)

// GitHub's debugging client shows what our handler sends, and complains of nothing.
func TestGitHubsDebugClientTakesOurAnswers(t *testing.T) {
	const piece = "The tide is high at six. "
	text := func(_ context.Context, _ *extension.Request, w *extension.Writer) error {
		return w.Text("High at six.")
	}
	for _, tc := range []struct {
		name  string
		agent extension.Agent
		shown []string
	}{
		{"text", text, []string{"assistant: High at six.\n"}},
		{"100 kB of text", func(_ context.Context, _ *extension.Request, w *extension.Writer) error {
			return w.Text(strings.Repeat(piece, 4000)) // which goes out in pieces that it can cope with
		}, []string{"assistant: " + strings.Repeat(piece, 4000) + "\n"}},
		{"references", func(_ context.Context, _ *extension.Request, w *extension.Writer) error {
			if err := w.References(references...); err != nil {
				return err
			}
			return w.Text("At berth 7.")
		}, []string{"assistant: At berth 7.\n", "1. berth-7: Berth 7\n"}},
		{"a confirmation", func(_ context.Context, _ *extension.Request, w *extension.Writer) error {
			if err := w.Text("One moment."); err != nil {
				return err
			}
			return w.Confirm(question)
		}, []string{"assistant: One moment.\n", "Cast off\n  Shall *we*?\nReply: [y/N]\n"}},
		{"errors", func(_ context.Context, _ *extension.Request, w *extension.Writer) error {
			return w.Errors(faults...)
		}, []string{"1. function error: There is no table for today.\n"}},
		{"of two events one", func(_ context.Context, _ *extension.Request, w *extension.Writer) error {
			if err := w.References(references...); err != nil {
				return err
			}
			return w.Confirm(question)
		}, []string{"Cast off\n"}},
		{"heartbeats", func(ctx context.Context, _ *extension.Request, w *extension.Writer) error {
			silence := time.NewTimer(100 * time.Millisecond) // of five heartbeats
			defer silence.Stop()
			select {
			case <-silence.C:
			case <-ctx.Done():
			}
			return w.Text("After a silence.")
		}, []string{"assistant: After a silence.\n"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got := debugChat(t, tc.agent, "hello")
			for _, want := range tc.shown {
				if !strings.Contains(got, want) {
					t.Errorf("%q is not shown:\n%.2000s", want, got)
				}
			}
			if complaint := complaints.FindString(got); complaint != "" {
				t.Errorf("it complains: %s", complaint)
			}
		})
	}
}

// A second turn brings the first answer back.
func TestGitHubsDebugClientKeepsTheConversation(t *testing.T) {
	got := debugChat(t, func(_ context.Context, r *extension.Request, w *extension.Writer) error {
		var said []string
		for _, m := range r.Conversation() {
			said = append(said, m.Role+" "+m.Content)
		}
		return w.Text("[" + strings.Join(said, "; ") + "]")
	}, "one", "two")
	for _, want := range []string{"assistant: [user one]\n", "assistant: [user one; assistant [user one]; user two]\n"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is not shown:\n%s", want, got)
		}
	}
}
