package keymap

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/sidestick-dev/sidestick/internal/fault"
)

// modifiers in the order in which names of keys have them.
var modifiers = [...]string{"ctrl", "alt", "shift"}

// keyNames are the keys that write no character, and how the user reads them.
func keyNames() map[string]string {
	names := map[string]string{
		"enter": "Enter", "tab": "Tab", "esc": "Esc", "space": "Space", "backspace": "Backspace", "delete": "Delete", "insert": "Insert",
		"up": "↑", "down": "↓", "left": "←", "right": "→", "home": "Home", "end": "End", "pgup": "PgUp", "pgdown": "PgDn",
	}
	for i := 1; i <= 12; i++ {
		names[fmt.Sprintf("f%d", i)] = fmt.Sprintf("F%d", i)
	}
	return names
}

// sameByte is the key for which a terminal sends the same byte, "" for none.
func sameByte(key string) string {
	return map[string]string{"ctrl+i": "tab", "ctrl+m": "enter", "ctrl+[": "esc", "ctrl+h": "backspace"}[key]
}

// With is the table with keys that the user has chosen: the names of actions, and the keys that
// each has then; an action without keys has none. A name can be without its focus if only one
// action has it: "undo" is "editor.undo". With refuses names of actions and keys that do
// not exist, keys that would write text, and two actions on one key where both would take it.
// The error names all of them.
func (t *Table) With(keys map[string][]string) (*Table, error) {
	actions := slices.Clone(t.actions)
	as := map[int]string{} // the name by which the user calls an action
	for _, name := range slices.Sorted(maps.Keys(keys)) {
		i, err := t.named(name)
		if err != nil {
			return nil, err
		}
		if actions[i].Fixed {
			return nil, refused(name, "leave it out", "the keys of %s cannot be changed", actions[i].Name)
		}
		if other, twice := as[i]; twice {
			return nil, refused(name, "leave one of them out", "%s and %s are the same action", other, name)
		}
		as[i] = name
		chosen := make([]string, 0, len(keys[name]))
		for _, key := range keys[name] {
			if err := check(&actions[i], key); err != nil {
				return nil, err
			}
			chosen = append(chosen, key)
		}
		actions[i].Keys = chosen
	}
	if clash := clashes(actions); len(clash) > 0 {
		return nil, refused("keys", "give one of the two another key; an empty list takes its keys away", "%s", strings.Join(clash, "; "))
	}
	return newTable(actions), nil
}

func refused(on, hint, format string, args ...any) error {
	return &fault.Error{Op: "keys", On: on, Kind: fault.Invalid, Hint: hint, Err: fmt.Errorf(format, args...)}
}

// named is the index of the action that the user means.
func (t *Table) named(name string) (int, error) {
	var found []string
	index := -1
	for i, a := range t.actions {
		if a.Name == name {
			return i, nil
		}
		if _, own, _ := strings.Cut(a.Name, "."); own == name {
			found, index = append(found, a.Name), i
		}
	}
	switch len(found) {
	case 0:
		return -1, refused(name, "docs/terminal.md has the names", "there is no action %q%s", name, t.near(name))
	case 1:
		return index, nil
	}
	return -1, refused(name, "write one of them", "%q is the name of several actions: %s", name, strings.Join(found, ", "))
}

// near is a question after the action that was probably meant, "" if none is known.
func (t *Table) near(name string) string {
	_, last, _ := strings.Cut(name, ".")
	for _, a := range t.actions {
		if _, own, _ := strings.Cut(a.Name, "."); strings.EqualFold(a.Name, name) || strings.EqualFold(own, name) || own == last {
			return ": do you mean " + a.Name + "?"
		}
	}
	return ""
}

// check is why an action cannot have a key.
func check(a *Action, key string) error {
	for i, part := range strings.Split(key, " ") {
		if why := checkOne(part); why != "" {
			return refused(a.Name, "keys are written like ctrl+r, alt+enter, shift+tab, f2, ctrl+x b", "%q is not a key: %s", key, why)
		}
		if i == 0 && writes(part) && !letters(a) {
			return refused(a.Name, "use ctrl, alt or a key such as f2", "%q writes text there", key)
		}
		if i > 0 && a.Focus != Editor && a.Focus != Empty {
			return refused(a.Name, "give it one key", "%q is several keys, which only the input box takes", key)
		}
	}
	return nil
}

// letters reports whether keys that write text can be those of an action. A question may have a text
// field, so only actions that text fields do not have can be on letters there.
func letters(a *Action) bool {
	return a.Focus == Pager || a.Focus == Empty || slices.Contains([]string{
		QuestionYes, QuestionSandbox, QuestionSession, QuestionLocation, QuestionNo, QuestionStop, QuestionNumber, QuestionToggle, QuestionWhole,
	}, a.Name)
}

// writes reports whether a key writes text where text can be written.
func writes(key string) bool {
	mods, base := split(key)
	return len(mods) == 0 && (base == "space" || utf8.RuneCountInString(base) == 1)
}

// checkOne is what is wrong with a key that is no sequence, "" for nothing.
func checkOne(key string) string {
	mods, base := split(key)
	_, named := keyNames()[base]
	single := utf8.RuneCountInString(base) == 1 && unicode.IsGraphic([]rune(base)[0])
	switch {
	case key == "":
		return "it is empty"
	case !named && !single:
		return fmt.Sprintf("there is no key %q", base)
	case sameByte(key) != "":
		return "terminals send the same byte for " + sameByte(key)
	case len(mods) > 0 && single && unicode.IsUpper([]rune(base)[0]):
		return "write the letter small"
	case slices.Contains(mods, "shift") && single:
		return "write the character that shift makes"
	}
	if ordered := strings.Join(append(mods, base), "+"); ordered != key {
		return "write it " + ordered
	}
	return ""
}

// split divides the name of a key into its modifiers, in their order, and the rest. A rest that
// is a plus sign is that key.
func split(key string) (mods []string, base string) {
	base = key
	found := map[string]bool{}
	for more := true; more; {
		more = false
		for _, m := range modifiers {
			if rest, ok := strings.CutPrefix(base, m+"+"); ok && rest != "" {
				base, found[m], more = rest, true, true
			}
		}
	}
	for _, m := range modifiers {
		if found[m] {
			mods = append(mods, m)
		}
	}
	return mods, base
}

// clashes are the pairs of actions that would take the same key: in one focus, or one of them
// wherever the user is. A part that goes before another takes its keys from it, which is no
// clash.
func clashes(actions []Action) (all []string) {
	for i := range actions {
		for j := range actions[:i] {
			a, b := &actions[j], &actions[i]
			if a.Focus != b.Focus && a.Focus != Global && b.Focus != Global {
				continue
			}
			for _, key := range a.Keys {
				for _, other := range b.Keys {
					if why := clash(a.Name, key, b.Name, other); why != "" {
						all = append(all, why)
					}
				}
			}
		}
	}
	return all
}

// clash is why two actions cannot have these keys: they are the same, or one begins the other. ""
// is no reason. esc acts at once and can begin a sequence too.
func clash(a, key, b, other string) string {
	switch {
	case key == other:
		return fmt.Sprintf("%s is the key of %s and of %s", key, a, b)
	case key != "esc" && strings.HasPrefix(other, key+" "):
		return fmt.Sprintf("%s of %s begins %s of %s", key, a, other, b)
	case other != "esc" && strings.HasPrefix(key, other+" "):
		return fmt.Sprintf("%s of %s begins %s of %s", other, b, key, a)
	}
	return ""
}
