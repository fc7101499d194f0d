package front_test

import (
	"bufio"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/sidestick-dev/sidestick/internal/testing/modeltest"
)

// serve starts a server for a desk, whose model it uses, and returns its port and what kills it.
func serve(d *desk, port string) (at string, kill func()) {
	d.t.Helper()
	self, err := os.Executable()
	if err != nil {
		d.t.Fatal(err)
	}
	cmd := exec.Command(self, "--server", "--port", port)
	cmd.Dir, cmd.Env = d.folder, append(d.environment(), "COPILOT_CONNECTION_TOKEN=open-sesame")
	out, err := cmd.StdoutPipe()
	if err != nil {
		d.t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		d.t.Fatal(err)
	}
	killed := false
	kill = func() {
		if !killed {
			killed = true
			_ = cmd.Process.Kill()
			_ = cmd.Wait()
		}
	}
	d.t.Cleanup(kill)
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		d.t.Fatal(err)
	}
	return strings.TrimSpace(strings.TrimPrefix(line, "listening on port ")), kill
}

// guest starts the terminal interface on a server, in a folder.
func guest(t *testing.T, folder, token string, args ...string) *desk {
	t.Helper()
	d := newDesk(t)
	d.folder, d.env = folder, []string{"COPILOT_CONNECTION_TOKEN=" + token}
	d.start(args...)
	return d
}

// Two terminals have one session of a server: what one sends is shown in both, and the answer of one
// takes the question back in the other. The server dies and comes back.
func TestTwoTerminalsOfOneServer(t *testing.T) {
	d := newDesk(t, modeltest.Reply{Text: "Hello, Ann."}, modeltest.Reply{ToolCalls: []modeltest.ToolCall{{Name: "bash", Arguments: `{"command":"frobnicate --now","description":"do it"}`}}}, modeltest.Reply{Text: "All is well.", Repeat: true})
	port, kill := serve(d, "0")
	at := "127.0.0.1:" + port
	a := guest(t, d.folder, "open-sesame", "--connect", at)
	a.shows("Ask anything")
	a.says("I am Ann.")
	a.shows("Hello, Ann.")
	b := guest(t, d.folder, "open-sesame", "--connect", at, "--continue")
	b.shows("I am Ann.", "Hello, Ann.", "Ask anything")
	b.says("do it")
	for _, desk := range []*desk{a, b} {
		desk.shows("› do it", "Allow: run $ frobnicate --now", `yes, for this session: any "frobnicate"`)
	}
	b.asks("run $ frobnicate --now")
	b.press("n", "enter", "enter")
	b.hides("Allow: run")
	a.shows("no longer needs an answer")
	a.hides("yes, for this session")
	a.idle()

	kill()
	for _, desk := range []*desk{a, b} {
		desk.shows("The connection to " + at + " is lost.")
	}
	serve(d, port)
	for _, desk := range []*desk{a, b} {
		desk.shows("Connected to " + at + " again.")
	}
	a.says("and now")
	for _, desk := range []*desk{a, b} {
		desk.shows("› and now", "All is well.")
		desk.idle()
		desk.leave()
	}
}

func TestAServerThatRefuses(t *testing.T) {
	d := newDesk(t)
	port, kill := serve(d, "0")
	for token, want := range map[string]string{"wrong": "COPILOT_CONNECTION_TOKEN", "open-sesame": "there is no such session"} {
		g := guest(t, d.folder, token, "--connect", "127.0.0.1:"+port, "--resume", "nothing")
		if code := g.ends(); code == 0 || !strings.Contains(g.all(), want) {
			t.Errorf("with the token %s: exit code %d\n%s", token, code, g.all())
		}
	}
	kill()
	g := guest(t, d.folder, "", "--connect", "127.0.0.1:"+port)
	if code := g.ends(); code == 0 || !strings.Contains(strings.Join(strings.Fields(g.all()), " "), "check the address") {
		t.Errorf("without a server: exit code %d\n%s", code, g.all())
	}
}
