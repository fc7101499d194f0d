package extension

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"runtime/debug"
	"slices"
	"strconv"

	"github.com/sidestick-dev/sidestick/internal/fault"
)

// skillPiece is the number of bytes of a skill's result that are written at a time; each
// piece has a deadline of its own.
const skillPiece = 128 << 10

// NewSkillHandler returns a handler that calls the skill once for each request. A skill is
// the simpler form of an extension: the model is on the platform, and each function has a
// URL of its own.
//
// It accepts the same requests as [NewHandler], with the same options; Slug, ClientID,
// Heartbeat and OneEvent have no effect, since a skill receives only its arguments. The body
// must be a JSON object or empty, otherwise the status is 400. The response is 200 with the
// result, or 500 with the text of the error, which the platform sends to the model. After a
// panic the text says only that the skill failed.
func NewSkillHandler(s Skill, o HandlerOptions) http.Handler {
	if s == nil {
		panic("extension: NewSkillHandler with a nil Skill")
	}
	return &skillHandler{guard: newGuard(o), skill: s}
}

type skillHandler struct {
	guard
	skill Skill
}

// ServeHTTP implements [http.Handler].
func (h *skillHandler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	share := h.bodies.Share(freeBody)
	defer share.GiveAll()
	body, ok := h.admit(w, r, share)
	if !ok {
		return
	}
	args, err := arguments(body)
	if err != nil {
		h.refuse(w, r, err)
		return
	}
	ctx := r.Context()
	if h.Timeout > 0 {
		var stop context.CancelFunc
		ctx, stop = context.WithTimeoutCause(ctx, h.Timeout, errTimeout)
		defer stop()
	}
	text, err := h.call(ctx, args, r.Header)
	status := http.StatusOK
	if err != nil {
		status, text = http.StatusInternalServerError, fault.Message(err)
	}
	out := newTimedWriter(w)
	defer out.release()
	w.Header().Set("Content-Length", strconv.Itoa(len(text)))
	begin(w, status)
	for piece := range slices.Chunk([]byte(text), skillPiece) {
		if _, err := out.Write(piece); err != nil {
			break // the client has left
		}
	}
	_ = out.FlushError() // as above
}

// arguments returns the JSON object of a body.
func arguments(body []byte) (json.RawMessage, error) {
	body = bytes.TrimSpace(bytes.TrimPrefix(body, []byte("\uFEFF")))
	if len(body) == 0 {
		return json.RawMessage("{}"), nil
	}
	if !json.Valid(body) || body[0] != '{' {
		return nil, fault.New(fault.Invalid, "extension.Skill", "", "the arguments are not a JSON object")
	}
	return body, nil
}

// call calls the skill. If it panics, the error for the model says only that it failed.
func (h *skillHandler) call(ctx context.Context, args json.RawMessage, header http.Header) (text string, err error) {
	defer func() {
		if p := recover(); p != nil {
			h.Logger.Error("skill panicked", "panic", p, "stack", string(debug.Stack()))
			err = fault.New(fault.Internal, "extension.Skill", "", "the skill failed")
		}
	}()
	text, err = h.skill(ctx, args, header)
	switch {
	case err != nil && context.Cause(ctx) == errTimeout:
		return "", fault.New(fault.Unavailable, "extension.Skill", "", "the skill took longer than %v and was stopped", h.Timeout)
	case err != nil:
		h.Logger.Warn("skill failed", "error", err)
	}
	return text, err
}
