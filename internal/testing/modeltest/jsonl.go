package modeltest

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"time"

	"github.com/sidestick-dev/sidestick/internal/fault"
)

// line is a [Reply] in a script file; see LoadJSONL.
type line struct {
	When       string            `json:"when"`
	Repeat     bool              `json:"repeat"`
	Text       string            `json:"text"`
	Pieces     []string          `json:"pieces"`
	Piece      int               `json:"piece"`
	Reasoning  string            `json:"reasoning"`
	ToolCalls  []lineCall        `json:"toolCalls"`
	Finish     string            `json:"finish"`
	Choices    []lineChoice      `json:"choices"`
	Usage      *Usage            `json:"usage"`
	Events     []json.RawMessage `json:"events"`
	Status     int               `json:"status"`
	Body       string            `json:"body"`
	Header     map[string]string `json:"header"`
	Delay      duration          `json:"delay"`
	Gap        duration          `json:"gap"`
	CutAfter   int               `json:"cutAfter"`
	CutBytes   int               `json:"cutBytes"`
	StallAfter int               `json:"stallAfter"`
	Silent     bool              `json:"silent"`
}

type lineCall struct {
	ID        string          `json:"id"`
	Name      string          `json:"name"`
	Arguments json.RawMessage `json:"arguments"`
}

type lineChoice struct {
	Text      string     `json:"text"`
	Reasoning string     `json:"reasoning"`
	ToolCalls []lineCall `json:"toolCalls"`
	Finish    string     `json:"finish"`
}

type duration time.Duration

func (d *duration) UnmarshalText(b []byte) error {
	v, err := time.ParseDuration(string(b))
	*d = duration(v)
	return err
}

// LoadJSONL reads a script: one JSON object per line. Blank lines and lines that begin
// with # are skipped. Keys are the fields of [Reply], beginning in lower case:
//
//	{"toolCalls": [{"name": "bash", "arguments": {"command": "go test"}}]}
//	{"when": "exit code 1", "text": "It fails.", "usage": {"input": 90, "output": 4}}
//	{"status": 429, "header": {"Retry-After": "1"}, "body": "slow down"}
//	{"text": "word by word", "piece": 5, "gap": "20ms", "repeat": true}
//
// "when" is text the last message must contain, "delay" and "gap" are durations
// such as "1.5s", "arguments" are an object or a string, "events" are objects or
// strings such as "[DONE]". An unknown key is an error, which names its line.
func LoadJSONL(r io.Reader) ([]Reply, error) {
	var replies []Reply
	s := bufio.NewScanner(r)
	s.Buffer(nil, 16<<20)
	for n := 1; s.Scan(); n++ {
		text := bytes.TrimSpace(s.Bytes())
		if len(text) == 0 || text[0] == '#' {
			continue
		}
		reply, err := parseLine(text)
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", n, err)
		}
		replies = append(replies, reply)
	}
	return replies, s.Err()
}

func parseLine(text []byte) (Reply, error) {
	var l line
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(&l); err != nil {
		return Reply{}, fault.JSON(err)
	}
	if d.More() {
		return Reply{}, fmt.Errorf("more than one object")
	}
	return l.reply(), nil
}

func (l *line) reply() Reply {
	r := Reply{
		Repeat: l.Repeat, Text: l.Text, Pieces: l.Pieces, Piece: l.Piece, Reasoning: l.Reasoning,
		ToolCalls: lineCalls(l.ToolCalls), Finish: l.Finish, Usage: l.Usage,
		Status: l.Status, Body: l.Body, Header: l.Header,
		Delay: time.Duration(l.Delay), Gap: time.Duration(l.Gap),
		CutAfter: l.CutAfter, CutBytes: l.CutBytes, StallAfter: l.StallAfter, Silent: l.Silent,
	}
	if l.When != "" {
		r.When = LastIs(l.When)
	}
	for _, c := range l.Choices {
		r.Choices = append(r.Choices, Choice{c.Text, c.Reasoning, lineCalls(c.ToolCalls), c.Finish})
	}
	for _, e := range l.Events {
		r.Events = append(r.Events, stringOrRaw(e))
	}
	return r
}

func lineCalls(calls []lineCall) (out []ToolCall) {
	for _, c := range calls {
		out = append(out, ToolCall{c.ID, c.Name, stringOrRaw(c.Arguments)})
	}
	return out
}

// stringOrRaw returns a JSON string's value, anything else as written.
func stringOrRaw(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) == nil {
		return s
	}
	return string(raw)
}
