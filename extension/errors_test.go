package extension_test

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/sidestick-dev/sidestick/extension"
)

// An importer of the package can name each kind of error, and reaches the details by errors.As.
// This file imports nothing that an importer cannot import.
func TestKindsOfErrors(t *testing.T) {
	kinds := map[string]error{
		"invalid": extension.ErrInvalid, "denied": extension.ErrDenied, "not found": extension.ErrNotFound,
		"conflict": extension.ErrConflict, "unavailable": extension.ErrUnavailable, "canceled": extension.ErrCanceled,
	}
	canceled, cancel := context.WithCancel(t.Context())
	cancel()
	for _, tc := range []struct {
		name, kind string
		err        error
	}{
		{"ParseRequest", "invalid", second(extension.ParseRequest([]byte("{}")))},
		{"MarshalJSON", "invalid", second((&extension.Request{Rest: map[string]json.RawMessage{"a": json.RawMessage("{")}}).MarshalJSON())},
		{"UnmarshalJSON", "invalid", new(extension.Reference).UnmarshalJSON([]byte("[]"))},
		{"ReadReply of a page", "invalid", readAll(strings.NewReader("<html>"))},
		{"ReadReply of half an event", "unavailable", readAll(strings.NewReader("data: {"))},
		{"FixedKeys", "invalid", second(extension.FixedKeys("none"))},
		{"ParseSigner", "invalid", second(extension.ParseSigner(nil))},
		{"Verify without a signature", "denied", extension.Verify(t.Context(), brokenKeys{}, http.Header{}, nil)},
		{"Verify with keys that fail", "unavailable", extension.Verify(t.Context(), brokenKeys{}, signedHeaderOf(t), nil)},
		{"Call of a bad address", "invalid", callAt(t.Context(), "ftp://agent.test")},
		{"Call without encryption", "denied", callAt(t.Context(), "http://agent.test")},
		{"Call of 401", "denied", callAt(t.Context(), serve(t, withStatus(401, "no")).URL)},
		{"Call of 404", "not found", callAt(t.Context(), serve(t, withStatus(404, "no")).URL)},
		{"Call of 503", "unavailable", callAt(t.Context(), serve(t, withStatus(503, "no")).URL)},
		{"Call that is canceled", "canceled", callAt(canceled, serve(t, withStatus(200, hi)).URL)},
		{"CallSkill", "invalid", second(extension.NewClient(extension.ClientOptions{}).CallSkill(t.Context(), "http://localhost", json.RawMessage("1"), ""))},
		{"Decide", "conflict", decideNothing(t.Context())},
		{"Writer.Errors", "invalid", answered(t, func(w *extension.Writer) error { return w.Errors(extension.Fault{}) })},
		{"Writer.Stream that ends early", "unavailable", answered(t, func(w *extension.Writer) error { return w.Stream(strings.NewReader("")) })},
		{"Writer.Stream of no chunks", "invalid", answered(t, func(w *extension.Writer) error { return w.Stream(strings.NewReader("data: x\n\n")) })},
		{"Writer.Stream of a reader that fails", "unavailable", answered(t, func(w *extension.Writer) error { return w.Stream(&brokenReader{}) })},
	} {
		for name, kind := range kinds {
			if is := errors.Is(fmt.Errorf("the caller's words: %w", tc.err), kind); is != (name == tc.kind) {
				t.Errorf("%s: %v is of the kind %s: %v, want %s", tc.name, tc.err, name, is, tc.kind)
			}
		}
	}
	var status *extension.StatusError
	if err := callAt(t.Context(), serve(t, withStatus(503, "no")).URL); !errors.As(err, &status) || status.Status != 503 {
		t.Errorf("the status of %v is %+v", err, status)
	}
	if err := callAt(canceled, "http://localhost"); !errors.Is(err, context.Canceled) {
		t.Errorf("the reason of %v is not reachable", err)
	}
}

func second[T any](_ T, err error) error { return err }

func readAll(r io.Reader) error {
	for _, err := range extension.ReadReply(r) {
		if err != nil {
			return err
		}
	}
	return nil
}

func callAt(ctx context.Context, url string) error {
	r := &extension.Request{Messages: []extension.Message{{Role: "user", Content: "hi"}}}
	for _, err := range extension.NewClient(extension.ClientOptions{}).Call(ctx, url, r) {
		if err != nil {
			return err
		}
	}
	return nil
}

func decideNothing(ctx context.Context) error {
	for _, err := range extension.NewClient(extension.ClientOptions{}).NewThread("http://localhost").Decide(ctx, extension.Confirmation{}, true) {
		return err
	}
	return nil
}

// answered returns the error of a method of the Writer.
func answered(t *testing.T, write func(*extension.Writer) error) (err error) {
	t.Helper()
	postBody(t, extension.NewHandler(func(_ context.Context, _ *extension.Request, w *extension.Writer) error {
		err = write(w)
		return nil
	}, quiet), hello)
	return err
}

// signedHeaderOf returns the header of a request without a body that is signed.
func signedHeaderOf(t *testing.T) http.Header {
	t.Helper()
	signer, err := extension.GenerateSigner()
	if err != nil {
		t.Fatal(err)
	}
	id, signature, err := signer.Sign(nil)
	if err != nil {
		t.Fatal(err)
	}
	return http.Header{"X-Github-Public-Key-Identifier": {id}, "X-Github-Public-Key-Signature": {signature}}
}

// brokenKeys is a source of keys that has none.
type brokenKeys struct{}

func (brokenKeys) Key(context.Context, string) (*ecdsa.PublicKey, error) {
	return nil, errors.New("the database is down")
}

// brokenReader is a model's stream that breaks.
type brokenReader struct{ bytes.Buffer }

func (*brokenReader) Read([]byte) (int, error) { return 0, errors.New("the cable is cut") }
