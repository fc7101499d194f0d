package turn

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sidestick-dev/sidestick/internal/model"
)

func TestCitationsCountInTheUnitsOfTheProtocol(t *testing.T) {
	const text = "é𝄞 is a clef. So."
	got, err := json.Marshal(citationsOf(text, []model.Citation{
		{Start: 0, End: 18, Cited: "a clef", Title: "music.pdf", Unit: "page", From: 2, To: 3},
		{Start: 0, End: 18, Cited: "clef", Title: "music.pdf", Unit: "char", From: 4, To: 9},
		{Start: 18, End: len(text), Title: "other.pdf", Document: 1},
	}))
	want := `{"sources":[{"id":"document-0","provider":"anthropic","title":"music.pdf"},{"id":"document-1","provider":"anthropic","title":"other.pdf"}],` +
		`"spans":[{"endIndex":15,"references":[{"citedText":"a clef","location":{"type":"page","endPage":3,"startPage":2},"sourceId":"document-0"},` +
		`{"citedText":"clef","location":{"type":"char","endIndex":9,"startIndex":4},"sourceId":"document-0"}],"startIndex":0},` +
		`{"endIndex":18,"references":[{"sourceId":"document-1"}],"startIndex":15}]}`
	if d := cmp.Diff(want, string(got)); d != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, d)
	}
	if citationsOf(text, nil) != nil {
		t.Error("an answer without citations has some")
	}
}
