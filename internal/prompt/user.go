package prompt

import (
	"encoding/base64"
	"encoding/json"
	"strings"
	"time"

	"github.com/sidestick-dev/sidestick/internal/model"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// UserOptions is what [User] has to know beside the message.
type UserOptions struct {
	// Disk is where attached files are.
	Disk Disk
	// Cwd is where relative paths begin.
	Cwd string
	// Now is the time that the model is told, zero for none. It is recorded with the
	// message, so that later requests repeat it to the letter.
	Now time.Time
	// Mode marks a message that was sent in plan mode.
	Mode Mode
	// Before are blocks that go before the text, such as [ToolsChanged].
	Before []string
}

// UserMessage is a person's message as it is recorded and sent.
type UserMessage struct {
	// Text is what the model reads ("transformedContent").
	Text string
	// Attachments are those that came, byte for byte, but for the ids of assets in
	// pictures that have one; nil if there were none.
	Attachments json.RawMessage
	// Assets hold pictures that are not in the message, because they were files or
	// had to be made smaller. They are recorded before it, each id once.
	Assets []*wire.BinaryAsset
	// References are what is attached, as an agent of another system is told; nil for a
	// model. A JSON list of copilot_references.
	References json.RawMessage
	// Warnings say what the model does not get to see, for people.
	Warnings []string
}

// User puts a message together. attachments is a JSON list of objects, checked by
// the caller; nil for none. Attached files and folders are named with their size, so
// that the model reads what it needs; pictures are sent. What cannot be read is said
// to the model.
//
// The order is: the time, what [UserOptions.Before] holds, editor selections, the
// text, files and references. Matched by recordings, down to the four line ends
// before and after the text.
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

// apart puts three blank lines between two texts.
func apart(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + "\n\n\n\n" + b
}

// after are the blocks behind the text.
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

// Parts are the pieces of a recorded message that has pictures: its text, then each
// picture's name and the picture; nil if it has none, for then the text is all.
// attachments is as [UserMessage.Attachments]. asset finds what was recorded under an
// id, nil if nothing was; asset itself may be nil.
func Parts(text string, attachments wire.Raw, asset func(id string) *wire.BinaryAsset) []model.Part {
	var parts []model.Part
	for item := range attachments.Elements() {
		name, url := pictured(item, asset)
		if url == "" || len(parts) > 2*maxPictures {
			continue
		}
		if parts == nil {
			parts = append(parts, model.Part{Text: text})
		}
		parts = append(parts, model.Part{Text: name}, model.Part{ImageURL: url})
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
	return "", "" // the model was told so
}

func dataURL(mediaType, encoded string) string { return "data:" + mediaType + ";base64," + encoded }

// pictureName is what a picture is called before the model: where it is, if it is a
// file.
func pictureName(item wire.Raw) string {
	for _, key := range []string{"path", "displayName"} {
		if name := oneLine(item.Get(key).Text(), maxLine); name != "" {
			return name
		}
	}
	return "image"
}

// Viewed is a tool's picture, in base64, as the model gets it: what is said and the
// picture. The parts are a user message of their own, after the tool's result.
// Matched by recordings.
func Viewed(path, mediaType, encoded string) []model.Part {
	return []model.Part{{Text: "Image file at path " + path}, {ImageURL: dataURL(mediaType, encoded)}}
}

// Fit makes a picture small enough to be sent. An error says why it cannot be, in
// words for the model.
func Fit(mediaType string, data []byte) (string, []byte, error) { return shrink(mediaType, data) }

// Visible is a conversation as a model gets it that cannot see, if sees is false:
// without pictures and the names before them. A message that had nothing else is
// left out; one that had says so. Without pictures the messages are returned as they
// are; they are never changed in place.
func Visible(messages []model.Message, sees bool) []model.Message {
	if sees {
		return messages
	}
	var out []model.Message
	for i, m := range messages {
		kept, dropped := unseen(m.Parts)
		if dropped == nil {
			if out != nil {
				out = append(out, m)
			}
			continue
		}
		if out == nil {
			out = append(make([]model.Message, 0, len(messages)), messages[:i]...)
		}
		if len(kept) > 0 {
			note := "[Not shown, because this model cannot see pictures: " + strings.Join(dropped, ", ") + "]"
			m.Parts = append(kept, model.Part{Text: note})
			out = append(out, m)
		}
	}
	if out == nil {
		return messages
	}
	return out
}

// unseen takes pictures out, each with the text right before it, which is its name.
func unseen(parts []model.Part) (kept []model.Part, dropped []string) {
	for _, p := range parts {
		if p.ImageURL == "" {
			kept = append(kept, p)
			continue
		}
		name := "a picture"
		if n := len(kept); n > 0 {
			name, kept = kept[n-1].Text, kept[:n-1]
		}
		dropped = append(dropped, name)
	}
	return kept, dropped
}
