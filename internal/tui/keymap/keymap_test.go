package keymap

import (
	"slices"
	"strings"
	"testing"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/testing/golden"
	"github.com/sidestick-dev/sidestick/internal/tui/row"
)

// No key has two actions in one focus, or one in a focus and another everywhere.
func TestNoKeyHasTwoActions(t *testing.T) {
	for _, c := range clashes(actions()) {
		t.Error(c)
	}
}

// The keys of this program obey the rules for keys of the user, and every action says what it is.
func TestActionsAreWhole(t *testing.T) {
	seen := map[string]bool{}
	for _, a := range actions() {
		switch {
		case seen[a.Name]:
			t.Errorf("%s is in the table twice", a.Name)
		case !strings.HasPrefix(a.Name, string(a.Focus)+"."):
			t.Errorf("%s is in the focus %s", a.Name, a.Focus)
		case a.Help == "" || strings.HasSuffix(a.Help, ".") || a.Group == "":
			t.Errorf("%s: help %q, group %q", a.Name, a.Help, a.Group)
		case a.Command != "" && !strings.HasPrefix(a.Command, "/"):
			t.Errorf("%s: command %q", a.Name, a.Command)
		case len(a.Keys) == 0:
			t.Errorf("%s has no key", a.Name)
		}
		seen[a.Name] = true
		for _, key := range a.Keys {
			if err := check(&a, key); err != nil {
				t.Error(err)
			}
		}
	}
}

// Terminals, multiplexers and input methods need these keys, or send them for others.
func TestKeysOfTerminalsAreFree(t *testing.T) {
	for _, a := range actions() {
		for _, key := range a.Keys {
			for part := range strings.SplitSeq(key, " ") {
				if slices.Contains([]string{"ctrl+s", "ctrl+q", `ctrl+\`, "ctrl+space", "ctrl+h", "ctrl+i", "ctrl+m", "ctrl+["}, part) {
					t.Errorf("%s has the key %s", a.Name, key)
				}
			}
		}
	}
}

func TestLookup(t *testing.T) {
	box, empty := []Focus{Editor, Global}, []Focus{Empty, Editor, Global}
	for _, tc := range []struct {
		path []Focus
		key  string
		want string
	}{
		{box, "enter", Send},
		{empty, "enter", HandOver},
		{box, "ctrl+d", Delete},
		{empty, "ctrl+d", Leave},
		{empty, "ctrl+k", KillToEnd},
		{empty, "ctrl+c", Cancel},
		{box, "?", ""},
		{empty, "?", Keys},
		{append([]Focus{Completion}, box...), "enter", CompletionEnter},
		{box, "ctrl+x b", Background},
		{box, "ctrl+x", ""},
		{empty, "esc", Interrupt},
		{empty, "esc esc", Rewind},
		{[]Focus{Pager}, "G", PagerEnd},
		{[]Focus{Pager}, "g", PagerTop},
		{[]Focus{History, List}, "ctrl+r", HistoryOlder},
		{[]Focus{List}, "ctrl+r", ListRename},
		{nil, "enter", ""},
	} {
		if got, _ := Default().Lookup(tc.path, tc.key); got.Name != tc.want {
			t.Errorf("%v, %s: %q, want %q", tc.path, tc.key, got.Name, tc.want)
		}
	}
	if !Default().Begins(box, "ctrl+x") || Default().Begins(box, "esc") || !Default().Begins(empty, "esc") || Default().Begins(box, "a") {
		t.Error("which keys begin a sequence")
	}
}

func TestKeysOfTheUser(t *testing.T) {
	mine, err := Default().With(map[string][]string{"undo": {"ctrl+z", "alt+u"}, Suspend: {}, PagerClose: {"x"}})
	if err != nil {
		t.Fatal(err)
	}
	for key, want := range map[string]string{"ctrl+z": Undo, "alt+u": Undo, "ctrl+_": "", "ctrl+k": KillToEnd} {
		if got, _ := mine.Lookup([]Focus{Editor, Global}, key); got.Name != want {
			t.Errorf("%s: %q, want %q", key, got.Name, want)
		}
	}
	if got := mine.Key(PagerClose); got != "x" {
		t.Errorf("the pager closes with %q", got)
	}
	if got, _ := Default().Lookup([]Focus{Editor, Global}, "ctrl+z"); got.Name != Suspend {
		t.Error("the table of this program has changed")
	}
}

// Keys that an action cannot have are refused, with the names of the keys and the actions.
func TestRefusedKeys(t *testing.T) {
	for _, tc := range []struct {
		keys map[string][]string
		want []string
	}{
		{map[string][]string{"editor.undoo": {"ctrl+z"}}, []string{`no action "editor.undoo"`}},
		{map[string][]string{"list.undo": {"f2"}}, []string{`no action "list.undo"`, "do you mean editor.undo?"}},
		{map[string][]string{"Undo": {"f2"}}, []string{`no action "Undo"`, "do you mean editor.undo?"}},
		{map[string][]string{"close": {"f2"}}, []string{`"close" is the name of several actions`, PagerClose, ListClose, CompletionClose}},
		{map[string][]string{"undo": {"f2"}, Undo: {"f3"}}, []string{"editor.undo and undo are the same action"}},
		{map[string][]string{"cancel": {"f2"}}, []string{"the keys of global.cancel cannot be changed"}},
		{map[string][]string{"undo": {"ctrl+z"}}, []string{"ctrl+z is the key of", Undo, Suspend}},
		{map[string][]string{Undo: {"ctrl+k"}}, []string{"ctrl+k is the key of", Undo, KillToEnd}},
		{map[string][]string{Undo: {"f2"}, Redo: {"f2"}}, []string{"f2 is the key of", Undo, Redo}},
		{map[string][]string{Undo: {"ctrl+x"}}, []string{"ctrl+x of " + Undo + " begins ctrl+x b of " + Background}},
		{map[string][]string{Undo: {"f2"}, Redo: {"f2 r"}}, []string{"f2 of " + Undo + " begins f2 r of " + Redo}},
		{map[string][]string{Undo: {"ctrl+c"}}, []string{Undo, Cancel}},
		{map[string][]string{Redraw: {"pgup"}}, []string{Redraw, PagerPageUp}},
		{map[string][]string{Cancel: {"q"}}, []string{"cannot be changed"}},
		{map[string][]string{Undo: {"u"}}, []string{Undo, `"u" writes text there`}},
		{map[string][]string{QuestionChoose: {"x"}}, []string{QuestionChoose, `"x" writes text there`}},
		{map[string][]string{QuestionNumber: {"f1"}}, []string{"cannot be changed"}},
		{map[string][]string{PagerTop: {"g g"}}, []string{PagerTop, `"g g" is several keys`}},
		{map[string][]string{QuestionYes: {"ctrl+x y"}}, []string{QuestionYes, "which only the input box takes"}},
		{map[string][]string{ListView: {"space"}}, []string{ListView, "writes text there"}},
		{map[string][]string{Undo: {"ctrl+banana"}}, []string{Undo, `no key "banana"`}},
		{map[string][]string{Undo: {""}}, []string{Undo, "it is empty"}},
		{map[string][]string{Undo: {"ctrl+x  b"}}, []string{Undo, "it is empty"}},
		{map[string][]string{Undo: {"alt+ctrl+u"}}, []string{"write it ctrl+alt+u"}},
		{map[string][]string{Undo: {"ctrl+U"}}, []string{"write the letter small"}},
		{map[string][]string{Undo: {"ctrl+shift+u"}}, []string{"write the character that shift makes"}},
		{map[string][]string{Undo: {"ctrl+i"}}, []string{"the same byte for tab"}},
	} {
		_, err := Default().With(tc.keys)
		if fault.KindOf(err) != fault.Invalid {
			t.Errorf("%v: %v", tc.keys, err)
			continue
		}
		for _, want := range tc.want {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("%v: %q does not have %q", tc.keys, err, want)
			}
		}
	}
}

func TestLabels(t *testing.T) {
	for key, want := range map[string]string{
		"ctrl+r": "Ctrl+R", "alt+enter": "Alt+Enter", "ctrl+x ctrl+e": "Ctrl+X Ctrl+E", "G": "G", "up": "↑", "esc esc": "Esc Esc", "pgdown": "PgDn",
		"alt+<": "Alt+<", "ctrl++": "Ctrl++", "+": "+", "space": "Space", "f12": "F12", "shift+tab": "Shift+Tab",
	} {
		if got := Label(key); got != want {
			t.Errorf("%s: %q, want %q", key, got, want)
		}
	}
}

// A footer shows the most important hints that there is room for, and none without a key.
func TestFooter(t *testing.T) {
	keys, err := Default().With(map[string][]string{PagerEdit: {}})
	if err != nil {
		t.Fatal(err)
	}
	hints := []Hint{{Text: "close", Actions: []string{PagerClose}}, {Text: "editor", Actions: []string{PagerEdit}}, {Text: "matches", Actions: []string{PagerNext, PagerPrevious}}}
	for width, want := range map[int]string{
		3: "le…", 8: "left", 13: "left  q close", 25: "left              q close", 26: "left  q close  n N matches", 30: "left      q close  n N matches",
	} {
		if got := keys.Footer(row.Text("left"), width, hints...); got.String() != want {
			t.Errorf("at %d: %q, want %q", width, got, want)
		}
	}
}

// docs/terminal.md has the table of keys, between two marks.
func TestPageHasTheKeys(t *testing.T) {
	const begin, end = "<!-- keys: written by go test ./internal/tui/keymap -update -->\n", "<!-- end of keys -->"
	golden.Part(t, "../../../docs/terminal.md", begin, end, "\n"+Default().Markdown()+"\n")
}

func FuzzKeysOfTheUser(f *testing.F) {
	f.Add("ctrl+x b")
	f.Add("+")
	f.Add("ctrl+\x00 ")
	f.Fuzz(func(t *testing.T, key string) {
		mine, err := Default().With(map[string][]string{Undo: {key}})
		if err != nil {
			return
		}
		if got, ok := mine.Lookup([]Focus{Editor, Global}, key); !ok || got.Name != Undo {
			t.Errorf("%q is taken and then not found: %q", key, got.Name)
		}
		if strings.ContainsAny(Label(key), "\x00\x1b\n") {
			t.Errorf("the label %q", Label(key))
		}
	})
}
