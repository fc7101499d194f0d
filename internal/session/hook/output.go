package hook

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/peerfile"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// commandOutput returns the JSON object that a command wrote, as its whole output or as the
// last line of it, after the output of other programs; nil if it wrote none.
func commandOutput(out []byte) (json.RawMessage, error) {
	out = bytes.TrimSpace(withoutProgress(out))
	last := out[bytes.LastIndexByte(out, '\n')+1:]
	for _, text := range [][]byte{out, last} {
		if bytes.HasPrefix(text, []byte("{")) && json.Valid(text) {
			return text, nil
		}
	}
	if bytes.HasPrefix(out, []byte("{")) || bytes.HasPrefix(last, []byte("{")) {
		return nil, notUnderstood("its output is not JSON: %.200q", strings.ToValidUTF8(string(out), "?"))
	}
	return nil, nil
}

// withoutProgress removes the lines by which a command says how far it is.
func withoutProgress(out []byte) []byte {
	if !bytes.Contains(out, []byte(`"progress"`)) {
		return out
	}
	var kept []byte
	for line := range bytes.Lines(out) {
		var report struct {
			Type string `json:"type"`
		}
		if json.Unmarshal(line, &report) == nil && report.Type == "progress" {
			continue
		}
		kept = append(kept, line...)
	}
	return kept
}

// effective are the members of an output of a command that are looked at, for one kind of event or another.
var effective = []string{
	"permissionDecision", "permissionDecisionReason", "modifiedArgs", "additionalContext", "modifiedResult", "decision", "reason",
	"modifiedPrompt", "modifiedTransformedPrompt", "errorHandling", "retryCount", "userNotification", "metaToUse", "systemMessage",
	"suppressOutput", "modifiedConfig", "cleanupActions", "sessionSummary", "stopReason", "hookEventName",
}

// translated returns an output in the words of this program: commands may answer in those of Claude Code. asked is
// what the command read. unknown are the members that have no effect, in alphabetical order.
func (c commandHook) translated(about Call, asked map[string]any, output json.RawMessage) (_ json.RawMessage, unknown []string) {
	var o map[string]json.RawMessage
	if json.Unmarshal(output, &o) != nil || o == nil {
		return output, nil
	}
	var specific map[string]json.RawMessage
	if json.Unmarshal(o["hookSpecificOutput"], &specific) == nil {
		delete(o, "hookSpecificOutput") // what is no object stays, for [understand]
		outer := text(o["permissionDecision"])
		maps.Copy(o, specific)
		if outer == "deny" || outer == "ask" && text(o["permissionDecision"]) == "allow" { // of two decisions the stricter one
			o["permissionDecision"] = encodedText(outer)
		}
	}
	c.renamed(about, asked, o)
	c.decided(o)
	for _, name := range slices.Sorted(maps.Keys(o)) {
		if !slices.Contains(effective, name) {
			unknown = append(unknown, name)
		}
	}
	text, err := json.Marshal(o)
	if err != nil {
		return output, nil
	}
	return text, unknown
}

// renamed gives members with Claude's names those of this program.
func (c commandHook) renamed(about Call, asked map[string]any, o map[string]json.RawMessage) {
	if changed, ok := o["updatedInput"]; ok && o["modifiedArgs"] == nil {
		o["modifiedArgs"] = changed
	}
	if changed := o["modifiedArgs"]; changed != nil {
		before, _ := asked["tool_input"].(json.RawMessage)
		o["modifiedArgs"] = peerfile.ToolArguments(about.Name, changed, before)
	}
	for _, name := range []string{"updatedToolOutput", "updatedMCPToolOutput"} {
		if changed, ok := o[name]; ok && o["modifiedResult"] == nil {
			if raw := wire.Raw(changed); !raw.IsString() && raw.Get("textResultForLlm") == nil {
				changed = encodedText(string(changed))
			}
			o["modifiedResult"] = changed
		}
		delete(o, name)
	}
	delete(o, "updatedInput")
}

// decided translates Claude's decisions.
func (c commandHook) decided(o map[string]json.RawMessage) {
	if text(o["permissionDecision"]) == "defer" {
		delete(o, "permissionDecision")
	}
	decision := text(o["decision"])
	reason, stops := o["reason"], text(o["stopReason"])
	ends := string(o["continue"]) == "false"
	if ends {
		decision, reason = blocks, encodedText(stops)
	} else if value := string(o["continue"]); value != "true" && value != "null" && value != "" {
		return // [understand] says what it is, or it is named as a member that has no effect
	}
	switch {
	case c.Kind == preToolUse:
		if c.decidedCall(o, decision, reason); ends {
			delete(o, "decision")
		}
	case c.Kind == "postToolUse" && decision == blocks:
		o["additionalContext"] = encodedText(paragraphs(text(reason), text(o["additionalContext"])))
	case c.Kind == promptSubmitted && decision == blocks:
		o["decision"], o["reason"] = encodedText(blocks), reason
	case c.Kind == agentStop && ends:
		delete(o, "decision")
	case ends:
		return
	}
	if decision == "approve" {
		delete(o, "decision")
	}
	delete(o, "continue")
}

// decidedCall translates Claude's decision about a tool call. One that is none of the known words stays, for
// [understand].
func (c commandHook) decidedCall(o map[string]json.RawMessage, decision string, reason json.RawMessage) {
	was := o["permissionDecision"]
	switch {
	case decision == blocks || decision == "deny":
		o["permissionDecision"], o["permissionDecisionReason"] = encodedText("deny"), reason
	case (decision == "approve" || decision == "allow") && was == nil:
		o["permissionDecision"] = encodedText("allow")
	case decision == "ask" && (was == nil || text(was) == "allow"):
		o["permissionDecision"] = encodedText("ask")
	}
	if slices.Contains(callDecisions, decision) && (decision != "" || isNoDecision(o["decision"])) {
		delete(o, "decision")
	}
}

// text is a text in JSON; "" if it is none.
func text(value json.RawMessage) string {
	var s string
	_ = json.Unmarshal(value, &s) // the caller treats what is no text like an absent one
	return s
}

func encodedText(s string) json.RawMessage {
	out, err := json.Marshal(s)
	if err != nil {
		return nil // a text can always be encoded
	}
	return out
}
