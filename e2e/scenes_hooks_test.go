package e2e_test

// hookScenes are those of the suites about hooks and permissions.
var hookScenes = map[string]scene{
	"hooks/deny_tool_execution_when_pre_tool_use_returns_deny":                         denied,
	"hooks/should_deny_tool_execution_when_pretooluse_returns_deny":                    denied,
	"hooks/invoke_both_hooks_for_single_tool_call":                                     bothHooks,
	"hooks/should_invoke_both_pretooluse_and_posttooluse_hooks_for_a_single_tool_call": bothHooks,
	"hooks/should_invoke_both_pretooluse_and_posttooluse_hooks_for_single_tool_call":   bothHooks,
	"hooks/invoke_post_tool_use_hook_after_model_runs_a_tool":                          postHook,
	"hooks/should_invoke_posttooluse_hook_after_model_runs_a_tool":                     postHook,
	"hooks/invoke_pre_tool_use_hook_when_model_runs_a_tool":                            preHook,
	"hooks/should_invoke_pretooluse_hook_when_model_runs_a_tool":                       preHook,

	"hooks_extended/should_allow_posttooluse_to_return_modifiedresult": {hooks: map[string]hook{
		"postToolUse": always(object{"modifiedResult": object{
			"textResultForLlm": "modified by post hook", "resultType": "success", "toolTelemetry": object{},
		}, "suppressOutput": false}),
	}},
	"hooks_extended/should_allow_pretooluse_to_return_modifiedargs_and_suppressoutput": {hooks: map[string]hook{
		"preToolUse": func(_ int, input object) any {
			if input["toolName"] != "echo_value" {
				return object{"permissionDecision": "allow"}
			}
			return object{
				"permissionDecision": "allow", "modifiedArgs": object{"value": "modified by hook"}, "suppressOutput": false,
			}
		},
	}},
	"hooks_extended/should_invoke_agentstop_hook_and_apply_block_response": {
		asks: []ask{{prompt: "Reply with exactly: AGENT_STOP_INITIAL"}},
		hooks: map[string]hook{"agentStop": func(n int, _ object) any {
			if n > 0 {
				return nil
			}
			return object{"decision": "block", "reason": "Reply with exactly: AGENT_STOP_CONTINUED"}
		}},
		hears: map[string]object{"agentStop": {"stopReason": "end_turn", "stop_hook_active": false, "transcriptPath": "events.jsonl"}},
	},
	"hooks_extended/should_invoke_onerroroccurred_hook_when_error_occurs":            {hooks: map[string]hook{"errorOccurred": quiet}},
	"hooks_extended/should_invoke_onsessionend_hook_when_session_is_disconnected":    {hooks: map[string]hook{"sessionEnd": quiet}},
	"hooks_extended/should_invoke_onsessionstart_hook_on_new_session":                {hooks: map[string]hook{"sessionStart": quiet}},
	"hooks_extended/should_invoke_onuserpromptsubmitted_hook_when_sending_a_message": {hooks: map[string]hook{"userPromptSubmitted": quiet}},
	"hooks_extended/should_invoke_posttoolusefailure_hook_for_failed_tool_result": {
		asks:   []ask{{prompt: "Call the view tool with path 'missing.txt'. If it fails, use the hook guidance to answer."}},
		params: object{"availableTools": []any{"report_intent"}},
		hooks: map[string]hook{
			"postToolUseFailure": always(object{"additionalContext": "HOOK_FAILURE_GUIDANCE_APPLIED"}),
		},
		hears: map[string]object{"postToolUseFailure": {"toolName": "view", "toolArgs": "missing.txt", "error": "does not exist"}},
	},
	"hooks_extended/should_invoke_sessionend_hook": {hooks: map[string]hook{
		"sessionEnd": always(object{"sessionSummary": "session ended"}),
	}},
	"hooks_extended/should_invoke_sessionstart_hook": {
		asks:  []ask{{prompt: "Say hi"}},
		hooks: map[string]hook{"sessionStart": always(object{"additionalContext": "Session start hook context."})},
		hears: map[string]object{"sessionStart": {"source": "new", "initialPrompt": "Say hi"}},
	},
	"hooks_extended/should_invoke_userpromptsubmitted_hook_and_modify_prompt": {
		asks:  []ask{{prompt: "Say something else"}},
		hooks: map[string]hook{"userPromptSubmitted": always(object{"modifiedPrompt": "Reply with exactly: HOOKED_PROMPT"})},
		hears: map[string]object{"userPromptSubmitted": {"prompt": "Say something else"}},
	},
	"hooks_extended/should_invoke_userprompttransformed_hook_and_modify_transformed_prompt": {
		asks: []ask{{prompt: "Answer the request above."}},
		hooks: map[string]hook{
			"userPromptTransformed": always(object{"modifiedTransformedPrompt": "Reply with exactly: HOOKED_TRANSFORMED_PROMPT"}),
		},
		hears: map[string]object{
			"userPromptTransformed": {"prompt": "Answer the request above.", "transformedPrompt": "<current_datetime>"},
		},
	},
	"hooks_extended/should_register_erroroccurred_hook": {hooks: map[string]hook{
		"errorOccurred": always(object{"errorHandling": "skip"}),
	}},

	"permissions/deny_permission":                                    protected,
	"permissions/should_deny_permission_when_handler_returns_denied": protected,
	"permissions/should_honor_a_decision_annotated_with_decisioncontext": {
		files:   folder("protected.txt", "protected content"),
		context: object{"outcome": "prompted_user", "source": "human_response", "surface": "sdk"},
	},
	"permissions/permission_handler_for_write_operations":               {files: folder("test.txt", "original content")},
	"permissions/should_invoke_permission_handler_for_write_operations": {files: folder("test.txt", "original content")},
	"permissions/should_deny_permission_with_noresult_kind":             {decision: object{"kind": "no-result"}},
	"permissions/should_handle_concurrent_permission_requests_from_parallel_tools": {
		params:   object{"availableTools": []any{"first_permission_tool", "second_permission_tool"}},
		decision: object{"kind": "approve-once"}, together: 2,
	},
	"permissions/should_short_circuit_permission_handler_when_set_approve_all_enabled": {
		first: []request{{"session.permissions.setApproveAll", object{"enabled": true}}}, unasked: true,
	},
}

// The scenes of several recordings.
var (
	allowing = always(object{"permissionDecision": "allow"})

	denied = scene{
		files: folder("protected.txt", "Original content that should not be modified"),
		hooks: map[string]hook{"preToolUse": always(object{"permissionDecision": "deny"})},
	}
	bothHooks = scene{
		files: folder("both.txt", "Testing both hooks!"), hooks: map[string]hook{"preToolUse": allowing, "postToolUse": quiet},
	}
	postHook = scene{
		files: folder("world.txt", "World from the test!"), hooks: map[string]hook{"postToolUse": quiet},
		hears: map[string]object{"postToolUse": {"toolName": "view", "toolResult": "1. World from the test!"}},
	}
	preHook   = scene{files: folder("hello.txt", "Hello from the test!"), hooks: map[string]hook{"preToolUse": allowing}}
	protected = scene{files: folder("protected.txt", "protected content")}
)
