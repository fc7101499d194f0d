package app_test

import (
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
)

// opens starts `sidestick serve --extension` and waits until it says where.
func opens(ts *testscript.TestScript, neg bool, args []string) {
	usage(ts, neg, "opens [FLAGS...]")
	start(ts, false, append([]string{"serve", "--extension"}, args...))
	p := worldOf(ts).process
	ts.Setenv("AGENT", p.until(ts, regexp.MustCompile(`^listening on (http://\S+/)\n$`))[1])
}

// post sends a file to a path of the agent and prints the answer, the status before it
// if that is not 200. CONFIRMATION is what was asked last, and in the file as it is.
func post(ts *testscript.TestScript, neg bool, args []string) {
	usage(ts, neg || len(args) < 2, "post PATH FILE [HEADER...]")
	body := strings.ReplaceAll(ts.ReadFile(args[1]), "$CONFIRMATION", ts.Getenv("CONFIRMATION"))
	ctx, cancel := within(patience)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, strings.TrimSuffix(ts.Getenv("AGENT"), "/")+args[0], strings.NewReader(body))
	ts.Check(err)
	for _, h := range args[2:] {
		name, value, _ := strings.Cut(h, ": ")
		req.Header.Set(name, value)
		if name == "Host" {
			req.Host = value
		}
	}
	resp, err := (&http.Client{Transport: &http.Transport{DisableKeepAlives: true}}).Do(req)
	ts.Check(err)
	defer resp.Body.Close()
	answer, err := io.ReadAll(resp.Body)
	ts.Check(err)
	if m := confirmed.FindSubmatch(answer); m != nil {
		ts.Setenv("CONFIRMATION", string(m[1]))
	}
	if resp.StatusCode != http.StatusOK {
		_, err = fmt.Fprintf(ts.Stdout(), "%d ", resp.StatusCode)
		ts.Check(err)
	}
	_, err = ts.Stdout().Write(answer)
	ts.Check(err)
}

var confirmed = regexp.MustCompile(`(?m)^data: .*"confirmation":(\{[^}]*\})`)
