package question

import (
	"testing"
	"time"

	"github.com/sidestick-dev/sidestick/internal/question"
)

// End and Home mark the last answer and the first, where there are no details to scroll.
func TestEndGoesToTheLastAnswer(t *testing.T) {
	asked := &question.Question{Kind: question.Input, Heading: "Which?"}
	for i := range 40 {
		asked.Options = append(asked.Options, question.Option{Text: string(rune('a' + i%26))})
	}
	var q Queue
	q.Add(asked)
	at := time.Now()
	q.Rows(80, 20, at)
	q.Painted(at)
	at = at.Add(5 * time.Second)
	for name, want := range map[string]int{"end": 39, "home": 0} {
		q.Key(key(name), at)
		if got := q.front().choice; got != want {
			t.Errorf("%s marks answer %d, want %d", name, got, want)
		}
	}
}
