package prompt

import (
	"encoding/base64"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/model"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// typeDocument is the type of documents that models read themselves.
const typeDocument = "application/pdf"

// maxDocument bounds a document, in bytes. Anthropic takes requests of 32 MB, and base64 adds a
// third.
const maxDocument = 20 << 20

// documentOf returns an attached document; nil for other attachments, and for one that the text of
// the message calls not shown.
func documentOf(item wire.Raw, text string) *model.Document {
	if item.Get("type").Text() != "blob" || item.Get("mimeType").Text() != typeDocument {
		return nil
	}
	name, data := pictureName(item), item.Get("data").Text()
	if strings.Contains(text, unshownStart(name, typeDocument)) {
		return nil
	}
	if base64.StdEncoding.DecodedLen(len(data)) > maxDocument+2 {
		return nil
	}
	return &model.Document{Name: name, MediaType: typeDocument, Data: data}
}
