package mcp

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"mime"
	"path"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/sidestick-dev/sidestick/internal/tool"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// Bounds of a result.
const (
	maxBinary = 1 << 20 // bytes of a resource or a sound that an event carries
	maxBlocks = 1000    // of content
)

// result makes of the result of a call what the model reads and what clients get. The model
// reads all texts, each on lines of its own, and sees the pictures; of everything else that is
// not text it reads what there is.
func (t *Tool) result(r *sdk.CallToolResult) tool.Result {
	res := tool.Result{Outcome: tool.Success}
	var texts []string
	onlyText := true
	for _, block := range r.Content[:min(len(r.Content), maxBlocks)] {
		text, ok := t.block(&res, block)
		onlyText = onlyText && ok
		if text != "" || ok {
			texts = append(texts, text)
		}
	}
	if more := len(r.Content) - maxBlocks; more > 0 {
		texts = append(texts, fmt.Sprintf("[%d more parts, which are left out: a result has at most %d]", more, maxBlocks))
	}
	if onlyText && len(r.Content) < 2 {
		res.Contents = nil // it is the text itself
	}
	if r.StructuredContent != nil {
		if structured, err := json.Marshal(r.StructuredContent); err == nil {
			res.Structured = structured
			if len(r.Content) == 0 {
				texts = append(texts, string(structured))
			}
		}
	}
	res.Text = strings.Join(texts, "\n")
	if r.IsError {
		res.Outcome, res.Files, res.Contents, res.Structured = tool.Failure, nil, nil, nil
		if res.Text == "" {
			res.Text = fmt.Sprintf("MCP server '%s' reported that the call of '%s' failed, and not why.", t.definition.Server, t.definition.ServerTool)
		}
	}
	return res
}

// block adds one block of a result. It returns what the model reads of it, and whether it is
// plain text.
func (t *Tool) block(res *tool.Result, block sdk.Content) (text string, plain bool) {
	switch b := block.(type) {
	case *sdk.TextContent:
		res.Contents = append(res.Contents, &wire.ToolText{Text: b.Text})
		return b.Text, true
	case *sdk.ImageContent: // which the event has among its binary results
		t.shown(res, b.MIMEType, b.Data)
		return "", false
	case *sdk.AudioContent:
		if len(b.Data) <= maxBinary {
			res.Contents = append(res.Contents, &wire.ToolAudio{Data: base64.StdEncoding.EncodeToString(b.Data), MIMEType: b.MIMEType})
		}
		return fmt.Sprintf("[a sound of type %s, %d bytes, which cannot be shown]", b.MIMEType, len(b.Data)), false
	case *sdk.ResourceLink:
		res.Contents = append(res.Contents, linkOf(b))
		return fmt.Sprintf("[resource %s: %s]", b.Name, b.URI), false
	case *sdk.EmbeddedResource:
		return t.resource(res, b.Resource), false
	}
	return fmt.Sprintf("[content of an unknown kind %T]", block), false
}

// shown adds a file that the model sees.
func (t *Tool) shown(res *tool.Result, mediaType string, data []byte) {
	res.Files = append(res.Files, tool.File{Path: t.fileName(len(res.Files)+1, mediaType), MediaType: mediaType, Data: data})
}

// resource adds a resource that a result contains.
func (t *Tool) resource(res *tool.Result, r *sdk.ResourceContents) string {
	switch {
	case r == nil:
		return ""
	case r.Blob == nil:
		res.Contents = append(res.Contents, wire.TextResource(r.URI, r.MIMEType, r.Text))
		return r.Text
	case strings.HasPrefix(r.MIMEType, "image/"), r.MIMEType == tool.TypePDF:
		t.shown(res, r.MIMEType, r.Blob)
		return ""
	case len(r.Blob) <= maxBinary:
		res.Contents = append(res.Contents, wire.BlobResource(r.URI, r.MIMEType, base64.StdEncoding.EncodeToString(r.Blob)))
	}
	return fmt.Sprintf("[resource %s of type %s, %d bytes, which cannot be shown]", r.URI, r.MIMEType, len(r.Blob))
}

func linkOf(b *sdk.ResourceLink) *wire.ToolResourceLink {
	return &wire.ToolResourceLink{
		URI: b.URI, Name: b.Name, Title: wire.Optional(b.Title), Description: wire.Optional(b.Description), MIMEType: wire.Optional(b.MIMEType), Size: b.Size,
	}
}

// fileName names a file that has no name.
func (t *Tool) fileName(number int, mediaType string) string {
	name := fmt.Sprintf("%s-%d", t.definition.Name, number)
	if known, err := mime.ExtensionsByType(mediaType); err == nil && len(known) > 0 {
		return name + known[0]
	}
	return name + "." + path.Base(mediaType)
}
