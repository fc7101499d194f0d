package app

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

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
			checks := newSurvey(&cli.Options{}, cfg).checkProvider(t.Context(), false)
			got := checks[slices.IndexFunc(checks, func(c cli.Check) bool { return c.About == "provider" })]
			if got.Grade != tc.want {
				t.Errorf("the check is %+v, want grade %v", got, tc.want)
			}
		})
	}
}

func TestTheClockIsComparedWithTheProviders(t *testing.T) {
	at := time.Date(2026, 11, 22, 12, 0, 0, 900_000_000, time.UTC)
	for _, tc := range []struct {
		date string
		want cli.Grade
		is   string
	}{
		{at.Format(http.TimeFormat), cli.Good, "agrees"},
		{at.Add(59 * time.Second).Format(http.TimeFormat), cli.Good, "agrees"},
		{at.Add(-5 * time.Minute).Format(http.TimeFormat), cli.Fair, "it is 5m1s ahead"},
		{at.Add(5 * time.Minute).Format(http.TimeFormat), cli.Fair, "it is 4m59s behind"},
		{"", cli.Fair, "no date"},
		{"yesterday", cli.Fair, "no date"},
	} {
		if got := skew(cli.Check{Grade: cli.Fair}, tc.date, at, at); got.Grade != tc.want || !strings.Contains(got.Is, tc.is) {
			t.Errorf("with the date %q: %+v, want %q", tc.date, got, tc.is)
		}
	}
}

func TestTheProxyOfTheEnvironmentIsShownWithoutItsPassword(t *testing.T) {
	if got := checkProxy("http://127.0.0.1:1/v1"); got.Grade != cli.Good || got.Is != "none" {
		t.Errorf("for this machine: %+v", got)
	}
}
