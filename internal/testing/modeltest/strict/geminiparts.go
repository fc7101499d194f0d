package strict

import (
	"encoding/json"
	"regexp"
	"slices"
)

// geminiConversation checks the contents of a request in order.
type geminiConversation struct {
	model  modelOf
	memory *memory
	prompt []string
	role   string
	open   []geminiCall // the calls of the content before
	// unsigned is the name of a call that lacks its signature, and at its place in its content.
	unsigned, at string
}

// dummy is accepted in place of the signature of a call that another model has made.
// Source: ai.google.dev/gemini-api/docs/thought-signatures ("FAQs").
const dummy = "skip_thought_signature_validator"

var geminiName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_.:-]{0,127}$`)

type geminiPart struct {
	Text      *string         `json:"text"`
	Thought   bool            `json:"thought"`
	Signature string          `json:"thoughtSignature"`
	Inline    *geminiBlob     `json:"inlineData"`
	File      json.RawMessage `json:"fileData"`
	Call      *struct {
		ID   string          `json:"id"`
		Name string          `json:"name"`
		Args json.RawMessage `json:"args"`
	} `json:"functionCall"`
	Response *struct {
		ID       string          `json:"id"`
		Name     string          `json:"name"`
		Response json.RawMessage `json:"response"`
		Parts    []struct {
			Inline *geminiBlob `json:"inlineData"`
		} `json:"parts"`
	} `json:"functionResponse"`
}

// geminiCall is a call that has no result yet.
type geminiCall struct{ id, name string }

type geminiBlob struct {
	MIMEType    string `json:"mimeType"`
	Data        string `json:"data"`
	DisplayName string `json:"displayName"`
}

// head checks the tools and the system text.
// Source: ai.google.dev/gemini-api/docs/function-calling ("Function declarations"),
// zed-industries/zed#44875.
func (c *geminiConversation) head(r *geminiRequest) error {
	if r.System != nil {
		for _, raw := range r.System.Parts {
			var p geminiPart
			if err := exactly(raw, &p); err != nil || p.Text == nil {
				return bad("Invalid value at 'system_instruction.parts': only text is supported")
			}
			c.prompt = append(c.prompt, compact(raw))
		}
	}
	names := map[string]bool{}
	for i, t := range r.Tools {
		for j, raw := range t.Functions {
			var f struct {
				Name        string          `json:"name"`
				Description string          `json:"description"`
				JSONSchema  json.RawMessage `json:"parametersJsonSchema"`
				Parameters  json.RawMessage `json:"parameters"`
			}
			if err := exactly(raw, &f); err != nil {
				return bad("Invalid JSON payload received. Unknown name %q at 'tools[%d].function_declarations[%d]': Cannot find field.", unknown(err), i, j)
			}
			s, ok := schemaOf(f.JSONSchema)
			switch {
			case !geminiName.MatchString(f.Name):
				return bad("Invalid value at 'tools[%d].function_declarations[%d].name': Invalid function name. Must start with a letter or an underscore. Must be alphanumeric (a-z, A-Z, 0-9), underscores (_), dots (.), colons (:), or dashes (-), with a maximum length of 128.", i, j)
			case names[f.Name]:
				return bad("Duplicate function declaration found: %s", f.Name)
			case f.JSONSchema != nil && (!ok || s.kind() != "object"):
				return bad("* GenerateContentRequest.tools[%d].function_declarations[%d].parameters: schema type should be OBJECT", i, j)
			case f.JSONSchema != nil && (s["properties"] == nil || compact(s["properties"]) == "{}"):
				return bad("* GenerateContentRequest.tools[%d].function_declarations[%d].parameters.properties: should be non-empty for OBJECT type", i, j)
			case f.Parameters != nil:
				return bad("strict: send parametersJsonSchema; what parameters takes depends on the back end")
			}
			names[f.Name] = true
			c.prompt = append(c.prompt, compact(raw))
		}
	}
	return nil
}

// content checks one content.
// Source: ai.google.dev/gemini-api/docs/function-calling (also for the id of a call, which its result
// returns), google-gemini/gemini-cli#5443, #11814.
func (c *geminiConversation) content(i int, raw json.RawMessage) error {
	var in struct {
		Role  string            `json:"role"`
		Parts []json.RawMessage `json:"parts"`
	}
	if err := exactly(raw, &in); err != nil {
		return bad("Invalid JSON payload received. Unknown name %q at 'contents[%d]': Cannot find field.", unknown(err), i)
	}
	if in.Role != "user" && in.Role != "model" {
		return bad("Please use a valid role: user, model.")
	}
	if len(in.Parts) == 0 {
		return bad("* GenerateContentRequest.contents[%d].parts: contents.parts must not be empty.", i)
	}
	before := c.role
	c.role = in.Role
	open := c.open
	c.open = nil
	responses, others := 0, 0
	for j, p := range in.Parts {
		part, err := c.part(i, j, p)
		if err != nil {
			return err
		}
		if part.Call != nil && (before == "" || before == "model") && len(c.open) == 0 {
			return bad("Please ensure that function call turn comes immediately after a user turn or after a function response turn.")
		}
		switch {
		case part.Response != nil:
			responses++
			at := slices.Index(open, geminiCall{part.Response.ID, part.Response.Name})
			if at < 0 {
				return bad("Please ensure that function response turn comes immediately after a function call turn.")
			}
			open = slices.Delete(slices.Clone(open), at, at+1)
		case part.Call != nil:
			c.call(part, j)
		default:
			others++
		}
		c.prompt = append(c.prompt, in.Role+compact(p))
	}
	switch {
	case slices.ContainsFunc(c.open, func(o geminiCall) bool { return (o.id == "") != (c.open[0].id == "") }):
		return bad("strict: the calls of one answer were all given ids, which come back with them")
	case len(open) > 0 || responses > 0 && others > 0 && in.Role == "user":
		return bad("Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.")
	case in.Role == "user" && responses == 0:
		c.unsigned = "" // only the calls since the user's newest text must be signed
	}
	return nil
}

// call remembers a call. The first of an answer must be signed.
// Source: ai.google.dev/gemini-api/docs/thought-signatures ("Function calling").
func (c *geminiConversation) call(p *geminiPart, j int) {
	if len(c.open) == 0 && p.Signature == "" && c.model.reasons && c.unsigned == "" {
		c.unsigned = p.Call.Name
		c.at = encode(j)
	}
	c.open = append(c.open, geminiCall{p.Call.ID, p.Call.Name})
}

func (c *geminiConversation) end() error {
	switch {
	case len(c.open) > 0:
		return bad("Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.")
	case c.role == "model":
		return bad("Please ensure that single turn requests end with a user role or the role field is empty.")
	case c.unsigned != "":
		return bad("Function call is missing a thought_signature in functionCall parts. This is required for tools to work correctly, and missing thought_signature may lead to degraded model performance. Additional data, function call `default_api:%s`, position %s.", c.unsigned, c.at)
	}
	return nil
}

func (c *geminiConversation) part(i, j int, raw json.RawMessage) (*geminiPart, error) {
	var p geminiPart
	if err := exactly(raw, &p); err != nil {
		return nil, bad("Invalid JSON payload received. Unknown name %q at 'contents[%d].parts[%d]': Cannot find field.", unknown(err), i, j)
	}
	kinds := 0
	for _, is := range []bool{p.Text != nil, p.Inline != nil, p.File != nil, p.Call != nil, p.Response != nil} {
		if is {
			kinds++
		}
	}
	switch {
	case kinds != 1:
		return nil, bad("* GenerateContentRequest.contents[%d].parts[%d].data: required oneof field 'data' must have one initialized field", i, j)
	case p.Text != nil && *p.Text == "" && p.Signature == "":
		return nil, bad("Unable to submit request because it must have a text parameter. (contents[%d].parts[%d])", i, j)
	case p.Call != nil && (c.role != "model" || !geminiName.MatchString(p.Call.Name) || !isObject(p.Call.Args)):
		return nil, bad("Invalid value at 'contents[%d].parts[%d].function_call'", i, j)
	case p.Call != nil && p.Call.ID != "" && c.memory.calls[p.Call.ID] != p.Call.Name:
		return nil, bad("strict: the id %s is of no call of this function", p.Call.ID)
	case p.Response != nil && (c.role != "user" || p.Response.Name == "" || !isObject(p.Response.Response)):
		return nil, bad("* GenerateContentRequest.contents[%d].parts[%d].function_response.name: Name cannot be empty.", i, j)
	case p.Inline != nil:
		return &p, p.Inline.check(i, j)
	}
	return &p, c.signature(&p, j)
}

// check checks a file in the request.
// Source: ai.google.dev/gemini-api/docs/image-understanding, and .../document-processing.
func (b *geminiBlob) check(i, j int) error {
	_, data, ok := dataURL("data:" + b.MIMEType + ";base64," + b.Data)
	switch {
	case !ok:
		return bad("Invalid value at 'contents[%d].parts[%d].inline_data.data' (TYPE_BYTES), Base64 decoding failed", i, j)
	case b.MIMEType == "application/pdf" && isPDF(data), b.MIMEType != "image/gif" && isImage(b.MIMEType, data):
		return nil
	}
	return bad("Unsupported MIME type: %s, or the file does not have it", b.MIMEType)
}

// signature checks that a signature is on the part that it was given out with.
func (c *geminiConversation) signature(p *geminiPart, j int) error {
	if p.Signature == "" {
		return nil
	}
	if p.Signature == dummy && p.Call != nil {
		return nil
	}
	if p.Call != nil && p.Call.ID == "" {
		return bad("strict: the call %s was given an id, which comes back with it", p.Call.Name)
	}
	g, ok := c.memory.given[p.Signature]
	if !ok || g.model != c.model.id || g.content != p.signed() {
		return bad("Corrupted thought signature.")
	}
	return nil
}

// signed is what a signature is for.
func (p *geminiPart) signed() string {
	if p.Call != nil {
		return "call " + p.Call.Name + compact(p.Call.Args)
	}
	return "text"
}
