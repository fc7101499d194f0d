package extension_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sidestick-dev/sidestick/extension"
	"github.com/sidestick-dev/sidestick/internal/fault"
)

// agentOf is a transport to an agent that answers after wait and writes the body over time,
// until the client disconnects.
type agentOf struct {
	wait time.Duration
	body func(w io.Writer)
}

func (a agentOf) RoundTrip(r *http.Request) (*http.Response, error) {
	select {
	case <-time.After(a.wait):
	case <-r.Context().Done():
		return nil, r.Context().Err()
	}
	in, out := io.Pipe()
	context.AfterFunc(r.Context(), func() { _ = out.CloseWithError(errors.New("use of closed network connection")) })
	go func() {
		a.body(out)
		_ = out.Close()
	}()
	return &http.Response{StatusCode: 200, Body: in, Request: r}, nil
}

func pause(d time.Duration) func(io.Writer) { return func(io.Writer) { time.Sleep(d) } }

func write(s string) func(io.Writer) { return func(w io.Writer) { _, _ = io.WriteString(w, s) } }

func script(steps ...func(io.Writer)) func(io.Writer) {
	return func(w io.Writer) {
		for _, step := range steps {
			step(w)
		}
	}
}

// every writes s each time d has passed, until the client disconnects.
func every(d time.Duration, s string) func(io.Writer) {
	return func(w io.Writer) {
		for {
			time.Sleep(d)
			if _, err := io.WriteString(w, s); err != nil {
				return
			}
		}
	}
}

func TestTimes(t *testing.T) {
	const ping = ": ping\n\n"
	for _, tc := range []struct {
		name  string
		agent agentOf
		want  events
		took  time.Duration
		why   string // "": the answer ends normally
	}{
		{"silent before its answer", agentOf{wait: time.Hour}, nil, time.Minute, "the agent was silent for too long, 1m0s"},
		{"silent at once", agentOf{body: pause(time.Hour)}, nil, time.Minute, "the agent was silent for too long, 1m0s"},
		{"silent in its answer", agentOf{wait: 50 * time.Second, body: script(pause(50*time.Second), write(hi), pause(time.Hour))}, events{said("hi")}, 160 * time.Second, "the agent was silent for too long, 1m0s"},
		{"slow, but never silent", agentOf{body: script(pause(59*time.Second), write(hi), pause(59*time.Second), write(ping), pause(59*time.Second), write(hi+done))}, events{said("hi"), said("hi")}, 177 * time.Second, ""},
		{"without an end", agentOf{body: every(10*time.Second, ping)}, nil, 10 * time.Minute, "the answer took longer than 10m0s"},
		{"open after [DONE]", agentOf{body: script(write(hi+stop+done), pause(time.Hour))}, events{said("hi")}, 5 * time.Second, ""},
		{"open after a confirmation and [DONE]", agentOf{body: script(write(ask+done), pause(time.Hour))}, events{asked("T", "M", `{"id":"1"}`)}, 5 * time.Second, ""},
		{"heartbeats after [DONE]", agentOf{body: script(write(hi+done), every(time.Second, ping))}, events{said("hi")}, 5 * time.Second, ""},
		{"[DONE] again and again", agentOf{body: script(write(hi+done), every(time.Second, done))}, events{said("hi")}, 5 * time.Second, ""},
		{"more after [DONE]", agentOf{body: script(write(hi+done), pause(4*time.Second), write(hi), pause(30*time.Second), write(hi+done), pause(time.Hour))}, events{said("hi"), said("hi"), said("hi")}, 39 * time.Second, ""},
		{"open without [DONE]", agentOf{body: script(write(ask+stop), pause(time.Hour))}, nil, time.Minute, "the agent was silent for too long, 1m0s"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := extension.NewClient(extension.ClientOptions{HTTP: &http.Client{Transport: tc.agent}})
				start := time.Now()
				got, err := collect(c.Call(t.Context(), "https://agent.example/", question()))
				if d := cmp.Diff(tc.want, got); d != "" || time.Since(start) != tc.took {
					t.Errorf("after %v, want %v\n%s", time.Since(start), tc.took, d)
				}
				if tc.why == "" && err != nil || tc.why != "" && (err == nil || fault.Message(err) != tc.why || fault.KindOf(err) != fault.Unavailable) {
					t.Errorf("%v, want %s", err, tc.why)
				}
				time.Sleep(2 * time.Hour) // lets the agent finish
			})
		})
	}
}

// The time that the caller spends on an event does not count as the agent's.
func TestASlowCaller(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		agent := agentOf{body: script(write(hi), write(hi), write(done))}
		c := extension.NewClient(extension.ClientOptions{HTTP: &http.Client{Transport: agent}, Total: time.Hour})
		n := 0
		for _, err := range c.Call(t.Context(), "https://agent.example/", question()) {
			if err != nil {
				t.Fatal(err)
			}
			n++
			time.Sleep(5 * time.Minute)
		}
		if n != 2 {
			t.Errorf("%d events", n)
		}
	})
}

func TestTheCallersDeadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		c := extension.NewClient(extension.ClientOptions{HTTP: &http.Client{Transport: agentOf{body: pause(time.Minute)}}})
		_, err := collect(c.Call(ctx, "https://agent.example/", question()))
		if !errors.Is(err, context.DeadlineExceeded) || fault.KindOf(err) != fault.Unavailable {
			t.Errorf("ends with %v", err)
		}
		time.Sleep(time.Hour)
	})
}

// hop answers the first request by a redirect, and never answers the second.
type hop struct{ done bool }

func (h *hop) RoundTrip(r *http.Request) (*http.Response, error) {
	if h.done {
		return agentOf{wait: time.Hour}.RoundTrip(r)
	}
	h.done = true
	return &http.Response{StatusCode: 307, Header: http.Header{"Location": {"/x"}}, Body: http.NoBody, Request: r}, nil
}

func TestSilentAfterARedirect(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := extension.NewClient(extension.ClientOptions{HTTP: &http.Client{Transport: &hop{}}})
		start := time.Now()
		if _, err := collect(c.Call(t.Context(), "https://agent.example/", question())); err == nil || time.Since(start) != time.Minute {
			t.Errorf("ends after %v with %v", time.Since(start), err)
		}
	})
}
