package diff

import (
	"strconv"
	"strings"
)

// kind is what a line of a diff is.
type kind uint8

const (
	same    kind = iota
	added        // "+"
	removed      // "-"
	hunk         // the place of a hunk: the text behind the second @@
	title        // the name of a file, if there are several
	note         // whatever else stands in a diff: modes, renames, a missing line feed
)

// line is a line of a diff. Its text has no sign.
type line struct {
	kind     kind
	file     int32 // index of its file
	old, new int32 // numbers, 0 for none
	text     string
}

// file is a file of a diff.
type file struct {
	name           string
	from           string // its name before, if it was renamed
	added, removed int
}

// Diff is a unified diff of any number of files. It does not change.
type Diff struct {
	lines          []line
	files          []file
	added, removed int
	digits         int // of the largest line number
}

// Parse reads a unified diff, as git and diff -u write it. It has no errors: lines that it does not
// understand are shown as they are.
func Parse(unified string) *Diff {
	p := parser{d: &Diff{}}
	for text := range strings.Lines(unified) {
		text = strings.TrimSuffix(text, "\n")
		p.line(strings.TrimSuffix(text, "\r"))
	}
	p.finish()
	return p.d
}

// Len is how many lines are shown: lines of code, the places of hunks, the names of files.
func (d *Diff) Len() int { return len(d.lines) }

// Counts are how many lines are added and removed.
func (d *Diff) Counts() (added, removed int) { return d.added, d.removed }

// parser reads a diff line by line.
type parser struct {
	d          *Diff
	old, new   int    // numbers of the next lines
	oldN, newN int    // lines that the hunk still has
	from       string // the name in "---"
	hunks      int    // of this file
	max        int    // number of a line
}

func (p *parser) line(text string) {
	if p.oldN > 0 || p.newN > 0 {
		if p.change(text) {
			return
		}
		p.oldN, p.newN = 0, 0
	}
	switch {
	case strings.HasPrefix(text, "diff --git "):
		p.file(gitName(text))
	case strings.HasPrefix(text, "index "), strings.HasPrefix(text, "similarity index "), strings.HasPrefix(text, "rename to "):
	case strings.HasPrefix(text, "rename from ") && len(p.d.files) > 0:
		p.d.files[p.index()].from = name(text[len("rename from "):])
	case strings.HasPrefix(text, "--- "):
		p.from = name(text[4:])
		if len(p.d.files) == 0 || p.hunks > 0 {
			p.file("")
		}
	case strings.HasPrefix(text, "+++ "):
		p.named(name(text[4:]))
	case strings.HasPrefix(text, "@@ "):
		p.hunk(text)
	case text == "" && len(p.d.lines) == 0:
	case strings.HasPrefix(text, "+"):
		p.count(added, text[1:], 0, 0)
	case strings.HasPrefix(text, "-"):
		p.count(removed, text[1:], 0, 0)
	default:
		p.put(note, text)
	}
}

// change reads a line of a hunk.
func (p *parser) change(text string) bool {
	sign := byte(' ') // some tools drop the space of an empty line
	if text != "" {
		sign, text = text[0], text[1:]
	}
	switch sign {
	case '+':
		p.count(added, text, 0, p.new)
		p.new, p.newN = p.new+1, p.newN-1
	case '-':
		p.count(removed, text, p.old, 0)
		p.old, p.oldN = p.old+1, p.oldN-1
	case ' ':
		p.count(same, text, p.old, p.new)
		p.old, p.oldN, p.new, p.newN = p.old+1, p.oldN-1, p.new+1, p.newN-1
	case '\\':
		p.put(note, `\`+text)
	default:
		return false
	}
	return true
}

// count puts a line of code, and counts it.
func (p *parser) count(k kind, text string, old, new int) {
	if len(p.d.files) == 0 {
		p.file("")
	}
	f := &p.d.files[len(p.d.files)-1]
	switch k {
	case added:
		f.added++
		p.d.added++
	case removed:
		f.removed++
		p.d.removed++
	}
	p.max = max(p.max, old, new)
	p.d.lines = append(p.d.lines, line{kind: k, text: text, old: int32(old), new: int32(new), file: p.index()})
}

func (p *parser) put(k kind, text string) {
	p.d.lines = append(p.d.lines, line{kind: k, text: text, file: p.index()})
}

func (p *parser) index() int32 { return int32(max(len(p.d.files)-1, 0)) }

// file begins a file. Its name may follow.
func (p *parser) file(name string) {
	p.d.files = append(p.d.files, file{name: name})
	p.hunks = 0
	if len(p.d.lines) > 0 {
		p.put(note, "")
	}
	p.put(title, "")
}

// named is the name of the file that has begun: the new one, or the old one if it is removed.
func (p *parser) named(name string) {
	if len(p.d.files) == 0 {
		p.file("")
	}
	if name == "/dev/null" {
		name = p.from
	}
	p.d.files[len(p.d.files)-1].name = name
}

// hunk reads "@@ -1,2 +3,4 @@ text". The first hunk of a file has a row only if it has a text.
func (p *parser) hunk(text string) {
	places, section, _ := strings.Cut(text[3:], "@@")
	old, new, _ := strings.Cut(strings.TrimSpace(places), " ")
	p.old, p.oldN = place(old)
	p.new, p.newN = place(new)
	section = strings.TrimSpace(section)
	if p.hunks++; p.hunks > 1 || section != "" {
		p.put(hunk, section)
	}
}

// place reads "-1,2": the first line, and how many there are.
func place(text string) (first, n int) {
	if text == "" {
		return 0, 0
	}
	a, b, several := strings.Cut(text[1:], ",")
	first, err := strconv.Atoi(a)
	if n = 1; several {
		n, _ = strconv.Atoi(b)
	}
	if err != nil || first < 0 || n < 0 || first > maxNumber || n > maxNumber {
		return 0, 0
	}
	return first, n
}

// maxNumber bounds line numbers, so that they can be counted up without an overflow.
const maxNumber = 1 << 30

// finish removes the name of a file that is the only one, unless it was renamed, and measures the
// numbers.
func (p *parser) finish() {
	p.d.digits = len(strconv.Itoa(p.max))
	if len(p.d.files) != 1 || p.d.files[0].from != "" {
		return
	}
	for i, l := range p.d.lines {
		if l.kind == title {
			p.d.lines = append(p.d.lines[:i], p.d.lines[i+1:]...)
			return
		}
	}
}

// name is the name of a file behind "---" or "+++", without what git and diff put around it.
func name(text string) string {
	text, _, _ = strings.Cut(text, "\t")
	if s, err := strconv.Unquote(text); err == nil {
		text = s
	}
	if strings.HasPrefix(text, "a/") || strings.HasPrefix(text, "b/") {
		return text[2:]
	}
	return text
}

// gitName is the name in "diff --git a/name b/name".
func gitName(text string) string {
	_, after, ok := strings.Cut(text, " b/")
	if !ok {
		return strings.TrimPrefix(text, "diff --git ")
	}
	return after
}
