package web

import (
	"cmp"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"slices"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/quota"
	"github.com/sidestick-dev/sidestick/internal/session/registry"
)

// Bounds of bodies, in bytes. On the agent's side they are the same, for its requests alone: what callers without a
// signature send there takes no room from clients that have shown the token.
const (
	maxBody   = 10 << 20 // of one request
	maxBodies = 64 << 20 // of all requests that arrive or are answered; see [quota.ReadAll]
	freeBody  = 64 << 10 // of each, which do not count
)

// maxValues bounds the values in the JSON of a request. Each takes some 100 bytes when it is decoded, also if it has two in
// the request.
const maxValues = 200_000

// chatRequest is the part of an OpenAI request that an agent can obey. The agent
// chooses its sampling (temperature, max_tokens and so on) and its tools itself; a
// request that sets these is answered all the same, unless it demands a tool call, and the
// answer names what was ignored. See chatfields.go.
type chatRequest struct {
	sessions      *registry.Registry // in which the caller may make one
	stream, usage bool
	ignored       []string // the names of fields

	system   string // the system and developer messages
	prompt   string // the last message
	attached []any  // the messages before it, and pictures
}

// body is the JSON of a request, as far as it is read.
type body struct {
	Model         string    `json:"model"`
	Messages      []message `json:"messages"`
	Stream        bool      `json:"stream"`
	StreamOptions struct {
		IncludeUsage bool `json:"include_usage"`
	} `json:"stream_options"`
	N              *int            `json:"n"`
	ToolChoice     json.RawMessage `json:"tool_choice"`
	ResponseFormat struct {
		Type string `json:"type"`
	} `json:"response_format"`
}

type message struct {
	Role    string  `json:"role"`
	Content content `json:"content"`
}

// content is a text, or a list of texts and pictures.
type content struct {
	text     string
	pictures []string // addresses
}

// UnmarshalJSON implements [json.Unmarshaler].
func (c *content) UnmarshalJSON(data []byte) error {
	if json.Unmarshal(data, &c.text) == nil { // null is the empty text
		return nil
	}
	var parts []struct {
		Type     string `json:"type"`
		Text     string `json:"text"`
		ImageURL struct {
			URL string `json:"url"`
		} `json:"image_url"`
	}
	if err := json.Unmarshal(data, &parts); err != nil {
		return errors.New("content is neither text nor a list of parts")
	}
	var texts []string
	for _, p := range parts {
		switch p.Type {
		case "text":
			texts = append(texts, p.Text)
		case "image_url":
			c.pictures = append(c.pictures, p.ImageURL.URL)
		default:
			return fmt.Errorf("a part of the type %q cannot be taken: text and image_url can", p.Type)
		}
	}
	c.text = strings.Join(texts, "\n")
	return nil
}

func invalid(format string, args ...any) error { return invalidField("", format, args...) }

// invalidField is invalid for a field of the request, which the error names.
func invalidField(name, format string, args ...any) error {
	return &refusal{code: "invalid", message: fault.Bounded(fmt.Sprintf(format, args...)), field: name}
}

// readBody reads the body of a request, within its bounds of size and time and as far as share has room for it.
func readBody(w http.ResponseWriter, r *http.Request, share *quota.Share) ([]byte, error) {
	data, err := quota.ReadAll(http.MaxBytesReader(w, r.Body, maxBody), share)
	var tooLarge *http.MaxBytesError
	switch {
	case errors.Is(err, quota.ErrNoRoom):
		return nil, refused("no_room", fault.Message(err))
	case errors.As(err, &tooLarge):
		return nil, refused("too_large", fmt.Sprintf("the request is longer than %d bytes", maxBody))
	case errors.Is(err, os.ErrDeadlineExceeded):
		return nil, refused("request_timeout", fmt.Sprintf("the request did not arrive within %v", readTime))
	case err != nil:
		return nil, invalid("the request did not arrive whole")
	}
	return data, nil
}

// readChat reads and checks a request.
func readChat(data []byte) (*chatRequest, error) {
	if n := values(data); n > maxValues {
		return nil, invalid("the request has %d values, and may have %d", n, maxValues)
	}
	ignored, err := checkFields(data)
	if err != nil {
		return nil, err
	}
	var b body
	if err := fault.DecodeObject(data, &b); err != nil {
		return nil, invalid("the request cannot be read: %v", err)
	}
	req, err := b.request()
	if err == nil {
		req.ignored = ignored
	}
	return req, err
}

// values returns about how many values a JSON text has, valid or not.
func values(data []byte) (n int) {
	inside := false // a string
	for i := 0; i < len(data); i++ {
		switch c := data[i]; {
		case c == '"':
			inside = !inside
		case c == '\\' && inside:
			i++
		case !inside && (c == ',' || c == '[' || c == '{'):
			n++
		}
	}
	return n
}

// request checks b and returns it as a chatRequest.
func (b *body) request() (*chatRequest, error) {
	choice := strings.Trim(string(b.ToolChoice), `"`)
	switch {
	case b.Model != "" && b.Model != modelName:
		return nil, noModel(b.Model)
	case b.N != nil && *b.N != 1:
		return nil, invalidField("n", "n is %d: an agent gives one answer", *b.N)
	case !slices.Contains([]string{"", "null", "auto", "none"}, choice):
		return nil, invalidField("tool_choice", "tool_choice asks for a call of your tools: the agent runs its own, and returns no calls")
	case !slices.Contains([]string{"", "text"}, b.ResponseFormat.Type):
		return nil, invalidField("response_format", "response_format %q cannot be promised: the agent answers in text", b.ResponseFormat.Type)
	}
	req := &chatRequest{stream: b.Stream, usage: b.StreamOptions.IncludeUsage}
	return req, req.converse(b.Messages)
}

// roles are those that a message of OpenAI can have.
var roles = []string{"developer", "system", "user", "assistant", "tool", "function"}

// converse takes over the messages; the last one is the prompt.
func (q *chatRequest) converse(list []message) error {
	var before []earlierMessage
	var systems []string
	for i, m := range list {
		switch {
		case !slices.Contains(roles, m.Role):
			return invalidField("messages", "there is no role %q: a message has one of %s", m.Role, strings.Join(roles, ", "))
		case m.Role == "system" || m.Role == "developer":
			systems = append(systems, m.Content.text)
		case i < len(list)-1:
			before = append(before, earlierMessage{m.Role, cmp.Or(m.Content.text, "(a picture, or nothing)")})
		}
	}
	if q.system = strings.Join(systems, "\n\n"); len(q.system) > maxContent {
		return invalidField("messages", "the system messages have more than %d bytes", maxContent)
	}
	if len(list) == 0 || list[len(list)-1].Role != "user" {
		return invalidField("messages", "the last message is not the user's, so there is nothing to answer")
	}
	last := list[len(list)-1].Content
	if q.prompt = last.text; strings.TrimSpace(last.text) == "" && len(last.pictures) == 0 {
		return invalidField("messages", "the last message is empty")
	}
	if e := earlier(before); e != nil {
		q.attached = append(q.attached, e)
	}
	for _, address := range last.pictures {
		picture, err := inlined(address)
		if err != nil {
			return err
		}
		q.attached = append(q.attached, picture)
	}
	return nil
}

// inlined returns a picture that the request contains. A picture behind a URL is
// refused, because a client must not decide to which addresses this machine connects.
func inlined(address string) (any, error) {
	kind, encoded, ok := strings.Cut(strings.TrimPrefix(address, "data:"), ";base64,")
	if _, err := base64.StdEncoding.DecodeString(encoded); err != nil || !ok || !strings.HasPrefix(address, "data:") {
		return nil, invalidField("messages", "a picture is given by an address that is not a data URL in base64: send the picture itself")
	}
	return map[string]any{"type": "blob", "mimeType": kind, "data": encoded}, nil
}
