package prompt

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/wire"
)

// attaching turns the attachments of one message into blocks of text and pictures.
type attaching struct {
	UserOptions
	selections, files, references, texts []string

	assets   []*wire.BinaryAsset
	warnings []string
	pictures int
}

// Limits on the size that attachments add to a message.
const (
	maxAttachments = 1000     // number of attachments; of the rest only the number is named
	maxPictures    = 20       // of one message
	maxAttached    = 64 << 10 // bytes of text of one attachment
)

// all handles a list of attachments and returns the list to record.
func (a *attaching) all(list json.RawMessage) json.RawMessage {
	var items [][]byte
	changed := false
	n := 0
	for item := range wire.Raw(list).Elements() {
		kept := item
		if n++; n <= maxAttachments {
			kept = a.one(item)
		}
		changed = changed || !bytes.Equal(kept, item)
		items = append(items, kept)
	}
	if n > maxAttachments {
		a.texts = append(a.texts, fmt.Sprintf("[%d more attachments are not shown.]", n-maxAttachments))
		a.warn("%d attachments are not shown: a message has at most %d", n-maxAttachments, maxAttachments)
	}
	if !changed {
		return list
	}
	return append(append([]byte{'['}, bytes.Join(items, []byte{','})...), ']')
}

func (a *attaching) warn(format string, args ...any) {
	a.warnings = append(a.warnings, fmt.Sprintf(format, args...))
}

// one adds one attachment to the right block and returns it in the form to record.
func (a *attaching) one(item wire.Raw) wire.Raw {
	kind := item.Get("type").Text()
	switch kind {
	case "file", "directory":
		return a.path(item)
	case "blob":
		return a.blob(item)
	case "selection":
		a.selections = append(a.selections, selection(item))
	case "extension_context":
		a.texts = append(a.texts, extensionContext(item))
	default:
		if line := reference(kind, item); line != "" {
			a.references = append(a.references, line)
			break
		}
		a.texts = append(a.texts, fmt.Sprintf("[An attachment of the kind %q is not shown.]", oneLine(kind, 64)))
		a.warn("an attachment of the kind %q is not shown to the model", oneLine(kind, 64))
	}
	return item
}

// blob handles pasted content: a picture, a text, or something that can only be named.
func (a *attaching) blob(item wire.Raw) wire.Raw {
	mediaType := item.Get("mimeType").Text()
	name := pictureName(item)
	data, err := base64.StdEncoding.DecodeString(item.Get("data").Text())
	switch {
	case err != nil || len(data) == 0:
		a.unshown(name, mediaType, "it is not base64, or empty")
	case isText(mediaType, data):
		a.texts = append(a.texts, textBlock(name, mediaType, data))
	case mediaType == typeDocument && a.Documents && len(data) <= maxDocument: // a part of its own; see Parts
	case !sendable(mediaType):
		a.unshown(name, mediaType, bytesShown(int64(len(data)))+", neither text nor a picture that models take")
	default:
		return a.picture(item, name, mediaType, data, false)
	}
	return item
}

// picture makes sure that a picture can be sent. It gives the picture an id if the bytes
// that are sent are not in the attachment itself.
func (a *attaching) picture(item wire.Raw, name, mediaType string, data []byte, file bool) wire.Raw {
	if a.pictures++; a.pictures > maxPictures {
		a.unshown(name, mediaType, fmt.Sprintf("a message has at most %d pictures", maxPictures))
		return without(item)
	}
	sentType, sent, err := shrink(mediaType, data)
	if err != nil {
		a.unshown(name, mediaType, err.Error())
		return without(item)
	}
	if !file && len(sent) == len(data) {
		return item
	}
	asset := newAsset(sentType, sent)
	if !containsAsset(a.assets, asset.AssetID) {
		a.assets = append(a.assets, asset)
	}
	return with(item, asset.AssetID)
}

// unshown adds a note for the model and a warning for the user that something is missing.
func (a *attaching) unshown(name, mediaType, why string) {
	a.texts = append(a.texts, unshownStart(name, mediaType)+": "+why+".]")
	a.warn("the attachment %s is not shown to the model: %s", name, why)
}

// unshownStart begins the note that an attachment is missing.
func unshownStart(name, mediaType string) string {
	return fmt.Sprintf("[The attachment %s (%s) is not shown", name, oneLine(mediaType, 64))
}

// textBlock returns an attached text as a block.
func textBlock(name, mediaType string, data []byte) string {
	text := strings.ToValidUTF8(string(data[:min(len(data), maxAttached)]), "")
	if len(data) > maxAttached {
		text += "\n[Cut after " + bytesShown(maxAttached) + " of " + bytesShown(int64(len(data))) + ".]"
	}
	return `<attachment name="` + attribute(name) + `" type="` + attribute(mediaType) + "\">\n" + strings.TrimRight(text, "\n") + "\n</attachment>"
}

// selection returns the selection in the user's editor as a block. Recordings match its
// wording, except for that of several lines.
func selection(item wire.Raw) string {
	name := item.Get("displayName").Text()
	if name == "" {
		name = filepath.Base(item.Get("filePath").Text())
	}
	at := item.Get("selection")
	first, last := number(at.Get("start").Get("line"))+1, number(at.Get("end").Get("line"))+1
	where := fmt.Sprintf("line %d", first)
	if last > first {
		where = fmt.Sprintf("lines %d-%d", first, last)
	}
	text := item.Get("text").Text()
	if len(text) > maxAttached {
		text = strings.ToValidUTF8(text[:maxAttached], "") + "\n[Cut here. Read the file for the rest.]"
	}
	fence := "```"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	return strings.Join([]string{
		"<ide_selection>",
		"The user has the following text selected in their IDE. This may or may not be related to their request.",
		"File: " + oneLine(name, maxLine) + " (" + where + ")",
		fence, text, fence,
		"</ide_selection>",
	}, "\n")
}

// extensionContext returns the block for context that an editor extension sends.
func extensionContext(item wire.Raw) string {
	payload := string(item.Get("payload"))
	if item.Get("payload").IsString() {
		payload = item.Get("payload").Text()
	}
	if len(payload) > maxAttached {
		payload = strings.ToValidUTF8(payload[:maxAttached], "") + "\n[Cut here.]"
	}
	head := `<extension_context extension="` + attribute(item.Get("extensionId").Text()) + `" title="` + attribute(item.Get("title").Text()) + `">`
	if payload == "" {
		return head + "\n</extension_context>"
	}
	return head + "\n" + payload + "\n</extension_context>"
}

// number returns a JSON number that is an integer, 0 for anything else.
func number(r wire.Raw) int64 {
	var n int64
	if json.Unmarshal(r, &n) != nil {
		return 0
	}
	return n
}
