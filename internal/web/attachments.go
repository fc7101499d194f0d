package web

import (
	"cmp"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"path"
	"strings"

	"github.com/sidestick-dev/sidestick/extension"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// Bounds of the references in a request.
const (
	maxReferences = 50        // of one request that the model sees
	maxContent    = 64 << 10  // bytes of one; package prompt cuts there too
	maxContents   = 256 << 10 // bytes of all together
)

// attachments turns the references of a request into attachments of a session's
// message: files and selections of an editor with their content, repositories and pages
// by name, everything else unchanged. Duplicates are left out. If references are too
// many or too long, a note says how many are missing.
func attachments(refs []extension.Reference) []any {
	var out []any
	left, seen, dropped := maxContents, map[string]bool{}, 0
	for _, ref := range refs {
		a, size := attachment(ref)
		key := ref.Type + "\x00" + ref.ID + "\x00" + string(ref.Data)
		switch {
		case a == nil || seen[key]:
			continue
		case len(out) >= maxReferences || size > left:
			dropped++
			continue
		}
		seen[key] = true
		left -= size
		out = append(out, a)
	}
	if dropped > 0 {
		out = append(out, note("not shown", fmt.Sprintf("%d more references of this request are not shown: they are too many, or too long.", dropped)))
	}
	return out
}

// references returns the references of the last turn, those of the last message first:
// some clients put references into messages of their own before it. If all is set,
// references of earlier turns are included, for a session that has not seen them. The
// references of our own answers are left out, because the session knows them.
func references(r *extension.Request, all bool) []extension.Reference {
	turn := *r
	if !all {
		for i := len(turn.Messages) - 1; i >= 0; i-- {
			if turn.Messages[i].Role == "assistant" {
				turn.Messages = turn.Messages[i+1:]
				break
			}
		}
	}
	return turn.Find("")
}

// attachment turns one reference into the form that package prompt shows, and returns
// the size of its text in bytes. It returns nil for a reference that the model does not
// need.
func attachment(ref extension.Reference) (a any, size int) {
	data := wire.Raw(ref.Data)
	text := func(key string) string { return data.Get(key).Text() }
	switch ref.Type {
	case "client.file":
		content := truncated(text("content"))
		return file(cmp.Or(ref.ID, ref.Metadata.DisplayName, "file"), content), len(content)
	case "client.selection":
		content := truncated(text("content"))
		return selection(ref.ID, content, data), len(content)
	case "github.repository":
		return map[string]any{
			"type": "github_repository", "repo": map[string]any{"owner": text("ownerLogin"), "name": cmp.Or(text("name"), ref.ID)},
			"ref": path.Base(text("ref")), "description": text("description"),
		}, 0
	case "github.file", "github.snippet":
		return map[string]any{
			"type": strings.Replace(ref.Type, ".", "_", 1), "repo": map[string]any{"owner": text("repoOwner"), "name": text("repoName")},
			"ref": path.Base(text("ref")), "path": text("path"), "url": text("url"),
			"lineRange": json.RawMessage(cmp.Or(string(data.Get("range")), "null")),
		}, 0
	case "github.current-url":
		return map[string]any{"type": "github_url", "url": cmp.Or(text("url"), ref.ID)}, 0
	case "github.redacted":
		return note("withheld", "The platform withholds something of the type "+text("type")+" that the user refers to: this agent may not see it."), 0
	case "github.agent", referenceFile, referenceURL:
		return nil, 0
	}
	payload := truncated(string(ref.Data))
	return map[string]any{
		"type": "extension_context", "extensionId": ref.Type, "title": cmp.Or(ref.Metadata.DisplayName, ref.ID), "payload": payload,
	}, len(payload)
}

// file returns a text as an attached file with a name.
func file(name, content string) any {
	return map[string]any{
		"type": "blob", "mimeType": "text/plain", "displayName": name,
		"data": base64.StdEncoding.EncodeToString([]byte(cmp.Or(content, "\n"))),
	}
}

// selection returns the text that is selected in an editor. An empty selection is the
// position of the cursor.
func selection(name, content string, data wire.Raw) any {
	line := func(end string) json.RawMessage {
		return json.RawMessage(cmp.Or(string(data.Get(end).Get("line")), "0"))
	}
	return map[string]any{
		"type": "selection", "displayName": name, "filePath": name, "text": content,
		"selection": map[string]any{"start": map[string]any{"line": line("start")}, "end": map[string]any{"line": line("end")}},
	}
}

// note returns a message of ours to the model.
func note(title, text string) any {
	return map[string]any{"type": "extension_context", "extensionId": "sidestick", "title": title, "payload": text}
}

// truncated returns at most maxContent bytes of s, cut where a character ends.
func truncated(s string) string {
	if len(s) <= maxContent {
		return s
	}
	return strings.ToValidUTF8(s[:maxContent], "") + "\n[Cut here.]"
}

// encode returns attachments in the form of [wire.Send], nil if there are none.
func encode(list []any) json.RawMessage {
	if len(list) == 0 {
		return nil
	}
	data, err := json.Marshal(list)
	if err != nil {
		panic(err) // cannot happen: the values are strings, and JSON that was decoded before
	}
	return data
}
