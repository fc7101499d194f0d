package keymap

import (
	"slices"
	"strings"
)

// Table says which action a key has in each focus. It does not change.
type Table struct {
	actions []Action
	at      map[slot]int    // the action of a key
	begins  map[slot]string // a sequence that begins with a key
}

// slot is a key in a focus.
type slot struct {
	focus Focus
	key   string
}

func newTable(actions []Action) *Table {
	t := &Table{actions: actions, at: map[slot]int{}, begins: map[slot]string{}}
	for i, a := range actions {
		for _, key := range a.Keys {
			t.at[slot{a.Focus, key}] = i
			for p := beginning(key); p != ""; p = beginning(p) {
				t.begins[slot{a.Focus, p}] = key
			}
		}
	}
	return t
}

// beginning is a sequence of keys without its last, "" for one key.
func beginning(key string) string {
	if i := strings.LastIndexByte(key, ' '); i > 0 {
		return key[:i]
	}
	return ""
}

// Lookup returns the action of a key. path is who takes keys, the innermost first, such as
// Empty, Editor, Global. The key of a sequence is written with a space: "ctrl+x b".
func (t *Table) Lookup(path []Focus, key string) (Action, bool) {
	for _, f := range path {
		if i, ok := t.at[slot{f, key}]; ok {
			return t.actions[i], true
		}
	}
	return Action{}, false
}

// Begins reports whether a key begins a sequence of keys, so that the caller waits for the next.
// Of the keys that this program has, only esc also has an action of its own, which is done at
// once.
func (t *Table) Begins(path []Focus, key string) bool {
	return slices.ContainsFunc(path, func(f Focus) bool { return t.begins[slot{f, key}] != "" })
}

// Actions are all actions, in the order of the help page. Do not change them.
func (t *Table) Actions() []Action { return t.actions }

// Find returns the action of that name.
func (t *Table) Find(name string) (Action, bool) {
	i := slices.IndexFunc(t.actions, func(a Action) bool { return a.Name == name })
	if i < 0 {
		return Action{}, false
	}
	return t.actions[i], true
}

// Key is the key that a footer shows for an action, as [Label] writes it, "" if it has none.
func (t *Table) Key(name string) string {
	a, _ := t.Find(name)
	if len(a.Keys) == 0 {
		return ""
	}
	return Label(a.Keys[0])
}

// Label is a key as the user reads it: "Ctrl+R", "↑", "Esc Esc". Characters stay as they are.
func Label(key string) string {
	parts := strings.Split(key, " ")
	for i, p := range parts {
		parts[i] = label(p)
	}
	return strings.Join(parts, " ")
}

func label(key string) string {
	mods, base := split(key)
	var b strings.Builder
	for _, m := range mods {
		b.WriteString(capital(m) + "+")
	}
	switch name, ok := keyNames()[base]; {
	case ok:
		b.WriteString(name)
	case len(mods) > 0:
		b.WriteString(strings.ToUpper(base))
	default:
		b.WriteString(base)
	}
	return b.String()
}

func capital(word string) string { return strings.ToUpper(word[:1]) + word[1:] }
