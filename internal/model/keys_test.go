package model_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sidestick-dev/sidestick/internal/model"
	"github.com/sidestick-dev/sidestick/internal/model/chat"
	"github.com/sidestick-dev/sidestick/internal/testing/modeltest"
)

// A key may have been replaced since it was read: by the user, or because it was for a short time.
func TestARefusedKeyIsAskedForOnceMore(t *testing.T) {
	refusal := modeltest.Reply{Status: 401, Body: `{"error":{"message":"wrong key old-key-0123456789"}}`}
	for _, tc := range []struct {
		name   string
		ep     model.Endpoint
		keys   []string // what Keys returns, one after the other
		script []modeltest.Reply
		sent   []string // the keys in the requests
		asked  []string // the keys that were refused before Keys was called
		fails  bool
	}{
		{"accepted", model.Endpoint{}, []string{"a"}, []modeltest.Reply{{Text: "hi"}}, []string{"Bearer a"}, []string{""}, false},
		{"there is another", model.Endpoint{}, []string{"a", "b"}, []modeltest.Reply{refusal, {Text: "hi"}}, []string{"Bearer a", "Bearer b"}, []string{"", "a"}, false},
		{"there is no other", model.Endpoint{}, []string{"a", "a"}, []modeltest.Reply{refusal}, []string{"Bearer a"}, []string{"", "a"}, true},
		{"the other one is refused, too", model.Endpoint{}, []string{"a", "b", "c"}, []modeltest.Reply{refusal, refusal}, []string{"Bearer a", "Bearer b"}, []string{"", "a"}, true},
		{"there is none", model.Endpoint{}, []string{""}, []modeltest.Reply{refusal}, []string{""}, []string{""}, true},
		{"the endpoint has a key", model.Endpoint{APIKey: "own"}, nil, []modeltest.Reply{{Text: "hi"}}, []string{"Bearer own"}, nil, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			srv := modeltest.NewServer(tc.script...)
			defer srv.Close()
			var asked []string
			ep := tc.ep
			ep.BaseURL = endpoint.BaseURL
			ep.Keys = func(_ context.Context, refused string) (string, error) {
				asked = append(asked, refused)
				return tc.keys[len(asked)-1], nil
			}
			_, err := newClient(srv).Stream(t.Context(), ep, asking, nil)
			if (err != nil) != tc.fails {
				t.Errorf("the call ends with %v", err)
			}
			var sent []string
			for _, r := range srv.Requests() {
				sent = append(sent, r.Header.Get("Authorization"))
			}
			if diff := cmp.Diff(tc.sent, sent); diff != "" {
				t.Error("keys that were sent (-want +got):\n" + diff)
			}
			if diff := cmp.Diff(tc.asked, asked); diff != "" {
				t.Error("Keys was asked after (-want +got):\n" + diff)
			}
		})
	}
}

func TestWithoutItsKeyACallIsNotMade(t *testing.T) {
	srv := modeltest.NewServer(modeltest.Reply{Text: "hi"})
	defer srv.Close()
	locked := errors.New("the keyring is locked")
	ep := endpoint
	ep.Keys = func(context.Context, string) (string, error) { return "", locked }
	if _, err := newClient(srv).Stream(t.Context(), ep, asking, nil); !errors.Is(err, locked) || len(srv.Requests()) != 0 {
		t.Errorf("the call ends with %v after %d requests", err, len(srv.Requests()))
	}
	if _, err := newClient(srv).Models(t.Context(), ep); !errors.Is(err, locked) {
		t.Errorf("the list of models ends with %v", err)
	}
}

func TestAListIsAskedForWithAnotherKey(t *testing.T) {
	var sent []string
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		sent = append(sent, r.Header.Get("Authorization"))
		if sent[len(sent)-1] != "Bearer new" {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		_, _ = w.Write([]byte(`{"data":[{"id":"m"}]}`))
	}))
	defer srv.Close()
	c := model.New(model.Options{}, chat.New())
	defer c.Close()
	infos, err := c.Models(t.Context(), model.Endpoint{BaseURL: srv.URL, Keys: func(_ context.Context, refused string) (string, error) {
		if refused == "old" {
			return "new", nil
		}
		return "old", nil
	}})
	if err != nil || len(infos) != 1 {
		t.Errorf("the list is %v, %v", infos, err)
	}
	if diff := cmp.Diff([]string{"Bearer old", "Bearer new"}, sent); diff != "" {
		t.Error("keys that were sent (-want +got):\n" + diff)
	}
}
