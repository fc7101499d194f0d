package model_test

import (
	"encoding/json"
	"os"
	"testing"

	"github.com/sidestick-dev/sidestick/internal/model"
)

// The answers of real servers, or those that their own documentation and source show, each with where it is from.
// docs/models.md, "The window of a server", has the same sources.
func TestWindowsInQuotedAnswers(t *testing.T) {
	data, err := os.ReadFile("../../e2e/local/testdata/answers.json")
	if err != nil {
		t.Fatal(err)
	}
	var quoted []struct {
		Server, Path, Source, Kind string
		Window                     int64
		Answer                     json.RawMessage
	}
	if err := json.Unmarshal(data, &quoted); err != nil || len(quoted) == 0 {
		t.Fatalf("%d answers: %v", len(quoted), err)
	}
	for _, q := range quoted {
		t.Run(q.Server+" "+q.Path, func(t *testing.T) {
			s := newSite(map[string]string{q.Path: string(q.Answer)})
			defer s.Close()
			got, err := s.client().Window(t.Context(), model.Endpoint{BaseURL: "http://server.test/v1"}, modelIn(q.Answer))
			if err != nil || got.Tokens != q.Window {
				t.Errorf("the window is %+v (%v), want %d; asked: %q", got, err, q.Window, s.asked)
			}
			if q.Source == "" || q.Kind == "" {
				t.Error("it does not say where the answer is from")
			}
		})
	}
}

// modelIn is the name of the first model in an answer, "m" if it names none.
func modelIn(answer []byte) string {
	var page struct {
		Data   []struct{ ID string }
		Models []struct{ Key, Name string }
	}
	_ = json.Unmarshal(answer, &page) // /props has neither
	switch {
	case len(page.Data) > 0:
		return page.Data[0].ID
	case len(page.Models) > 0:
		return page.Models[0].Key + page.Models[0].Name
	}
	return "m"
}
