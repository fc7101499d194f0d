package config

import (
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/sidestick-dev/sidestick/internal/lazy"
)

// Key is a setting that a settings file can have. The table of all is in keytable.go.
type Key struct {
	// Name is the path of fields with dots between them, such as "permissions.deny".
	Name string
	Kind Kinds
	// Flags and Variables are the other sources of the setting. They take precedence over files, the
	// first one first.
	Flags, Variables []string
	// Values are all that a [Word] can be. Min and Max are the bounds of a [Number], 0 and 0 for
	// none, in units of the setting.
	Values   []string
	Min, Max int
	// Project says whether the file of a project may have it, and Why says why it may not, after
	// "because ".
	Project Limit
	Why     string
	// PeopleOnly says that it counts for people at a terminal only. A server for SDK programs
	// ignores it in files: its programs decide about permissions by themselves.
	PeopleOnly bool
	// Path says that the texts are paths. In a file they are absolute: they mean the same in every
	// folder.
	Path bool
	// Adds says that the values of all sources count together.
	Adds bool
	// Default is the value without a source, in words; "" is none. Help says in one sentence what
	// the setting does.
	Default, Help string

	rank  func(v Value) int           // of a [Stricter] one: the higher one is stricter
	unset string                      // what rank gets if no file has the key
	of    func(*Config) (any, string) // its value and its source
}

// Kinds are the kinds of values.
type Kinds string

// The kinds of values in a settings file.
const (
	Text   Kinds = "text"
	Word   Kinds = "word"     // one of [Key.Values]
	Switch Kinds = "switch"   // true or false
	Number Kinds = "number"   // a whole number
	Time   Kinds = "time"     // a text such as "90s" or "5m"
	List   Kinds = "list"     // texts
	Table  Kinds = "bindings" // an object: a name, and a text or a list of texts
)

// Limit says what the file of a project may do with a setting.
type Limit string

// The limits. The zero value is [Never], so that a key whose row says nothing is the user's own.
const (
	Never    Limit = ""         // a project cannot set it
	Trusted  Limit = "trusted"  // a project that the user trusts can set it
	Stricter Limit = "stricter" // every project can make it stricter, and none can relax it
)

// Keys returns all settings that a settings file can have, in the order of their table. The caller
// does not change them.
func Keys() []Key { return table.Get() }

// FindKey returns the setting of a name.
func FindKey(name string) (Key, bool) {
	at, ok := index.Get()[name]
	if !ok {
		return Key{}, false
	}
	return table.Get()[at], true
}

// row is FindKey for a name that the table has.
func row(name string) *Key {
	at, ok := index.Get()[name]
	if !ok {
		panic("config: the table has no key " + name) // a test loads every setting
	}
	return &table.Get()[at]
}

var (
	table = lazy.Value[[]Key]{Make: keyTable}
	index = lazy.Value[map[string]int]{Make: func() map[string]int {
		all := make(map[string]int, len(table.Get()))
		for i := range table.Get() {
			all[table.Get()[i].Name] = i
		}
		return all
	}}
)

// Value is what a settings file says for a key. One of Text, List and Table is set.
type Value struct {
	Text  string // of a switch, "true" or "false"; of a number, its digits
	List  []string
	Table map[string][]string
	From  string // "file PATH:LINE"
}

// check says what is wrong with a value, "" if nothing is.
func (k *Key) check(v Value) string {
	switch k.Kind {
	case Word:
		if !slices.Contains(k.Values, v.Text) {
			return "want " + strings.Join(k.Values, ", ")
		}
	case Switch:
		if v.Text != "true" && v.Text != "false" {
			return "want true or false"
		}
	case Number:
		n, err := strconv.Atoi(v.Text)
		if err != nil || k.Max > 0 && (n < k.Min || n > k.Max) {
			return fmt.Sprintf("want a whole number from %d to %d", k.Min, k.Max)
		}
	case Time:
		if d, err := time.ParseDuration(v.Text); err != nil || d < 0 || d > 0 && d < time.Millisecond {
			return "want a time with a unit, such as 90s or 5m"
		}
	}
	return k.checkTexts(v)
}

// checkTexts refuses texts that are empty or have control characters.
func (k *Key) checkTexts(v Value) string {
	texts := v.List
	if k.Kind != List && k.Kind != Table {
		texts = []string{v.Text}
	}
	for name, list := range v.Table {
		texts = append(append(texts, name), list...)
	}
	for _, text := range texts {
		switch {
		case strings.TrimSpace(text) == "":
			return "a text is empty; remove it instead"
		case text != strings.TrimSpace(text):
			return "a text begins or ends with a space"
		case strings.ContainsFunc(text, func(r rune) bool { return r < ' ' || r == 0x7f }):
			return "a text has a control character"
		case k.Path && !filepath.IsAbs(text):
			return "want an absolute path: a file counts in every folder"
		case k.joined() && strings.Contains(text, ","):
			return "a text has a comma; give several texts instead"
		}
	}
	return ""
}

// joined reports whether the setting is a list that flags and variables write with commas.
func (k *Key) joined() bool { return k.Kind == List && !k.Adds }

// Show returns a setting and where it came from, without secrets.
func (c *Config) Show(k Key) (value any, from string) { return k.of(c) }
