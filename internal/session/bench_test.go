package session_test

import (
	"context"
	"fmt"
	"log/slog"
	"testing"

	"github.com/sidestick-dev/sidestick/internal/eventlog/files"
	"github.com/sidestick-dev/sidestick/internal/model"
	"github.com/sidestick-dev/sidestick/internal/model/modeltest"
	"github.com/sidestick-dev/sidestick/internal/session"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// benchRegistry is a registry on the real file system with a model in process.
func benchRegistry(b *testing.B, replies ...modeltest.Reply) *session.Registry {
	b.Helper()
	srv := modeltest.NewServer(replies...)
	store, err := files.Open(files.Options{Root: b.TempDir()})
	if err != nil {
		b.Fatal(err)
	}
	reg := session.NewRegistry(session.Options{
		Store: store, Version: "bench", Cwd: b.TempDir(),
		Model:    model.New(model.Options{Transport: srv.Transport(), Logger: slog.New(slog.DiscardHandler)}),
		Provider: session.Provider{Endpoint: model.Endpoint{BaseURL: "http://model.test/v1"}, Model: "m"},
	})
	b.Cleanup(func() {
		if err := reg.Close(context.Background()); err != nil {
			b.Error(err)
		}
		srv.Close()
	})
	return reg
}

func BenchmarkCreate(b *testing.B) {
	reg := benchRegistry(b)
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		if _, err := reg.Create(context.Background(), wire.Config{SessionID: fmt.Sprint("s", i)}); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkRun is a session's whole life: create, one message, one model call,
// its answer told to one client, close.
func BenchmarkRun(b *testing.B) {
	reg := benchRegistry(b, modeltest.Reply{Text: "an answer of a few words", Repeat: true})
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		c, err := reg.Create(context.Background(), wire.Config{SessionID: fmt.Sprint("r", i)})
		if err != nil {
			b.Fatal(err)
		}
		if _, err := c.Session().Send(context.Background(), wire.Send{Prompt: "hi"}); err != nil {
			b.Fatal(err)
		}
		untilIdle(b, c)
		if err := c.Session().Close(context.Background()); err != nil {
			b.Fatal(err)
		}
	}
}

func untilIdle(b *testing.B, c *session.Client) {
	for rec, err := range c.Tail().Records(context.Background()) {
		if err != nil {
			b.Fatal(err)
		}
		if e, err := wire.ParseEvent(rec.AppendJSON(nil)); err == nil && e.Type == "session.idle" {
			return
		}
	}
}
