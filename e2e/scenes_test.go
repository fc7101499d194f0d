package e2e_test

import (
	copilot "github.com/github/copilot-sdk/go"
)

// scenes is what recordings need that do not speak for themselves, by their name.
// Source: the tests of the SDKs of that name, in Go where they have one.
var scenes = map[string]scene{
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
	},
	"hooks_extended/should_invoke_sessionend_hook": {hooks: map[string]hook{
		"sessionEnd": always(object{"sessionSummary": "session ended"}),
	}},
	"hooks_extended/should_invoke_sessionstart_hook": {
		asks:  []ask{{prompt: "Say hi"}},
		hooks: map[string]hook{"sessionStart": always(object{"additionalContext": "Session start hook context."})},
	},
	"hooks_extended/should_invoke_userpromptsubmitted_hook_and_modify_prompt": {
		asks:  []ask{{prompt: "Say something else"}},
		hooks: map[string]hook{"userPromptSubmitted": always(object{"modifiedPrompt": "Reply with exactly: HOOKED_PROMPT"})},
	},
	"hooks_extended/should_invoke_userprompttransformed_hook_and_modify_transformed_prompt": {
		asks: []ask{{prompt: "Answer the request above."}},
		hooks: map[string]hook{
			"userPromptTransformed": always(object{"modifiedTransformedPrompt": "Reply with exactly: HOOKED_TRANSFORMED_PROMPT"}),
		},
	},
	"hooks_extended/should_register_erroroccurred_hook": {hooks: map[string]hook{
		"errorOccurred": always(object{"errorHandling": "skip"}),
	}},

	"mode_empty/empty_mode_append_caller_instruction_takes_effect_and_env_context_stripped": {
		params: empty(isolated, stripped("If the user asks you to name a noble gas, reply with exactly the single word XENON in all caps and nothing else.")),
		wants:  []want{says("XENON"), leavesOut("current working directory:"), leavesOut("operating system:")},
	},
	"mode_empty/empty_mode_builtin_star_exposes_all_built_in_tools": {
		params: empty([]any{"builtin:*"}, stripped("")), wants: []want{offers("bash")},
	},
	"mode_empty/empty_mode_excluded_tools_subtracts_from_available_tools": {
		params: with(empty([]any{"builtin:*"}, stripped("")), "excludedTools", []any{"builtin:bash"}),
		wants:  []want{offers("view"), hides("bash")},
	},
	"mode_empty/empty_mode_isolated_set_shell_tool_is_not_exposed": {
		params: empty(isolated, stripped("")),
		wants:  []want{offers("task_complete"), hides("bash", "powershell", "edit", "grep", "web_fetch")},
	},
	"mode_empty/empty_mode_strips_environment_context_from_the_system_message_by_default": {
		params: empty(isolated, stripped("If the user asks you to name an element, reply with exactly the single word ARGON in all caps and nothing else.")),
		wants:  []want{says("ARGON"), leavesOut("current working directory:"), leavesOut("operating system:")},
	},
	"mode_empty/empty_mode_system_message_replace_llm_follows_caller_content_verbatim": {
		params: empty(isolated, object{"mode": "replace", "content": krypton}), wants: []want{isWhole(krypton)},
	},

	"multi_turn/should_use_tool_results_from_previous_turns": {files: folder("secret.txt", "The magic number is 42.")},

	"permissions/deny_permission":                                        protected,
	"permissions/should_deny_permission_when_handler_returns_denied":     protected,
	"permissions/should_honor_a_decision_annotated_with_decisioncontext": protected,
	"permissions/permission_handler_for_write_operations":                {files: folder("test.txt", "original content")},
	"permissions/should_invoke_permission_handler_for_write_operations":  {files: folder("test.txt", "original content")},
	"permissions/should_deny_permission_with_noresult_kind":              {decision: object{"kind": "no-result"}},
	"permissions/should_handle_concurrent_permission_requests_from_parallel_tools": {
		params:   object{"availableTools": []any{"first_permission_tool", "second_permission_tool"}},
		decision: object{"kind": "approve-once"}, together: 2,
	},
	"permissions/should_short_circuit_permission_handler_when_set_approve_all_enabled": {
		first: []request{{"session.permissions.setApproveAll", object{"enabled": true}}}, unasked: true,
	},

	"session/sendandwait_throws_operationcanceledexception_when_token_cancelled": {abandoned: true},
	"session/should_accept_blob_attachments": {
		files: picture("test-pixel.png"),
		asks: []ask{{"Describe this image", []any{
			object{"type": "blob", "data": pixel, "mimeType": "image/png", "displayName": "test-pixel.png"},
		}}},
	},
	"session/should_create_a_session_with_appended_systemmessage_config": {
		params: object{"systemMessage": object{"mode": "append", "content": "End each response with the phrase 'Have a nice day!'"}},
		wants:  []want{says("GitHub"), says("End each response with the phrase 'Have a nice day!'")},
	},
	"session/should_create_a_session_with_availabletools": {
		params: object{"availableTools": []any{"view", "edit"}}, wants: []want{offersOnly("edit", "view")},
	},
	"session/should_create_a_session_with_customized_systemmessage_config": {
		params: object{"systemMessage": object{
			"mode": "customize", "content": "Always mention quarterly earnings.",
			"sections": object{
				"tone":              object{"action": "replace", "content": "Respond in a warm, professional tone. Be thorough in explanations."},
				"code_change_rules": object{"action": "remove"},
			},
		}},
		wants: []want{
			says("Respond in a warm, professional tone."), says("Always mention quarterly earnings."), leavesOut("<code_change_instructions>"),
		},
	},
	"session/should_create_a_session_with_defaultagent_excludedtools": {
		params: object{
			"tools":        []any{object{"name": "secret_tool", "description": "A secret tool hidden from the default agent"}},
			"defaultAgent": object{"excludedTools": []any{"secret_tool"}},
		},
		wants: []want{hides("secret_tool"), offers("view")},
	},
	"session/should_create_a_session_with_excludedtools": {
		params: object{"excludedTools": []any{"view"}}, wants: []want{hides("view"), offers("edit", "grep")},
	},
	"session/should_create_a_session_with_replaced_systemmessage_config": {
		params: object{"systemMessage": object{"mode": "replace", "content": testy}}, wants: []want{isWhole(testy)},
	},
	"session/should_send_with_custom_requestheaders": {
		asks:  []ask{{prompt: "What is 1+1?"}},
		more:  object{"requestHeaders": object{"x-copilot-sdk-test-header": "go-request-headers"}},
		wants: []want{carries("X-Copilot-Sdk-Test-Header", "go-request-headers")},
	},
	"session/should_send_with_directory_attachment": {
		files: folder("attached-directory/readme.txt", "DIRECTORY_ATTACHMENT_SENTINEL"),
		asks: []ask{{"List the attached directory.", []any{
			object{"type": "directory", "path": "${workdir}/attached-directory", "displayName": "attached-directory"},
		}}},
	},
	"session/should_send_with_file_attachment": {
		files: folder("attached-file.txt", "FILE_ATTACHMENT_SENTINEL"),
		asks: []ask{{"Read the attached file and reply with its contents.", []any{object{
			"type": "file", "path": "${workdir}/attached-file.txt", "displayName": "attached-file.txt",
			"lineRange": object{"start": 1, "end": 1},
		}}}},
	},
	"session/should_send_with_github_reference_attachment": {
		asks: []ask{{"Using only the GitHub reference metadata in this message, summarize the reference. Do not call any tools.", []any{object{
			"type": "github_reference", "number": 1234, "referenceType": "issue", "state": "open",
			"title": "Add E2E attachment coverage", "url": "https://github.com/github/copilot-sdk/issues/1234",
		}}}},
	},
	"session/should_send_with_selection_attachment": {
		files: folder("selected-file.cs", `class C { string Value = "SELECTION_SENTINEL"; }`),
		asks: []ask{{"Summarize the selected code.", []any{object{
			"type": "selection", "filePath": "${workdir}/selected-file.cs", "displayName": "selected-file.cs",
			"text":      `string Value = "SELECTION_SENTINEL";`,
			"selection": object{"start": object{"line": 1, "character": 10}, "end": object{"line": 1, "character": 45}},
		}}}},
	},

	"session_config/should_accept_blob_attachments": {
		files: picture("pixel.png"),
		asks: []ask{{"What color is this pixel? Reply in one word.", []any{
			object{"type": "blob", "data": pixel, "mimeType": "image/png", "displayName": "pixel.png"},
		}}},
	},
	"session_config/should_accept_message_attachments": {
		files: folder("attached.txt", "This file is attached"),
		asks:  []ask{{"Summarize the attached file", []any{object{"type": "file", "path": "${workdir}/attached.txt"}}}},
	},
	"session_config/should_apply_availabletools_on_session_resume": {
		resumed: object{"availableTools": []any{"view"}}, wants: []want{offersOnly("view")},
	},
	"session_config/should_apply_excluded_built_in_agents_on_create":       {params: object{"excludedBuiltinAgents": []any{"explore"}}},
	"session_config/should_apply_excluded_built_in_agents_on_resume":       {resumed: object{"excludedBuiltinAgents": []any{"explore"}}},
	"session_config/should_apply_instruction_directories_on_create":        instructed,
	"session_config/should_apply_instructiondirectories_on_create":         instructed,
	"session_config/should_apply_instructiondirectories_on_session_create": instructed,
	"session_config/should_apply_instruction_directories_on_resume":        instructedLater,
	"session_config/should_apply_instructiondirectories_on_resume":         instructedLater,
	"session_config/should_apply_instructiondirectories_on_session_resume": instructedLater,
	"session_config/should_apply_session_limits_on_create":                 {params: object{"sessionLimits": object{"maxAiCredits": 30}}},
	"session_config/should_apply_session_limits_on_resume":                 {resumed: object{"sessionLimits": object{"maxAiCredits": 30}}},
	"session_config/should_apply_systemmessage_on_session_resume": {
		resumed: object{"systemMessage": object{"mode": "append", "content": "End the response with RESUME_SYSTEM_MESSAGE_SENTINEL."}},
		wants:   []want{says("End the response with RESUME_SYSTEM_MESSAGE_SENTINEL.")},
	},
	"session_config/should_apply_workingdirectory_on_session_resume": {
		files:   folder("resume-subproject/resume-marker.txt", "I am in the resume working directory"),
		resumed: object{"workingDirectory": "${workdir}/resume-subproject"},
	},
	"session_config/should_forward_clientname_in_user_agent": {
		params: object{"clientName": "my-client"}, wants: []want{carries("User-Agent", "my-client")},
	},
	"session_config/should_forward_clientname_in_useragent": {
		params: object{"clientName": "my-client"}, wants: []want{carries("User-Agent", "my-client")},
	},
	"session_config/should_forward_custom_provider_headers_on_create": {
		params: object{"model": "claude-sonnet-4.5", "provider": proxy("headers", object{"x-copilot-sdk-provider-header": "create-provider-header"})},
		wants:  []want{carries("Authorization", "Bearer test-provider-key"), carries("X-Copilot-Sdk-Provider-Header", "create-provider-header")},
	},
	"session_config/should_forward_custom_provider_headers_on_resume": {
		resumed: object{"model": "claude-sonnet-4.5", "provider": proxy("headers", object{"x-copilot-sdk-provider-header": "resume-provider-header"})},
		wants:   []want{carries("Authorization", "Bearer test-provider-key"), carries("X-Copilot-Sdk-Provider-Header", "resume-provider-header")},
	},
	"session_config/should_forward_provider_wire_model": {
		params: object{"model": "claude-sonnet-4.5", "provider": with(proxy("wireModel", "test-wire-model"), "maxOutputTokens", 1024)},
		wants:  []want{names("test-wire-model")},
	},
	"session_config/should_use_provider_model_id_as_wire_model": {
		params: object{"provider": proxy("modelId", "claude-sonnet-4.5")}, wants: []want{names("claude-sonnet-4.5")},
	},
	"session_config/should_use_workingdirectory_for_tool_execution": {
		files:  folder("subproject/marker.txt", "I am in the subdirectory"),
		params: object{"workingDirectory": "${workdir}/subproject"},
	},
	"session_config/vision_disabled_then_enabled_via_setmodel": {
		files: picture("test.png"), params: object{"modelCapabilities": seeing(false)},
		before: map[int]request{1: {"session.model.switchTo", object{"modelId": "claude-sonnet-4.5", "modelCapabilities": seeing(true)}}},
	},
	"session_config/vision_enabled_then_disabled_via_setmodel": {
		files: picture("test.png"), params: object{"modelCapabilities": seeing(true)},
		before: map[int]request{1: {"session.model.switchTo", object{"modelId": "claude-sonnet-4.5", "modelCapabilities": seeing(false)}}},
	},

	"skills/should_allow_agent_with_skills_to_invoke_skill": {
		files: testSkill,
		params: object{
			"skillDirectories": skillFolder, "agent": "skill-agent",
			"customAgents": []any{object{
				"name": "skill-agent", "description": "An agent with access to test-skill",
				"prompt": "You are a helpful test agent.", "skills": []any{"test-skill"},
			}},
		},
		wants: []want{reads("PINEAPPLE_COCONUT_42", true)},
	},
	"skills/should_load_and_apply_skill_from_skilldirectories": {
		files: testSkill, params: object{"skillDirectories": skillFolder}, wants: []want{reads("PINEAPPLE_COCONUT_42", true)},
	},
	"skills/should_not_apply_skill_when_disabled_via_disabledskills": {
		files: testSkill, params: object{"skillDirectories": skillFolder, "disabledSkills": []any{"test-skill"}},
		wants: []want{reads("PINEAPPLE_COCONUT_42", false)},
	},
	"skills/should_not_provide_skills_to_agent_without_skills_field": {
		files: testSkill,
		params: object{
			"skillDirectories": skillFolder, "agent": "no-skill-agent",
			"customAgents": []any{object{
				"name": "no-skill-agent", "description": "An agent without skills access", "prompt": "You are a helpful test agent.",
			}},
		},
		wants: []want{reads("PINEAPPLE_COCONUT_42", false)},
	},

	"system_message_sections/should_use_replaced_identity_section_in_response": {
		params: customized("identity", object{"action": "replace", "content": botanica}), wants: []want{says(botanica)},
	},
	"system_message_sections/should_use_replaced_preamble_section_in_response": {
		params: customized("preamble", object{"action": "replace", "content": botanica}), wants: []want{says(botanica)},
	},
	"system_message_transform/should_apply_transform_modifications_to_section_content": {
		files: folder("hello.txt", "Hello!"), params: customized("identity", transformed),
		sections: map[string]func(string) string{"identity": func(text string) string {
			return text + "\nAlways end your reply with TRANSFORM_MARKER"
		}},
		wants: []want{says("TRANSFORM_MARKER")},
	},
	"system_message_transform/should_invoke_transform_callbacks_with_section_content": {
		files: folder("test.txt", "Hello transform!"), params: customized("identity", transformed, "tone", transformed),
		sections: map[string]func(string) string{"identity": same, "tone": same},
	},
	"system_message_transform/should_work_with_static_overrides_and_transforms_together": {
		files: folder("combo.txt", "Combo test!"), params: customized("safety", object{"action": "remove"}, "identity", transformed),
		sections: map[string]func(string) string{"identity": same},
	},

	"tool_results/should_handle_tool_result_with_rejected_resulttype": {decision: object{"kind": "approve-once"}},

	"tools/clears_context_from_a_terminal_tool_and_starts_the_seeded_turn": {
		params: object{"tools": []any{object{
			"name": "clear_context", "description": "Clears the conversation and starts a fresh context window",
			"isTerminal": true, "skipPermission": true,
		}}},
		asks: []ask{{prompt: `Call clear_context with prompt "Reply with exactly FRESH_CONTEXT." now.`}},
		acts: map[string]request{"clear_context": {"session.history.clearContext", object{"prompt": "Reply with exactly FRESH_CONTEXT."}}},
	},
	"tools/invokes_built_in_tools":                   {files: folder("README.md", "# ELIZA, the only chatbot you'll ever need")},
	"tools/overrides_built_in_tool_with_custom_tool": {brings: []string{"grep"}},
	"tools/skippermission_sent_in_tool_definition":   {trusted: []string{"safe_lookup"}},
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
	postHook  = scene{files: folder("world.txt", "World from the test!"), hooks: map[string]hook{"postToolUse": quiet}}
	preHook   = scene{files: folder("hello.txt", "Hello from the test!"), hooks: map[string]hook{"preToolUse": allowing}}
	protected = scene{files: folder("protected.txt", "protected content")}

	instructed = scene{
		files: extraInstructions, params: object{"workingDirectory": "${workdir}/project", "instructionDirectories": []any{"${workdir}/extra"}},
		wants: []want{says("INSTRUCTION_DIRECTORIES_SENTINEL")},
	}
	instructedLater = scene{
		files: extraInstructions, params: object{"workingDirectory": "${workdir}/project"},
		resumed: object{"instructionDirectories": []any{"${workdir}/extra"}},
		wants:   []want{says("INSTRUCTION_DIRECTORIES_SENTINEL")},
	}
)

// What scenes are made of.
const (
	krypton  = "You are a test fixture. Whenever the user asks anything, reply with exactly the single word KRYPTON in all caps and nothing else."
	testy    = "You are an assistant called Testy McTestface. Reply succinctly."
	botanica = "You are a helpful gardening assistant called Botanica. You only answer questions about plants and gardening."
)

var (
	extraInstructions = folder(
		"project/.keep", "",
		"extra/.github/instructions/extra.instructions.md", "Always include INSTRUCTION_DIRECTORIES_SENTINEL.")
	testSkill = folder(".test_skills/test-skill/SKILL.md", `---
name: test-skill
description: A test skill that adds a marker to responses
---

# Test Skill Instructions

IMPORTANT: You MUST include the exact text "PINEAPPLE_COCONUT_42" somewhere in EVERY response you give. This is a mandatory requirement. Include it naturally in your response.
`)
	skillFolder = []any{"${workdir}/.test_skills"}
	transformed = object{"action": "transform"}
	isolated    = builtin(copilot.BuiltInToolsIsolated)
)

func same(text string) string { return text }

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

// builtin names built-in tools in a filter.
func builtin(names []string) (out []any) {
	for _, name := range names {
		out = append(out, "builtin:"+name)
	}
	return out
}

// empty is a session as the SDKs' clients create it in their empty mode.
// Source: go/mode_empty.go of github/copilot-sdk.
func empty(tools []any, system object) object {
	return object{
		"availableTools": tools, "toolFilterPrecedence": "excluded", "systemMessage": system, "enableSkills": false,
		"enableHostGitOperations": false,
	}
}

// stripped is a system message without the environment.
func stripped(content string) object {
	return object{"mode": "customize", "content": content, "sections": object{"environment_context": object{"action": "remove"}}}
}

// customized is a system message with changes to sections: id, change, and so on.
func customized(pairs ...any) object {
	sections := object{}
	for i := 0; i < len(pairs); i += 2 {
		sections[pairs[i].(string)] = pairs[i+1]
	}
	return object{"systemMessage": object{"mode": "customize", "sections": sections}}
}

// proxy is a provider that a client brings.
func proxy(key string, value any) object {
	return object{"type": "openai", "baseUrl": "http://provider.test", "apiKey": "test-provider-key", key: value}
}
