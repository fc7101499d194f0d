package strict

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"
)

// bedrockConversation checks the messages of a request in order.
type bedrockConversation struct {
	model  modelOf
	memory *memory
	tools  bool // the request has tools
	prompt []string
	marks  int
	role   string
	open   []string
	ids    []string
	signed map[int]int
}

type bedrockBlock struct {
	Text  *string `json:"text"`
	Image *struct {
		Format string      `json:"format"`
		Source bedrockFile `json:"source"`
	} `json:"image"`
	Document *struct {
		Format    string          `json:"format"`
		Name      string          `json:"name"`
		Source    bedrockFile     `json:"source"`
		Citations json.RawMessage `json:"citations"`
	} `json:"document"`
	Use *struct {
		ID    string          `json:"toolUseId"`
		Name  string          `json:"name"`
		Input json.RawMessage `json:"input"`
	} `json:"toolUse"`
	Result *struct {
		ID      string            `json:"toolUseId"`
		Content []json.RawMessage `json:"content"`
		Status  string            `json:"status"`
	} `json:"toolResult"`
	Reasoning *struct {
		Text *struct {
			Text      string `json:"text"`
			Signature string `json:"signature"`
		} `json:"reasoningText"`
		Redacted *string `json:"redactedContent"`
	} `json:"reasoningContent"`
	Mark json.RawMessage `json:"cachePoint"`
}

type bedrockFile struct {
	Bytes string `json:"bytes"`
}

// head checks the tools and the system text.
// Source: docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ToolSpecification.html.
func (c *bedrockConversation) head(r *bedrockRequest) error {
	names := map[string]bool{}
	if r.Tools != nil {
		for i, raw := range r.Tools.Tools {
			var t struct {
				Spec struct {
					Name        string `json:"name"`
					Description string `json:"description"`
					Schema      struct {
						JSON json.RawMessage `json:"json"`
					} `json:"inputSchema"`
				} `json:"toolSpec"`
			}
			if err := exactly(raw, &t); err != nil {
				return bad("Unknown field in toolConfig.tools.%d: %v", i, err)
			}
			s, ok := schemaOf(t.Spec.Schema.JSON)
			switch {
			case !plain(t.Spec.Name, 64) || names[t.Spec.Name]:
				return bad("Value '%s' at 'toolConfig.tools.%d.member.toolSpec.name' failed to satisfy constraint: Member must satisfy regular expression pattern: [a-zA-Z0-9_-]+", t.Spec.Name, i)
			case !ok || s.kind() != "object":
				return bad("The value at toolConfig.tools.%d.toolSpec.inputSchema.json.type must be one of the following: object.", i)
			}
			names[t.Spec.Name] = true
			c.prompt = append(c.prompt, compact(raw))
		}
	}
	for i, raw := range r.System {
		var b bedrockBlock
		if err := exactly(raw, &b); err != nil || b.Text == nil && b.Mark == nil {
			return bad("Unknown field in system.%d: %v", i, err)
		}
		if b.Mark != nil {
			c.marks++
			continue
		}
		if blank(*b.Text) {
			return bad("The text field in the ContentBlock object at system.%d is blank. Add text to the text field, and try again.", i)
		}
		c.prompt = append(c.prompt, compact(raw))
	}
	return nil
}

// message checks one message.
// Source: docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Message.html, and the threads
// of dialects.md §10 row 51.
func (c *bedrockConversation) message(i int, raw json.RawMessage) error {
	var m struct {
		Role    string            `json:"role"`
		Content []json.RawMessage `json:"content"`
	}
	if err := exactly(raw, &m); err != nil {
		return bad("Unknown field in messages.%d: %v", i, err)
	}
	switch {
	case m.Role != "user" && m.Role != "assistant":
		return bad("Value '%s' at 'messages.%d.member.role' failed to satisfy constraint: Member must satisfy enum value set: [user, assistant]", m.Role, i)
	case i == 0 && m.Role != "user":
		return bad("A conversation must start with a user message. Try again with a conversation that starts with a user message.")
	case m.Role == c.role:
		return bad("A conversation must alternate between user and assistant roles. Make sure the conversation alternates between user and assistant roles and try again.")
	case len(m.Content) == 0:
		return bad("The content field in the Message object at messages.%d is empty. Add a ContentBlock object to the content field and try again.", i)
	}
	c.role = m.Role
	open := c.open
	c.open = nil
	said, document := false, false
	for j, block := range m.Content {
		b, err := c.block(i, j, block)
		if err != nil {
			return err
		}
		said, document = said || b.Text != nil, document || b.Document != nil
		if b.Result != nil {
			at := slices.Index(open, b.Result.ID)
			if at < 0 {
				return bad("The number of toolResult blocks at messages.%d.content exceeds the number of toolUse blocks of previous turn.", i)
			}
			open = slices.Delete(slices.Clone(open), at, at+1)
		}
		if b.Mark == nil {
			c.prompt = append(c.prompt, m.Role+compact(block))
		}
	}
	switch {
	case len(open) > 0:
		return bad("Expected toolResult blocks at messages.%d.content for the following Ids: %s", i, strings.Join(open, ", "))
	case document && !said:
		return bad("A text block must be included when a document is sent.")
	}
	return nil
}

func (c *bedrockConversation) block(i, j int, raw json.RawMessage) (*bedrockBlock, error) {
	var b bedrockBlock
	if err := exactly(raw, &b); err != nil {
		return nil, bad("Unknown field in messages.%d.content.%d: %v", i, j, err)
	}
	user := c.role == "user"
	switch {
	case b.Mark != nil:
		c.marks++
		return &b, nil
	case b.Text != nil:
		if blank(*b.Text) { // NousResearch/hermes-agent#55092
			return nil, bad("The text field in the ContentBlock object at messages.%d.content.%d is blank. Add text to the text field, and try again.", i, j)
		}
		return &b, nil
	case b.Image != nil && user:
		return &b, checkFile("image/"+b.Image.Format, b.Image.Source.Bytes)
	case b.Document != nil && user:
		if !documentName.MatchString(b.Document.Name) || strings.Contains(b.Document.Name, "  ") {
			return nil, bad("The document file name can only contain alphanumeric characters, whitespace characters, hyphens, parentheses, and square brackets. The name can't contain more than one consecutive whitespace character.")
		}
		return &b, checkFile("application/"+b.Document.Format, b.Document.Source.Bytes)
	case b.Use != nil && !user:
		return &b, c.call(i, j, &b)
	case b.Result != nil && user:
		return &b, c.result(i, j, &b)
	case b.Reasoning != nil && !user:
		return &b, c.reasoning(i, j, &b)
	}
	return nil, bad("ContentBlock object at messages.%d.content.%d must set one of the following keys: text, image, toolUse, toolResult, document, reasoningContent, cachePoint.", i, j)
}

var documentName = regexp.MustCompile(`^[A-Za-z0-9 ()\[\]-]{1,200}$`)

func checkFile(kind, text string) error {
	_, data, ok := dataURL("data:" + kind + ";base64," + text)
	if !ok || kind != "application/pdf" && !isImage(kind, data) || kind == "application/pdf" && !isPDF(data) {
		return bad("The model returned the following errors: Could not process a file of the type %s", kind)
	}
	return nil
}

func (c *bedrockConversation) call(i, j int, b *bedrockBlock) error {
	switch {
	case !c.tools: // langgenius/dify#17545
		return bad("The toolConfig field must be defined when using toolUse and toolResult content blocks.")
	case !plain(b.Use.ID, 64) || !plain(b.Use.Name, 64) || slices.Contains(c.ids, b.Use.ID):
		return bad("Value '%s' at 'messages.%d.member.content.%d.member.toolUse.toolUseId' failed to satisfy constraint: Member must satisfy regular expression pattern: [a-zA-Z0-9_-]+", b.Use.ID, i, j)
	case !isObject(b.Use.Input):
		return bad("The format of the value at messages.%d.content.%d.toolUse.input is invalid. Provide a json object for the field and try again.", i, j)
	}
	c.open, c.ids = append(c.open, b.Use.ID), append(c.ids, b.Use.ID)
	return nil
}

func (c *bedrockConversation) result(i, j int, b *bedrockBlock) error {
	if len(b.Result.Content) == 0 || b.Result.Status != "" && b.Result.Status != "success" && b.Result.Status != "error" {
		return bad("The content field in the ToolResultBlock at messages.%d.content.%d is empty.", i, j)
	}
	for _, raw := range b.Result.Content {
		var in bedrockBlock
		err := exactly(raw, &in)
		switch {
		case err == nil && in.Text != nil && !blank(*in.Text):
		case err == nil && in.Image != nil:
			if err := checkFile("image/"+in.Image.Format, in.Image.Source.Bytes); err != nil {
				return err
			}
		case err == nil && in.Document != nil:
			if err := checkFile("application/"+in.Document.Format, in.Document.Source.Bytes); err != nil {
				return err
			}
		default:
			return bad("The text field in the ToolResultContentBlock at messages.%d.content.%d is blank, or it has an unknown field.", i, j)
		}
	}
	return nil
}

// reasoning checks that it is as it was given out.
// Source: docs.aws.amazon.com/bedrock/latest/userguide/claude-messages-thinking-block-binding.html.
func (c *bedrockConversation) reasoning(i, j int, b *bedrockBlock) error {
	t := b.Reasoning.Text
	if t == nil {
		return bad("strict: no reasoning was redacted")
	}
	g, ok := c.memory.given[t.Signature]
	switch {
	case !ok || g.content != t.Text:
		return bad("The model returned the following errors: messages.%d.content.%d: Invalid `signature` in `thinking` block", i, j)
	case g.model != c.model.id:
		c.memory.note("thinking of another model is dropped")
		return nil
	case !g.unchanged(c.prompt):
		return bad("The model returned the following errors: messages.%d.content.%d: `thinking` block is bound to a different conversation", i, j)
	}
	if c.signed == nil {
		c.signed = map[int]int{}
	}
	c.signed[g.answer]++
	return nil
}

func (c *bedrockConversation) end() error {
	for _, g := range c.memory.given {
		if n := c.signed[g.answer]; n > 0 && n < g.of {
			return bad("The model returned the following errors: `thinking` blocks of one answer were left out between others")
		}
	}
	switch {
	case c.role == "assistant" || c.role == "":
		return bad("The conversation must end with a user message.")
	case c.marks > 4:
		return bad("You have exceeded the maximum number of cachePoint blocks: 4.")
	}
	return nil
}
