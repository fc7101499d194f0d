package session

import (
	"slices"

	"github.com/sidestick-dev/sidestick/internal/model"
	"github.com/sidestick-dev/sidestick/internal/model/tape"
	"github.com/sidestick-dev/sidestick/internal/permit"
	"github.com/sidestick-dev/sidestick/internal/tool"
)

// Tape is the recording of the process: where calls are recorded, or what they are answered from.
// The transports of the model client record and answer the calls of models; sessions do the same
// with calls of tools.
type Tape struct {
	Recorder *tape.Recorder // nil: nothing is recorded
	Player   *tape.Player   // nil: calls are made
}

// player is the recording that answers the calls of a conversation; nil if they are made.
func (t *thread) player() *tape.Player {
	if own, ok := t.choice.Provider.Endpoint.Transport.(*tape.Player); ok {
		return own
	}
	return t.s.reg.opts.Tape.Player
}

// carry has the client's transport carry the calls to an endpoint, if there is one and no recording
// answers them.
func (c carrier) carry(ep *model.Endpoint, sessionID, agentID string) {
	if _, replayed := ep.Transport.(*tape.Player); !replayed {
		ep.Transport = c.transport(sessionID, agentID)
	}
}

// placeOf is where the calls of a conversation belong, for recordings.
func placeOf(s *Session, agentID string) model.Place {
	return model.Place{Session: s.id, Agent: agentID, Cwd: *s.at.Load(), Folder: s.home.dir, Home: s.reg.opts.Home}
}

// situate returns what says of a request to which conversation it belongs, and what a recording of it
// must not contain.
func situate(s *Session, agentID string) func(*model.Request) {
	return func(r *model.Request) { r.Place, r.Secrets = placeOf(s, agentID), s.secrets }
}

// taped reports whether results of a tool are recorded: of those that act on files, programs and
// the network. The others act on the session or ask a client, and are called in a replay, too.
func taped(d tool.Definition) bool {
	return d.Origin == tool.MCP || d.Origin == tool.Builtin && slices.Contains(tapedTools(), d.Name)
}

func tapedTools() []string {
	return []string{"bash", "read_bash", "write_bash", "stop_bash", "list_bash", "view", "create", "edit", "grep", "glob", "web_fetch"}
}

// tapedRequest is taped for a tool of which its permission request is known.
func tapedRequest(q *permit.Request, c *tool.Call) bool {
	return q.Kind == permit.MCP || q.Kind != permit.CustomTool && slices.Contains(tapedTools(), c.Name)
}

// taped implements [turn.Prompt.Taped]: it records the result of a tool, or has the recorded one in
// place of a call.
func (t *thread) taped(d tool.Definition, c tool.Call, run func() tool.Result) tool.Result {
	if !taped(d) {
		return run()
	}
	call := t.onTape(&c)
	if player := t.player(); player != nil && player.Tools() {
		data, err := player.Tool(placeOf(t.s, t.agentID), call)
		var res *tool.Result
		if err == nil {
			res, err = decodeResult(data)
		}
		if err != nil {
			return tool.Result{Outcome: tool.Failure, Text: err.Error()}
		}
		return *res
	}
	res := run()
	if rec := t.s.reg.opts.Tape.Recorder; rec != nil {
		data, err := encodeResult(&res)
		if err != nil {
			t.s.logs.Warn("the result of a tool was not recorded", "tool", c.Name, "call", c.ID, "err", err)
			return res
		}
		rec.Tool(placeOf(t.s, t.agentID), call, t.s.secrets.RedactData(data, true))
	}
	return res
}

// onTape is a call of a tool as recordings name it, without the secrets of the session.
func (t *thread) onTape(c *tool.Call) tape.ToolCall {
	return tape.ToolCall{ID: c.ID, Name: c.Name, Arguments: t.s.secrets.RedactData(c.Arguments, true)}
}

// replayDecision has a call of a tool use the recorded decision on it where a client would be asked. A call
// whose result is recorded does nothing, so that one without a recorded decision is allowed.
func (t *thread) replayDecision(q *permit.Request, c *tool.Call) {
	if player := t.player(); player != nil && player.Tools() && tapedRequest(q, c) {
		a := permit.Answer{Outcome: permit.Approved}
		if v, ok := player.Permission(placeOf(t.s, t.agentID), t.onTape(c)); ok {
			a = permit.Answer{Outcome: decisionOf(v.Outcome), Feedback: v.Feedback, Why: v.Why}
		}
		c.Replayed = &a
	}
}

// recordDecision records the decision on a call of a tool whose result is recorded.
func (t *thread) recordDecision(q *permit.Request, c *tool.Call, a permit.Answer) {
	if rec := t.s.reg.opts.Tape.Recorder; rec != nil && tapedRequest(q, c) && a.Outcome != permit.Canceled {
		rec.Permission(placeOf(t.s, t.agentID), t.onTape(c), tape.Verdict{
			Outcome: decisions()[a.Outcome], Feedback: t.s.secrets.RedactPiece(a.Feedback), Why: t.s.secrets.RedactPiece(a.Why),
		})
	}
}

// decisions are the decisions on permission requests, as recordings name them.
func decisions() map[permit.Outcome]string {
	return map[permit.Outcome]string{
		permit.Approved: "approved", permit.Rejected: "rejected", permit.Forbidden: "forbidden", permit.Unanswerable: "unanswerable",
	}
}

// decisionOf is the reverse; a decision that is not known denies.
func decisionOf(name string) permit.Outcome {
	for outcome, known := range decisions() {
		if known == name {
			return outcome
		}
	}
	return permit.Unanswerable
}
