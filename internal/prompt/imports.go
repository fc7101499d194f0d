package prompt

import (
	"errors"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
)

// Instructions can import other files: a text with @docs/style.md in it is followed by that file. The mention stays
// in the text. Mentions in code are none, and neither are names like @alice or @types/node that no file has.

// Limits on imports.
const (
	maxHops     = 4   // imports of imports
	maxMentions = 200 // of one file that are looked at
)

// imports reads the files that a source mentions, each followed by those that it mentions in turn. A file that was
// read already is not read again. hop is 1 for the mentions of a file that is no import itself.
func (d *discovery) imports(s Source, w where, hop int) {
	all := mentions(s.Body)
	if len(all) > maxMentions {
		d.warn("instructions %s: it mentions more than %d files with @; the rest was not looked at", s.Path, maxMentions)
		all = all[:maxMentions]
	}
	for _, mention := range all {
		path, ok := d.mentioned(s, w, mention)
		switch {
		case !ok || d.read[d.Disk.resolve(path)]:
		case hop > maxHops:
			d.warn("instructions %s: @%s is not read, because imports are followed %d files deep at most", s.Path, oneLine(mention, maxLine), maxHops)
		default:
			d.imported(s, path, mention, w, hop)
		}
	}
}

// imported reads one file that a source imports.
func (d *discovery) imported(by Source, path, mention string, w where, hop int) {
	if d.Withheld != nil {
		if why := d.Withheld(path); why != "" {
			d.warn("instructions %s: @%s is not read: %s", by.Path, oneLine(mention, maxLine), oneLine(why, 4*maxLine))
			return
		}
	}
	c, err := d.Disk.readText(path, w.within, maxSource)
	if errors.Is(err, errOutside) {
		d.warn("instructions %s: @%s is not read, because it is a link that leads out of %s", by.Path, oneLine(mention, maxLine), w.within)
		return
	}
	if d.isStrange(path, w.within) {
		return
	}
	if err != nil {
		d.warn("instructions %s: @%s is not read: %s", by.Path, oneLine(mention, maxLine), reason(err))
		return
	}
	d.read[d.Disk.resolve(path)] = true
	s, err := d.source(path, w, c)
	if err != nil {
		d.warn("instructions %s: left out: front matter: %v", path, err)
		return
	}
	s.ImportedBy, s.importer, s.ApplyTo, s.base = by.Name, by.ID, by.ApplyTo, by.base
	if by.importer != "" {
		s.importer = by.importer
	}
	if d.add(s) {
		d.imports(s, w, hop+1)
	}
}

// onlyImports reports whether a text is nothing but the import of a file that was read already: a CLAUDE.md with
// @AGENTS.md alone says nothing of its own.
func (d *discovery) onlyImports(s Source, w where) bool {
	all := mentions(s.Body)
	if len(all) != 1 || s.Body != "@"+all[0] {
		return false
	}
	path, ok := d.mentioned(s, w, all[0])
	return ok && d.read[d.Disk.resolve(path)]
}

// mentioned returns the file that a mention names; false if there is none that may be read. It warns of files
// elsewhere, and of names that can only be meant as files.
func (d *discovery) mentioned(s Source, w where, mention string) (path string, ok bool) {
	path = d.pathOf(s, mention)
	if path == "" {
		return "", false
	}
	info, err := d.Disk.stat(path)
	isFile := err == nil && !info.IsDir()
	switch {
	case !d.mayImport(path, w):
		if isFile {
			d.warn("instructions %s: @%s is not read, because it is outside of the folder whose files the text may import", s.Path, oneLine(mention, maxLine))
		}
		return "", false
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		d.warn("instructions %s: @%s is not read: %s", s.Path, oneLine(mention, maxLine), reason(err))
	case err != nil && slices.Contains([]string{".md", ".mdc", ".txt"}, strings.ToLower(filepath.Ext(path))):
		d.warn("instructions %s: @%s is not read: there is no such file", s.Path, oneLine(mention, maxLine))
	}
	return path, isFile
}

// pathOf returns the path that a mention means, relative to the file that it is in; "" if it means none.
func (d *discovery) pathOf(s Source, mention string) string {
	if rest, ok := strings.CutPrefix(mention, "~/"); ok {
		if d.UserHome == "" {
			return ""
		}
		return filepath.Join(d.UserHome, filepath.FromSlash(rest))
	}
	path := filepath.FromSlash(mention)
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(filepath.Dir(s.Path), path)
}

// mayImport reports whether a text may import a file, before its links are followed: one of the project those of the
// project, and one of the user those of the user's folders.
func (d *discovery) mayImport(path string, w where) bool {
	if w.within != "" {
		return inside(w.within, path)
	}
	return d.Home != "" && inside(d.Home, path) || d.UserHome != "" && inside(d.UserHome, path)
}

// mentions returns what follows an @ in a text, each once, in order. An @ begins a mention at the start of a line,
// after a space and after an opening bracket, and not in code.
func mentions(text string) (list []string) {
	fence := ""
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\n")
		if mark := fenceOf(line); fence == "" && mark != "" {
			fence = mark
			continue
		} else if fence != "" {
			if strings.HasPrefix(mark, fence) && strings.TrimSpace(line) == mark {
				fence = ""
			}
			continue
		}
		for word := range strings.FieldsSeq(withoutSpans(line)) {
			name, ok := strings.CutPrefix(strings.TrimLeft(word, "([{<*_\"'"), "@")
			name = strings.TrimRight(name, ".,;:!?)]}>*_\"'")
			if ok && name != "" && len(name) <= maxLine && !strings.ContainsRune(name, 0) && !slices.Contains(list, name) {
				list = append(list, name)
			}
		}
	}
	return list
}

// fenceOf returns the marks with which a line begins or ends a block of code, "" if it does neither.
func fenceOf(line string) string {
	trimmed := strings.TrimLeft(line, " ")
	if len(line)-len(trimmed) > 3 {
		return ""
	}
	for _, mark := range []string{"`", "~"} {
		if n := len(trimmed) - len(strings.TrimLeft(trimmed, mark)); n >= 3 {
			return trimmed[:n]
		}
	}
	return ""
}

// withoutSpans returns a line without its code spans.
func withoutSpans(line string) string {
	var b strings.Builder
	for {
		before, rest, found := strings.Cut(line, "`")
		b.WriteString(before)
		if !found {
			return b.String()
		}
		n := 1 + len(rest) - len(strings.TrimLeft(rest, "`"))
		ticks := strings.Repeat("`", n)
		rest = strings.TrimLeft(rest, "`")
		end := closing(rest, ticks)
		b.WriteString("`") // what follows a span does not begin a word
		if end < 0 {       // not a span
			line = rest
			continue
		}
		line = rest[end+n:]
	}
}

// closing returns where a run of exactly these ticks begins in a text, -1 if there is none.
func closing(text, ticks string) int {
	for at := 0; ; {
		i := strings.Index(text[at:], ticks)
		if i < 0 {
			return -1
		}
		i += at
		run := len(text[i:]) - len(strings.TrimLeft(text[i:], "`"))
		if run == len(ticks) {
			return i
		}
		at = i + run
	}
}
