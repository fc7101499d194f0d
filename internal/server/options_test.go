package server_test

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/github/copilot-sdk/go/rpc"
	"github.com/google/go-cmp/cmp"

	"github.com/sidestick-dev/sidestick/internal/testing/modeltest"
)

// updated is a field of session.options.update, and what becomes of a value of it. One of the last
// five says it; none: the value asks for what holds anyway.
type updated struct {
	field, value string

	gains, loses string // what a client and the model see with it, and what they no longer see
	refused      bool   // the request fails and names it
	ignored      bool   // a warning names it
	elsewhere    string // the test that shows its effect
}

// options are all fields of the SDK's type.
var options = []updated{
	{field: "additionalContentExclusionPolicies", value: `[{"rules":[],"scope":"repo","last_updated_at":1}]`, refused: true},
	{field: "agentContext", value: `"actions"`, ignored: true},
	{field: "allowAllMcpServerInstructions", value: `true`, ignored: true},
	{field: "askUserDisabled", value: `true`, loses: `"ask_user"`},
	{field: "availableTools", value: `["custom:right"]`, loses: `"left"`},
	{field: "capi", value: `{"autoTier":"fast"}`, ignored: true},
	{field: "capi", value: `{"enableWebSocketResponses":false}`, elsewhere: "TestAProgramMakesTheModelCallsOverHTTP in package e2e"},
	{field: "clientName", value: `"after"`, gains: "after sidestick/", loses: "before sidestick/"},
	{field: "coauthorEnabled", value: `false`},
	{field: "coauthorEnabled", value: `true`, ignored: true},
	{field: "contextTier", value: `"long_context"`, ignored: true},
	{field: "continueOnAutoMode", value: `true`, elsewhere: "TestAClientHasARunContinueOnAnotherModel in package session"},
	{field: "copilotUrl", value: `"https://copilot.test"`, refused: true},
	{field: "customAgentsLocalOnly", value: `true`},
	{field: "disabledInstructionSources", value: `["AGENTS"]`, loses: "The rule of the project."},
	{field: "disabledSkills", value: `["brew"]`, gains: `"enabled":false`},
	{field: "enableFileHooks", value: `false`, elsewhere: "TestAClientSwitchesHookFiles in package session"},
	{field: "enableHostGitOperations", value: `false`, gains: `"session.context_changed"`, loses: "Git repository root: /work"},
	{field: "enableOnDemandInstructionDiscovery", value: `true`, ignored: true},
	{field: "enableReasoningSummaries", value: `false`, gains: `"reasoningSummary":"none"`},
	{field: "enableScriptSafety", value: `true`},
	{field: "enableScriptSafety", value: `false`, ignored: true},
	{field: "enableSessionStore", value: `true`, ignored: true},
	{field: "enableSkills", value: `false`, loses: `"name":"brew"`},
	{field: "enableStreaming", value: `false`, loses: `"assistant.message_delta"`},
	{field: "envValueMode", value: `"indirect"`, gains: "K refers to NOT_SET"},
	{field: "eventsLogDirectory", value: `"/logs"`, ignored: true},
	{field: "eventsLogIncludesSubagents", value: `false`, ignored: true},
	{field: "excludedBuiltinAgents", value: `["explore"]`, loses: "- explore:"},
	{field: "excludedTools", value: `["right"]`, loses: `"right"`},
	{field: "featureFlags", value: `{"x":true}`, ignored: true},
	{field: "includedBuiltinAgents", value: `["explore"]`, loses: "- general-purpose:"},
	{field: "includedBuiltinSkills", value: `[]`},
	{field: "includedBuiltinSkills", value: `["x"]`, ignored: true},
	{field: "installedPlugins", value: `[]`, loses: `"name":"fry"`},
	{field: "installedPlugins", value: `[{"name":"x","marketplace":"","enabled":true,"installed_at":""}]`, refused: true},
	{field: "integrationId", value: `"x"`, ignored: true},
	{field: "isExperimentalMode", value: `true`, ignored: true},
	{field: "logInteractiveShells", value: `true`, ignored: true},
	{field: "lspClientName", value: `"x"`},
	{field: "manageScheduleEnabled", value: `true`, ignored: true},
	{field: "maxInlineBinaryBytes", value: `1000`, refused: true},
	{field: "model", value: `"other-model"`, gains: `"model":"other-model"`},
	{field: "modelCapabilitiesOverrides", value: `{"limits":{"max_output_tokens":77}}`, gains: `:77`},
	{field: "organizationCustomInstructions", value: `"The rule of all."`, gains: "The rule of all.", loses: "The rule of us."},
	{field: "organizationCustomInstructions", value: `""`, loses: "The rule of us."},
	{field: "provider", value: `{"baseUrl":"http://other.test/v2"}`, gains: "/v2/chat/completions"},
	{field: "reasoningEffort", value: `"high"`, gains: `"reasoning_effort":"high"`},
	{field: "reasoningSummary", value: `"concise"`, gains: `"reasoningSummary":"concise"`},
	{field: "runningInInteractiveMode", value: `false`, ignored: true},
	{field: "sandboxConfig", value: `{"enabled":true}`, gains: `"required":true`, loses: `"required":false`},
	{field: "sandboxConfigSource", value: `"user"`},
	{field: "sessionCapabilities", value: `["plan-mode"]`, refused: true},
	{field: "sessionCapabilities", value: `[]`, refused: true},
	{field: "sessionLimits", value: `{"maxAiCredits":5}`, gains: `{"sessionLimits":{"maxAiCredits":5}}`},
	{field: "sessionLimits", value: `null`, gains: `"session.session_limits_changed"`},
	{field: "shell", value: `{"initProfile":"non-interactive"}`, ignored: true},
	{field: "shellInitProfile", value: `"NonInteractive"`, ignored: true},
	{field: "shellProcessFlags", value: `["-x"]`, ignored: true},
	{field: "skillDirectories", value: `["/more"]`, gains: `"name":"sew"`, loses: `"name":"brew"`},
	{field: "skipCustomInstructions", value: `true`, loses: "The rule of the project."},
	{field: "skipEmbeddingRetrieval", value: `true`},
	{field: "suppressCustomAgentPrompt", value: `true`, loses: "Guide them."},
	{field: "toolFilterPrecedence", value: `"excluded","availableTools":["custom:*"],"excludedTools":["right"]`, loses: `"right"`},
	{field: "trajectoryFile", value: `"/t"`, ignored: true},
	{field: "verbosity", value: `"low"`, ignored: true},
	{field: "workingDirectory", value: `"/elsewhere"`, gains: `"workingDirectory":"/elsewhere"`, loses: "The rule of the project."},

	// Fields that the SDK's type does not have.
	{field: "sandbox", value: `{"enabled":true}`, gains: `"required":true`, loses: `"required":false`},
	{field: "tools", value: `[{"name":"up"}]`, ignored: true},
	{field: "inventedTomorrow", value: `1`, ignored: true},
}

// Each field of session.options.update takes effect, is refused by name, or is named in a warning. A
// field that a new SDK has must be decided on here.
func TestEachOptionOfAnUpdate(t *testing.T) {
	for f := range reflect.TypeFor[rpc.SessionUpdateOptionsParams]().Fields() {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if !slices.ContainsFunc(options, func(o updated) bool { return o.field == name }) {
			t.Errorf("session.options.update has a new field %s", name)
		}
	}
	plain := seenAfter(t, updated{})
	for _, o := range options {
		t.Run(o.field+"="+o.value, func(t *testing.T) { o.check(t, plain) })
	}
}

// check compares what is seen after an update with what is seen without it.
func (o updated) check(t *testing.T, plain seen) {
	got := seenAfter(t, o)
	switch {
	case o.refused:
		if !strings.Contains(got.failure, o.field+" is not supported") || got.text != plain.text {
			t.Errorf("it is not refused by name: %q", got.failure)
		}
		return
	case got.failure != "":
		t.Fatalf("it is refused: %s", got.failure)
	case o.ignored != strings.Contains(got.text, "have no effect in this version. "+o.field):
		t.Errorf("a warning names it: %v, want %v", !o.ignored, o.ignored)
	}
	if o.gains != "" && (strings.Contains(plain.text, o.gains) || !strings.Contains(got.text, o.gains)) {
		t.Errorf("%q is not seen only with it (-without it +with it):\n%s", o.gains, cmp.Diff(plain.text, got.text))
	}
	if o.loses != "" && (!strings.Contains(plain.text, o.loses) || strings.Contains(got.text, o.loses)) {
		t.Errorf("%q is not seen only without it (-without it +with it):\n%s", o.loses, cmp.Diff(plain.text, got.text))
	}
	if changes := o.gains+o.loses != "" || o.ignored || o.elsewhere != ""; !changes && got.text != plain.text {
		t.Errorf("it changes something (-without it +with it):\n%s", cmp.Diff(plain.text, got.text))
	}
}

// seen is what a client is told after an update, what methods answer it then, and what the model gets
// with the next message; or the failure of the update.
type seen struct{ text, failure string }

// seenAfter updates one option of a session that has something for each to change; none for the zero
// value.
func seenAfter(t *testing.T, o updated) (out seen) {
	inBubble(t, setup{Agents: true}, func(t *testing.T, p *process) {
		p.put("/work/.git/HEAD", []byte("ref: refs/heads/main\n"))
		p.put("/work/AGENTS.md", []byte("The rule of the project.\n"))
		p.put("/elsewhere/readme.md", []byte("\n"))
		for path, name := range map[string]string{"/skills/brew": "brew", "/more/sew": "sew", "/own/skills/fry": "fry"} {
			p.put(path+"/SKILL.md", []byte("---\nname: "+name+"\ndescription: Does it.\n---\nDo it.\n"))
		}
		p.put("/own/plugin.json", []byte(`{"name":"own","version":"2.0.0"}`))
		c := p.connect()
		c.call("plugins.install", `{"source":"/own"}`)
		c.call("session.create", `{"sessionId":"s1","workingDirectory":"/work","requestUserInput":true,"streaming":true,"clientName":"before",
			"enableConfigDiscovery":true,"skillDirectories":["/skills"],"organizationCustomInstructions":"The rule of us.","tools":[{"name":"left"},{"name":"right"}],
			"customAgents":[{"name":"guide","prompt":"Guide them."}],"agent":"guide","mcpServers":{"calc":{"command":"x","env":{"K":"NOT_SET"}}}}`)
		synctest.Wait()
		told := len(c.messages())
		if o.field != "" {
			value := o.value
			if o.field == "disabledInstructionSources" {
				value = `["` + sourceID(t, c) + `"]`
			}
			out.failure = c.answer(c.request("session.options.update", fmt.Sprintf(`{"sessionId":"s1",%q:%s}`, o.field, value))).failure.Message
		}
		var text strings.Builder
		for _, method := range []string{"session.metadata.snapshot", "session.skills.list", "session.sandbox.getEnforcementStatus"} {
			fmt.Fprintf(&text, "%s\n", c.call(method, `{"sessionId":"s1"}`))
		}
		restarted := c.answer(c.request("session.mcp.restartServer", `{"sessionId":"s1","serverName":"calc"}`))
		fmt.Fprintf(&text, "%s %s\n", restarted.result, restarted.failure.Message)
		c.call("session.send", `{"sessionId":"s1","prompt":"Go."}`)
		c.event("s1", "session.idle", 1)
		synctest.Wait()
		for _, e := range c.events("s1", told) {
			if e.Type != "assistant.streaming_delta" { // how many there are depends on the speed of the reader
				fmt.Fprintf(&text, "%q %s\n", e.Type, e.Data)
			}
		}
		r := p.model.Requests()[0]
		fmt.Fprintf(&text, "%s\n%s\n%s\n", r.Path, r.Header.Get("User-Agent"), r.Raw)
		out.text = string(new(normalizer).normalize([]byte(text.String())))
	}, modeltest.Reply{Text: "Gone."})
	return out
}

// sourceID returns the id of the session's one source of instructions.
func sourceID(t *testing.T, c *peer) string {
	t.Helper()
	var list struct{ Sources []struct{ ID string } }
	if err := json.Unmarshal(c.call("session.instructions.getSources", `{"sessionId":"s1"}`), &list); err != nil || len(list.Sources) != 1 {
		t.Fatalf("the sources are %+v, %v", list, err)
	}
	return list.Sources[0].ID
}
