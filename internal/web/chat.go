package web

import (
	"context"
	"errors"
	"net/http"

	"github.com/sidestick-dev/sidestick/extension"
	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// modelName is what the agent is called as a model.
const modelName = "sidestick"

// chat answers POST /v1/chat/completions: one request, one session. OpenAI's clients
// bring the whole conversation each time and expect nothing to be kept, so that a
// conversation that one of them goes on with begins anew here, with what was said
// before as a text that the agent reads. The session's log stays, for whoever runs the
// agent to see what it did.
func (d *Door) chat(w http.ResponseWriter, r *http.Request) {
	req, err := readChat(w, r)
	out := newCompletion(w, req)
	if err == nil {
		stop := out.attend()
		err = d.inTurn(func() error { return d.complete(r.Context(), req, out) })
		stop()
	}
	out.finish(err)
}

// complete has a new session answer.
func (d *Door) complete(ctx context.Context, req *chatRequest, out *completion) error {
	cfg := d.settings("openai-" + wire.NewSessionID())
	cfg.ClientName, cfg.WorkingDirectory = "sidestick-openai", d.opts.Dir
	cfg.RequestPermission, cfg.RequestUserInput = nil, nil // nobody can be asked: it is denied, and the model told
	if req.system != "" {
		cfg.SystemMessage = &wire.SystemMessageSet{Mode: "append", Content: req.system}
	}
	client, err := d.opts.Sessions.Create(ctx, cfg, nil)
	if err != nil {
		return err
	}
	s := &seat{id: cfg.SessionID, visit: visit{client: client, alone: true}}
	defer d.leave(ctx, s)
	t := &telling{out: out.text}
	t.message, err = client.Session().Send(context.WithoutCancel(ctx), wire.Send{Prompt: req.prompt, Attachments: encode(req.attached)})
	if err != nil {
		return err
	}
	s.working = true
	_, _, err = t.follow(ctx, s)
	d.logFailure(err, s.id)
	out.in, out.put = t.in, t.put
	if err != nil {
		d.abort(ctx, s)
		return err
	}
	if f := t.fault(s.id); f != nil && f.Type == extension.FaultAgent {
		return refused(f.Code, f.Message)
	}
	return nil
}

// models answers GET /v1/models.
func (d *Door) models(w http.ResponseWriter, _ *http.Request) {
	writeJSON(w, http.StatusOK, map[string]any{"object": "list", "data": []any{
		map[string]any{"id": modelName, "object": "model", "created": released, "owned_by": "sidestick"},
	}})
}

// released is a date that clients show of models; ours has none, and is not to change
// from one call to the next.
const released = 1_735_689_600 // 2025-01-01

func unknownPath(w http.ResponseWriter, r *http.Request) {
	chatRefusal(w, http.StatusNotFound, "there is no "+r.Method+" "+r.URL.Path+" here: POST /v1/chat/completions and GET /v1/models are served")
}

// statusOf is how a failure is told that comes before the answer has begun.
func statusOf(err error) int {
	var r *refusal
	if errors.As(err, &r) {
		switch r.code {
		case "invalid":
			return http.StatusBadRequest
		case "request_timeout":
			return http.StatusRequestTimeout
		case "too_large":
			return http.StatusRequestEntityTooLarge
		case "model_not_found":
			return http.StatusNotFound
		case "overloaded":
			return http.StatusTooManyRequests
		case "shutdown":
			return http.StatusServiceUnavailable
		}
		return http.StatusBadGateway // what the run says of its model
	}
	switch fault.KindOf(err) {
	case fault.Invalid:
		return http.StatusBadRequest
	case fault.Unavailable, fault.Conflict, fault.Canceled:
		return http.StatusServiceUnavailable
	}
	return http.StatusInternalServerError
}

// chatRefusal answers in OpenAI's form.
func chatRefusal(w http.ResponseWriter, status int, why string) {
	writeJSON(w, status, map[string]any{"error": chatError(status, why, nil)})
}

// chatError is an error in OpenAI's form; code is a word or nil. Clients branch on the
// type.
func chatError(status int, why string, code any) map[string]any {
	kind := "server_error"
	switch {
	case status == http.StatusUnauthorized:
		kind = "authentication_error"
	case status == http.StatusForbidden:
		kind = "permission_error"
	case status == http.StatusTooManyRequests:
		kind = "rate_limit_error"
	case status < http.StatusInternalServerError:
		kind = "invalid_request_error"
	}
	return map[string]any{"message": why, "type": kind, "param": nil, "code": code}
}
