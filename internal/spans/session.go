package spans

import (
	"context"
	"encoding/json"
	"iter"
	"time"

	"github.com/sidestick-dev/sidestick/internal/eventlog"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

const (
	// maxText bounds an attribute with content, in bytes.
	maxText = 256 << 10
	// maxOpen bounds the spans of a run that have not ended.
	maxOpen = 10_000
	// maxSaid bounds the messages of a chat span.
	maxSaid = 200
)

// recorder turns the events of one session into spans. It belongs to one goroutine.
type recorder struct {
	file    *File
	session string
	run     *span            // nil when idle
	chats   map[string]*span // by agent id
	tools   map[string]*span // by agent id and call id
	said    map[string][]message
	last    time.Time
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
	r := &recorder{file: f, session: session}
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
	r.endRun()
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
		r.end(r.chats, agent)
	case "tool.execution_start":
		r.tool(agent, data)
	case "external_tool.requested":
		r.external(agent, data)
	case "tool.execution_complete":
		r.result(agent, data)
	case "session.error":
		if r.run != nil {
			r.run.failure = data.Get("message").Text()
		}
	case "session.idle":
		r.endRun()
	}
}

// begin begins a run, if none is under way. traceparent is the span of the client that it belongs
// to, "" for none; id is that of the run, "" if it is unknown.
func (r *recorder) begin(traceparent, id string) *span {
	if r.run == nil {
		r.run = newSpan(remote(traceparent), invokeAgent, "", r.last)
		if r.run.parent == "" && id != "" {
			r.run.trace = traceOf(r.session, id)
		}
		r.run.set("gen_ai.conversation.id", r.session)
		r.run.set("gen_ai.system", "sidestick")
		r.chats, r.tools = map[string]*span{}, map[string]*span{}
	}
	return r.run
}

// endRun writes everything that is open.
func (r *recorder) endRun() {
	if r.run == nil {
		return
	}
	for _, open := range []map[string]*span{r.chats, r.tools} {
		for key := range open {
			r.end(open, key)
		}
	}
	r.write(r.run)
	r.run = nil
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
	r.begin(data.Get(wire.FieldTraceparent).Text(), data.Get("interactionId").Text())
	r.say(agent, message{"user", []part{{Type: "text", Content: data.Get("content").Text()}}})
}

// say adds a message to those that the following chat spans contain.
func (r *recorder) say(agent string, m message) {
	if !r.file.opts.Content {
		return
	}
	if r.said == nil {
		r.said = map[string][]message{}
	}
	list := append(r.said[agent], m)
	r.said[agent] = list[max(0, len(list)-maxSaid):]
}

func (r *recorder) turn(agent string, data wire.Raw) {
	model := data.Get("model").Text()
	run := r.begin("", "")
	if agent == "" {
		run.set("gen_ai.request.model", model)
	}
	r.end(r.chats, agent)
	if len(r.chats)+len(r.tools) >= maxOpen {
		return
	}
	c := newSpan(run, chat, model, r.last)
	c.set("gen_ai.request.model", model)
	c.set("gen_ai.conversation.id", r.session)
	c.set("gen_ai.agent.id", agent)
	r.content(c, "gen_ai.input.messages", r.said[agent])
	r.chats[agent] = c
}

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
	c := r.chats[agent]
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
}

func (r *recorder) tool(agent string, data wire.Raw) {
	if run := r.begin("", ""); len(r.chats)+len(r.tools) < maxOpen {
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
	content := data.Get("result").Get("content").Text()
	r.say(agent, message{"tool", []part{{Type: "tool_call_response", ID: id, Response: content}}})
	if s := r.tools[agent+"\x00"+id]; s != nil {
		if !data.Get("success").True() {
			if s.failure = data.Get("error").Get("code").Text(); s.failure == "" {
				s.failure = "the call failed"
			}
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
