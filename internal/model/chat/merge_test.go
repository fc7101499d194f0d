package chat

import (
	"testing"

	"github.com/sidestick-dev/sidestick/internal/model"
)

func TestAnAnswerIsBounded(t *testing.T) {
	m := merger{size: model.MaxAnswer - 1}
	if err := m.add(&chunk{Choices: []choice{{Text: "a"}}}); err != nil {
		t.Errorf("at the bound: %v", err)
	}
	if err := m.add(&chunk{Choices: []choice{{Text: "b"}}}); err == nil {
		t.Error("past the bound: no error")
	}
	m = merger{}
	if err := m.add(&chunk{Choices: make([]choice, maxCalls+1)}); err != nil {
		t.Errorf("one choice many times: %v", err)
	}
	many := make([]choice, maxCalls+1)
	for i := range many {
		many[i].Index = i
	}
	if err := m.add(&chunk{Choices: many}); err == nil {
		t.Error("too many choices: no error")
	}
}
