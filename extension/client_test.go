package extension_test

import (
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"go.uber.org/goleak"

	"github.com/sidestick-dev/sidestick/extension"
	"github.com/sidestick-dev/sidestick/internal/fault"
)

// collect returns what a call yields.
func collect(call iter.Seq2[extension.Event, error]) (got events, err error) {
	for e, failed := range call {
		if failed != nil {
			return got, failed
		}
		got = append(got, e)
	}
	return got, nil
}

// question returns a request with one message.
func question() *extension.Request {
	return &extension.Request{ThreadID: "t", Messages: []extension.Message{{Role: "user", Content: "hi"}}}
}

func serve(t *testing.T, h http.HandlerFunc) *httptest.Server {
	t.Helper()
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	return s
}

func answer(w http.ResponseWriter, body string) { _, _ = io.WriteString(w, body) }

func TestCallSends(t *testing.T) {
	signer := newSigner(t)
	var body []byte
	var header http.Header
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		body, _ = io.ReadAll(r.Body)
		header = r.Header
		if r.Method != http.MethodPost {
			t.Errorf("the method is %s", r.Method)
		}
		answer(w, hi+done)
	})
	r := question()
	r.Token = "tok"
	r.Header = http.Header{"X-Extra": {"1"}, "Authorization": {"Bearer b"}, "X-Github-Public-Key-Signature": {"forged"}, "Accept-Encoding": {"br"}}
	c := extension.NewClient(extension.ClientOptions{Signer: signer})
	got, err := collect(c.Call(t.Context(), s.URL, r))
	if d := cmp.Diff(events{said("hi")}, got); d != "" || err != nil {
		t.Fatalf("%v\n%s", err, d)
	}
	if want, _ := r.MarshalJSON(); string(body) != string(want) {
		t.Errorf("the body is %s", body)
	}
	for name, want := range map[string]string{
		"Content-Type": "application/json", "Accept": "application/json", "X-Github-Token": "tok", "X-Extra": "1", "Authorization": "Bearer b", "Accept-Encoding": "gzip",
	} {
		if got := header.Values(name); len(got) != 1 || got[0] != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
	for _, prefix := range []string{"X-", ""} {
		id, signature := header.Get(prefix+"GitHub-Public-Key-Identifier"), header.Get(prefix+"GitHub-Public-Key-Signature")
		if !verifies(t, signer.PublicKeys(), id, signature, body) {
			t.Errorf("%sGitHub-Public-Key-Signature does not verify", prefix)
		}
	}

	// Neither a token nor a signature is sent unless it was configured.
	r.Token = ""
	r.Header.Set("X-GitHub-Token", "of another request")
	if _, err := collect(extension.NewClient(extension.ClientOptions{}).Call(t.Context(), s.URL, r)); err != nil {
		t.Fatal(err)
	}
	for name := range header {
		if strings.Contains(strings.ToLower(name), "github") {
			t.Errorf("%s is sent: %q", name, header[name])
		}
	}
}

// Both sides of this package talk to each other over HTTP.
func TestCallOurOwnAgent(t *testing.T) {
	signer := newSigner(t)
	keys, err := extension.FixedKeys(publicPEM(t, signer))
	if err != nil {
		t.Fatal(err)
	}
	h := extension.NewHandler(func(_ context.Context, r *extension.Request, w *extension.Writer) error {
		return w.Text("You said: " + r.Prompt())
	}, extension.HandlerOptions{Keys: keys, Logger: slog.New(slog.DiscardHandler)})
	s := httptest.NewServer(h)
	defer s.Close()
	got, err := collect(extension.NewClient(extension.ClientOptions{Signer: signer}).Call(t.Context(), s.URL, question()))
	if d := cmp.Diff(events{said("You said: hi")}, got); d != "" || err != nil {
		t.Errorf("%v\n%s", err, d)
	}
	_, err = collect(extension.NewClient(extension.ClientOptions{Signer: newSigner(t)}).Call(t.Context(), s.URL, question()))
	if fault.KindOf(err) != fault.Denied {
		t.Errorf("signed by another: %v", err)
	}
}

func withStatus(code int, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(code); answer(w, body) }
}

// failedAnswers has answers that a call reports as errors.
var failedAnswers = []struct {
	name  string
	agent http.HandlerFunc
	want  events
	kind  fault.Kind
	why   string
}{
	{"500 with text", withStatus(500, "boom\n\x1b[2J\u202e"), nil, fault.Unavailable, `the agent answered 500 Internal Server Error: boom\n\x1b[2J\u202e`},
	{"500 with nothing", withStatus(500, ""), nil, fault.Unavailable, "the agent answered 500 Internal Server Error"},
	{"500 with a page", withStatus(500, "\n<!doctype HTML><h1>x"), nil, fault.Unavailable, "the agent answered 500 Internal Server Error, a web page"},
	{"500 with events", withStatus(500, hi+ask+errs+done), events{said("hi"), failed(extension.Fault{Type: "function", Code: "c", Message: "m", Identifier: "i"})}, fault.Unavailable, "the agent answered 500 Internal Server Error"},
	{"500 with half an event", withStatus(500, hi+"data: {\"choi"), events{said("hi")}, fault.Unavailable, "the agent answered 500 Internal Server Error"},
	{"401 with a line that never ends", withStatus(401, hi+strings.Repeat("x", 2<<20)), events{said("hi")}, fault.Denied, "the agent answered 401 Unauthorized (the agent may want requests signed by a key that it knows, or a token)"},
	{"500 with more than is shown", withStatus(500, strings.Repeat("x", 70<<10)), nil, fault.Unavailable, "the agent answered 500 Internal Server Error: " + strings.Repeat("x", 4<<10)},
	{"401", withStatus(401, "Unauthorized"), nil, fault.Denied, "the agent answered 401 Unauthorized: Unauthorized (the agent may want requests signed by a key that it knows, or a token)"},
	{"401 with a link", withStatus(401, `{"authorize_url":"https://x/auth"}`), nil, fault.Denied, `the agent answered 401 Unauthorized: {"authorize_url":"https://x/auth"} (allow the agent at https://x/auth and try again)`},
	{"401 with a link in the error", withStatus(401, `{"error":{"authorize_url":"https://x/auth"}}`), nil, fault.Denied, `the agent answered 401 Unauthorized: {"error":{"authorize_url":"https://x/auth"}} (allow the agent at https://x/auth and try again)`},
	{"401 with what is no link", withStatus(401, `{"authorize_url":"javascript:x"}`), nil, fault.Denied, `the agent answered 401 Unauthorized: {"authorize_url":"javascript:x"} (the agent may want requests signed by a key that it knows, or a token)`},
	{"403", withStatus(403, "{}"), nil, fault.Denied, "the agent answered 403 Forbidden: {}"},
	{"404", withStatus(404, "no"), nil, fault.NotFound, "the agent answered 404 Not Found: no"},
	{"400", withStatus(400, "no"), nil, fault.Invalid, "the agent answered 400 Bad Request: no"},
	{"429", withStatus(429, "no"), nil, fault.Unavailable, "the agent answered 429 Too Many Requests: no"},
	{"499", withStatus(499, "no"), nil, fault.Invalid, "the agent answered 499: no"},
	{"204", withStatus(204, ""), nil, fault.Invalid, "the agent answered nothing at all"},
	{"a page", withStatus(200, "<html>"), nil, fault.Invalid, "the agent answered a web page; is this the address of an agent?"},
	{"garbage", withStatus(200, "\xff\xfe\x00\x01"), nil, fault.Invalid, "the agent answered bytes that are not text"},
	{"an endless line", func(w http.ResponseWriter, _ *http.Request) {
		answer(w, hi+"data: ")
		for x := strings.Repeat("x", 1<<16); ; {
			if _, err := io.WriteString(w, x); err != nil {
				return
			}
		}
	}, events{said("hi")}, fault.Invalid, "line is longer than 1048576 bytes"},
	{"an endless stream", func(w http.ResponseWriter, _ *http.Request) {
		for x := strings.Repeat(": ping\n\n", 1<<13); ; {
			if _, err := io.WriteString(w, x); err != nil {
				return
			}
		}
	}, nil, fault.Invalid, "the answer is longer than 33554432 bytes"},
	{"a connection that breaks", func(w http.ResponseWriter, _ *http.Request) {
		answer(w, hi)
		_ = http.NewResponseController(w).Flush()
		panic(http.ErrAbortHandler)
	}, events{said("hi")}, fault.Unavailable, "the answer was cut off: unexpected EOF"},
	{"a bomb", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Encoding", "gzip")
		z := gzip.NewWriter(w)
		for x := strings.Repeat(": ping\n\n", 1<<13); ; {
			if _, err := io.WriteString(z, x); err != nil {
				return
			}
		}
	}, nil, fault.Invalid, "the answer is longer than 33554432 bytes"},
}

func TestAnswersThatFail(t *testing.T) {
	for _, tc := range failedAnswers {
		t.Run(tc.name, func(t *testing.T) {
			s := httptest.NewServer(tc.agent)
			got, err := collect(extension.NewClient(extension.ClientOptions{}).Call(t.Context(), s.URL+"/agent?key=secret", question()))
			s.Close() // waits for the handler: the connection is closed
			if d := cmp.Diff(tc.want, got, cmpopts.EquateEmpty()); d != "" || fault.KindOf(err) != tc.kind || fault.Message(err) != tc.why {
				t.Errorf("%v, want %s\n%s", err, tc.why, d)
			}
			var f *fault.Error
			if !errors.As(err, &f) || f.Op != "extension.Call" || f.On != s.URL+"/agent" {
				t.Errorf("the error is of %+v", f)
			}
		})
	}
}

func TestStatusError(t *testing.T) {
	s := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(401)
		answer(w, `{"authorize_url":"https://x/auth"}`)
	})
	_, err := collect(extension.NewClient(extension.ClientOptions{}).Call(t.Context(), s.URL, question()))
	var status *extension.StatusError
	if !errors.As(err, &status) {
		t.Fatalf("%v is no StatusError", err)
	}
	if d := cmp.Diff(&extension.StatusError{Status: 401, Body: `{"authorize_url":"https://x/auth"}`, AuthorizeURL: "https://x/auth"}, status); d != "" {
		t.Error(d)
	}
}

// An agent that repeats secrets of the request does not get them into an error.
func TestNoSecretInErrors(t *testing.T) {
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(500)
		if r.URL.Path == "/link" {
			fmt.Fprintf(w, `{"authorize_url":"https://x/auth?%s"}`, r.Header.Get("X-GitHub-Token"))
			return
		}
		fmt.Fprint(w, r.Header, r.URL)
	})
	r := question()
	r.Token, r.Header = "ghu_secret", http.Header{"Authorization": {"Bearer hidden"}}
	c := extension.NewClient(extension.ClientOptions{Signer: newSigner(t)})
	_, err := collect(c.Call(t.Context(), s.URL, r))
	if text := err.Error(); strings.Contains(text, "ghu_secret") || strings.Contains(text, "[MEU") || strings.Contains(text, "hidden") || strings.Count(text, "[secret]") != 4 {
		t.Errorf("the error shows %s", text)
	}
	if _, err := collect(c.Call(t.Context(), s.URL+"/link", r)); strings.Contains(err.Error(), "ghu_secret") || strings.Count(err.Error(), "[secret]") != 2 {
		t.Errorf("the error shows %v", err)
	}
	for _, address := range []string{"http://127.0.0.1:1/?key=ghu_secret", "http://user:ghu_secret@127.0.0.1:1/", "http://127.0.0.1:1/\x7f?ghu_secret", "ftp://x/?ghu_secret", "http://example.com/?ghu_secret"} {
		if _, err := collect(c.Call(t.Context(), address, r)); err == nil || strings.Contains(err.Error(), "ghu_secret") {
			t.Errorf("%s: %v", address, err)
		}
	}
}

func TestGzip(t *testing.T) {
	goOn := make(chan bool)
	s := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Encoding", "gzip")
		z := gzip.NewWriter(w)
		for range 2 {
			answer := hi
			_, _ = io.WriteString(z, answer)
			_ = z.Flush()
			_ = http.NewResponseController(w).Flush()
			<-goOn
		}
		_ = z.Close()
	})
	n := 0
	for e, err := range extension.NewClient(extension.ClientOptions{}).Call(t.Context(), s.URL, question()) {
		if err != nil || e.Text != "hi" {
			t.Fatal(e, err)
		}
		n++
		goOn <- true // only now: the event was yielded before the next was written
	}
	if n != 2 {
		t.Errorf("%d events", n)
	}
}

// When the caller leaves the loop, or cancels, no goroutine and no connection is left, and
// the agent's context ends.
func TestToStopEndsTheConnection(t *testing.T) {
	defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
	left := make(chan bool, 2)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.ReadAll(r.Body) // until then a server does not notice that the client disconnects
		answer(w, hi)
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
		left <- true
	}))
	defer s.Close()
	c := extension.NewClient(extension.ClientOptions{})
	for e, err := range c.Call(t.Context(), s.URL, question()) {
		if err != nil || e.Text != "hi" {
			t.Fatal(e, err)
		}
		break
	}
	<-left
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var last error
	for _, err := range c.Call(ctx, s.URL, question()) {
		last = err
		cancel()
	}
	if fault.KindOf(last) != fault.Canceled || !errors.Is(last, context.Canceled) {
		t.Errorf("canceled, it ends with %v", last)
	}
	<-left
}
