package model_test

import (
	"context"
	"errors"
	"log/slog"
	"testing"

	"go.uber.org/goleak"

	"github.com/sidestick-dev/sidestick/internal/model"
	"github.com/sidestick-dev/sidestick/internal/model/chat"
	"github.com/sidestick-dev/sidestick/internal/testing/modeltest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// endpoint is where in-process servers are thought to be.
var endpoint = model.Endpoint{BaseURL: "http://model.test/v1"}

// asking is a request that streams; asked one that does not.
var (
	asking = model.Request{Model: "m", Stream: true, Messages: []model.Message{{Role: model.RoleUser, Content: "hi"}}}
	asked  = model.Request{Model: "m", Messages: asking.Messages}
)

// newClient returns a client of srv that keeps its mouth shut.
func newClient(srv *modeltest.Server) *model.Client {
	return model.New(model.Options{Transport: srv.Transport(), Logger: slog.New(slog.DiscardHandler)}, chat.New())
}

// call sends one request to a fresh server with a script.
func call(t *testing.T, req model.Request, script ...modeltest.Reply) (*model.Response, []model.Delta, error) {
	t.Helper()
	return callIn(t.Context(), req, script...)
}

func callIn(ctx context.Context, req model.Request, script ...modeltest.Reply) (*model.Response, []model.Delta, error) {
	srv := modeltest.NewServer(script...)
	defer srv.Close()
	var deltas []model.Delta
	resp, err := newClient(srv).Stream(ctx, endpoint, req, func(d model.Delta) { deltas = append(deltas, d) })
	return resp, deltas, err
}

// failure returns the *model.Error in err and fails the test if there is none.
func failure(t *testing.T, err error) *model.Error {
	t.Helper()
	var e *model.Error
	if !errors.As(err, &e) {
		t.Fatalf("error %v (%T) holds no *model.Error", err, err)
	}
	return e
}
