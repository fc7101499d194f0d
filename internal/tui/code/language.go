package code

import (
	"path"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/lazy"
	"github.com/sidestick-dev/sidestick/internal/tui/row"
)

// Language is what the scanner knows of a language. A nil *Language is text without colours.
type Language struct {
	names   string // of fences and extensions of files, separated by spaces; the first is its own
	files   string // whole names of files, in lower case
	line    []string
	quotes  []quote
	words   string // keywords, separated by spaces
	consts  string // words that are shown like numbers: true, nil
	ident   string // further characters of words
	noCase  bool   // keywords may be written in any case
	keys    byte   // ':' or '=': what follows the key of an entry, 0 for languages without keys
	calls   bool   // a word before "(" is the name of a function
	special func(s *Scanner, b *builder)

	roles lazy.Value[map[string]row.Style]
	set   lazy.Value[*classes]
}

// quote is a string or a comment, from its opening to its closing mark.
type quote struct {
	open, shut string
	style      row.Style
	escapes    bool // a backslash hides the character behind it
	lines      bool // it may go on over lines
	nests      bool // it may hold others of its kind
}

// Named is the language with the name that is written at a fence, such as go, golang or C++. It is
// nil if the language is not known.
func Named(name string) *Language {
	return index.Get()[strings.ToLower(strings.TrimPrefix(strings.TrimSpace(name), "."))]
}

// OfFile is the language of the file with this name, or nil if it is not known.
func OfFile(name string) *Language {
	base := strings.ToLower(path.Base(strings.ReplaceAll(name, `\`, "/")))
	if l := files.Get()[base]; l != nil {
		return l
	}
	if i := strings.LastIndexByte(base, '.'); i >= 0 {
		return Named(base[i+1:])
	}
	return nil
}

// Name is the usual short name of the language, such as go; "" for a nil Language.
func (l *Language) Name() string {
	if l == nil {
		return ""
	}
	name, _, _ := strings.Cut(l.names, " ")
	return name
}

// Scanner begins a text in the language.
func (l *Language) Scanner() Scanner { return Scanner{lang: l} }

// Expand replaces tabs by spaces, up to the next multiple of four columns: the eight columns of a
// terminal leave too little room for code.
func Expand(line string) string { return row.ExpandTo(line, tabStop) }

const tabStop = 4

var index = lazy.Value[map[string]*Language]{Make: func() map[string]*Language {
	byName := map[string]*Language{}
	for _, l := range languages.Get() {
		for name := range strings.FieldsSeq(l.names) {
			byName[name] = l
		}
	}
	return byName
}}

var files = lazy.Value[map[string]*Language]{Make: func() map[string]*Language {
	byFile := map[string]*Language{}
	for _, l := range languages.Get() {
		for name := range strings.FieldsSeq(l.files) {
			byFile[name] = l
		}
	}
	return byFile
}}
