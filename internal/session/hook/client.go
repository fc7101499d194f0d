package hook

import (
	"context"
	"encoding/json"
	"strings"
	"time"

	"github.com/sidestick-dev/sidestick/internal/fault"
)

// Peer calls a method of a client and decodes its result. It returns when the client has
// responded, or when its connection or ctx has ended.
type Peer interface {
	Call(ctx context.Context, method string, params, result any) error
}

// clientLimit bounds the time of one call of a client's hook.
const clientLimit = time.Minute

// client runs the hooks of a client. The client does not say which kinds of hooks it has, so
// it is called for each kind.
type client struct {
	sessionID string
	peer      Peer
	attached  context.Context // ends when the client leaves the session
}

// SetClient sets the client whose hooks are called after those of files. attached ends when
// the client leaves the session; from then on its hooks are not waited for. A nil peer means
// that no client has hooks.
func (h *Hooks) SetClient(peer Peer, attached context.Context) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.client = nil
	if peer != nil {
		h.client = &client{h.opts.SessionID, peer, attached}
	}
	h.arrange()
}

// serves leaves out the kinds that the SDKs do not know: some answer them with an error.
func (c *client) serves(kind string, _ Call, _ map[string]any) (time.Duration, bool) {
	return clientLimit, kind != subagentStart && kind != subagentStop
}

// forgotten reports whether a client has said that it does not know the session, in the words of the SDKs. When a
// program stops, they forget its sessions before they detach from them; then its hook for the end is not run.
func forgotten(err error) bool {
	if err == nil {
		return false
	}
	text := strings.ToLower(err.Error())
	return strings.Contains(text, "unknown session") || strings.Contains(text, "session not found")
}

func (c *client) invoke(ctx context.Context, kind string, _ Call, input map[string]any) (json.RawMessage, error) {
	var result json.RawMessage
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(c.attached, cancel)()
	err := c.peer.Call(ctx, "hooks.invoke", map[string]any{"sessionId": c.sessionID, "hookType": kind, "input": input}, &result)
	if kind == sessionEnd && forgotten(err) {
		return nil, nil
	}
	if err != nil || len(result) == 0 {
		return nil, err
	}
	var answer struct {
		Output json.RawMessage `json:"output"`
	}
	if err := json.Unmarshal(result, &answer); err != nil {
		return nil, notUnderstood("%w", fault.JSON(err))
	}
	return answer.Output, nil
}
