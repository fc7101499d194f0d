package question

import (
	"strings"
	"testing"
	"time"

	"github.com/sidestick-dev/sidestick/internal/tui/keymap"
)

// ownKeys is a queue with keys of the user.
func ownKeys(t *testing.T, keys map[string][]string) *Queue {
	t.Helper()
	mine, err := keymap.Default().With(keys)
	if err != nil {
		t.Fatal(err)
	}
	return &Queue{Keys: mine}
}

// A question has the keys that the user has chosen, and names them.
func TestKeysOfTheUser(t *testing.T) {
	mine := map[string][]string{
		keymap.QuestionYes: {"o"}, keymap.QuestionSession: {"w"}, keymap.QuestionChoose: {"ctrl+y"}, keymap.Queue: {"f2"}, keymap.Redraw: {"f3"},
		keymap.QuestionDown: {"f4"}, keymap.QuestionNext: {"f5"},
	}
	for name, tc := range map[string]guarded{
		"the chosen keys":      {0, false, []at{{600, "o"}, {900, "ctrl+y"}}, approved, ""},
		"the keys from before": {0, false, []at{{600, "y"}, {900, "enter"}}, open, "y enter"},
		"moved to":             {0, true, []at{{600, "tab"}, {700, "f2"}, {1800, "o"}, {2000, "ctrl+y"}}, approved, "tab"},
		"everywhere":           {0, false, []at{{600, "ctrl+l"}, {700, "f3"}}, open, "f3"},
		"out of the reason":    {0, false, []at{{600, "n"}, {1700, "f4"}, {1800, "f5"}, {1900, "o"}, {2100, "ctrl+y"}}, approved, ""},
	} {
		t.Run(name, func(t *testing.T) { tc.run(t, ownKeys(t, mine)) })
	}
	q := ownKeys(t, mine)
	q.Add(command(t, "git status", "shell(git status)"))
	rows, _ := show(q, 80, 24, start)
	_, _, whole := q.Whole(80)
	all := picture(t, append(rows, whole...), nil, 80)
	for _, want := range []string{" o  yes, once", " w  yes, for this session", "w and l allow"} {
		if !strings.Contains(all, want) {
			t.Errorf("%q is not in\n%s", want, all)
		}
	}
	q.Key(key("o"), start.Add(600*time.Millisecond))
	q.Key(key("ctrl+y"), start.Add(601*time.Millisecond))
	rows, _ = show(q, 80, 24, start.Add(time.Second))
	if all := picture(t, rows, nil, 80); !strings.Contains(all, "press Ctrl+Y again") {
		t.Errorf("the note names another key:\n%s", all)
	}
}
