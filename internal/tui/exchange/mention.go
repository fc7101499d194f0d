package exchange

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/sidestick-dev/sidestick/internal/lazy"
	"github.com/sidestick-dev/sidestick/internal/timeline"
	"github.com/sidestick-dev/sidestick/internal/tree"
	"github.com/sidestick-dev/sidestick/internal/tui/composer"
)

// The bounds of mentions: files, words that are tried, and names in a warning.
const (
	maxMentions = 20
	maxTried    = 200
	maxNamed    = 5
)

// Mentioned returns the files and folders in dir that a text names after an @: @main.go, or
// @"my notes.md". A name that does not exist, or leads out of dir, is only text. The warning, for the user, names what is
// not attached because there are too many, or because it looks like a path and is none of a file there; "" for nothing.
func Mentioned(text, dir string) (found []composer.Attachment, warning string) {
	if !strings.Contains(text, "@") {
		return nil, ""
	}
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, ""
	}
	real, err := tree.Resolve(dir)
	if err != nil {
		return nil, ""
	}
	var missing []string
	words := mentions(text)
	for _, word := range words[:min(len(words), maxTried)] {
		f, ok := inside(dir, real, word)
		trimmed := strings.TrimRight(word, ".,;:!?)]}'")
		if !ok && trimmed != word { // the end of a sentence
			f, ok = inside(dir, real, trimmed)
		}
		if !ok && looksLikePath(trimmed) && !slices.Contains(missing, trimmed) {
			missing = append(missing, trimmed)
		}
		same := func(other composer.Attachment) bool { return other.Path == f.Path }
		if ok && !slices.ContainsFunc(found, same) {
			found = append(found, f)
		}
	}
	attached := found[:min(len(found), maxMentions)]
	return attached, joined(absent(missing), surplus(found[len(attached):], len(words)-maxTried))
}

// pathLike matches a name with a folder or an extension.
var pathLike = lazy.Value[*regexp.Regexp]{Make: func() *regexp.Regexp {
	return regexp.MustCompile(`^[^/\\]+[/\\].|^\.{0,2}[/\\].|[^./\\]\.[A-Za-z][A-Za-z0-9]{0,7}$`)
}}

// looksLikePath reports whether the user probably means a file with a word after an @. Other words, as the names of people,
// are only text.
func looksLikePath(word string) bool { return pathLike.Get().MatchString(word) }

// absent is the warning about the names of files that there are not in the folder.
func absent(words []string) string {
	if len(words) == 0 {
		return ""
	}
	var names []string
	for _, word := range words[:min(len(words), maxNamed)] {
		names = append(names, "@"+timeline.OneLine(word, 60))
	}
	if more := len(words) - len(names); more > 0 {
		names = append(names, fmt.Sprintf("and %d more", more))
	}
	return "no such file in this folder, so it is only text: " + strings.Join(names, ", ")
}

// joined are both warnings, each of which may be "".
func joined(one, other string) string {
	if one == "" || other == "" {
		return one + other
	}
	return one + "; " + other
}

// surplus is the warning about the files that are too many, and about the number of words that were not tried.
func surplus(files []composer.Attachment, untried int) (warning string) {
	var names []string
	for _, f := range files[:min(len(files), maxNamed)] {
		names = append(names, "@"+timeline.OneLine(f.Name, 60))
	}
	if more := len(files) - len(names); more > 0 {
		names = append(names, fmt.Sprintf("and %d more", more))
	}
	if len(names) > 0 {
		warning = fmt.Sprintf("a message names at most %d files with @; not attached: %s", maxMentions, strings.Join(names, ", "))
	}
	if untried > 0 {
		if warning != "" {
			warning += "; "
		}
		warning += fmt.Sprintf("the first %d words after an @ are looked at, and not the %d after them", maxTried, untried)
	}
	return warning
}

// mentions are the words of a text that follow an @ which begins a word.
func mentions(text string) (words []string) {
	before := ' '
	for i, r := range text {
		begins := r == '@' && (unicode.IsSpace(before) || strings.ContainsRune(`("'[`, before))
		before = r
		if !begins {
			continue
		}
		rest := text[i+1:]
		if quoted, ok := strings.CutPrefix(rest, `"`); ok {
			if word, _, closed := strings.Cut(quoted, `"`); closed {
				words = append(words, word)
			}
			continue
		}
		if end := strings.IndexFunc(rest, unicode.IsSpace); end >= 0 {
			rest = rest[:end]
		}
		words = append(words, rest)
	}
	return words
}

// inside is the attachment of a path relative to dir, if it is there. real is dir without links.
func inside(dir, real, name string) (composer.Attachment, bool) {
	if name == "" || strings.ContainsRune(name, 0) || !filepath.IsLocal(filepath.FromSlash(name)) {
		return composer.Attachment{}, false
	}
	path := filepath.Join(dir, filepath.FromSlash(name))
	target, err := tree.Resolve(path)
	if err != nil {
		return composer.Attachment{}, false
	}
	if rel, err := filepath.Rel(real, target); err != nil || !filepath.IsLocal(rel) {
		return composer.Attachment{}, false
	}
	info, err := os.Stat(path)
	if err != nil || !info.IsDir() && !info.Mode().IsRegular() {
		return composer.Attachment{}, false
	}
	return composer.Attachment{Name: name, Path: path, Folder: info.IsDir()}, true
}
