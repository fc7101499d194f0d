package spans

import (
	"context"
	"encoding/json"
	"iter"
	"strconv"
	"time"

	"github.com/sidestick-dev/sidestick/internal/eventlog"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

const (
	// maxText bounds an attribute with content, in bytes.
	maxText = 256 << 10
	// maxOpen bounds the spans of a session that have not ended, those of runs excepted: a run
	// has one span for each of its agents, which the limits on agents bound.
	maxOpen = 10_000
	// maxSaid bounds the messages of a chat span.
	maxSaid = 200
)

// recorder turns the events of one session into spans. It belongs to one goroutine.
type recorder struct {
	file    *File
	session string
	// runs has the run of the main agent, "", until the session is idle, and those of sub-agents
	// that began to work while there was none, by agent id, until they end.
	runs      map[string]*span
	chats     map[string]*span // by agent id
	summaries map[string]*span // the calls for a summary, by agent id, until their usage is known
	tools     map[string]*span // by agent id and call id
	said      map[string][]message
	last      time.Time
}

// message is one message as the conventions write it.
type message struct {
	Role  string `json:"role"`
	Parts []part `json:"parts"`
}

type part struct {
	Type      string          `json:"type"`
	Content   string          `json:"content,omitempty"`
	ID        string          `json:"id,omitempty"`
	Name      string          `json:"name,omitempty"`
	Arguments json.RawMessage `json:"arguments,omitempty"`
	Response  string          `json:"response,omitempty"`
}

// Observe writes the spans of a session from its events, until they or ctx end. Spans that are
// still open then end with the last event.
func (f *File) Observe(ctx context.Context, session string, events iter.Seq2[eventlog.Record, error]) {
	r := &recorder{
		file: f, session: session,
		runs: map[string]*span{}, chats: map[string]*span{}, summaries: map[string]*span{}, tools: map[string]*span{}, said: map[string][]message{},
	}
	for rec, err := range events {
		if err != nil || ctx.Err() != nil {
			break
		}
		if rec.Delta != nil {
			continue
		}
		if e, err := wire.ParseEvent(rec.JSON); err == nil {
			r.apply(e)
		}
	}
	for agent := range r.summaries {
		r.end(r.summaries, agent)
	}
	for agent := range r.runs {
		r.endRun(agent)
	}
	for _, open := range []map[string]*span{r.chats, r.tools} { // of no run
		for key := range open {
			r.end(open, key)
		}
	}
}

func (r *recorder) apply(e wire.Event) {
	if !e.Time.IsZero() {
		r.last = e.Time
	}
	data, agent := wire.Raw(e.Data), e.AgentID
	switch e.Type {
	case "user.message":
		r.user(agent, data)
	case "assistant.turn_start":
		r.turn(agent, data)
	case "assistant.message":
		r.answer(agent, data)
	case "assistant.usage":
		r.usage(agent, data)
	case "model.call_failure":
		if c := r.chats[agent]; c != nil {
			if c.failure = data.Get("errorMessage").Text(); c.failure == "" {
				c.failure = "the call of the model failed"
			}
		}
	case "assistant.turn_end":
		if s := r.summaries[agent]; s != nil && s.turn == data.Get("turnId").Text() {
			s.end = r.last
			return
		}
		r.end(r.chats, agent)
	case "tool.execution_start":
		r.tool(agent, data)
	case "external_tool.requested":
		r.external(agent, data)
	case "tool.execution_complete":
		r.result(agent, data)
	case "session.error":
		if run := r.runs[""]; run != nil {
			run.failure = data.Get("message").Text()
		}
	case "session.idle":
		r.endRun("")
	case "subagent.completed", "subagent.failed":
		r.endAgent(agent, data)
	}
}

// begin returns the run that the work of an agent belongs to: its own one, else that of the main
// agent, else a new one of its own. traceparent is the span of the client that a new run belongs to,
// "" for none; id is that of the run, "" if it is unknown.
func (r *recorder) begin(agent, traceparent, id string) *span {
	for _, of := range []string{agent, ""} {
		if run := r.runs[of]; run != nil {
			return run
		}
	}
	run := newSpan(remote(traceparent), invokeAgent, "", r.last)
	if run.parent == "" && id != "" {
		run.trace = traceOf(r.session, id)
	}
	run.set("gen_ai.conversation.id", r.session)
	run.set("gen_ai.system", "sidestick")
	run.set("gen_ai.agent.id", agent)
	r.runs[agent] = run
	return run
}

// endRun writes the run of an agent, and before it everything that is open in it.
func (r *recorder) endRun(agent string) {
	run := r.runs[agent]
	if run == nil {
		return
	}
	for _, open := range []map[string]*span{r.chats, r.tools} {
		for key, s := range open {
			if s.parent == run.id {
				r.end(open, key)
			}
		}
	}
	r.end(r.runs, agent)
}

// endAgent forgets a sub-agent that has ended. If it is given another task, the spans of that have
// the messages from then on.
func (r *recorder) endAgent(agent string, data wire.Raw) {
	if agent == "" {
		return // the main conversation does not end
	}
	if run := r.runs[agent]; run != nil {
		run.failure = data.Get("error").Text()
	}
	r.endRun(agent)
	r.end(r.chats, agent)
	delete(r.said, agent)
}

func (r *recorder) end(open map[string]*span, key string) {
	if s := open[key]; s != nil {
		delete(open, key)
		r.write(s)
	}
}

func (r *recorder) write(s *span) {
	if s.end.IsZero() {
		s.end = r.last
	}
	line, err := s.line(r.file.opts.Source, r.file.opts.Version)
	if err != nil {
		r.file.opts.Logger.Warn("a span was not written", "session", r.session, "err", err)
		return
	}
	r.file.write(line)
}

func (r *recorder) user(agent string, data wire.Raw) {
	r.begin(agent, data.Get(wire.FieldTraceparent).Text(), data.Get("interactionId").Text())
	r.say(agent, message{"user", []part{{Type: "text", Content: data.Get("content").Text()}}})
}

// say adds a message to those that the following chat spans contain. It forgets the oldest ones that
// no span has room for any more.
func (r *recorder) say(agent string, m message) {
	if !r.file.opts.Content {
		return
	}
	list, size := append(r.said[agent], m), 0
	first := len(list)
	for first > max(0, len(list)-maxSaid) && size <= maxText {
		first--
		for _, p := range list[first].Parts {
			size += len(p.Content) + len(p.Arguments) + len(p.Response)
		}
	}
	clear(list[:first]) // the array keeps them otherwise
	r.said[agent] = list[first:]
}

func (r *recorder) turn(agent string, data wire.Raw) {
	if data.Get(wire.FieldPurpose).Text() == wire.PurposeCompaction {
		r.summary(agent, data)
		return
	}
	run := r.begin(agent, "", "")
	if agent == "" {
		run.set("gen_ai.request.model", data.Get("model").Text())
	}
	r.end(r.chats, agent)
	if c := r.chat(run, agent, data); c != nil {
		r.content(c, "gen_ai.input.messages", r.said[agent])
		r.chats[agent] = c
	}
}

// summary begins the span of a call for a summary, whose turn is recorded when the call has ended. A
// session that is idle, or becomes idle meanwhile, begins no run by it, so the span may have no
// parent. Its time comes with its usage.
func (r *recorder) summary(agent string, data wire.Raw) {
	run := r.runs[agent]
	if run == nil {
		run = r.runs[""]
	}
	r.end(r.summaries, agent)
	if s := r.chat(run, agent, data); s != nil {
		s.turn = data.Get("turnId").Text()
		r.summaries[agent] = s
	}
}

// chat returns a new span for a call of the model; nil if too many are open.
func (r *recorder) chat(run *span, agent string, data wire.Raw) *span {
	if r.full() {
		return nil
	}
	model := data.Get("model").Text()
	c := newSpan(run, chat, model, r.last)
	c.set("gen_ai.request.model", model)
	c.set("gen_ai.conversation.id", r.session)
	c.set("gen_ai.agent.id", agent)
	return c
}

// full reports whether as many spans are open as may be.
func (r *recorder) full() bool { return len(r.chats)+len(r.tools)+len(r.summaries) >= maxOpen }

func (r *recorder) answer(agent string, data wire.Raw) {
	m := message{Role: "assistant"}
	if text := data.Get("content").Text(); text != "" {
		m.Parts = append(m.Parts, part{Type: "text", Content: text})
	}
	for call := range data.Get("toolRequests").Elements() {
		m.Parts = append(m.Parts, part{
			Type: "tool_call", ID: call.Get("toolCallId").Text(), Name: call.Get("name").Text(), Arguments: json.RawMessage(call.Get("arguments")),
		})
	}
	r.say(agent, m)
	if c := r.chats[agent]; c != nil {
		c.end = r.last
		c.set("gen_ai.response.id", data.Get("apiCallId").Text())
		c.set("gen_ai.response.model", data.Get("model").Text())
		r.content(c, "gen_ai.output.messages", []message{m})
	}
}

func (r *recorder) usage(agent string, data wire.Raw) {
	c, summary := r.chats[agent], data.Get("initiator").Text() == wire.PurposeCompaction
	if summary {
		c = r.summaries[agent]
	}
	if c == nil {
		return
	}
	for attribute, field := range map[string]string{
		"gen_ai.usage.input_tokens": "inputTokens", "gen_ai.usage.output_tokens": "outputTokens",
		"gen_ai.usage.cache_read.input_tokens": "cacheReadTokens",
	} {
		if n := data.Get(field); len(n) > 0 && string(n) != "null" {
			c.attributes[attribute] = json.RawMessage(n)
		}
	}
	if reason := data.Get("finishReason").Text(); reason != "" {
		c.attributes["gen_ai.response.finish_reasons"] = []string{reason}
	}
	if summary {
		if ms, err := strconv.ParseInt(string(data.Get("duration")), 10, 64); err == nil {
			c.begin = c.end.Add(-time.Duration(ms) * time.Millisecond)
		}
		r.end(r.summaries, agent)
	}
}

func (r *recorder) tool(agent string, data wire.Raw) {
	if run := r.begin(agent, "", ""); !r.full() {
		name, id := data.Get("toolName").Text(), data.Get("toolCallId").Text()
		s := newSpan(run, executeTool, name, r.last)
		s.set("gen_ai.tool.name", name)
		s.set("gen_ai.tool.call.id", id)
		s.set("gen_ai.tool.type", "function")
		s.set("gen_ai.conversation.id", r.session)
		s.set("gen_ai.agent.id", agent)
		r.text(s, "gen_ai.tool.call.arguments", string(data.Get("arguments")))
		r.tools[agent+"\x00"+id] = s
	}
}

// external gives the span of a call that a client runs the id that the client was given.
func (r *recorder) external(agent string, data wire.Raw) {
	s, named := r.tools[agent+"\x00"+data.Get("toolCallId").Text()], remote(data.Get("traceparent").Text())
	if s != nil && named != nil && named.trace == s.trace {
		s.id = named.id
	}
}

func (r *recorder) result(agent string, data wire.Raw) {
	id := data.Get("toolCallId").Text()
	content, code := data.Get("result").Get("content").Text(), data.Get("shellExecution").Get("exitCode")
	if !data.Get("success").True() {
		content = data.Get("error").Get("message").Text()
	}
	r.say(agent, message{"tool", []part{{Type: "tool_call_response", ID: id, Response: content}}})
	if s := r.tools[agent+"\x00"+id]; s != nil {
		if code != nil {
			s.attributes["process.exit.code"] = json.RawMessage(code)
		}
		switch {
		case !data.Get("success").True():
			if s.failure = data.Get("error").Get("code").Text(); s.failure == "" {
				s.failure = "the call failed"
			}
		case code != nil && string(code) != "0":
			s.failure = "exit code " + string(code)
		}
		r.text(s, "gen_ai.tool.call.result", content)
		r.end(r.tools, agent+"\x00"+id)
	}
}

// content sets an attribute to messages, the newest that fit.
func (r *recorder) content(s *span, name string, list []message) {
	if !r.file.opts.Content {
		return
	}
	for ; len(list) > 0; list = list[1:] {
		if text, err := wire.Marshal(list); err == nil && len(text) <= maxText {
			s.set(name, string(text))
			return
		}
	}
}

// text sets an attribute to a text, cut to its beginning.
func (r *recorder) text(s *span, name, text string) {
	if r.file.opts.Content {
		s.set(name, text[:min(len(text), maxText)])
	}
}
