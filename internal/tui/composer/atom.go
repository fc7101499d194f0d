package composer

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/sidestick-dev/sidestick/internal/timeline"
	"github.com/sidestick-dev/sidestick/internal/tui/row"
)

// An atom is one character of the text that stands for more: a folded paste or an attachment. The
// character is from the last private plane of Unicode, which no text of the user has in the
// box; its number is the index of the atom.
const (
	firstAtom = 0x100000
	lastAtom  = 0x10fffd
)

func isAtom(r rune) bool { return r >= firstAtom && r <= utf8.MaxRune }

// atomOf is the character of an atom, 0 if g is another one.
func atomOf(g string) rune {
	if len(g) != 4 || g[0] != 0xf4 {
		return 0
	}
	if r, _ := utf8.DecodeRuneInString(g); isAtom(r) {
		return r
	}
	return 0
}

// Attachment is a file or an image that goes with the message.
type Attachment struct {
	Name   string // shown to the user, such as shot.png
	Path   string // of a file; "" if there is none
	MIME   string // such as image/png; "" if it is not known
	Data   []byte // the bytes, if there is no file
	Image  bool
	Folder bool
	Label  string // by which the text names it; the box sets it
}

// piece is what an atom stands for: a text, or an attachment.
type piece struct {
	label string
	text  string      // of a folded paste
	file  *Attachment // nil for a paste
}

// atoms are what the atoms of a text and of its undo history stand for.
type atoms struct {
	pieces []piece
	size   int // of their texts and data, in bytes
	images int // numbered so far
	files  int
}

// add makes the character of a new atom. ok is false if there are too many.
func (a *atoms) add(p piece) (char string, ok bool) {
	n := firstAtom + rune(len(a.pieces))
	if n > lastAtom {
		return "", false
	}
	a.pieces = append(a.pieces, p)
	a.size += len(p.text)
	if p.file != nil {
		a.size += len(p.file.Data)
	}
	return string(n), true
}

func (a *atoms) piece(r rune) *piece {
	if i := int(r - firstAtom); i >= 0 && i < len(a.pieces) {
		return &a.pieces[i]
	}
	return &piece{}
}

func (a *atoms) label(r rune) string { return a.piece(r).label }

// folded is the atom of a long pasted text.
func folded(s string) piece {
	lines := strings.Count(s, "\n") + 1
	if strings.HasSuffix(s, "\n") {
		lines--
	}
	label := fmt.Sprintf("[%s lines pasted]", timeline.Count(int64(lines)))
	if lines == 1 {
		label = fmt.Sprintf("[%s characters pasted]", timeline.Count(int64(utf8.RuneCountInString(s))))
	}
	return piece{label: label, text: s}
}

// attached is the atom of a new attachment. Their numbers go on from message to message.
func (a *atoms) attached(f Attachment) piece {
	kind, n := "file", &a.files
	if f.Image {
		kind, n = "image", &a.images
	}
	*n++
	f.Label = fmt.Sprintf("[%s %d: %s]", kind, *n, name(f.Name))
	if f.Name == "" {
		f.Label = fmt.Sprintf("[%s %d]", kind, *n)
	}
	return piece{label: f.Label, file: &f}
}

// longestName bounds the name of an attachment in the box, in columns.
const longestName = 40

// name is the name of an attachment as the box shows it: one line, harmless, not long.
func name(s string) string {
	return cut(row.Harmless(strings.ReplaceAll(timeline.Exposed(s), "\n", " ")), longestName)
}

// expand is a text with its folded pastes in full, and each attachment by its label.
func (a *atoms) expand(s string) string {
	if !strings.ContainsFunc(s, isAtom) {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		switch {
		case !isAtom(r):
			b.WriteRune(r)
		case a.piece(r).file != nil:
			b.WriteString(a.label(r))
		default:
			b.WriteString(a.piece(r).text)
		}
	}
	return b.String()
}

// attachments are those in a text, in their order.
func (a *atoms) attachments(s string) (files []Attachment) {
	for _, r := range s {
		if isAtom(r) {
			if f := a.piece(r).file; f != nil {
				files = append(files, *f)
			}
		}
	}
	return files
}

func width(s string) int { return row.Width(s) }

// cut is a text of at most n columns.
func cut(s string, n int) string { return row.Text(s).Cut(n).String() }
