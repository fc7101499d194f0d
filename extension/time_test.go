package extension_test

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sidestick-dev/sidestick/extension"
	"github.com/sidestick-dev/sidestick/internal/testing/dialtest"
)

// served runs test in a bubble with a server for h, and closes the server afterwards.
func served(t *testing.T, h http.Handler, test func(t *testing.T, dial func() net.Conn)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		listener := dialtest.NewListener()
		server := &http.Server{Handler: h}
		done := make(chan struct{})
		go func() {
			defer close(done)
			_ = server.Serve(listener)
		}()
		test(t, listener.Dial)
		_ = server.Close()
		<-done
		time.Sleep(time.Second) // the server waits when it did not read the whole body
	})
}

// request returns a POST as it is sent over a connection.
func request(body string, length int) string {
	return fmt.Sprintf("POST / HTTP/1.1\r\nHost: agent.test\r\nContent-Length: %d\r\n\r\n%s", length, body)
}

// exchange sends a request, and returns the status and body of its answer.
func exchange(t *testing.T, c net.Conn, what string) (int, string) {
	t.Helper()
	if _, err := io.WriteString(c, what); err != nil {
		t.Fatal(err)
	}
	resp, err := http.ReadResponse(bufio.NewReader(c), nil)
	if err != nil {
		t.Fatal(err)
	}
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Errorf("body ends with %v", err)
	}
	return resp.StatusCode, still(t, string(body))
}

// While an agent is silent, a comment is sent every 12 seconds.
func TestHeartbeats(t *testing.T) {
	const beat = ": working\n\n"
	for _, tc := range []struct {
		name  string
		every time.Duration
		want  string
	}{
		{"by default", 0, beat + beat + textChunk(`"a"`) + beat + textChunk(`"b"`)},
		{"faster", 5 * time.Second, strings.Repeat(beat, 5) + textChunk(`"a"`) + beat + beat + beat + textChunk(`"b"`)},
		{"never", -1, textChunk(`"a"`) + textChunk(`"b"`)},
	} {
		t.Run(tc.name, func(t *testing.T) {
			o := quiet
			o.Heartbeat = tc.every
			h := extension.NewHandler(func(_ context.Context, _ *extension.Request, w *extension.Writer) error {
				time.Sleep(29 * time.Second) // 12 s, 24 s
				err := w.Text("a")
				time.Sleep(16 * time.Second) // 41 s
				return errors.Join(err, w.Text("b"))
			}, o)
			served(t, h, func(t *testing.T, dial func() net.Conn) {
				status, body := exchange(t, dial(), request(hello, len(hello)))
				if diff := cmp.Diff(ack+tc.want+end, body); diff != "" {
					t.Error(diff)
				}
				for _, f := range extension.Check(nil, status, strings.NewReader(body)) {
					t.Errorf("Check reports %v", f)
				}
			})
		})
	}
}

func TestAnAgentThatTakesTooLong(t *testing.T) {
	errOther := errors.New("other")
	const late = `[{"type":"agent","code":"timeout","message":"The agent took longer than 1m0s and was stopped.","identifier":"ID"}]`
	for _, tc := range []struct {
		name string
		wait func(ctx context.Context) error
	}{
		{"and stops", func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() }},
		{"and makes nothing of it", func(ctx context.Context) error { <-ctx.Done(); return nil }},
		{"and goes on", func(context.Context) error { time.Sleep(time.Hour); return errOther }},
		{"and panics", func(ctx context.Context) error { <-ctx.Done(); panic("late") }},
	} {
		t.Run(tc.name, func(t *testing.T) {
			o := quiet
			o.Timeout, o.Heartbeat = time.Minute, -1
			var after error
			h := extension.NewHandler(func(ctx context.Context, _ *extension.Request, w *extension.Writer) error {
				_ = w.Text("a")
				_ = w.Confirm(extension.Confirmation{Title: "t", Message: "m"})
				err := tc.wait(ctx)
				if err == errOther { // by then the answer is over
					after = w.Text("late")
				}
				return err
			}, o)
			served(t, h, func(t *testing.T, dial func() net.Conn) {
				start := time.Now()
				conn := dial()
				if _, err := io.WriteString(conn, request(hello, len(hello))); err != nil {
					t.Fatal(err)
				}
				resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
				if err != nil {
					t.Fatal(err)
				}
				var got strings.Builder
				lines := bufio.NewReader(resp.Body)
				for !strings.HasSuffix(got.String(), "[DONE]\n\n") {
					line, err := lines.ReadString('\n')
					if got.WriteString(line); err != nil {
						t.Fatalf("the answer ends with %v after\n%s", err, &got)
					}
				}
				if took := time.Since(start); took != time.Minute {
					t.Errorf("the answer was over after %v", took)
				}
				rest, err := io.ReadAll(lines)
				want := ack + textChunk(`"a"`) + eventOf("copilot_errors", late) + end
				if diff := cmp.Diff(want, still(t, got.String())); diff != "" || len(rest) > 0 || err != nil {
					t.Errorf("then %q, %v\n%s", rest, err, diff)
				}
			})
			if tc.name == "and goes on" && (after == nil || !strings.Contains(after.Error(), "the answer is over")) {
				t.Errorf("what it wrote then gave %v", after)
			}
		})
	}
}

// The time is over even if the agent returns while a heartbeat is being written.
func TestTooLateDuringAHeartbeat(t *testing.T) {
	o := quiet
	o.Heartbeat, o.Timeout = 50*time.Second, time.Minute
	h := extension.NewHandler(func(ctx context.Context, _ *extension.Request, _ *extension.Writer) error {
		<-ctx.Done()
		return nil
	}, o)
	served(t, h, func(t *testing.T, dial func() net.Conn) {
		for range 20 { // which of the two is seen first is random
			conn := dial()
			if _, err := io.WriteString(conn, request(hello, len(hello))); err != nil {
				t.Fatal(err)
			}
			resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
			if err != nil {
				t.Fatal(err)
			}
			time.Sleep(70 * time.Second)
			if body, err := io.ReadAll(resp.Body); err != nil || !strings.Contains(string(body), `"code":"timeout"`) {
				t.Fatalf("answered %s, %v", body, err)
			}
		}
	})
}

func TestThePersonGoes(t *testing.T) {
	var cause, wrote error
	var log bytes.Buffer
	o := extension.HandlerOptions{Unsigned: true, Hosts: quiet.Hosts, Logger: slog.New(slog.NewTextHandler(&log, nil))}
	h := extension.NewHandler(func(ctx context.Context, _ *extension.Request, w *extension.Writer) error {
		<-ctx.Done()
		cause = ctx.Err()
		for range 3 { // by the second write, at the latest, the connection is known to be closed
			wrote = w.Text("is anybody there?")
		}
		return ctx.Err()
	}, o)
	served(t, h, func(t *testing.T, dial func() net.Conn) {
		conn := dial()
		if _, err := io.WriteString(conn, request(hello, len(hello))); err != nil {
			t.Fatal(err)
		}
		if _, err := http.ReadResponse(bufio.NewReader(conn), nil); err != nil {
			t.Fatal(err)
		}
		_ = conn.Close()
	})
	if cause != context.Canceled || wrote == nil || !strings.Contains(wrote.Error(), "the client has disconnected") {
		t.Errorf("the agent learned %v, and of its text %v", cause, wrote)
	}
	if log.Len() > 0 {
		t.Errorf("it is news to the log: %s", &log)
	}
}

// A write that fails ends the context even if nothing else does.
func TestThePersonReadsNothing(t *testing.T) {
	var took time.Duration
	var wrote error
	o := quiet
	o.Heartbeat = -1 // it would wait for the write on a mutex, where fake time does not advance
	h := extension.NewHandler(func(ctx context.Context, _ *extension.Request, w *extension.Writer) error {
		start := time.Now()
		for wrote == nil {
			wrote = w.Text(strings.Repeat("x", 64<<10))
		}
		<-ctx.Done()
		took = time.Since(start)
		return nil
	}, o)
	served(t, h, func(t *testing.T, dial func() net.Conn) {
		conn := dial()
		if _, err := io.WriteString(conn, request(hello, len(hello))); err != nil {
			t.Fatal(err)
		}
		if _, err := http.ReadResponse(bufio.NewReader(conn), nil); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Hour)
		_ = conn.Close()
	})
	if took != 30*time.Second || wrote == nil {
		t.Errorf("the agent wrote for %v, until %v", took, wrote)
	}
}

// The limits of one answer do not hold for the next one on the same connection.
func TestAConnectionIsUsedAgain(t *testing.T) {
	h := extension.NewHandler(func(ctx context.Context, _ *extension.Request, w *extension.Writer) error {
		time.Sleep(5*time.Minute - time.Second)
		if ctx.Err() != nil { // because of a deadline of the request
			return ctx.Err()
		}
		return w.Text("a")
	}, quiet)
	served(t, h, func(t *testing.T, dial func() net.Conn) {
		conn := dial()
		for range 2 {
			status, body := exchange(t, conn, request(hello, len(hello)))
			if want := ack + strings.Repeat(": working\n\n", 24) + textChunk(`"a"`) + end; status != 200 || body != want {
				t.Errorf("answered %d\n%s", status, cmp.Diff(want, body))
			}
			time.Sleep(time.Hour)
		}
	})
}

func TestABodyThatDoesNotCome(t *testing.T) {
	h := extension.NewHandler(func(context.Context, *extension.Request, *extension.Writer) error { return nil }, quiet)
	served(t, h, func(t *testing.T, dial func() net.Conn) {
		start := time.Now()
		status, body := exchange(t, dial(), request(hello[:10], len(hello)))
		if took := time.Since(start); status != 408 || body != "the request did not arrive within 30s\n" || took != 30*time.Second {
			t.Errorf("answered %d %q after %v", status, body, took)
		}
	})
}

// A request that announces too long a body is refused before the body is sent.
func TestALongBodyThatDoesNotCome(t *testing.T) {
	o := quiet
	o.MaxBody = 5
	h := extension.NewHandler(func(context.Context, *extension.Request, *extension.Writer) error { return nil }, o)
	served(t, h, func(t *testing.T, dial func() net.Conn) {
		for _, length := range []int{6, 100 << 20} {
			start := time.Now()
			status, body := exchange(t, dial(), request("", length))
			if took := time.Since(start); status != 413 || body != "the request is longer than 5 bytes\n" || took != 0 {
				t.Errorf("%d bytes: answered %d %q after %v", length, status, body, took)
			}
		}
	})
}

// A client that disconnects in the middle of a body gets no answer and blocks nothing.
func TestABodyThatBreaksOff(t *testing.T) {
	h := extension.NewHandler(func(context.Context, *extension.Request, *extension.Writer) error {
		t.Error("the agent was run")
		return nil
	}, quiet)
	served(t, h, func(t *testing.T, dial func() net.Conn) {
		conn := dial()
		if _, err := io.WriteString(conn, request(hello[:10], len(hello))); err != nil {
			t.Fatal(err)
		}
		_ = conn.Close()
		synctest.Wait()
	})
}

// A refused client that does not send its body gets the answer after the limit on reading.
func TestABodyThatDoesNotComeAndIsNotWanted(t *testing.T) {
	h := extension.NewHandler(func(context.Context, *extension.Request, *extension.Writer) error { return nil }, quiet)
	served(t, h, func(t *testing.T, dial func() net.Conn) {
		start := time.Now()
		conn := dial()
		_ = conn.SetReadDeadline(start.Add(time.Hour))
		status, _ := exchange(t, conn, strings.Replace(request("", 10), "POST", "PUT", 1))
		if took := time.Since(start); status != 405 || took != 30*time.Second {
			t.Errorf("answered %d after %v", status, took)
		}
	})
}
