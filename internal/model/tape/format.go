package tape

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"time"
	"unicode/utf8"

	"github.com/sidestick-dev/sidestick/internal/model"
)

// Version is the version of the format. A recording of another version is refused.
const Version = 1

// The types of lines.
const (
	typeHeader     = "recording"
	typeCall       = "call"
	typeTool       = "tool"
	typePermission = "permission"
)

// header is the first line of a recording, and the first that each further process adds.
type header struct {
	Type    string    `json:"type"`
	Version int       `json:"version"`
	Program string    `json:"program"` // that wrote it
	At      time.Time `json:"at"`
}

// call is one exchange with a provider.
type call struct {
	Type    string      `json:"type"`
	At      time.Time   `json:"at"` // when the request was sent
	Place   model.Place `json:"place"`
	Model   *called     `json:"model,omitempty"` // absent: the request was for something else
	Request request     `json:"request"`
	// Answer is absent if there was none; Failure says why.
	Answer  *answer `json:"answer,omitempty"`
	Failure string  `json:"failure,omitempty"`
}

// called is the model that was called; of a list of models, only where it is.
type called struct {
	Name    string `json:"name,omitempty"` // as the session names it
	Sent    string `json:"sent,omitempty"` // as the request names it, if that is another name
	Dialect string `json:"dialect,omitempty"`
	BaseURL string `json:"baseUrl,omitempty"`
	Copilot bool   `json:"copilot,omitempty"`
}

// request is what was sent.
type request struct {
	Method  string            `json:"method"`
	URL     string            `json:"url"` // without user and secrets
	Headers map[string]string `json:"headers,omitempty"`
	content
}

// content is a body: one of the three forms in which it comes back byte for byte.
type content struct {
	JSON   json.RawMessage `json:"body,omitempty"` // a JSON value without white space between its parts
	Text   string          `json:"text,omitempty"` // any other text
	Base64 string          `json:"base64,omitempty"`
}

// answer is what came back.
type answer struct {
	Status  int               `json:"status"`
	Headers map[string]string `json:"headers,omitempty"`
	Pieces  []piece           `json:"pieces,omitempty"` // of the body, as they came
	// Cut is why the body did not come to its end; empty if it did, or if nobody read on.
	Cut string `json:"cut,omitempty"`
	// Aborted says that the caller ended the call before its answer was complete.
	Aborted bool `json:"aborted,omitempty"`
}

// piece is a part of a body, and when it came.
type piece struct {
	Milliseconds int64  `json:"ms"` // since the request was sent
	Text         string `json:"text,omitempty"`
	Base64       string `json:"base64,omitempty"` // of bytes that are not UTF-8
}

func asContent(body []byte) content {
	var compact bytes.Buffer
	switch {
	case len(body) == 0:
		return content{}
	case !utf8.Valid(body):
		return content{Base64: base64.StdEncoding.EncodeToString(body)}
	case json.Compact(&compact, body) == nil && bytes.Equal(compact.Bytes(), body):
		return content{JSON: body}
	}
	return content{Text: string(body)}
}

// bytes returns the body.
func (c *content) bytes() []byte {
	switch {
	case c.JSON != nil:
		return c.JSON
	case c.Base64 != "":
		data, _ := base64.StdEncoding.DecodeString(c.Base64) // load has checked it
		return data
	}
	return []byte(c.Text)
}

func asPiece(at time.Duration, data string) piece {
	p := piece{Milliseconds: at.Milliseconds()}
	if utf8.ValidString(data) {
		p.Text = data
	} else {
		p.Base64 = base64.StdEncoding.EncodeToString([]byte(data))
	}
	return p
}

func (p *piece) bytes() []byte {
	if p.Base64 == "" {
		return []byte(p.Text)
	}
	data, _ := base64.StdEncoding.DecodeString(p.Base64) // load has checked it
	return data
}

// encode returns a value as one line.
func encode(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}
