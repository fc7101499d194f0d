package prompt

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/sidestick-dev/sidestick/internal/model"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// UserOptions has the facts that [User] needs in addition to the message.
type UserOptions struct {
	// Disk reads attached files.
	Disk Disk
	// Cwd is the folder that relative paths are relative to.
	Cwd string
	// Now is the time that is sent to the model; zero: none. It is recorded with the
	// message, so that later requests repeat exactly the same text.
	Now time.Time
	// Mode is the mode in which the message was sent; plan mode adds a block.
	Mode Mode
	// Documents says that the model reads documents, such as PDFs, themselves.
	Documents bool
	// Before are blocks that are sent before the text, such as [ToolsChanged].
	Before []string
}

// UserMessage is a user's message in the form to record and send.
type UserMessage struct {
	// Text is the text for the model ("transformedContent").
	Text string
	// Attachments are the given attachments byte for byte, except that pictures with an
	// asset get its id; nil if there were none.
	Attachments json.RawMessage
	// Assets hold pictures whose bytes are not in the message, because they are from files
	// or were made smaller. They are recorded before the message, each id once.
	Assets []*wire.BinaryAsset
	// References are the attachments as a JSON list of copilot_references, for a Copilot
	// Extensions agent; nil for a model.
	References json.RawMessage
	// Warnings say, for the user, what the model does not get.
	Warnings []string
}

// User builds a message. attachments is a JSON list of objects, checked by the caller; nil
// for none. Attached files and folders are named with their size, so that the model can read
// what it needs; pictures are sent. The text says which attachments could not be read.
//
// The order is: the time, the blocks in [UserOptions.Before], editor selections, the text,
// files and references. Recordings match it, down to the four line ends before and after the
// text.
func User(text string, attachments json.RawMessage, o UserOptions) UserMessage {
	a := attaching{UserOptions: o}
	kept := a.all(attachments)
	body := text
	if selections := join(a.selections...); selections != "" {
		body = apart(selections, body)
	}
	if o.Mode == Plan {
		body = "[[PLAN]] " + body
	}
	body = join(append(append([]string{}, o.Before...), body)...)
	if after := join(a.after()...); after != "" {
		body = apart(body, after)
	}
	if !o.Now.IsZero() {
		body = "<current_datetime>" + o.Now.Format(time.RFC3339) + "</current_datetime>\n\n" + body
	}
	return UserMessage{Text: body, Attachments: kept, Assets: a.assets, Warnings: a.warnings}
}

// apart joins two texts with three blank lines between them.
func apart(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + "\n\n\n\n" + b
}

// after returns the blocks that follow the text.
func (a *attaching) after() []string {
	return append([]string{
		block("tagged_files", a.files),
		block("github_references", a.references),
	}, a.texts...)
}

func block(tag string, lines []string) string {
	if len(lines) == 0 {
		return ""
	}
	return "<" + tag + ">\n" + strings.Join(lines, "\n") + "\n</" + tag + ">"
}

// Parts returns a recorded message with pictures and documents as parts: its text, then the name and
// the data of each; nil if there are none. A document that the text calls not shown is left out.
// attachments is as in
// [UserMessage.Attachments]. asset returns the asset recorded under an id, or nil; asset
// itself may be nil.
func Parts(text string, attachments wire.Raw, asset func(id string) *wire.BinaryAsset) []model.Part {
	var parts []model.Part
	for item := range attachments.Elements() {
		name, url := pictured(item, asset)
		shown := model.Part{ImageURL: url}
		if url == "" {
			name, shown.Document = pictureName(item), documentOf(item, text)
		}
		if url == "" && shown.Document == nil || len(parts) > 2*maxPictures {
			continue
		}
		if parts == nil {
			parts = append(parts, model.Part{Text: text})
		}
		parts = append(parts, model.Part{Text: name}, shown)
	}
	return parts
}

// pictured returns a picture's name and data URL, "" for other attachments.
func pictured(item wire.Raw, asset func(id string) *wire.BinaryAsset) (name, url string) {
	name = pictureName(item)
	if id := item.Get("assetId").Text(); id != "" && asset != nil {
		if found := asset(id); found != nil && found.Discriminator == wire.AssetImage {
			return name, dataURL(found.MIMEType, found.Data)
		}
	}
	mediaType := item.Get("mimeType").Text()
	if item.Get("type").Text() != "blob" || !sendable(mediaType) {
		return "", ""
	}
	data, err := base64.StdEncoding.DecodeString(item.Get("data").Text())
	if err != nil {
		return "", ""
	}
	if mediaType, small, err := asItIs(mediaType, data); err == nil && small {
		return name, dataURL(mediaType, item.Get("data").Text())
	}
	return "", "" // the text says that the picture is missing
}

func dataURL(mediaType, encoded string) string { return "data:" + mediaType + ";base64," + encoded }

// pictureName returns the name of a picture for the model: its path if it is a file.
func pictureName(item wire.Raw) string {
	for _, key := range []string{"path", "displayName"} {
		if name := oneLine(item.Get(key).Text(), maxLine); name != "" {
			return name
		}
	}
	return "image"
}

// Viewed returns a file of a tool's result, given in base64, as message parts: a caption, and the
// picture or document. Recordings match it.
func Viewed(path, mediaType, encoded string) []model.Part {
	if mediaType == typeDocument {
		d := &model.Document{Name: filepath.Base(path), MediaType: mediaType, Data: encoded}
		return []model.Part{{Text: "PDF file at path " + path}, {Document: d}}
	}
	return []model.Part{{Text: "Image file at path " + path}, {ImageURL: dataURL(mediaType, encoded)}}
}

// Fit makes a picture small enough to be sent; a document is sent as it is. The error says why
// it cannot be sent, in words for the model.
func Fit(mediaType string, data []byte) (string, []byte, error) {
	switch {
	case mediaType != typeDocument:
		return shrink(mediaType, data)
	case len(data) > maxDocument:
		return "", nil, fmt.Errorf("it has %s, and at most %s can be sent", bytesShown(int64(len(data))), bytesShown(maxDocument))
	}
	return mediaType, data, nil
}

// Sight is what a model accepts besides text.
type Sight struct{ Pictures, Documents bool }

// shows reports whether a part can be sent.
func (s Sight) shows(p *model.Part) bool {
	return (p.ImageURL == "" || s.Pictures) && (p.Document == nil || s.Documents)
}

// Visible removes pictures and documents, and the names before them, from a conversation if the model
// does not accept them. A message that had nothing else is left out; a message that had other
// content says what was removed. Of a tool's result the text stays. Conversations in which everything can be sent are returned
// unchanged. No message is changed in place.
func Visible(messages []model.Message, sees Sight) []model.Message {
	if sees.Pictures && sees.Documents {
		return messages
	}
	var out []model.Message
	for i, m := range messages {
		kept, dropped := unseen(m.Parts, sees)
		if dropped == nil {
			if out != nil {
				out = append(out, m)
			}
			continue
		}
		if out == nil {
			out = append(make([]model.Message, 0, len(messages)), messages[:i]...)
		}
		switch {
		case m.Role == model.RoleTool: // its text stays as it is: recordings match it
			if m.Parts = kept; len(kept) == 0 {
				m.Parts = nil
			}
			out = append(out, m)
		case len(kept) > 0:
			m.Parts = append(kept, model.Part{Text: notShown(dropped)})
			out = append(out, m)
		}
	}
	if out == nil {
		return messages
	}
	return out
}

func notShown(names []string) string {
	return "[Not shown, because this model cannot see such files: " + strings.Join(names, ", ") + "]"
}

// unseen removes what cannot be sent, each with the text directly before it, which is its name.
func unseen(parts []model.Part, sees Sight) (kept []model.Part, dropped []string) {
	for _, p := range parts {
		if sees.shows(&p) {
			kept = append(kept, p)
			continue
		}
		name := "a file"
		if n := len(kept); n > 0 {
			name, kept = kept[n-1].Text, kept[:n-1]
		}
		dropped = append(dropped, name)
	}
	return kept, dropped
}
