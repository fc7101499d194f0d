package web

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"net/http"

	"github.com/sidestick-dev/sidestick/extension"
	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/lazy"
	"github.com/sidestick-dev/sidestick/internal/quota"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// modelName is the name of the agent in the list of models.
const modelName = "sidestick"

// chat answers POST /v1/chat/completions. Each request is a run in a session of its own,
// because OpenAI's clients send the whole conversation each time and expect the server to
// keep nothing; the agent reads the earlier messages as an attached text. The session's
// log is kept, so that the operator of the agent can see its actions. Requests with the same
// Idempotency-Key share a run.
func (d *Door) chat(w http.ResponseWriter, r *http.Request) {
	share := d.bodies.Share(freeBody)
	defer share.GiveAll()
	req, run, err := d.startChat(w, r, share)
	out := newCompletion(w, req, run)
	if err == nil {
		stop := out.attend()
		err = run.follow(r.Context(), out.text)
		stop()
	}
	out.finish(err)
}

// startChat reads a request and returns its run, which it starts, unless the request
// repeats one with the same Idempotency-Key. What the request takes counts in share.
func (d *Door) startChat(w http.ResponseWriter, r *http.Request, share *quota.Share) (req *chatRequest, run *chatRun, err error) {
	key, keyed, err := callerKey(r)
	if err != nil {
		return nil, nil, err
	}
	data, err := readBody(w, r, share)
	if err != nil {
		return nil, nil, err
	}
	hold(r.Context())
	if req, err = readChat(data); err != nil {
		return nil, nil, err
	}
	req.sessions = entranceOf(r).Home
	if !keyed {
		return req, d.newChatRun(req, 0, func(*chatRun, bool) {}), nil
	}
	run, err = d.keyed.run(key, sha256.Sum256(data), func(ended func(*chatRun, bool)) *chatRun {
		return d.newChatRun(req, retryWait, ended)
	})
	return req, run, err
}

// complete answers a request in a new session.
func (d *Door) complete(ctx context.Context, req *chatRequest, out *chatRun) error {
	cfg := d.settings(out.session)
	cfg.ClientName, cfg.WorkingDirectory = "sidestick-openai", d.opts.Dir
	cfg.RequestPermission, cfg.RequestUserInput = nil, nil // nobody can answer, so a call that needs an approval is denied and the model learns of it
	if req.system != "" {
		cfg.SystemMessage = &wire.SystemMessageSet{Mode: "append", Content: req.system}
	}
	client, err := req.sessions.Create(ctx, cfg, nil)
	if err != nil {
		return err
	}
	s := &openSession{id: cfg.SessionID, sessionView: sessionView{client: client, alone: true, acts: out.act}}
	defer d.leave(ctx, s)
	t := &reply{out: out.say, unsay: out.unsay}
	t.message, err = client.Session().Send(context.WithoutCancel(ctx), wire.Send{Prompt: req.prompt, Attachments: encode(req.attached)})
	if err != nil {
		return err
	}
	s.working = true
	_, _, err = t.follow(ctx, s)
	out.count(t.run.TokensIn, t.run.TokensOut)
	if err != nil {
		d.abort(ctx, s)
		return err
	}
	if f := t.fault(s.id); out.finish(t) == "stop" && f != nil && (f.Type == extension.FaultAgent || !t.any) {
		return refused(f.Code, f.Message)
	}
	for _, warned := range t.warned { // this form of an answer has no other place for them
		if err := t.Text("Error: "+warned.Message, true); err != nil {
			return err
		}
	}
	return nil
}

// models answers GET /v1/models.
func (d *Door) models(w http.ResponseWriter, _ *http.Request) {
	writeJSON(w, http.StatusOK, map[string]any{"object": "list", "data": []any{theModel()}})
}

// model answers GET /v1/models/{id}.
func (d *Door) model(w http.ResponseWriter, r *http.Request) {
	if id := r.PathValue("id"); id != modelName {
		e := chatError(http.StatusNotFound, noModel(id).Error(), "model_not_found", "model")
		writeJSON(w, http.StatusNotFound, map[string]any{"error": e})
		return
	}
	writeJSON(w, http.StatusOK, theModel())
}

func theModel() any {
	return map[string]any{"id": modelName, "object": "model", "created": released, "owned_by": "sidestick"}
}

func noModel(id string) error {
	return &refusal{
		code: "model_not_found", message: fmt.Sprintf("there is no model %q here: %s is the only one", fault.Bounded(id), modelName), field: "model",
	}
}

// released is the date of the model that clients show. The agent has none, so it is a
// fixed one.
const released = 1_735_689_600 // 2025-01-01

func unknownPath(w http.ResponseWriter, r *http.Request) {
	chatRefusal(w, http.StatusNotFound, "there is no "+fault.Bounded(r.Method+" "+r.URL.Path)+" here: POST /v1/chat/completions, GET /v1/models and GET /v1/models/{id} are served")
}

// statuses maps the codes of our own refusals to HTTP statuses.
var statuses = lazy.Value[map[string]int]{Make: func() map[string]int {
	return map[string]int{
		"invalid":                http.StatusBadRequest,
		"request_timeout":        http.StatusRequestTimeout,
		"too_large":              http.StatusRequestEntityTooLarge,
		"model_not_found":        http.StatusNotFound,
		"idempotency_key_reused": http.StatusUnprocessableEntity,
		"overloaded":             http.StatusTooManyRequests,
		"shutdown":               http.StatusServiceUnavailable,
		"no_room":                http.StatusServiceUnavailable,
	}
}}

// statusOf is the status of a failure before the answer has begun. OpenAI's clients
// repeat a request after 408, 409, 429 and 500 or more, so a run in which a tool has
// acted has none of these. Source: the retry rules of openai-node 7.57.0.
func statusOf(err error) int {
	var acted actedError
	if errors.As(err, &acted) {
		return http.StatusFailedDependency
	}
	var r *refusal
	if errors.As(err, &r) {
		if status, ours := statuses.Get()[r.code]; ours {
			return status
		}
		return http.StatusBadGateway // the run has failed
	}
	switch fault.KindOf(err) {
	case fault.Invalid:
		return http.StatusBadRequest
	case fault.Unavailable, fault.Conflict, fault.Canceled:
		return http.StatusServiceUnavailable
	}
	return http.StatusInternalServerError
}

// chatRefusal writes an error in OpenAI's form.
func chatRefusal(w http.ResponseWriter, status int, why string) {
	writeJSON(w, status, map[string]any{"error": chatError(status, why, nil, "")})
}

// chatError returns an error in OpenAI's form. Clients branch on its type; code is a
// string or nil, and param the field of the request that is wrong, "" for none.
func chatError(status int, why string, code any, param string) map[string]any {
	kind := "server_error"
	switch {
	case status == http.StatusUnauthorized:
		kind = "authentication_error"
	case status == http.StatusForbidden:
		kind = "permission_error"
	case status == http.StatusTooManyRequests:
		kind = "rate_limit_error"
	case status < http.StatusInternalServerError && status != http.StatusFailedDependency:
		kind = "invalid_request_error"
	}
	e := map[string]any{"message": why, "type": kind, "param": nil, "code": code}
	if param != "" {
		e["param"] = param
	}
	return e
}
