package e2e_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	copilot "github.com/github/copilot-sdk/go"
	"github.com/github/copilot-sdk/go/rpc"

	"github.com/sidestick-dev/sidestick/internal/sandbox"
	"github.com/sidestick-dev/sidestick/internal/testing/attempt"
	"github.com/sidestick-dev/sidestick/internal/testing/modeltest"
)

// secret is what no command in a sandbox may print.
const secret = "a secret outside of the sandbox"

// needSandbox ends a test on a machine without a sandbox.
func needSandbox(t *testing.T) {
	t.Helper()
	s := sandbox.NewHost(sandbox.Options{Program: binary}).Support()
	if s.Has(sandbox.WorkspaceWrite) {
		return
	}
	attempt.Missing(t, "no sandbox works here: "+s.Why(sandbox.WorkspaceWrite))
}

// confined is a session whose client has configured a sandbox, a file with a secret outside of
// it, and the requests that the client was asked, all of which it approves.
type confined struct {
	*talk
	file  string
	asked []*copilot.PermissionRequestShell
}

// outside returns a new folder that is not in a sandbox, in the home folder of the user if the checkout is
// in a folder for temporary files: there commands see a folder of their own.
func outside(t *testing.T) string {
	t.Helper()
	at, err := filepath.Abs(".")
	if err == nil && (strings.HasPrefix(at, "/tmp/") || strings.HasPrefix(at, "/var/tmp/")) {
		at, err = os.UserHomeDir()
	}
	if err != nil {
		t.Fatal(err)
	}
	folder, err := os.MkdirTemp(at, "sidestick-outside")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(folder) })
	return folder
}

// confine starts a session whose model calls bash with the commands, one in each turn. SECRET
// in them stands for the file.
func confine(t *testing.T, config rpc.SandboxConfig, commands ...string) *confined {
	t.Helper()
	needSandbox(t)
	c := &confined{file: filepath.Join(outside(t), "secret")}
	if err := os.WriteFile(c.file, []byte(secret), 0o600); err != nil {
		t.Fatal(err)
	}
	var replies []modeltest.Reply
	for _, command := range commands {
		command = strings.ReplaceAll(command, "SECRET", c.file)
		replies = append(replies, call("bash", fmt.Sprintf(`{"command": %q, "description": "Read it"}`, command)))
	}
	m := script(t, append(replies, say("done"))...)
	client := spawned(t)
	c.talk = create(t, client, copilot.SessionConfig{
		Provider: at(m), WorkingDirectory: t.TempDir(),
		OnPermissionRequest: func(q copilot.PermissionRequest, _ copilot.PermissionInvocation) (rpc.PermissionDecision, error) {
			if shell, ok := q.(*copilot.PermissionRequestShell); ok {
				c.asked = append(c.asked, shell)
			}
			return &rpc.PermissionDecisionApproveOnce{}, nil
		},
	})
	t.Cleanup(func() { _ = client.Stop() }) // a runtime that is killed leaves files in its home for a moment
	if _, err := c.RPC.Options.Update(soon(t), &rpc.SessionUpdateOptionsParams{SandboxConfig: &config}); err != nil {
		t.Fatal(err)
	}
	return c
}

// results are the texts of the calls that ran.
func (c *confined) results(t *testing.T, n int) (texts []string) {
	t.Helper()
	done := all[*copilot.ToolExecutionCompleteData](c.events())
	if len(done) != n {
		t.Fatalf("%d calls ended, want %d:\n%s", len(done), n, types(c.events()))
	}
	for _, d := range done {
		if d.Result == nil {
			t.Fatalf("a call failed: %+v", d.Error)
		}
		texts = append(texts, d.Result.Content)
	}
	return texts
}

// A client that configures a sandbox gets one: what is outside cannot be read or written, and
// the network is not there, although each command was approved.
func TestASandboxThatAClientConfigures(t *testing.T) {
	no := false
	c := confine(
		t, rpc.SandboxConfig{Enabled: true, UserPolicy: &rpc.SandboxConfigUserPolicy{Network: &rpc.SandboxConfigUserPolicyNetwork{AllowOutbound: &no}}},
		"cat 'SECRET'", "echo changed > 'SECRET'", "echo inside > a.txt && cat a.txt",
		`echo "in $SIDESTICK_IN_SANDBOX, network $SIDESTICK_SANDBOX_NETWORK"`,
	)
	if answer := c.ask("Read the secret."); answer != "done" {
		t.Errorf("the answer is %q", answer)
	}
	texts := c.results(t, 4)
	if strings.Contains(strings.Join(texts, "\n"), secret) {
		t.Errorf("the secret got out: %q", texts)
	}
	if !strings.Contains(texts[2], "inside") {
		t.Errorf("a file in the working directory could not be written: %q", texts[2])
	}
	if !strings.Contains(texts[3], "in workspace-write, network off") {
		t.Errorf("the command is not told that it is in a sandbox: %q", texts[3])
	}
	if left, err := os.ReadFile(c.file); string(left) != secret {
		t.Errorf("the file outside is now %q, %v", left, err)
	}
	for i, d := range all[*copilot.ToolExecutionCompleteData](c.events()) {
		if d.Sandboxed == nil || !*d.Sandboxed {
			t.Errorf("call %d is not reported as sandboxed", i+1)
		}
	}
	for _, q := range c.asked {
		if q.RequestSandboxBypass != nil {
			t.Errorf("%q asked to leave the sandbox, which the client does not allow", q.FullCommandText)
		}
	}
	if n := len(all[*copilot.SandboxDecisionData](c.events())); n != 1 {
		t.Errorf("%d events sandbox.decision, want 1", n)
	}
}

// With allowBypass, a command that is known to need something outside asks for it before it
// runs, and another one after it has failed inside. Both run outside only after a yes.
func TestLeavingASandboxIsAskedAbout(t *testing.T) {
	for _, tc := range []struct {
		name, command string
		questions     int
	}{
		{"known before", "cat 'SECRET'", 1},
		{"known after it failed", `cat "$(echo 'SECRET' | cat)"`, 2},
	} {
		t.Run(tc.name, func(t *testing.T) {
			yes := true
			c := confine(t, rpc.SandboxConfig{Enabled: true, AllowBypass: &yes}, tc.command)
			c.ask("Read the secret.")
			if text := c.results(t, 1)[0]; !strings.Contains(text, secret) {
				t.Errorf("after the yes, the command printed %q", text)
			}
			if len(c.asked) != tc.questions || c.asked[tc.questions-1].RequestSandboxBypass == nil {
				t.Fatalf("the client was asked %+v, want %d questions, the last one about leaving the sandbox", c.asked, tc.questions)
			}
			if d := all[*copilot.ToolExecutionCompleteData](c.events())[0]; d.Sandboxed != nil && *d.Sandboxed {
				t.Error("the call is reported as sandboxed, and it ran outside")
			}
		})
	}
}

// The client learns what works on the machine, and whether a session is held up.
func TestTheStateOfASandbox(t *testing.T) {
	c := confine(t, rpc.SandboxConfig{Enabled: true})
	status, err := c.RPC.Sandbox.GetEnforcementStatus(soon(t))
	if err != nil {
		t.Fatal(err)
	}
	if !status.Required || status.Blocked {
		t.Errorf("the status is %+v, want required and not blocked", status)
	}
	off, err := c.RPC.Sandbox.DisableForSession(soon(t), &rpc.SandboxDisableForSessionRequest{RequestID: "none"})
	if err != nil {
		t.Fatal(err)
	}
	if off.Success || !off.Enabled {
		t.Errorf("without a request, the sandbox was switched off: %+v", off)
	}
}
