package extension

import "slices"

// Severity is how serious it is to break a [Rule].
type Severity uint8

const (
	// Warn marks a rule whose violation all known clients tolerate.
	Warn Severity = iota + 1
	// Fail marks a rule whose violation makes some client reject the answer, or show less of
	// it.
	Fail
)

// String returns the name of the severity.
func (s Severity) String() string {
	switch s {
	case Warn:
		return "warning"
	case Fail:
		return "error"
	}
	return "unknown"
}

// Rule is one rule that [Check] applies to answers.
type Rule struct {
	Number   int    // from 1; a rule keeps its number in later versions
	Name     string // one or two words
	Severity Severity
	Fix      string // advice to the agent's author, one sentence

	warns bool // ReadReply yields a warning: the user might miss something
}

// The numbers of the rules.
const (
	ruleStatus = iota + 1
	ruleType
	ruleStream
	ruleEmpty
	ruleUnreadable
	ruleMark
	ruleLineEnd
	ruleUnclosed
	ruleOneLine
	ruleSpread
	ruleField
	ruleMessage
	ruleName
	ruleSecond
	ruleNamed
	ruleJSON
	ruleDone
	ruleAfterDone
	ruleStop
	ruleAfterStop
	ruleReason
	ruleChunk
	ruleObject
	ruleInline
	ruleIndex
	ruleChoice
	ruleDelta
	ruleContent
	ruleRole
	ruleID
	ruleCalls
	ruleError
	ruleReferences
	ruleReference
	ruleDisplayName
	ruleReferenceData
	ruleQuestion
	ruleAction
	ruleData
	ruleDataID
	ruleErrors
	ruleFault
	ruleFaultType
	ruleLong
	ruleCharacter
	ruleFieldType
)

// Sources: docs/extensions.md; what gh-debug-cli refuses or loses and what VS Code needs was
// measured.
var rules = [...]Rule{
	{ruleStatus, "status", Fail, "Send status 200 even if something fails, and report the failure in copilot_errors; clients drop a body that comes with another status.", false},
	{ruleType, "content type", Warn, "Send Content-Type: text/event-stream.", false},
	{ruleStream, "stream", Fail, "Send server-sent events: each chunk as data: and an empty line.", false},
	{ruleEmpty, "empty answer", Fail, "Send at least one chunk of text.", true},
	{ruleUnreadable, "unreadable", Fail, "Send UTF-8 text to its end, in lines of at most 1 MiB.", false},
	{ruleMark, "byte order mark", Fail, "Leave out the byte order mark; clients take it for a part of the first field.", false},
	{ruleLineEnd, "line end", Warn, "End lines with a line feed alone.", false},
	{ruleUnclosed, "unclosed event", Fail, "End every event, including the last, with an empty line; clients drop an event that is not ended.", false},
	{ruleOneLine, "one data line", Warn, "Send each JSON value as an event of its own, with an empty line after it.", false},
	{ruleSpread, "spread JSON", Fail, "Send JSON on one line.", false},
	{ruleField, "field", Fail, "Send only data: lines, event: lines and comments; clients stop at other lines.", false},
	{ruleMessage, "event name", Fail, "Send text without an event: line, and errors as copilot_errors.", false},
	{ruleName, "unknown event", Fail, "Send no other events than copilot_references, copilot_confirmation and copilot_errors, and text without a name.", true},
	{ruleSecond, "second named event", Fail, "Send one named event in an answer; gh-debug-cli stops at the second.", false},
	{ruleNamed, "name left over", Fail, "End the named event with an empty line before the chunk.", false},
	{ruleJSON, "not JSON", Fail, "Send a JSON object in each event except [DONE].", true},
	{ruleDone, "no [DONE]", Warn, "End the answer with data: [DONE].", false},
	{ruleAfterDone, "after [DONE]", Warn, "Send [DONE] once, as the last event; leave out that of a stream passed on.", false},
	{ruleStop, "no stop", Warn, "Send a chunk with finish_reason stop before [DONE].", false},
	{ruleAfterStop, "after stop", Warn, "Send one finish_reason, after all text; leave out that of a stream passed on.", false},
	{ruleReason, "incomplete", Warn, "Tell the user that the answer is incomplete, or request a shorter one.", true},
	{ruleChunk, "not a chunk", Fail, "Send text as a chat.completion.chunk, in choices[0].delta.content.", false},
	{ruleObject, "unknown object", Fail, "Send chunks and the three named events only.", true},
	{ruleInline, "not under its name", Fail, "Send references, confirmations and errors as events with their names.", false},
	{ruleIndex, "no index", Fail, "Give the choice \"index\":0; the platform has required it since September 2024.", false},
	{ruleChoice, "other choice", Fail, "Send one choice, with the index 0; no client shows another.", false},
	{ruleDelta, "not a delta", Fail, "Send text in delta, not in message or text.", false},
	{ruleContent, "content", Fail, "Send content as a string or null.", false},
	{ruleRole, "no role", Fail, "Send \"role\":\"assistant\" in the first chunk; without one gh-debug-cli shows no text.", false},
	{ruleID, "id changes", Fail, "Give all chunks the same id; otherwise github.com shows the answer under another name.", false},
	{ruleCalls, "tool calls", Warn, "Run the tools in the agent, and leave their calls out of the answer.", true},
	{ruleError, "error object", Fail, "Send errors as an event copilot_errors; no client shows them otherwise.", false},
	{ruleReferences, "references", Fail, "Send references as a JSON array.", false},
	{ruleReference, "reference", Fail, "Give each reference a type and an id, as strings.", true},
	{ruleDisplayName, "display name", Fail, "Give each reference a metadata.display_name; without one it is not shown.", false},
	{ruleReferenceData, "reference data", Warn, "Give each reference an id of its own, an object as data, and an http address as display_url.", false},
	{ruleQuestion, "confirmation", Fail, "Send one confirmation, an object with a title and a message as strings.", true},
	{ruleAction, "confirmation type", Fail, "Give the confirmation \"type\":\"action\"; there is no other.", false},
	{ruleData, "confirmation data", Fail, "Give the confirmation a non-empty object in its field confirmation; otherwise VS Code does not show it.", false},
	{ruleDataID, "confirmation id", Warn, "Put an id into the confirmation's object; libraries look for it in the decision.", false},
	{ruleErrors, "errors", Fail, "Send errors as a non-empty JSON array.", false},
	{ruleFault, "error fields", Fail, "Give each error type, code, message and identifier, as strings that are not empty.", true},
	{ruleFaultType, "error type", Warn, "Use one of the types reference, function and agent.", false},
	{ruleLong, "too many", Fail, "Send no more than some thousand references or errors in an answer, and one confirmation.", true},
	{ruleCharacter, "split character", Fail, "Send whole characters in each chunk; most clients decode every chunk by itself.", false},
	{ruleFieldType, "field type", Fail, "Send is_implicit as true or false, metadata as an object, and ids, codes and the fields of metadata as strings; some clients drop the whole event otherwise.", false},
}

// Rules returns the rules of [Check], numbered from 1 without gaps.
func Rules() []Rule { return slices.Clone(rules[:]) }
