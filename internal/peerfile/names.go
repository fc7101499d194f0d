package peerfile

import (
	"bytes"
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"unicode"

	"github.com/sidestick-dev/sidestick/internal/lazy"
	"github.com/sidestick-dev/sidestick/internal/tool/fact"
)

// further are names of Claude Code for tools that no rule covers, or in addition to those of rules.
var further = lazy.Value[map[string][]string]{Make: func() map[string][]string {
	return map[string][]string{
		fact.Skill: {"Skill"}, fact.SQL: {"TodoWrite"}, fact.Task: {"Agent", "Task"}, fact.AskUser: {"AskUserQuestion"},
		fact.ExitPlanMode: {"ExitPlanMode"}, fact.Bash: {"PowerShell"}, fact.View: {"NotebookRead"}, fact.ReadBash: {"BashOutput"}, fact.StopBash: {"KillShell"},
	}
}}

var claudeNames = lazy.Value[map[string][]string]{Make: func() map[string][]string {
	names := map[string][]string{}
	for _, f := range fact.All() {
		for _, name := range f.Skills {
			if unicode.IsUpper(rune(name[0])) {
				names[f.Name] = append(names[f.Name], name)
			}
		}
		names[f.Name] = append(names[f.Name], further.Get()[f.Name]...)
	}
	return names
}}

// ToolNames returns the names that Claude Code has for a tool of this program, the usual one first. server and
// its tool are those of a tool of an MCP server, "" for other tools.
func ToolNames(name, server, serverTool string) []string {
	if server != "" {
		return []string{fact.ClaudeServer + server + "__" + serverTool, fact.ClaudeServerTool(server, serverTool)}
	}
	return slices.Clip(claudeNames.Get()[name]) // which all callers share
}

// parameters are the names of arguments that differ, by the tool of this program: ours, then Claude's.
var parameters = lazy.Value[map[string][][2]string]{Make: func() map[string][][2]string {
	return map[string][][2]string{
		fact.View:   {{"path", "file_path"}},
		fact.Create: {{"path", "file_path"}, {"file_text", "content"}},
		fact.Edit:   {{"path", "file_path"}, {"old_str", "old_string"}, {"new_str", "new_string"}},
		fact.Task:   {{"agent_type", "subagent_type"}},
	}
}}

// ToolInput returns the arguments of a tool as a command reads them in tool_input: with Claude's names beside
// those of this program, because a check that finds no file_path would let everything pass.
func ToolInput(name string, arguments json.RawMessage) json.RawMessage {
	var members map[string]json.RawMessage
	if len(parameters.Get()[name]) == 0 || json.Unmarshal(arguments, &members) != nil || members == nil {
		return arguments
	}
	for _, pair := range parameters.Get()[name] {
		if value, given := members[pair[0]]; given && members[pair[1]] == nil {
			members[pair[1]] = value
		}
	}
	return encoded(members, arguments)
}

// ToolArguments is the way back: what a command has changed under Claude's name is the argument of this program.
// asked are the arguments that the command got.
func ToolArguments(name string, changed, asked json.RawMessage) json.RawMessage {
	var now, before map[string]json.RawMessage
	if len(parameters.Get()[name]) == 0 || json.Unmarshal(changed, &now) != nil || now == nil {
		return changed
	}
	_ = json.Unmarshal(asked, &before) // arguments that are no object have no names
	now = maps.Clone(now)
	for _, pair := range parameters.Get()[name] {
		value, given := now[pair[1]]
		if !given {
			continue
		}
		if now[pair[0]] == nil || !same(value, before[pair[0]]) {
			now[pair[0]] = value
		}
		delete(now, pair[1])
	}
	return encoded(now, changed)
}

// same reports whether two texts of JSON have the same value: a command may write a character as it is that it has read
// as an escape.
func same(a, b json.RawMessage) bool {
	var x, y any
	for _, decode := range []struct {
		text json.RawMessage
		to   *any
	}{{a, &x}, {b, &y}} {
		d := json.NewDecoder(bytes.NewReader(decode.text))
		d.UseNumber() // large numbers that differ stay different
		if d.Decode(decode.to) != nil {
			return false
		}
	}
	return reflect.DeepEqual(x, y)
}

func encoded(members map[string]json.RawMessage, otherwise json.RawMessage) json.RawMessage {
	text, err := json.Marshal(members)
	if err != nil {
		return otherwise
	}
	return text
}
