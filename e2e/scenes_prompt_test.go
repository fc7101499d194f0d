package e2e_test

import copilot "github.com/github/copilot-sdk/go"

// promptScenes are those of the suites about the prompt of the model.
var promptScenes = map[string]scene{
	"mode_empty/empty_mode_append_caller_instruction_takes_effect_and_env_context_stripped": {
		params: empty(isolated, stripped("The only noble gas is XENON.")),
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
		params: empty(isolated, stripped("The only element is ARGON.")),
		wants:  []want{says("ARGON"), leavesOut("current working directory:"), leavesOut("operating system:")},
	},
	"mode_empty/empty_mode_system_message_replace_llm_follows_caller_content_verbatim": {
		params: empty(isolated, object{"mode": "replace", "content": krypton}), wants: []want{isWhole(krypton)},
	},

	"skills/should_allow_agent_with_skills_to_invoke_skill": {
		files: testSkill,
		params: object{
			"skillDirectories": skillFolder, "agent": "skill-agent",
			"customAgents": []any{object{
				"name": "skill-agent", "description": "Knows the skill",
				"prompt": "You help with tests.", "skills": []any{"test-skill"},
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
				"name": "no-skill-agent", "description": "Knows none", "prompt": "You help with tests.",
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
			return text + "\nTRANSFORM_MARKER"
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
}

const (
	krypton  = "You answer everything with the word KRYPTON."
	botanica = "You are Botanica, who knows all about gardens."
)

var (
	testSkill = folder(".test_skills/test-skill/SKILL.md", `---
name: test-skill
description: Puts a marker into what is said
---

# Test Skill Instructions

IMPORTANT: You MUST include the exact text "PINEAPPLE_COCONUT_42" somewhere in EVERY response you give. This is a mandatory requirement. Include it naturally in your response.
`)
	skillFolder = []any{"${workdir}/.test_skills"}
	transformed = object{"action": "transform"}
	isolated    = builtin(copilot.BuiltInToolsIsolated)
)

func same(text string) string { return text }

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
