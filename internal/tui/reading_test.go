package tui

import (
	"context"
	"errors"
	"slices"
	"testing"
)

// One reading is under way at a time; of those that were asked for meanwhile, the last one follows.
func TestAnOlderResultNeverReplacesANewerOne(t *testing.T) {
	var works []func(context.Context) func()
	beside := func(work func(context.Context) func()) { works = append(works, work) }
	var r Reading
	var shown []string
	begin := func(what string, err error) {
		r.Begin(beside, func(context.Context) (func(), error) {
			return func() { shown = append(shown, what) }, err
		}, func(err error) { shown = append(shown, err.Error()) })
	}
	begin("first", nil)
	begin("second", nil)
	begin("third", errors.New("it failed"))
	for i := 0; i < len(works); i++ {
		if len(works) != i+1 {
			t.Fatalf("%d readings are under way", len(works)-i)
		}
		works[i](t.Context())()
	}
	begin("fourth", nil)
	works[2](t.Context())()
	if want := []string{"first", "it failed", "fourth"}; !slices.Equal(shown, want) {
		t.Errorf("shown: %q, want %q", shown, want)
	}
}
