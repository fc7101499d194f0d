package tape

import (
	"bytes"
	"encoding/json"
	"fmt"
	"time"

	"github.com/sidestick-dev/sidestick/internal/model"
)

// ToolCall says which call of a tool a result or a decision belongs to.
type ToolCall struct {
	ID        string          `json:"toolCallId"`
	Name      string          `json:"tool"`
	Arguments json.RawMessage `json:"arguments,omitempty"`
}

// Result is what a tool returned.
type Result struct {
	Type  string      `json:"type"`
	At    time.Time   `json:"at"`
	Place model.Place `json:"place"`
	ToolCall
	Result json.RawMessage `json:"result"` // in the form of the caller
}

// Decision is the answer to a permission request.
type Decision struct {
	Type  string      `json:"type"`
	At    time.Time   `json:"at"`
	Place model.Place `json:"place"`
	ToolCall
	Verdict
}

// Verdict is what a permission request was answered with.
type Verdict struct {
	Outcome  string `json:"outcome"`
	Feedback string `json:"feedback,omitempty"` // of the user
	Why      string `json:"why,omitempty"`      // the rule that has denied the call
}

// Tool records the result of a tool.
func (r *Recorder) Tool(at model.Place, c ToolCall, result json.RawMessage) {
	secrets := r.secrets.Child()
	c.Arguments = secrets.RedactData(c.Arguments, true)
	r.write(Result{typeTool, time.Now().UTC(), at, c, secrets.RedactData(result, true)})
}

// Permission records the answer to a permission request.
func (r *Recorder) Permission(at model.Place, c ToolCall, v Verdict) {
	secrets := r.secrets.Child()
	c.Arguments = secrets.RedactData(c.Arguments, true)
	v.Feedback, v.Why = secrets.RedactPiece(v.Feedback), secrets.RedactPiece(v.Why)
	r.write(Decision{typePermission, time.Now().UTC(), at, c, v})
}

// Tool returns the recorded result of a call, each once and in order, with the paths and the id of
// the session that asks for it. If there is none, the error
// is for the user, and [Player.Err] returns it, too.
func (p *Player) Tool(at model.Place, c ToolCall) (json.RawMessage, error) {
	key := p.toolKey(at, c)
	p.mu.Lock()
	defer p.mu.Unlock()
	list := p.tools[key]
	if len(list) == 0 {
		err := fmt.Errorf("replay: the recording %s has no result of the call of %s with %s (id %s)", p.path, c.Name, around(string(p.secrets.RedactData(c.Arguments, true)), 0), c.ID)
		if p.mismatch == "" {
			p.mismatch = err.Error()
		}
		return nil, err
	}
	p.tools[key] = list[1:]
	return moved(list[0].Result, list[0].Place, at), nil
}

// Permission returns the recorded answer to the permission request of a call, each once and in
// order; false if there is none.
func (p *Player) Permission(at model.Place, c ToolCall) (v Verdict, ok bool) {
	key := p.toolKey(at, c)
	p.mu.Lock()
	defer p.mu.Unlock()
	list := p.permissions[key]
	if len(list) == 0 {
		return Verdict{}, false
	}
	p.permissions[key] = list[1:]
	return list[0].Verdict, true
}

// toolKey is what a call of a tool is known by: its id, unless this program has made that up, its
// tool, and its arguments.
func (p *Player) toolKey(at model.Place, c ToolCall) string {
	var compact bytes.Buffer
	if json.Compact(&compact, p.secrets.RedactData(c.Arguments, true)) != nil {
		compact.Reset()
		compact.Write(c.Arguments)
	}
	text, _ := json.Marshal([]string{c.ID, c.Name, compact.String()}) // strings can be encoded
	return string(normal(text, p.places(at)))
}
