package app_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/sidestick-dev/sidestick/internal/testing/modeltest"
)

// provider is a fake model server that tells when it is asked.
type provider struct {
	server *modeltest.Server
	host   *modeltest.Host
	asked  chan struct{}
}

func (p *provider) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method == http.MethodPost {
		// All of it is here before anybody hears of it: one who aborts then finds the
		// reply taken from the script.
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		p.asked <- struct{}{}
	}
	p.server.ServeHTTP(w, r)
}

// fakemodel starts a provider and points the script's environment to it.
func fakemodel(ts *testscript.TestScript, neg bool, args []string) {
	usage(ts, neg || len(args) < 1 || len(args) > 2, "fakemodel FILE.jsonl [MODELS.jsonl]")
	p := &provider{server: modeltest.NewServer(replies(ts, args[0])...), asked: make(chan struct{}, 1000)}
	if len(args) == 2 {
		p.server.SetModels(replies(ts, args[1])[0])
	}
	p.host = modeltest.NewHost(p)
	w := worldOf(ts)
	if w.provider != nil {
		w.provider.host.Close()
	}
	w.provider = p
	url, err := p.host.Listen()
	ts.Check(err)
	ts.Setenv("OPENAI_BASE_URL", url+"/v1")
	ts.Setenv("SIDESTICK_MODEL", "test-model")
}

// lists changes the list of models.
func lists(ts *testscript.TestScript, neg bool, args []string) {
	usage(ts, neg || len(args) != 1, "lists MODELS.jsonl")
	worldOf(ts).provider.server.SetModels(replies(ts, args[0])[0])
}

func replies(ts *testscript.TestScript, file string) []modeltest.Reply {
	f, err := os.Open(ts.MkAbs(file))
	ts.Check(err)
	defer f.Close()
	list, err := modeltest.LoadJSONL(f)
	ts.Check(err)
	return list
}

func asked(ts *testscript.TestScript, neg bool, args []string) {
	usage(ts, neg || len(args) != 0, "asked")
	ctx, cancel := within(patience)
	defer cancel()
	select {
	case <-worldOf(ts).provider.asked:
	case <-ctx.Done():
		ts.Fatalf("the model was not asked in %v", patience)
	}
}

// prefixKept checks that the model was asked a number of times, and that each request begins with all of the one
// before: the same tools, and its messages, to the byte.
func prefixKept(ts *testscript.TestScript, neg bool, args []string) {
	usage(ts, neg || len(args) != 1, "prefixkept REQUESTS")
	type body struct {
		Messages []json.RawMessage
		Tools    json.RawMessage
	}
	var before body
	requests := worldOf(ts).provider.server.Requests()
	if got := fmt.Sprint(len(requests)); got != args[0] {
		ts.Fatalf("the model was asked %s times, want %s", got, args[0])
	}
	for i, r := range requests {
		var now body
		ts.Check(json.Unmarshal(r.Raw, &now))
		if i > 0 && !bytes.Equal(now.Tools, before.Tools) {
			ts.Fatalf("request %d has other tools than the one before:\n%s\n%s", i+1, before.Tools, now.Tools)
		}
		for j, m := range before.Messages {
			if j >= len(now.Messages) || !bytes.Equal(m, now.Messages[j]) {
				ts.Fatalf("message %d is not in request %d as it was in the one before:\n%s", j+1, i+1, m)
			}
		}
		before = now
	}
}

// allRequests prints a line for each request: its model, its tools and the last message.
func allRequests(ts *testscript.TestScript, neg bool, args []string) {
	usage(ts, neg || len(args) != 0, "requests")
	for _, r := range worldOf(ts).provider.server.Requests() {
		fmt.Fprintf(ts.Stdout(), "%s: %s: %s\n", r.Model, strings.Join(r.Tools, ","), strings.ReplaceAll(r.Last().Content, "\n", " "))
	}
}

// lastRequest prints a message a line, as role and content; with "raw", the body as it came.
func lastRequest(ts *testscript.TestScript, neg bool, args []string) {
	raw := len(args) == 1 && args[0] == "raw"
	usage(ts, neg || len(args) != 0 && !raw, "lastrequest [raw]")
	requests := worldOf(ts).provider.server.Requests()
	if len(requests) == 0 {
		ts.Fatalf("the model was never asked")
	}
	if raw {
		fmt.Fprintf(ts.Stdout(), "%s\n", requests[len(requests)-1].Raw)
		return
	}
	for _, m := range requests[len(requests)-1].Messages {
		fmt.Fprintf(ts.Stdout(), "%s: %q\n", m.Role, m.Content)
	}
}
