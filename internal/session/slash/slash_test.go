package slash_test

import (
	"context"
	"errors"
	"testing"

	"github.com/sidestick-dev/sidestick/internal/session/slash"
)

// A table finds a command by its name or alias, those of its place first, and says what is done with the rest.
func TestATableCarriesOutCommands(t *testing.T) {
	did := func(what string) func(context.Context, string) (string, error) {
		return func(_ context.Context, arg string) (string, error) { return what + "(" + arg + ")", nil }
	}
	table := slash.Table[string]{
		Own: []slash.Command{{Names: []string{"effort"}, Args: "[LEVEL]"}, {Names: []string{"usage"}, Args: "[OF]"}},
		Do:  map[string]func(context.Context, string) (string, error){"effort": did("effort"), "usage": did("usage"), "quit": did("quit"), "model": did("model")},
		Rest: func(_ context.Context, c slash.Command, arg string) (string, error) {
			return "rest " + c.Name() + "(" + arg + ")", nil
		},
		Other: func(_ context.Context, name, arg string) (string, error) {
			return "other " + name + "(" + arg + ")", nil
		},
	}
	for line, want := range map[string]string{
		"/effort high": "effort(high)", "/MODEL": "model()", "/q": "quit()", "/usage all": "usage(all)",
		"/clear": "rest new()", "/clear it": "rest new(it)", "/Brew it": "other Brew(it)",
	} {
		name, arg, _ := slash.Split(line)
		if got, err := table.Run(t.Context(), name, arg); got != want || err != nil {
			t.Errorf("%s: %q, %v, want %q", line, got, err, want)
		}
	}
	got, err := table.Run(t.Context(), "q", "now")
	if refused := (slash.RefusedError{}); got != "" || !errors.As(err, &refused) || refused.Name != "quit" || refused.Arg != "now" {
		t.Errorf("/q now: %q, %v, want that it takes no argument", got, err)
	}
}
