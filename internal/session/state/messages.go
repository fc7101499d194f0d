package state

import (
	"bytes"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/sidestick-dev/sidestick/internal/model"
	"github.com/sidestick-dev/sidestick/internal/model/extensions"
	"github.com/sidestick-dev/sidestick/internal/prompt"
	"github.com/sidestick-dev/sidestick/internal/tool"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// The sources of user.message events that no user wrote.
const (
	SourceHook      = "hook"           // a hook added it
	SourceLimits    = "session-limits" // reports the rest of a budget
	SourceAutopilot = "autopilot"      // the model is asked to continue
	SourceRepeats   = "repeated-calls" // tells the model that it repeats its calls
	// SourceInstructions has instructions for files that tools have read or changed.
	SourceInstructions = "instructions"
)

// isAside reports whether a user.message with that source is a text of the program beside the work of the model.
func isAside(source string) bool {
	switch source {
	case SourceHook, SourceLimits, SourceRepeats, SourceInstructions:
		return true
	}
	return false
}

// BeginsTurn reports whether a user.message event of the main agent begins a turn: a user wrote
// it, or the agent was asked to continue in autopilot.
func BeginsTurn(data wire.Raw) bool {
	return !isAside(data.Get("source").Text())
}

// ModeShell is the agent mode of a message that is a command for the user's shell.
const ModeShell = "shell"

// written returns the user's own text in a user.message, "" if no user wrote it.
func written(data wire.Raw) string {
	if source := data.Get("source").Text(); isAside(source) || source == SourceAutopilot {
		return ""
	}
	return data.Get("content").Text()
}

// applyUserMessage changes what a message means for the session: its title and mode,
// the queue, and the removed tools that it reports to the model.
func (s *State) applyUserMessage(data wire.Raw, at time.Time) {
	if source := data.Get("source").Text(); !isAside(source) && source != SourceAutopilot {
		if s.Title == "" {
			s.Title = titleOf(data.Get("content").Text())
		}
		s.MessageMode = data.Get("agentMode").Text()
	}
	if data.Get("delivery").Text() == "idle" {
		s.AgentStarts = 0
	}
	if len(s.Schedule) > 0 {
		s.ran(data.Get("source").Text(), at)
	}
	s.Hold.Interrupted = false // the user has gone on with something else
	if len(s.Queue) > 0 {
		s.dequeue(data.Get("messageId").Text(), data.Get("content").Text())
	}
	if removed := wire.Texts(data.Get(wire.FieldRemovedTools)); len(removed) > 0 {
		s.OfferedTools = slices.DeleteFunc(slices.Clone(s.OfferedTools), func(name string) bool { return slices.Contains(removed, name) })
	}
	command := ""
	if isCommand(data) {
		command = written(data)
	}
	s.Command = command
}

// isCommand reports whether a message is a command for the user's shell. The model reads it,
// with its output, after it has ended.
func isCommand(data wire.Raw) bool {
	return data.Get("agentMode").Text() == ModeShell && written(data) != ""
}

func (t *Thread) addUserMessage(s *State, data wire.Raw) {
	if t.AgentID == "" && isCommand(data) {
		return
	}
	if t.AgentID == "" && BeginsTurn(data) {
		t.Unanswered, t.Broken = true, false
	}
	shown := data.Get("content")
	if sent := data.Get("transformedContent"); sent.IsString() {
		shown = sent
	}
	m := Message{FromUser: true, Text: shown.Text()}
	m.Typed = within(m.Text, written(data))
	if attachments := data.Get("attachments"); attachments != nil {
		m.Parts = prompt.Parts(m.Text, attachments, func(id string) *wire.BinaryAsset { return s.assets[id] })
	}
	m.Extension, m.References = data.Get(wire.FieldExtension).Text(), copied(data.Get(wire.FieldReferences))
	t.add(m)
	if ids := wire.Texts(data.Get(wire.FieldInstructions)); len(ids) > 0 {
		t.Instructed = append(slices.Clip(t.Instructed), ids...)
	}
}

// addSkill adds a skill, as a user message of its own.
func (t *Thread) addSkill(_ *State, data wire.Raw) {
	text := prompt.SkillContext(data.Get("name").Text(), data.Get("path").Text(), data.Get("content").Text())
	t.add(Message{FromUser: true, Text: text})
}

// within returns part as a substring of text if it is one, so that it needs no memory of its
// own.
func within(text, part string) string {
	if i := strings.Index(text, part); i >= 0 {
		return text[i : i+len(part)]
	}
	return part
}

// keepAsset stores a picture for a later message that refers to it.
func (s *State) keepAsset(data wire.Raw, _ time.Time) {
	var asset wire.BinaryAsset
	if json.Unmarshal(data, &asset) == nil && asset.AssetID != "" {
		s.assets = with(s.assets, asset.AssetID, &asset)
	}
}

func (t *Thread) addAnswer(_ *State, data wire.Raw) {
	m := Message{Text: data.Get("content").Text(), Reasoning: reasoningOf(data), Finish: model.Finish(data.Get(wire.FieldFinish).Text())}
	m.CutOff = cutBy(m.Finish)
	for r := range data.Get("toolRequests").Elements() {
		c := model.ToolCall{ID: r.Get("toolCallId").Text(), Name: r.Get("name").Text(), Arguments: sentArguments(r.Get("arguments"))}
		if c.ID != "" && c.Name != "" { // otherwise no result can belong to it, and providers refuse it
			m.Calls = append(m.Calls, Call{ToolCall: c})
		}
	}
	t.accept()
	t.answered = len(m.Calls) == 0
	if name := data.Get("model").Text(); IsExtension(name) {
		m.Extension, m.References, m.Later = name, copied(data.Get(wire.FieldReferences)), copied(data.Get(wire.FieldLater))
	}
	t.add(m)
}

// addCutOff adds the answer that an abort has cut off. Its reasoning is not sent back, because
// providers sign only complete reasoning.
func (t *Thread) addCutOff(_ *State, data wire.Raw) {
	var cut wire.CutOffAnswer
	if json.Unmarshal(data.Get(wire.FieldCutOff), &cut) != nil || cut.Content == "" {
		return
	}
	m := Message{Text: cut.Content, CutOff: CutEnd}
	if cut.Omitted > 0 {
		m.CutOff = CutBegin
	}
	t.add(m)
}

// reasoningOf returns the reasoning of an answer, so that it can be sent back to the model
// unchanged; nil if there was none, or if its origin was not recorded.
func reasoningOf(data wire.Raw) []model.Reasoning {
	var pieces []model.Reasoning
	for p := range data.Get(wire.FieldReasoning).Elements() {
		pieces = append(pieces, model.Reasoning{
			Text: p.Get("text").Text(), Opaque: p.Get("opaque").Text(), Field: p.Get("field").Text(), ID: p.Get("id").Text(),
			Origin: model.Origin{
				Provider: p.Get("provider").Text(), Model: p.Get("model").Text(), Dialect: p.Get("dialect").Text(), Account: p.Get("account").Text(),
			},
			Seal:      p.Get("seal").Text(),
			AfterText: place(p.Get("afterText")), AfterCalls: place(p.Get("afterCalls")),
		})
	}
	if len(pieces) == 1 && !strings.HasPrefix(pieces[0].Field, model.PhaseMark) {
		p := &pieces[0]
		p.Text, p.Opaque = data.Get("reasoningText").Text(), data.Get("reasoningOpaque").Text()
		p.Field = data.Get("reasoningWireField").Text()
	}
	if encrypted := data.Get("encryptedContent").Text(); encrypted != "" {
		if i := slices.IndexFunc(pieces, func(p model.Reasoning) bool { return p.Opaque != "" }); i >= 0 {
			pieces[i].Opaque = model.JoinEncrypted(pieces[i].Opaque, encrypted)
		}
	}
	return pieces
}

// place is where a piece of reasoning was in its answer; 0 if the log does not say.
func place(n wire.Raw) int {
	at, err := strconv.Atoi(string(n))
	if err != nil {
		return 0
	}
	return max(at, 0)
}

// IsExtension reports whether a model name names a Copilot Extensions agent.
func IsExtension(name string) bool {
	_, ok := extensions.Address(name)
	return ok
}

// ExtensionAddress returns the address of the Copilot Extensions agent that a model name names, "" if it
// names none.
func ExtensionAddress(name string) string {
	address, ok := extensions.Address(name)
	if !ok {
		return ""
	}
	return address
}

// NamesAddress reports whether a model name has the address in it that its calls go to: it is a Copilot Extensions
// agent, or looks like "http://localhost:8000/v1#qwen3".
func NamesAddress(name string) bool {
	return IsExtension(name) || strings.Contains(name, "#") && strings.Contains(name, "://")
}

func (s *State) countTurn(data wire.Raw, _ time.Time) {
	s.Turns++
	s.Hold.Interrupted = false // it has gone on
	s.OfferedTools = append(slices.Clip(s.OfferedTools), wire.Texts(data.Get(wire.FieldNewTools))...)
}

// startTurn opens a turn, unless its model call writes a summary: that turn is not part of
// the conversation.
func (t *Thread) startTurn(_ *State, data wire.Raw) {
	t.countAgentTurn()
	if data.Get(wire.FieldPurpose).Text() != wire.PurposeCompaction {
		t.OpenTurn = data.Get("turnId").Text()
		t.Unanswered, t.Broken, t.answered = t.AgentID == "", false, false
	}
}

func (t *Thread) endTurn(_ *State, data wire.Raw) {
	if data.Get("turnId").Text() == t.OpenTurn {
		t.OpenTurn = ""
		t.Unanswered = t.Unanswered && !t.answered
	}
}

// runEnded notes the end of a run that no turn shows.
func (s *State) runEnded(wire.Raw, time.Time) { s.Main.Unanswered = false }

// resume ends the run that a process has left, unless the client has it continued, or it is
// under way in the process that records this.
func (s *State) resume(data wire.Raw, _ time.Time) {
	if !data.Get("continuePendingWork").True() && !data.Get("sessionWasActive").True() && !data.Get(wire.FieldRunUnderWay).True() {
		s.Main.Unanswered = false
	}
}

// fail ends a run with an error, unless a client has only logged one.
func (s *State) fail(data wire.Raw, at time.Time) {
	s.Command = ""
	if !data.Get(wire.FieldLogged).True() {
		s.Main.refuse(data)
		s.Main.Broken = s.Main.Broken || s.Main.Unanswered
		s.runEnded(data, at)
	}
}

func (t *Thread) startCall(_ *State, data wire.Raw) {
	c := t.Call(data.Get("toolCallId").Text())
	if c == nil {
		return
	}
	c.Started = true
	if made := data.Get("arguments"); made != nil { // hooks may have changed them
		c.Arguments = sentArguments(made)
	}
}

// completeCall stores the result of the first open call with that id, and closes the
// requests that belong to the call.
func (t *Thread) completeCall(s *State, data wire.Raw) {
	if t.AgentID == "" && data.Get("isUserRequested").True() {
		s.completeCommand(data)
		return
	}
	id := data.Get("toolCallId").Text()
	if c := t.Call(id); c != nil {
		c.Done, c.Result, c.Files, c.Exit = true, resultText(data), resultFiles(data), exitCode(data)
		t.Held += len(c.Result) + fileBytes(c.Files)
	}
	if len(t.Messages) > 0 && t.Messages[0].Cleared {
		t.dropCleared()
	}
	t.closeRequests(id)
	if t.Finished {
		t.Release(s.Seq)
	}
}

// resultText returns the model's text for the end of a call: the error if it failed.
func resultText(data wire.Raw) string {
	if failure := data.Get("error").Get("message").Text(); failure != "" {
		return failure
	}
	return data.Get("result").Get("content").Text()
}

// exitCode returns the exit code of a command that has ended with a call; nil if there is none.
func exitCode(data wire.Raw) *int {
	code, err := strconv.Atoi(string(data.Get("shellExecution").Get("exitCode")))
	if err != nil {
		return nil
	}
	return &code
}

// resultFiles returns what the model sees of the end of a call: the files that have content in the log.
func resultFiles(data wire.Raw) (files []tool.File) {
	for b := range data.Get("result").Get("binaryResultsForLlm").Elements() {
		isImage := b.Get("type").Text() == "image"
		if b.Get("data").Text() != "" && (isImage || b.Get("mimeType").Text() == tool.TypePDF) {
			files = append(files, tool.File{
				Path: b.Get("description").Text(), MediaType: b.Get("mimeType").Text(), Data: []byte(b.Get("data").Text()),
			})
		}
	}
	return files
}

// sentArguments is the inverse of turn.RawArguments: a JSON string holds text that was not
// an object.
func sentArguments(raw wire.Raw) string {
	switch {
	case raw.IsString():
		return raw.Text()
	case raw == nil:
		return "{}"
	}
	return string(raw)
}

// copied returns a copy, so that the whole log line can be freed; nil stays nil.
func copied(raw wire.Raw) json.RawMessage { return json.RawMessage(bytes.Clone(raw)) }
