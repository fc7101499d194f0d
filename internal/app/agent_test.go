package app_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"regexp"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/sidestick-dev/sidestick/extension"
	"github.com/sidestick-dev/sidestick/internal/testing/modeltest"
)

// agentThat starts an agent that does something, and sets AGENT to its URL.
func agentThat(ts *testscript.TestScript, neg bool, args []string) {
	usage(ts, neg || len(args) < 1 || len(args) > 3, "agentthat verifies FILE [SLUG], sends|hangs FILE, or trusts|left")
	file, slug := "", ""
	if len(args) == 3 {
		slug = args[2]
	}
	if len(args) > 1 {
		text, err := os.ReadFile(ts.MkAbs(args[1]))
		ts.Check(err)
		file = string(text)
	}
	w := worldOf(ts)
	if w.agent != nil {
		w.agent.Close()
	}
	w.agent = modeltest.NewHost(agentOf(ts, args[0], file, slug))
	url, err := w.agent.Listen()
	ts.Check(err)
	ts.Setenv("AGENT", url)
	if args[0] == "left" {
		w.agent.Close()
	}
}

func agentOf(ts *testscript.TestScript, does, file, slug string) http.Handler {
	echo := func(_ context.Context, r *extension.Request, w *extension.Writer) error {
		return w.Text("You said: " + r.Prompt() + ". Your token: " + r.Token)
	}
	options := extension.HandlerOptions{Slug: slug, Unsigned: does == "trusts", Logger: slog.New(slog.DiscardHandler)}
	switch does {
	case "sends", "hangs":
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { raw(w, r, file, does == "hangs") })
	case "verifies":
		keys, err := extension.FixedKeys(file)
		ts.Check(err)
		options.Keys = keys
	}
	return extension.NewHandler(echo, options)
}

// raw answers every request with the content of the file, headers included, and may hang.
func raw(w http.ResponseWriter, r *http.Request, file string, hangs bool) {
	_, _ = io.Copy(io.Discard, r.Body)
	conn, _, err := w.(http.Hijacker).Hijack()
	if err != nil {
		return
	}
	defer conn.Close()
	_, _ = io.WriteString(conn, file)
	if hangs {
		waitForEnd(conn)
	}
}

// waitForEnd waits until the other side goes.
func waitForEnd(conn net.Conn) {
	_ = conn.SetReadDeadline(time.Now().Add(patience))
	_, _ = io.Copy(io.Discard, conn)
}

// startAgent runs a program in the background that says where it listens, on stderr,
// and sets AGENT.
func startAgent(ts *testscript.TestScript, neg bool, args []string) {
	usage(ts, neg || len(args) == 0, "startagent PROGRAM ARGS...")
	p := launch(ts, ts.MkAbs(args[0]), args[1:])
	p.stdout = p.stderr // what it says is in its log
	ts.Setenv("AGENT", p.until(ts, regexp.MustCompile(`listening at (http://\S+)\n`))[1])
}

// fetchKeys prints the keys that the program in the background publishes, and wants
// them to be known by their ETag; or wants to be refused, by another name of this machine.
func fetchKeys(ts *testscript.TestScript, neg bool, args []string) {
	usage(ts, neg && len(args) != 1 || !neg && len(args) != 0, "fetchkeys, or ! fetchkeys HOST")
	url := worldOf(ts).process.until(ts, regexp.MustCompile(`at (http://\S+)\n`))[1]
	req, err := http.NewRequest(http.MethodGet, url, nil)
	ts.Check(err)
	statuses := []int{http.StatusOK, http.StatusNotModified}
	if neg {
		req.Host, statuses = args[0], []int{http.StatusForbidden}
	}
	for _, want := range statuses {
		resp, err := http.DefaultClient.Do(req)
		ts.Check(err)
		body, err := io.ReadAll(resp.Body)
		ts.Check(errors.Join(err, resp.Body.Close()))
		if resp.StatusCode != want {
			ts.Fatalf("status %d with %v, want %d", resp.StatusCode, req.Header, want)
		}
		if want == http.StatusOK {
			fmt.Fprintln(ts.Stdout(), string(body))
		}
		req.Header.Set("If-None-Match", resp.Header.Get("ETag"))
	}
}
