package tape

import (
	"bytes"
	"encoding/json"
	"fmt"
	"time"

	"github.com/sidestick-dev/sidestick/internal/model"
	"github.com/sidestick-dev/sidestick/internal/obs"
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
	if found := next(p, p.tools, at, c); found != nil {
		result, err := moved(found.Result, found.Place, at)
		if err != nil {
			return nil, p.failed(fmt.Errorf("replay: the result of the call of %s (id %s) in the recording %s cannot be used: %w", c.Name, c.ID, p.path, err))
		}
		return result, nil
	}
	return nil, p.failed(fmt.Errorf("replay: the recording %s has no result of the call of %s with %s (id %s)", p.path, c.Name, around(string(p.secrets.RedactData(c.Arguments, true)), 0), c.ID))
}

// failed keeps the first error for [Player.Err].
func (p *Player) failed(err error) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.mismatch == "" {
		p.mismatch = err.Error()
	}
	return err
}

// Permission returns the recorded answer to the permission request of a call, each once and in
// order; false if there is none.
func (p *Player) Permission(at model.Place, c ToolCall) (v Verdict, ok bool) {
	if found := next(p, p.permissions, at, c); found != nil {
		return found.Verdict, true
	}
	return Verdict{}, false
}

// next takes the first line that is left for a call, from a map by [toolKey]; nil if there is none.
// The call may have names of its own run, and those of the place in which the line was recorded,
// which answers contain.
func next[Line any](p *Player, lines map[string][]*Line, at model.Place, c ToolCall) *Line {
	text := toolText(p.secrets, c)
	usual := string(normal(text, []model.Place{at}))
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, place := range append([]model.Place{at}, p.places...) {
		key := usual
		if mentions(text, place) {
			key = string(normal(text, []model.Place{at, place}))
		}
		if list := lines[key]; len(list) > 0 {
			lines[key] = list[1:]
			return list[0]
		}
	}
	return nil
}

// toolKey is what the line of a call of a tool is known by: its text without the names of its place.
func toolKey(secrets *obs.Redactor, c ToolCall, at model.Place) string {
	return string(normal(toolText(secrets, c), []model.Place{at}))
}

// toolText is the id of a call of a tool, the tool, and the arguments.
func toolText(secrets *obs.Redactor, c ToolCall) []byte {
	var compact bytes.Buffer
	if json.Compact(&compact, secrets.RedactData(c.Arguments, true)) != nil {
		compact.Reset()
		compact.Write(c.Arguments)
	}
	text, _ := json.Marshal([]string{c.ID, c.Name, compact.String()}) // strings can be encoded
	return text
}
