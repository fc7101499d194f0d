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

// Bounds of what a request brings beside its text.
const (
	maxReferences = 50        // those of one request that the model gets to see
	maxContent    = 64 << 10  // bytes of one; what is attached is cut there anyway
	maxContents   = 256 << 10 // bytes of all
)

// attachments are what a request refers to, as a message of a session brings it: the
// files and selections of an editor with what is in them, repositories and pages by
// name, everything else as it came. What is not shown is said.
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

// references are those of the turn, the last message's first: clients put some into
// messages of their own before it. Our own answers' are known to the session. all says
// whether those of earlier turns count, as they do for a session that is new.
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

// attachment makes of a reference what package prompt shows, and says how much text
// that is; nil for what a model needs not know.
func attachment(ref extension.Reference) (a any, size int) {
	data := wire.Raw(ref.Data)
	text := func(key string) string { return data.Get(key).Text() }
	switch ref.Type {
	case "client.file":
		content := cut(text("content"))
		return file(cmp.Or(ref.ID, ref.Metadata.DisplayName, "file"), content), len(content)
	case "client.selection":
		content := cut(text("content"))
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
	payload := cut(string(ref.Data))
	return map[string]any{
		"type": "extension_context", "extensionId": ref.Type, "title": cmp.Or(ref.Metadata.DisplayName, ref.ID), "payload": payload,
	}, len(payload)
}

// file is a text that is attached under a name.
func file(name, content string) any {
	return map[string]any{
		"type": "blob", "mimeType": "text/plain", "displayName": name,
		"data": base64.StdEncoding.EncodeToString([]byte(cmp.Or(content, "\n"))),
	}
}

// selection is what is marked in an editor. One that is empty is only where the cursor
// stands.
func selection(name, content string, data wire.Raw) any {
	line := func(end string) json.RawMessage {
		return json.RawMessage(cmp.Or(string(data.Get(end).Get("line")), "0"))
	}
	return map[string]any{
		"type": "selection", "displayName": name, "filePath": name, "text": content,
		"selection": map[string]any{"start": map[string]any{"line": line("start")}, "end": map[string]any{"line": line("end")}},
	}
}

// note is something that the model is to know and nobody wrote.
func note(title, text string) any {
	return map[string]any{"type": "extension_context", "extensionId": "sidestick", "title": title, "payload": text}
}

// cut is the beginning of a text, where a character ends.
func cut(s string) string {
	if len(s) <= maxContent {
		return s
	}
	return strings.ToValidUTF8(s[:maxContent], "") + "\n[Cut here.]"
}

// encode is attachments as [wire.Send] takes them; nil for none.
func encode(list []any) json.RawMessage {
	if len(list) == 0 {
		return nil
	}
	data, err := json.Marshal(list)
	if err != nil {
		panic(err) // cannot be: texts, and JSON that was read before
	}
	return data
}
