package web_test

import (
	"bufio"
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

	"github.com/sidestick-dev/sidestick/internal/eventlog"
	"github.com/sidestick-dev/sidestick/internal/eventlog/files"
	"github.com/sidestick-dev/sidestick/internal/model"
	"github.com/sidestick-dev/sidestick/internal/model/chat"
	"github.com/sidestick-dev/sidestick/internal/model/extensions"
	"github.com/sidestick-dev/sidestick/internal/session/provider"
	"github.com/sidestick-dev/sidestick/internal/session/registry"
	"github.com/sidestick-dev/sidestick/internal/testing/dialtest"
	"github.com/sidestick-dev/sidestick/internal/testing/modeltest"
	"github.com/sidestick-dev/sidestick/internal/vfs"
	"github.com/sidestick-dev/sidestick/internal/web"
)

// A client that waits for an answer when the program ends is sent that reason, in the form
// of the protocol.
func TestListenEndsWithItsContext(t *testing.T) {
	fake := modeltest.NewServer(modeltest.Reply{Text: "Wait a moment.", Piece: 4, StallAfter: 3})
	defer fake.Close()
	store, err := files.Open(files.Options{Root: "/home/session-state", FS: vfs.NewMem()})
	if err != nil {
		t.Fatal(err)
	}
	sessions := registry.New(registry.Options{
		Store: store, Version: "test", Cwd: "/work", FS: vfs.NewMem(),
		Model:    model.New(model.Options{Transport: fake.Transport(), Logger: slog.New(slog.DiscardHandler)}, chat.New(), extensions.New(nil)),
		Provider: provider.Provider{Endpoint: model.Endpoint{BaseURL: "http://model.test/v1"}, Model: "m"},
	})
	door := web.New(web.Options{Sessions: sessions, Key: make([]byte, 32), Loopback: true})
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, end := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- door.Listen(ctx, l) }()

	resp, err := http.Post("http://"+l.Addr().String()+"/", "application/json", strings.NewReader(body("t1", `{"role":"user","content":"Go."}`)))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	beginning := make([]byte, 100)
	if _, err := io.ReadFull(resp.Body, beginning); err != nil {
		t.Fatal(err)
	}
	end()
	rest, err := io.ReadAll(resp.Body)
	if got := string(rest); err != nil || !strings.Contains(got, `"code":"shutdown"`) || !strings.HasSuffix(got, "data: [DONE]\n\n") {
		t.Errorf("the answer ends (%v) with:\n%s", err, got)
	}
	if err := <-ended; err != nil {
		t.Errorf("Listen = %v", err)
	}
	closing, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if err := door.Close(closing); err != nil {
		t.Errorf("Close = %v", err)
	}
	if err := sessions.Close(closing); err != nil {
		t.Errorf("Close = %v", err)
	}
	http.DefaultClient.CloseIdleConnections()
}

// endingStore is a store that gets no session made before the program ends.
type endingStore struct {
	registry.Store
	end func()
}

func (s endingStore) Create(ctx context.Context, _ string) (eventlog.Stream, error) {
	s.end()
	<-ctx.Done()
	return nil, ctx.Err()
}

// An answer that the end of the program has stopped must never look complete, even if the
// program ends before the run has begun.
func TestListenEndsBeforeTheRunBegins(t *testing.T) {
	for _, tc := range []struct{ name, line, body, want string }{
		{"the agent", "POST /", body("t1", `{"role":"user","content":"Go."}`), `"code":"shutdown"`},
		{"the model, as a stream", "POST /v1/chat/completions", `{"stream":true,"messages":[{"role":"user","content":"Go."}]}`, " 503 "},
		{"the model, whole", "POST /v1/chat/completions", `{"messages":[{"role":"user","content":"Go."}]}`, " 503 "},
	} {
		t.Run(tc.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, end := context.WithCancel(t.Context())
				store, err := files.Open(files.Options{Root: "/home/session-state", FS: vfs.NewMem()})
				if err != nil {
					t.Fatal(err)
				}
				sessions := registry.New(registry.Options{Store: endingStore{store, end}, Version: "test", Cwd: "/work", FS: vfs.NewMem()})
				door := web.New(web.Options{Sessions: sessions, Key: make([]byte, 32), Loopback: true})
				listener, ended := dialtest.NewListener(), make(chan error, 1)
				go func() { ended <- door.Listen(ctx, listener) }()
				client := listener.Dial()
				if _, err := fmt.Fprintf(client, "%s HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", tc.line, len(tc.body), tc.body); err != nil {
					t.Fatal(err)
				}
				answer, err := io.ReadAll(client)
				if got := string(answer); err != nil || !strings.Contains(got, tc.want) {
					t.Errorf("the answer (%v) is without %s:\n%s", err, tc.want, got)
				}
				if err := errors.Join(<-ended, door.Close(t.Context()), sessions.Close(t.Context())); err != nil {
					t.Error(err)
				}
			})
		})
	}
}

func TestListenReturnsWhenItsListenerFails(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	_ = l.Close()
	if err := web.New(web.Options{}).Listen(t.Context(), l); err == nil {
		t.Error("Listen = nil for a listener that is closed")
	}
}

// A client that does not send the body that it has announced cannot hold a connection for
// ever, for every answer.
func TestBodiesThatDoNotCome(t *testing.T) {
	for _, tc := range []struct {
		name, line, host, token string
		status                  int
	}{
		{"to the agent", "POST /", "localhost", "", 408},
		{"to the agent by another method", "PUT /", "localhost", "", 405},
		{"to the agent by another name", "POST /", "evil.example", "", 403},
		{"to the model", "POST /v1/chat/completions", "localhost", "", 408},
		{"to the model by another name", "POST /v1/chat/completions", "evil.example", "", 403},
		{"to the model without a token", "POST /v1/chat/completions", "localhost", "t", 401},
		{"to what is not there", "POST /v1/other", "localhost", "", 404},
	} {
		t.Run(tc.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, end := context.WithCancel(t.Context())
				listener, ended := dialtest.NewListener(), make(chan error, 1)
				go func() { ended <- web.New(web.Options{Loopback: true, Token: tc.token}).Listen(ctx, listener) }()
				client := listener.Dial()
				start := time.Now()
				_ = client.SetDeadline(start.Add(time.Hour))
				if _, err := io.WriteString(client, tc.line+" HTTP/1.1\r\nHost: "+tc.host+"\r\nContent-Length: 10\r\n\r\n"); err != nil {
					t.Fatal(err)
				}
				resp, err := http.ReadResponse(bufio.NewReader(client), nil)
				if took := time.Since(start); err != nil || resp.StatusCode != tc.status || took != 30*time.Second {
					t.Errorf("answered %v, %v after %v", resp, err, took)
				}
				_ = client.Close()
				end()
				if err := <-ended; err != nil {
					t.Errorf("Listen = %v", err)
				}
				time.Sleep(time.Second) // the server waits when it did not read the whole body
			})
		})
	}
}

// A client that does not read a whole answer cannot hold a request for ever.
func TestNobodyReadsAWholeAnswer(t *testing.T) {
	bubble(t, local, func(p *process) {
		var took time.Duration
		listener, ended := dialtest.NewListener(), make(chan struct{})
		server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			start := time.Now()
			p.door.ServeHTTP(w, r)
			took = time.Since(start)
		})}
		go func() {
			defer close(ended)
			_ = server.Serve(listener)
		}()
		client := listener.Dial()
		const ask = `{"messages":[{"role":"user","content":"Write."}]}`
		if _, err := fmt.Fprintf(client, "POST /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n%s", len(ask), ask); err != nil {
			p.t.Fatal(err)
		}
		if _, err := http.ReadResponse(bufio.NewReader(client), nil); err != nil {
			p.t.Fatal(err)
		}
		time.Sleep(time.Hour)
		_ = client.Close()
		synctest.Wait()
		if took != 30*time.Second {
			p.t.Errorf("the request was answered for %v", took)
		}
		_ = server.Close()
		<-ended
	}, says(strings.Repeat("word ", 100<<10)))
}
