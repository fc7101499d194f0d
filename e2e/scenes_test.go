package e2e_test

import "maps"

// scenes is what recordings need that do not speak for themselves, by their name.
// Source: the tests of the SDKs of that name, in Go where they have one.
var scenes = joined(toolScenes, hookScenes, promptScenes, sessionScenes)

// toolScenes are those of the suites about tools and the loop itself.
var toolScenes = map[string]scene{
	"abort/should_abort_during_active_streaming": {
		params: object{"streaming": true}, cut: 1,
		asks: []ask{
			{prompt: "Write a very long essay about the history of computing, covering every decade from the 1940s to the 2020s in great detail."},
			{prompt: "Say 'abort_recovery_ok'."},
		},
	},

	"builtin_tools/should_edit_a_file_successfully":     {files: folder("edit_me.txt", "Hello World\nGoodbye World\n")},
	"builtin_tools/should_find_files_by_pattern":        {files: folder("src/index.ts", "export const index = 1;", "README.md", "# Readme")},
	"builtin_tools/should_read_file_with_line_range":    {files: folder("lines.txt", "line1\nline2\nline3\nline4\nline5\n")},
	"builtin_tools/should_search_for_patterns_in_files": {files: folder("data.txt", "apple\nbanana\napricot\ncherry\n")},

	"client_options/should_use_client_cwd_for_default_workingdirectory": {
		files:  folder("client-cwd/marker.txt", "I am in the client cwd"),
		params: object{"workingDirectory": "${workdir}/client-cwd"},
	},

	"compaction/should_not_emit_compaction_events_when_infinite_sessions_disabled": {
		params: object{"infiniteSessions": object{"enabled": false}},
	},
	"compaction/should_trigger_compaction_with_low_threshold_and_emit_events": {
		params: object{"infiniteSessions": object{
			"enabled": true, "backgroundCompactionThreshold": 0.005, "bufferExhaustionThreshold": 0.01,
		}},
		compacts: true,
		asks: []ask{
			{prompt: "Tell me a story about a dragon. Be detailed."},
			{prompt: "Continue the story with more details about the dragon's castle."},
			{prompt: "Now describe the dragon's treasure in great detail."},
			{prompt: "What was the story about?"},
		},
	},

	"event_fidelity/should_emit_events_in_correct_order_for_tool_using_conversation": {files: folder("hello.txt", "Hello World")},
	"event_fidelity/should_emit_tool_execution_events_with_correct_fields":           {files: folder("data.txt", "test data")},
	"event_fidelity/should_preserve_message_order_in_getmessages_after_tool_use":     {files: folder("order.txt", "ORDER_CONTENT_42")},

	"multi_turn/should_use_tool_results_from_previous_turns": {files: folder("secret.txt", "The magic number is 42.")},

	"subagent_hooks/should_invoke_pretooluse_and_posttooluse_hooks_for_sub_agent_tool_calls": {files: folder("subagent-test.txt", "Hello from subagent test!")},

	"tool_results/should_handle_tool_result_with_rejected_resulttype": {decision: object{"kind": "approve-once"}},

	"tools/clears_context_from_a_terminal_tool_and_starts_the_seeded_turn": {
		params: object{"tools": []any{object{
			"name": "clear_context", "description": "Starts over",
			"isTerminal": true, "skipPermission": true,
		}}},
		asks: []ask{{prompt: `Call clear_context with prompt "Reply with exactly FRESH_CONTEXT." now.`}},
		acts: map[string]request{"clear_context": {"session.history.clearContext", object{"prompt": "Reply with exactly FRESH_CONTEXT."}}},
	},
	"tools/invokes_built_in_tools":                   {files: folder("README.md", "# ELIZA, the only chatbot you'll ever need")},
	"tools/overrides_built_in_tool_with_custom_tool": {brings: []string{"grep"}},
	"tools/skippermission_sent_in_tool_definition":   {trusted: []string{"safe_lookup"}},
}

func joined[V any](parts ...map[string]V) map[string]V {
	out := map[string]V{}
	for _, p := range parts {
		maps.Copy(out, p)
	}
	return out
}

// folder is what is in a folder: name, content, and so on.
func folder(pairs ...string) map[string]string {
	out := map[string]string{}
	for i := 0; i < len(pairs); i += 2 {
		out[pairs[i]] = pairs[i+1]
	}
	return out
}

// with is an object with one more member.
func with(o object, key string, value any) object {
	o[key] = value
	return o
}
