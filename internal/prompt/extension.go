package prompt

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"github.com/sidestick-dev/sidestick/internal/lazy"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// extensionReference is an entry of copilot_references, as editors send it.
type extensionReference struct {
	Type     string `json:"type"`
	ID       string `json:"id"`
	Data     any    `json:"data"`
	Implicit bool   `json:"is_implicit"`
	Metadata struct {
		Name string `json:"display_name"`
		Icon string `json:"display_icon"`
		URL  string `json:"display_url"`
	} `json:"metadata"`
}

type fileData struct {
	Content  string `json:"content"`
	Language string `json:"language"`
}

type selectionData struct {
	Content string   `json:"content"`
	Start   position `json:"start"`
	End     position `json:"end"`
}

// position is a place in a file; both numbers begin at 0.
type position struct {
	Line   int64 `json:"line"`
	Column int64 `json:"col"`
}

// Limits on attachments for a Copilot Extensions agent.
const (
	maxExtensionFile = 512 << 10 // maximum bytes of one file or selection
	maxExtensionAll  = 4 << 20   // maximum bytes of all attachments of a message
)

// ForExtension prepares a message for a Copilot Extensions agent, as [User] does for a
// model. The agent gets the text as the user wrote it, and files and selections as
// references; nothing is added to the text. Warnings name the attachments that cannot be
// sent. For a file that is too long, or whose name begins with a dot, the agent gets the
// name and a placeholder instead of the content, as from editors.
//
// Source: sections 2 and 3 of the protocol, docs/extensions.md.
func ForExtension(text string, attachments json.RawMessage, o UserOptions) UserMessage {
	a := extensionAttaching{attaching: attaching{UserOptions: o}}
	n := 0
	for item := range wire.Raw(attachments).Elements() {
		if n++; n > maxAttachments {
			a.warn("a message has at most %d attachments; the rest is not sent to the agent", maxAttachments)
			break
		}
		a.one(item)
	}
	u := UserMessage{Text: text, Attachments: attachments, Warnings: a.warnings}
	if a.list == nil {
		return u
	}
	list, err := json.Marshal(a.list)
	if err != nil { // cannot happen: only strings and numbers
		u.Warnings = append(u.Warnings, "the attachments cannot be encoded: "+err.Error())
		return u
	}
	u.References = list
	return u
}

type extensionAttaching struct {
	attaching
	list []extensionReference
	size int
}

func (a *extensionAttaching) one(item wire.Raw) {
	switch kind := item.Get("type").Text(); kind {
	case "file":
		a.file(item)
	case "selection":
		a.selection(item)
	case "blob":
		a.blob(item)
	default:
		a.warn("an attachment of the kind %q is not sent to the agent", oneLine(kind, 64))
	}
}

func (a *extensionAttaching) file(item wire.Raw) {
	name := a.absolute(item.Get("path").Text())
	info, err := a.Disk.stat(name)
	switch {
	case err != nil:
		a.unsent(name, reason(err))
		return
	case info.IsDir():
		a.unsent(name, "it is a folder")
		return
	case strings.HasPrefix(filepath.Base(name), "."):
		a.add("client.file", name, fileData{Content: "hidden-file", Language: language(name)}, 0)
		a.warn("the agent gets the name of %s, but not its content: the name begins with a dot", name)
		return
	}
	data, size, err := a.Disk.readHead(name, info, maxExtensionFile+1)
	switch {
	case err != nil:
		a.unsent(name, reason(err))
	case len(data) > maxExtensionFile || a.size+len(data) > maxExtensionAll:
		a.add("client.file", name, fileData{Content: "file-too-large", Language: language(name)}, 0)
		a.warn("the agent gets the name of %s, but not its content: it has %s", name, bytesShown(max(size, int64(len(data)))))
	case bytes.IndexByte(data, 0) >= 0 || !utf8.Valid(data):
		a.unsent(name, "it is not text")
	default:
		a.add("client.file", name, fileData{Content: string(data), Language: language(name)}, len(data))
	}
}

func (a *extensionAttaching) selection(item wire.Raw) {
	name := a.absolute(item.Get("filePath").Text())
	text := item.Get("text").Text()
	if len(text) > maxExtensionFile || a.size+len(text) > maxExtensionAll {
		a.unsent(name, "the selection is too long")
		return
	}
	at := func(end string) position {
		p := item.Get("selection").Get(end)
		return position{number(p.Get("line")), number(p.Get("character"))}
	}
	a.add("client.selection", name, selectionData{Content: text, Start: at("start"), End: at("end")}, len(text))
}

// blob handles pasted content: a text is sent as a file.
func (a *extensionAttaching) blob(item wire.Raw) {
	name, mediaType := pictureName(item), item.Get("mimeType").Text()
	data, err := base64.StdEncoding.DecodeString(item.Get("data").Text())
	if err != nil || !isText(mediaType, data) || len(data) > maxExtensionFile || a.size+len(data) > maxExtensionAll {
		a.unsent(name, "it is not text, or too long")
		return
	}
	a.add("client.file", name, fileData{Content: strings.ToValidUTF8(string(data), "\ufffd"), Language: language(name)}, len(data))
}

func (a *extensionAttaching) add(kind, name string, data any, size int) {
	a.size += size
	a.list = append(a.list, extensionReference{Type: kind, ID: a.relative(name), Data: data})
}

func (a *extensionAttaching) unsent(name, why string) {
	a.warn("%s is not sent to the agent: %s", name, why)
}

func (a *extensionAttaching) absolute(name string) string {
	if name != "" && !filepath.IsAbs(name) {
		return filepath.Join(a.Cwd, name)
	}
	return name
}

// relative returns the name under which an agent sees a file: its path below the working
// directory, otherwise its last element, so that the agent does not learn the names of the
// user's folders.
func (a *extensionAttaching) relative(name string) string {
	below, err := filepath.Rel(a.Cwd, name)
	if err != nil || !filepath.IsAbs(name) || !filepath.IsLocal(below) {
		return filepath.Base(name)
	}
	return below
}

// language returns the identifier that editors use for the language of a file, otherwise the
// file's extension.
func language(name string) string {
	ending := strings.TrimPrefix(strings.ToLower(filepath.Ext(name)), ".")
	if known := languages.Get()[ending]; known != "" {
		return known
	}
	return ending
}

// languages are the identifiers that differ from the file's extension. Source: the list of
// known language identifiers in the documentation of Visual Studio Code.
var languages = lazy.Value[map[string]string]{Make: func() map[string]string {
	return map[string]string{
		"cc": "cpp", "cs": "csharp", "h": "c", "hpp": "cpp", "htm": "html", "js": "javascript", "jsx": "javascriptreact",
		"md": "markdown", "mjs": "javascript", "pl": "perl", "ps1": "powershell", "py": "python", "rb": "ruby", "rs": "rust",
		"sh": "shellscript", "ts": "typescript", "tsx": "typescriptreact", "txt": "plaintext", "yml": "yaml", "kt": "kotlin",
	}
}}
