package bedrock

import (
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/sidestick-dev/sidestick/internal/model"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// parts writes the pieces of a message of the user. A document has to come with a text.
func (w *content) parts(list []model.Part) {
	said, document := false, false
	for i := range list {
		p := &list[i]
		switch {
		case p.Document != nil:
			document = true
			w.document(p.Document)
		case p.ImageURL != "":
			w.image(p.ImageURL)
		default:
			said = said || !blank(p.Text)
			w.text(byUser, p.Text)
		}
	}
	if document && !said {
		w.text(byUser, "(The user attached this.)")
	}
}

// image writes an image. Models get a note about one that the protocol cannot carry: only
// data in four formats can be sent.
func (w *content) image(address string) {
	kind, data, inline := strings.Cut(strings.TrimPrefix(address, "data:"), ";base64,")
	format := strings.TrimPrefix(kind, "image/")
	switch {
	case !inline:
		w.text(byUser, "(An image at "+address+" that you cannot see.)")
	case !slices.Contains([]string{"png", "jpeg", "gif", "webp"}, format):
		w.text(byUser, "(An image of the type "+kind+" that you cannot see.)")
	default:
		w.begin(byUser)
		w.b = append(append(append(w.b, `{"image":{"format":"`...), format...), `","source":{"bytes":`...)
		w.b = append(wire.AppendString(w.b, data), "}}}"...)
	}
}

// formatOf is the word of the protocol for a type of document; "" for one that it does not have.
func formatOf(mediaType string) string {
	switch mediaType {
	case "application/pdf":
		return "pdf"
	case "text/csv":
		return "csv"
	case "text/html":
		return "html"
	case "text/markdown":
		return "md"
	case "text/plain":
		return "txt"
	case "application/msword":
		return "doc"
	case "application/vnd.openxmlformats-officedocument.wordprocessingml.document":
		return "docx"
	case "application/vnd.ms-excel":
		return "xls"
	case "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet":
		return "xlsx"
	}
	return ""
}

func (w *content) document(d *model.Document) {
	format := formatOf(d.MediaType)
	if format == "" {
		w.text(byUser, "(The file "+d.Name+", of the type "+d.MediaType+", that you cannot read.)")
		return
	}
	w.begin(byUser)
	w.b = wire.AppendString(append(append(append(w.b, `{"document":{"format":"`...), format...), `","name":`...), w.documentName(d.Name))
	w.b = wire.AppendString(append(w.b, `,"source":{"bytes":`...), d.Data)
	w.b = append(w.b, '}')
	if w.cite {
		w.b = append(w.b, `,"citations":{"enabled":true}`...)
	}
	w.b = append(w.b, "}}"...)
}

// maxName bounds the name of a document, in characters. Source: the API reference.
const maxName = 200

// documentName is a name as the server accepts it: letters, digits, hyphens, parentheses, brackets
// and single spaces, and not twice in a conversation.
func (w *content) documentName(name string) string {
	name = strings.Map(func(r rune) rune {
		if r <= unicode.MaxASCII && (unicode.IsLetter(r) || unicode.IsDigit(r)) || strings.ContainsRune("-()[]", r) {
			return r
		}
		return ' '
	}, name)
	name = strings.Join(strings.Fields(name), " ")
	if name = name[:min(len(name), maxName-8)]; strings.TrimSpace(name) == "" {
		name = "document"
	}
	name = strings.TrimSpace(name)
	w.docs[name]++
	if n := w.docs[name]; n > 1 {
		name += " (" + strconv.Itoa(n) + ")"
	}
	return name
}
