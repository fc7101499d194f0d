package server

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/jsonrpc"
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

// A call that only reads must not change the log of the session that it reads. The protocol's names say which
// methods read: their last part begins with one of these words, or they are in alsoRead.
var readingVerbs = []string{
	"browse", "check", "diagnose", "discover", "find", "get", "has", "is", "list", "pending", "preview", "probe", "read", "stat",
}

// alsoRead are the other methods that change nothing in the session that they name, and those with which a
// client leaves it, because it would not read a warning.
var alsoRead = []string{
	"session.completions.request", "session.eventLog.registerInterest", "session.eventLog.releaseInterest", "session.eventLog.tail",
	"session.history.summarizeForHandoff", "session.metadata.activity", "session.metadata.contextInfo", "session.metadata.recomputeContextTokens",
	"session.metadata.snapshot", "session.permissions.locations.resolve", "session.tasks.refresh", "session.tasks.waitForPending",
	"session.tools.initializeAndValidate", "session.ui.ephemeralQuery", "session.workspaces.diff", "session.workspaces.ensure",
	"sessions.enrichMetadata", "sessions.fork", "sessions.save",
	"session.delete", "session.destroy", "session.detach", "session.suspend", "sessions.bulkDelete", "sessions.close",
	"sessions.delete", "sessions.releaseLock",
}

// changes reports whether a method of a session may change the session.
func changes(name string) bool {
	last := name[strings.LastIndexByte(name, '.')+1:]
	for _, verb := range readingVerbs {
		if rest, ok := strings.CutPrefix(last, verb); ok && (rest == "" || rest[0] < 'a') {
			return false
		}
	}
	return !slices.Contains(alsoRead, name)
}

// heed finds the members of the parameters that have no effect, at any depth. A call that changes a session
// that the client is attached to has them named in a session.warning. Of other calls the caller names them in
// the answer. A member that must not be ignored is an error; naming the others never fails a call, because SDKs
// of other versions send members of their own.
func (m method) heed(ctx context.Context, c *conn, name string, params json.RawMessage) (inAnswer wire.Unread, err error) {
	if m.params == nil || len(params) == 0 || unheeded[name] != "" {
		return wire.Unread{}, nil
	}
	u := wire.UnreadParams(m.params, wire.Raw(params))
	if s := u.Refused; s != nil {
		return wire.Unread{}, unfit("%s is not supported: %s", s.Field, s.Why)
	}
	if len(u.Settings) == 0 || !changes(name) {
		return u, nil
	}
	a, err := c.attachment(sessionID(params))
	if err != nil || a.client.Session().Settings().Ignored(ctx, u) != nil {
		return u, nil
	}
	return wire.Unread{}, nil
}

// answer returns what is sent as the result of a method. A result that is an object gets the member
// settingsIgnored, which names the parameters without effect. Other results, of which null is the most
// frequent, stay what the SDKs expect, and only the diagnostic log has the names.
func (c *conn) answer(method string, result any, u wire.Unread) any {
	if _, without := result.(none); without {
		result = nil // sent as null
	}
	text := u.Named()
	if text == "" {
		return result
	}
	if large, ok := result.(jsonrpc.Answer); ok {
		large.Result = c.naming(method, large.Result, text)
		return large
	}
	return c.naming(method, result, text)
}

// naming returns the result with the member settingsIgnored if it is an object.
func (c *conn) naming(method string, result any, text string) any {
	object, ok := result.(json.RawMessage)
	if !ok {
		object, _ = wire.Marshal(result) // a result that cannot be encoded fails when it is sent
	}
	end := len(object) - 1
	if end < 1 || object[0] != '{' {
		c.srv.opts.Logger.Warn("a call has parameters without effect", "method", method, "parameters", text)
		return result
	}
	named := append(make([]byte, 0, len(object)+len(text)+24), object[:end]...)
	if end > 1 {
		named = append(named, ',')
	}
	return json.RawMessage(append(wire.AppendString(append(named, `"settingsIgnored":`...), text), '}'))
}
