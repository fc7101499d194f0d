package server

import (
	"context"
	"encoding/json"

	"github.com/sidestick-dev/sidestick/internal/wire"
)

const noRemoteControl = "its answer says that remote control is off"

// unheeded are the methods whose parameters are not compared with what is read of them, and why.
var unheeded = map[string]string{
	"llmInference.httpResponseChunk":        "it is called for each piece of an answer",
	"session.lsp.initialize":                "a warning of its own says that it has no effect",
	"sessions.findByTaskId":                 "no session belongs to a task of the GitHub service, and the answer says so",
	"sessions.setRemoteControlSteering":     noRemoteControl,
	"sessions.startRemoteControl":           noRemoteControl,
	"sessions.stopRemoteControl":            noRemoteControl,
	"sessions.transferRemoteControl":        noRemoteControl,
	"session.remote.enable":                 noRemoteControl,
	"session.remote.disable":                noRemoteControl,
	"session.visibility.set":                "its answer says what holds",
	"session.completions.request":           "its answer is an empty list",
	"session.telemetry.setFeatureOverrides": "there are no features to override",
}

// heed finds the members of the parameters that have no effect, at any depth. If the client is attached to
// the session that they name, a session.warning names them; otherwise the caller names them in the answer. A
// member that must not be ignored is an error; naming the others never fails a call, because SDKs of other
// versions send members of their own.
func (m method) heed(ctx context.Context, c *conn, name string, params json.RawMessage) (inAnswer wire.Unread, err error) {
	if m.params == nil || len(params) == 0 || unheeded[name] != "" {
		return wire.Unread{}, nil
	}
	u := wire.UnreadParams(m.params, wire.Raw(params))
	if s := u.Refused; s != nil {
		return wire.Unread{}, unfit("%s is not supported: %s", s.Field, s.Why)
	}
	if len(u.Settings) == 0 {
		return wire.Unread{}, nil
	}
	a, err := c.attachment(sessionID(params))
	if err != nil || a.client.Session().Settings().Ignored(ctx, u) != nil {
		return u, nil
	}
	return wire.Unread{}, nil
}

// naming adds the member settingsIgnored to an answer that is an object. It names the parameters that have no
// effect. An answer that is no object stays as it is.
func naming(result any, u wire.Unread) (any, error) {
	text := u.Named()
	if text == "" {
		return result, nil
	}
	object, err := wire.Marshal(result)
	if err != nil || len(object) < 2 || object[0] != '{' {
		return result, err
	}
	end := len(object) - 1
	if end > 1 {
		object = append(object[:end], ',')
	} else {
		object = object[:end]
	}
	object = append(wire.AppendString(append(object, `"settingsIgnored":`...), text), '}')
	return json.RawMessage(object), nil
}
