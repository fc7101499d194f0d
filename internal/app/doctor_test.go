package app

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/sidestick-dev/sidestick/internal/app/cli"
	"github.com/sidestick-dev/sidestick/internal/config"
)

// A server without a list of models may still serve one; a server that knows no address of
// the API, because the base URL is wrong, does not.
func TestCheckProviderWithoutAList(t *testing.T) {
	for _, tc := range []struct {
		name  string
		calls int // the status of a model call
		want  cli.Grade
	}{
		{"it takes calls", http.StatusBadRequest, cli.Fair},
		{"it takes calls with another key", http.StatusUnauthorized, cli.Fair},
		{"it answers 404 to everything", http.StatusNotFound, cli.Bad},
		{"it redirects", http.StatusFound, cli.Bad},
	} {
		t.Run(tc.name, func(t *testing.T) {
			mux := http.NewServeMux()
			mux.HandleFunc("POST /v1/chat/completions", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(tc.calls) })
			s := httptest.NewServer(mux)
			defer s.Close()
			cfg := config.Config{
				BaseURL: config.Setting[string]{Value: s.URL + "/v1", From: "env OPENAI_BASE_URL"},
				Model:   config.Setting[string]{Value: "m", From: "env SIDESTICK_MODEL"},
			}
			if got := checkProvider(t.Context(), &cli.Options{}, cfg); got[0].Grade != tc.want {
				t.Errorf("the check is %+v, want grade %v", got[0], tc.want)
			}
		})
	}
}
