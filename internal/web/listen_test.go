package web_test

import (
	"context"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/sidestick-dev/sidestick/internal/eventlog/files"
	"github.com/sidestick-dev/sidestick/internal/model"
	"github.com/sidestick-dev/sidestick/internal/model/modeltest"
	"github.com/sidestick-dev/sidestick/internal/session"
	"github.com/sidestick-dev/sidestick/internal/vfs"
	"github.com/sidestick-dev/sidestick/internal/web"
)

// Whoever waits for an answer when the program ends is told so, in the form of the
// protocol.
func TestListenEndsWithItsContext(t *testing.T) {
	provider := modeltest.NewServer(modeltest.Reply{Text: "Wait a moment.", Piece: 4, StallAfter: 3})
	defer provider.Close()
	store, err := files.Open(files.Options{Root: "/home/session-state", FS: vfs.NewMem()})
	if err != nil {
		t.Fatal(err)
	}
	sessions := session.NewRegistry(session.Options{
		Store: store, Version: "test", Cwd: "/work", FS: vfs.NewMem(),
		Model:    model.New(model.Options{Transport: provider.Transport(), Logger: slog.New(slog.DiscardHandler)}),
		Provider: session.Provider{Endpoint: model.Endpoint{BaseURL: "http://model.test/v1"}, Model: "m"},
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
