package turn

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"time"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/model"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// ask makes the model call and records its answer. Only a complete answer is
// recorded.
func (t *turn) ask(ctx context.Context, m Model) (*model.Response, error) {
	a := &streaming{turn: t}
	a.begin()
	req := t.prompt.Request
	req.OnBroken = a.broken
	if tell := t.prompt.Waiting; tell != nil {
		tokens := t.prompt.tokens()
		req.OnWaiting = func(w model.Waiting) { tell(tokens, w) }
	}
	resp, err := m.Stream(ctx, req, a.piece)
	if err == nil {
		err = ctx.Err() // ignore an answer that arrived together with the abort
	}
	took := time.Since(a.since).Milliseconds()
	if err != nil {
		if Billed(err) {
			t.lost(took)
		}
		t.failed(ctx, err, took)
		return nil, err
	}
	if !t.prompt.Whole {
		t.host.Progress(resp.Bytes, true)
	}
	if err := t.record(resp, a.message, a.reasoning); err != nil {
		return nil, err
	}
	if text := intent(resp); text != "" {
		t.host.Emit(&wire.AssistantIntent{Intent: text})
	}
	t.account(resp, took)
	return resp, nil
}

// Billed reports whether a failed call may have cost tokens. A call that the
// provider refused has cost none.
func Billed(err error) bool {
	var e *model.Error
	return err != nil && !(errors.As(err, &e) && e.Status >= 400)
}

// lost reports the cost of an answer of which nothing is kept.
func (t *turn) lost(milliseconds int64) {
	t.host.Used(Usage{
		Model: t.prompt.Request.Model, RequestBytes: t.prompt.Bytes(), AnswerBytes: t.received.Load(), Milliseconds: milliseconds, Lost: true,
	})
}

// record stores the answer, after its reasoning.
func (t *turn) record(resp *model.Response, messageID, reasoningID string) error {
	var events []wire.Data
	if text := model.ReasoningText(resp.Reasoning); text != "" {
		events = append(events, wire.With(&wire.AssistantReasoning{ReasoningID: reasoningID, Content: text},
			wire.ReasoningMore{TurnID: t.prompt.TurnID, APICallID: resp.ID, Model: t.model(resp)}))
	}
	message := &wire.AssistantMessage{
		MessageID: messageID, Content: resp.Text, TurnID: wire.Optional(t.prompt.TurnID),
		Model: wire.Optional(t.model(resp)), APICallID: wire.Optional(resp.ID),
		OutputTokens: wire.Optional(resp.Usage.Output), InteractionID: wire.Optional(t.prompt.Request.InteractionID),
		OriginatingMessageID: wire.Optional(t.prompt.MessageID),
	}
	message.Citations = citationsOf(resp.Text, resp.Citations)
	reasoning := describeReasoning(message, resp.Reasoning)
	for _, c := range resp.ToolCalls {
		d := t.offered(c.Name)
		message.ToolRequests = append(message.ToolRequests, wire.ToolRequest{
			ToolCallID: c.ID, Name: c.Name, Arguments: RawArguments(c.Arguments),
			MCPServerName: wire.Optional(d.Server), MCPToolName: wire.Optional(d.ServerTool), ToolTitle: wire.Optional(d.Title),
		})
	}
	data := wire.WithField(withExtensionParts(message, resp.Extension), wire.FieldReasoning, reasoning)
	events = append(append(events, t.finished(data, resp)), warnings(resp)...)
	if incomplete := t.incomplete(resp); incomplete != nil {
		events = append(events, incomplete)
	}
	return t.host.Record(events...)
}

// RawArguments returns the arguments of a call as events have them: the object that the
// model sent, its keys in the model's order. If the model sent something else, it is that
// text.
func RawArguments(sent string) any {
	var object map[string]json.RawMessage
	if json.Unmarshal([]byte(sent), &object) == nil && object != nil {
		return json.RawMessage(wire.RepairSurrogates([]byte(sent)))
	}
	return sent
}

// account reports the cost of the call. If the provider does not count tokens,
// session.usage_info has an estimate and assistant.usage has none.
func (t *turn) account(resp *model.Response, took int64) {
	used, p := resp.Usage, t.prompt
	name := t.model(resp)
	usage := &wire.AssistantUsage{
		Model: name, Duration: &took, APICallID: wire.Optional(resp.ID),
		ProviderCallID: wire.Optional(resp.CallID), FinishReason: wire.Optional(string(resp.FinishReason)),
	}
	if used.Reported {
		usage.InputTokens, usage.OutputTokens = &used.Input, &used.Output
		usage.CacheReadTokens, usage.CacheWriteTokens = &used.CacheRead, &used.CacheWrite
		usage.ReasoningTokens = wire.Optional(used.Reasoning)
	}
	if used.NanoAIU > 0 {
		usage.CopilotUsage = &wire.CopilotUsage{TotalNanoAiu: float64(used.NanoAIU)}
	}
	t.timed(usage, resp, took)
	if s := p.Source; s.API != "" {
		if resp.OverHTTP {
			s.API = wire.Responses
		}
		calls := int64(len(resp.ToolCalls))
		usage.APIEndpoint, usage.IsByok, usage.Cost, usage.NumToolCalls = &s.API, &s.Own, s.Multiplier, &calls
		if s.Own {
			usage.Cost = used.Cost
		}
		usage.MaxOutputTokens, usage.ReasoningEffort = wire.Optional(int64(p.Request.MaxOutputTokens)), wire.Optional(p.Request.ReasoningEffort)
	}
	t.host.Emit(wire.With(usage, wire.UsageMore{
		ProviderType: p.Source.Type, ModelDisplayName: p.Source.DisplayName, ResponseModel: resp.Model, RequestBodyBytes: resp.RequestBytes,
	}))
	var info *wire.SessionUsageInfo
	if p.ContextTokens > 0 { // else the window is not known, as that of an extension
		info = measure(p.Request).info(p, resp)
		info.IsInitial = wire.Optional(t.prompt.TurnID == "0" && p.AgentID == "")
		t.host.Emit(wire.WithLimitSource(info, p.ContextSource))
	}
	t.host.Used(Usage{Model: name, Tokens: used, RequestBytes: p.Bytes(), AnswerBytes: resp.Bytes, Milliseconds: took, Context: info})
}

// timed adds to the report of a call how fast a streamed answer came.
func (t *turn) timed(usage *wire.AssistantUsage, resp *model.Response, took int64) {
	first := float64(resp.FirstDelta.Milliseconds())
	if first <= 0 || t.prompt.Whole {
		return
	}
	usage.TimeToFirstTokenMs, usage.OutputTtftMs = &first, &first
	if n := resp.Usage.Output; n > 1 {
		each := max(float64(took)-first, 0) / float64(n-1)
		usage.InterTokenLatencyMs = &each
	}
}

func (t *turn) model(resp *model.Response) string {
	if resp.Model != "" {
		return resp.Model
	}
	return t.prompt.Request.Model
}

// failed reports a model call without an answer. An abort is not a failure.
func (t *turn) failed(ctx context.Context, err error, took int64) {
	if ctx.Err() != nil {
		return
	}
	message, source := fault.Message(err), wire.ModelCallSource("top_level")
	if t.prompt.AgentID != "" {
		source = "subagent"
	}
	event := &wire.ModelCallFailure{
		Source: source, Model: wire.Optional(t.prompt.Request.Model), DurationMs: &took, ErrorMessage: &message,
	}
	more := wire.FailureMore{ProviderType: t.prompt.Source.Type}
	var e *model.Error
	if errors.As(err, &e) {
		event.ErrorCode, event.ErrorType = wire.Optional(e.Code), wire.Optional(e.Type)
		event.ProviderCallID, event.StatusCode = wire.Optional(e.CallID), wire.Optional(int32(e.Status))
		if e.Tried > 0 {
			more.RetryAttempt = new(e.Tried - 1)
		}
		if s := t.prompt.Source; e.EndedEarly != "" && s.API == wire.ChatCompletions && s.Type != wire.ProviderOther {
			more.IncompleteStreamReason, more.StreamDoneReceived = e.EndedEarly, &e.EndMark
		}
	}
	t.host.Emit(wire.With(event, more))
}

// size is the bytes of a request, by purpose.
type size struct{ system, conversation, tools int64 }

func (s size) total() int64 { return s.system + s.conversation + s.tools }

// Bytes is the length of the request in bytes, which is at least its number of tokens.
func (p *Prompt) Bytes() int64 {
	const frame = 32 // of a message or a tool, in any dialect
	format := int64(0)
	if f := p.Request.Format; f != nil {
		format = int64(len(f.Name) + len(f.Description) + len(f.Schema))
	}
	return format + measure(p.Request).total() + frame*int64(len(p.Request.Messages)+len(p.Request.Tools))
}

// tokens estimates how many tokens the prompt has.
func (p *Prompt) tokens() int64 {
	return int64(math.Ceil(float64(measure(p.Request).total()) / max(p.BytesPerToken, 1)))
}

func measure(r model.Request) (s size) {
	for _, m := range r.Messages {
		n := int64(len(m.Content))
		for _, part := range m.Parts {
			n += int64(len(part.Text) + len(part.ImageURL))
			if part.Document != nil {
				n += int64(len(part.Document.Data))
			}
		}
		for _, c := range m.ToolCalls {
			n += int64(len(c.Name) + len(c.Arguments))
		}
		for i := range m.Reasoning {
			n += int64(len(m.Reasoning[i].Text) + len(m.Reasoning[i].Opaque))
		}
		if m.Role == model.RoleSystem {
			s.system += n
		} else {
			s.conversation += n
		}
	}
	for _, d := range r.Tools {
		s.tools += int64(len(d.Name) + len(d.Description) + len(d.Parameters))
	}
	return s
}

// info reports how full the context window is after an answer: the provider's count
// if it is not zero, otherwise the estimate, and the larger one of both if the count leaves
// something out.
func (s size) info(p Prompt, resp *model.Response) *wire.SessionUsageInfo {
	tokens := func(bytes int64) int64 { return int64(math.Ceil(float64(bytes) / p.BytesPerToken)) }
	system, defs := tokens(s.system), tokens(s.tools)
	conversation := tokens(s.conversation + int64(len(resp.Text)))
	current := system + defs + conversation
	if counted := resp.Usage.Input + resp.Usage.Output; resp.Usage.Reported && counted > 0 {
		if resp.Usage.Partial {
			counted = max(counted, current)
		}
		current = counted
	}
	return &wire.SessionUsageInfo{
		CurrentTokens: current, TokenLimit: p.ContextTokens, MessagesLength: int64(len(p.Request.Messages)) + 1,
		SystemTokens: &system, ConversationTokens: &conversation, ToolDefinitionsTokens: &defs,
	}
}
