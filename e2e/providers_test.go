package e2e_test

import (
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	copilot "github.com/github/copilot-sdk/go"

	"github.com/sidestick-dev/sidestick/internal/testing/modeltest"
)

// A program that brings several providers chooses a model of one of them, and gives each
// request a fresh token. A token that it cannot give fails the run with the reason, and is
// nowhere in the log.
func TestSeveralProvidersWithTokens(t *testing.T) {
	red, blue := script(t, modeltest.Reply{Status: 503}, say("Red.")), script(t, say("Blue."))
	var calls atomic.Int32
	var broken atomic.Bool
	tokens := func(p copilot.ProviderTokenArgs) (string, error) {
		if broken.Load() {
			return "", errors.New("the vault is closed")
		}
		return fmt.Sprintf("token-for-%s-%d", p.ProviderName, calls.Add(1)), nil
	}
	s := create(t, spawned(t), copilot.SessionConfig{
		Model: "red/m",
		Providers: []copilot.NamedProviderConfig{
			{Name: "red", BaseURL: red.URL() + "/v1", BearerTokenProvider: tokens, Headers: map[string]string{"X-Colour": "red"}},
			{Name: "blue", BaseURL: blue.URL() + "/v1", APIKey: "unused-key-of-blue", BearerTokenProvider: tokens},
		},
		Models: []copilot.ProviderModelConfig{{ID: "m", Provider: "red", WireModel: "red-1"}, {ID: "m", Provider: "blue"}},
	})
	if answer := s.ask("Which colour?"); answer != "Red." {
		t.Errorf("the answer is %q", answer)
	}
	sent := red.Requests()
	if len(sent) != 2 || sent[0].Header.Get("Authorization") != "Bearer token-for-red-1" || sent[1].Header.Get("Authorization") != "Bearer token-for-red-2" {
		t.Errorf("%d requests, want two with a token each", len(sent))
	}
	if r := lastRequest(t, red); r.Model != "red-1" || r.Header.Get("X-Colour") != "red" {
		t.Errorf("the provider read model %q and header %q", r.Model, r.Header.Get("X-Colour"))
	}
	if err := s.SetModel(soon(t), "blue/m", nil); err != nil {
		t.Fatal(err)
	}
	if answer := s.ask("And now?"); answer != "Blue." {
		t.Errorf("the answer is %q", answer)
	}
	if r := lastRequest(t, blue); r.Model != "m" || r.Header.Get("Authorization") != "Bearer token-for-blue-3" {
		t.Errorf("the provider read model %q and authorization %q", r.Model, r.Header.Get("Authorization"))
	}
	broken.Store(true)
	s.send("Once more")
	failed := await[*copilot.SessionErrorData](t, s.ear, 1)
	if !strings.Contains(failed.Message, "the vault is closed") || !strings.Contains(failed.Message, `"blue"`) {
		t.Errorf("the error is %q", failed.Message)
	}
	if text := strings.Join(persisted(t, s.history()), "\n"); strings.Contains(text, "token-for") || strings.Contains(text, "unused-key") {
		t.Error("a token is in the log")
	}
}
