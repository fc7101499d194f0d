package e2e_test

// sessionScenes are those of the suites about sessions and their settings.
var sessionScenes = map[string]scene{
	"session/sendandwait_throws_operationcanceledexception_when_token_cancelled": {abandoned: true},
	"session/should_accept_blob_attachments": {
		files: picture("test-pixel.png"),
		asks: []ask{{"Describe this image", []any{
			object{"type": "blob", "data": pixel, "mimeType": "image/png", "displayName": "test-pixel.png"},
		}}},
	},
	"session/should_create_a_session_with_appended_systemmessage_config": {
		params: object{"systemMessage": object{"mode": "append", "content": "Say 'Have a nice day!' in the end."}},
		wants:  []want{says("GitHub"), says("Say 'Have a nice day!' in the end.")},
	},
	"session/should_create_a_session_with_availabletools": {
		params: object{"availableTools": []any{"view", "edit"}}, wants: []want{offersOnly("edit", "view")},
	},
	"session/should_create_a_session_with_customized_systemmessage_config": {
		params: object{"systemMessage": object{
			"mode": "customize", "content": "Mention the quarter.",
			"sections": object{
				"tone":              object{"action": "replace", "content": "Respond warmly."},
				"code_change_rules": object{"action": "remove"},
			},
		}},
		wants: []want{
			says("Respond warmly."), says("Mention the quarter."), leavesOut("<code_change_instructions>"),
		},
	},
	"session/should_create_a_session_with_defaultagent_excludedtools": {
		params: object{
			"tools":        []any{object{"name": "secret_tool", "description": "Hidden from the main agent"}},
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
		resumed: object{"systemMessage": object{"mode": "append", "content": "Say RESUME_SYSTEM_MESSAGE_SENTINEL."}},
		wants:   []want{says("Say RESUME_SYSTEM_MESSAGE_SENTINEL.")},
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
		sees:   []bool{false, true},
	},
	"session_config/vision_enabled_then_disabled_via_setmodel": {
		files: picture("test.png"), params: object{"modelCapabilities": seeing(true)},
		before: map[int]request{1: {"session.model.switchTo", object{"modelId": "claude-sonnet-4.5", "modelCapabilities": seeing(false)}}},
		sees:   []bool{true, false},
	},
}

// testy is a whole system message.
const testy = "Your name is Testy McTestface."

// The scenes of several recordings about folders of instructions.
var (
	extraInstructions = folder(
		"project/.keep", "",
		"extra/.github/instructions/extra.instructions.md", "Mention INSTRUCTION_DIRECTORIES_SENTINEL.")

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

// proxy is a provider that a client brings.
func proxy(key string, value any) object {
	return object{"type": "openai", "baseUrl": "http://provider.test", "apiKey": "test-provider-key", key: value}
}
