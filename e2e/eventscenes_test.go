package e2e_test

import (
	"encoding/base64"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	copilot "github.com/github/copilot-sdk/go"
	"github.com/github/copilot-sdk/go/rpc"

	"github.com/sidestick-dev/sidestick/internal/testing/modeltest"
)

// eventScene is a program on the SDK that provokes events.
type eventScene struct {
	name string
	play func(t *testing.T) []copilot.SessionEvent // returns the events that its client received
}

var eventScenes = []eventScene{
	{"a streaming answer", streamingAnswer},
	{"a command", aCommand},
	{"a tool of the program", aToolOfTheProgram},
	{"an abort", anAbort},
	{"a failing model", aFailingModel},
	{"questions and a plan", questionsAndAPlan},
	{"an MCP server", anMCPServer},
	{"commands", commandsOfTheProgram},
	{"sub-agents", subAgents},
	{"the choice of an agent", theChoiceOfAnAgent},
	{"a skill", aSkill},
	{"hooks", hooksOfTheProgram},
	{"settings", settings},
	{"a cleared conversation", aClearedConversation},
	{"a task", aTask},
	{"a command of the user", aCommandOfTheUser},
	{"a picture", aPicture},
	{"a sandbox", aSandbox},
	{"a compaction", aCompaction},
	{"a truncation", aTruncation},
	{"the end of a session", theEndOfASession},
	{"a search for tools", aSearchForTools},
}

func streamingAnswer(t *testing.T) []copilot.SessionEvent {
	m := script(t, modeltest.Reply{Delay: 5 * time.Millisecond, Reasoning: "The user says hello.", Text: "Hello, and welcome.", Usage: &modeltest.Usage{Input: 12, Output: 5}})
	s := create(t, spawned(t), copilot.SessionConfig{Provider: at(m), Streaming: new(true)})
	s.ask("Hello")
	return s.events()
}

func aCommand(t *testing.T) []copilot.SessionEvent {
	m := script(t, modeltest.Reply{ToolCalls: []modeltest.ToolCall{
		{Name: "report_intent", Arguments: `{"intent":"Printing a word"}`},
		{Name: "bash", Arguments: `{"command":"echo hello; false", "description":"Print a word"}`},
	}}, say("done"))
	s := create(t, spawned(t), copilot.SessionConfig{Provider: at(m), Streaming: new(true), OnPermissionRequest: copilot.PermissionHandler.ApproveAll, WorkingDirectory: t.TempDir()})
	s.ask("Print hello")
	return s.events()
}

func aToolOfTheProgram(t *testing.T) []copilot.SessionEvent {
	m := script(t, call("add", `{"a":1,"b":2}`), say("3"))
	add := copilot.DefineTool("add", "Adds two numbers.", func(p struct{ A, B int }, _ copilot.ToolInvocation) (int, error) { return p.A + p.B, nil })
	s := create(t, spawned(t), copilot.SessionConfig{Provider: at(m), Tools: []copilot.Tool{add}, OnPermissionRequest: copilot.PermissionHandler.ApproveAll})
	s.ask("Add 1 and 2")
	return s.events()
}

// aSearchForTools has a search of the program's own, which the SDK gives the list of all tools.
func aSearchForTools(t *testing.T) []copilot.SessionEvent {
	m := script(t, call("tool_search_tool", `{"query":"sums"}`), call("add", `{"a":1,"b":2}`), say("3"))
	add := copilot.DefineTool("add", "Adds two numbers.", func(p struct{ A, B int }, _ copilot.ToolInvocation) (int, error) { return p.A + p.B, nil })
	search := copilot.Tool{Name: "tool_search_tool", Description: "Finds tools.", OverridesBuiltInTool: true, Handler: func(i copilot.ToolInvocation) (r copilot.ToolResult, err error) {
		for _, tool := range i.AvailableTools {
			if tool.DeferLoading != nil && *tool.DeferLoading {
				r.ToolReferences = append(r.ToolReferences, tool.Name)
			}
		}
		r.TextResultForLLM = "These may fit."
		return r, nil
	}}
	s := create(t, spawned(t), copilot.SessionConfig{
		Provider: at(m), Tools: []copilot.Tool{add, search}, ToolSearch: &copilot.ToolSearchConfig{DeferThreshold: new(0)}, OnPermissionRequest: copilot.PermissionHandler.ApproveAll,
	})
	if got := s.ask("Add 1 and 2"); got != "3" {
		t.Errorf("the answer is %q", got)
	}
	return s.events()
}

func anAbort(t *testing.T) []copilot.SessionEvent {
	m := script(t, modeltest.Reply{Silent: true})
	s := create(t, spawned(t), copilot.SessionConfig{Provider: at(m)})
	s.send("Wait")
	await[*copilot.AssistantTurnStartData](t, s.ear, 1)
	if _, err := s.RPC.Abort(soon(t), &rpc.AbortRequest{}); err != nil {
		t.Fatal(err)
	}
	await[*copilot.SessionIdleData](t, s.ear, 1)
	return s.events()
}

func aFailingModel(t *testing.T) []copilot.SessionEvent {
	m := script(t, modeltest.Reply{Status: 401, Body: `{"error":{"message":"Wrong key."}}`})
	s := create(t, spawned(t), copilot.SessionConfig{Provider: at(m)})
	s.send("Hello")
	await[*copilot.SessionIdleData](t, s.ear, 1)
	return s.events()
}

func aCompaction(t *testing.T) []copilot.SessionEvent {
	m := script(t, say("Hello."), say("<overview>They said hello.</overview>"))
	s := create(t, spawned(t), copilot.SessionConfig{Provider: at(m)})
	s.ask("Hello")
	if _, err := s.RPC.History.Compact(soon(t)); err != nil {
		t.Fatal(err)
	}
	await[*copilot.SessionCompactionCompleteData](t, s.ear, 1)
	return s.events()
}

func questionsAndAPlan(t *testing.T) []copilot.SessionEvent {
	m := script(t, call("ask_user", `{"question":"Which colour?","choices":["red","blue"]}`), call("exit_plan_mode", `{"summary":"Paint it red"}`), say("ok"))
	s := create(t, spawned(t), copilot.SessionConfig{
		Provider: at(m), OnPermissionRequest: copilot.PermissionHandler.ApproveAll,
		OnUserInputRequest: func(copilot.UserInputRequest, copilot.UserInputInvocation) (copilot.UserInputResponse, error) {
			return copilot.UserInputResponse{Answer: "red"}, nil
		},
		OnExitPlanModeRequest: func(copilot.ExitPlanModeRequest, copilot.ExitPlanModeInvocation) (copilot.ExitPlanModeResult, error) {
			return copilot.ExitPlanModeResult{Approved: true, SelectedAction: "interactive"}, nil
		},
	})
	if _, err := s.RPC.Mode.Set(soon(t), &rpc.ModeSetRequest{Mode: rpc.SessionModePlan}); err != nil {
		t.Fatal(err)
	}
	if _, err := s.RPC.Plan.Update(soon(t), &rpc.PlanUpdateRequest{Content: "1. Paint it red"}); err != nil {
		t.Fatal(err)
	}
	s.ask("Make a plan")
	return s.events()
}

// anMCPServer has tools that report progress and ask the user.
func anMCPServer(t *testing.T) []copilot.SessionEvent {
	m := script(t, call("test-count", `{}`), call("test-choose", `{}`), call("test-grow", `{}`), say("done"))
	s := create(t, spawned(t), copilot.SessionConfig{
		Provider: at(m), OnPermissionRequest: copilot.PermissionHandler.ApproveAll,
		MCPServers: map[string]copilot.MCPServerConfig{"test": testServer()},
		OnElicitationRequest: func(copilot.ElicitationContext) (copilot.ElicitationResult, error) {
			return copilot.ElicitationResult{Action: "accept", Content: map[string]any{"colour": "red"}}, nil
		},
	})
	s.ask("Count, choose a colour, and grow")
	await[*copilot.MCPToolsListChangedData](t, s.ear, 1)
	await[*copilot.MCPPromptsListChangedData](t, s.ear, 1)
	await[*copilot.MCPResourcesListChangedData](t, s.ear, 1)
	return s.events()
}

func aSkill(t *testing.T) []copilot.SessionEvent {
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "tidy"), 0o700); err != nil {
		t.Fatal(err)
	}
	text := "---\nname: tidy\ndescription: Tidies up.\nallowed-tools: view\n---\nPut everything in its place.\n"
	if err := os.WriteFile(filepath.Join(dir, "tidy", "SKILL.md"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	m := script(t, call("skill", `{"skill":"tidy"}`), say("done"))
	s := create(t, spawned(t), copilot.SessionConfig{Provider: at(m), SkillDirectories: []string{dir}, OnPermissionRequest: copilot.PermissionHandler.ApproveAll})
	s.ask("Tidy up")
	return s.events()
}

func hooksOfTheProgram(t *testing.T) []copilot.SessionEvent {
	m := script(t, say("Hello."))
	s := create(t, spawned(t), copilot.SessionConfig{Provider: at(m), Hooks: &copilot.SessionHooks{
		OnUserPromptSubmitted: func(copilot.UserPromptSubmittedHookInput, copilot.HookInvocation) (*copilot.UserPromptSubmittedHookOutput, error) {
			return nil, nil
		},
	}})
	s.ask("Hello")
	return s.events()
}

func settings(t *testing.T) []copilot.SessionEvent {
	m := script(t, say("Hello."), call("sql", `{"description":"Add a to-do","query":"INSERT INTO todos (id, title) VALUES ('a', 'Paint it')"}`), say("done"))
	s := create(t, spawned(t), copilot.SessionConfig{Provider: at(m), OnPermissionRequest: copilot.PermissionHandler.ApproveAll})
	for what, do := range map[string]func() error{
		"model": func() error {
			_, err := s.RPC.Model.SwitchTo(soon(t), &rpc.ModelSwitchToRequest{ModelID: "other-model"})
			return err
		},
		"folder": func() error {
			_, err := s.RPC.Metadata.SetWorkingDirectory(soon(t), &rpc.MetadataSetWorkingDirectoryRequest{WorkingDirectory: t.TempDir()})
			return err
		},
		"permissions": func() error {
			_, err := s.RPC.Permissions.SetMode(soon(t), &rpc.PermissionsSetModeRequest{Mode: rpc.PermissionModeAllowAll})
			return err
		},
		"file": func() error {
			_, err := s.RPC.Workspaces.CreateFile(soon(t), &rpc.WorkspacesCreateFileRequest{Path: "a.txt", Content: "a"})
			return err
		},
		"note": func() error {
			_, err := s.RPC.Log(soon(t), &rpc.LogRequest{Message: "A note"})
			return err
		},
		"warning": func() error {
			_, err := s.RPC.Log(soon(t), &rpc.LogRequest{Message: "A warning", Level: new(rpc.SessionLogLevelWarning)})
			return err
		},
	} {
		if err := do(); err != nil {
			t.Fatalf("%s: %v", what, err)
		}
	}
	s.ask("Hello")
	s.ask("Note that it is to be painted")
	var second string
	for _, e := range s.history() {
		if _, ok := e.Data.(*copilot.UserMessageData); ok {
			second = e.ID
		}
	}
	if _, err := s.RPC.History.Truncate(soon(t), &rpc.HistoryTruncateRequest{EventID: second}); err != nil {
		t.Fatal(err)
	}
	await[*copilot.SessionSnapshotRewindData](t, s.ear, 1)
	return s.events()
}

func aClearedConversation(t *testing.T) []copilot.SessionEvent {
	var s *talk
	restart := copilot.DefineTool("restart", "Starts again.", func(struct{}, copilot.ToolInvocation) (string, error) {
		_, err := s.RPC.History.ClearContext(soon(t), &rpc.HistoryClearContextRequest{Prompt: "Start again"})
		return "restarted", err
	})
	m := script(t, call("restart", `{}`), say("Started again."))
	s = create(t, spawned(t), copilot.SessionConfig{Provider: at(m), Tools: []copilot.Tool{restart}, OnPermissionRequest: copilot.PermissionHandler.ApproveAll})
	s.send("Restart")
	await[*copilot.SessionIdleData](t, s.ear, 1)
	return s.events()
}

func aTask(t *testing.T) []copilot.SessionEvent {
	m := script(t, call("task_complete", `{"summary":"It is painted."}`), say("done"))
	s := create(t, spawned(t), copilot.SessionConfig{Provider: at(m), OnPermissionRequest: copilot.PermissionHandler.ApproveAll})
	if _, err := s.RPC.Mode.Set(soon(t), &rpc.ModeSetRequest{Mode: rpc.SessionModeAutopilot}); err != nil {
		t.Fatal(err)
	}
	s.send("Paint it")
	await[*copilot.SessionIdleData](t, s.ear, 1)
	return s.events()
}

func aCommandOfTheUser(t *testing.T) []copilot.SessionEvent {
	m := script(t)
	s := create(t, spawned(t), copilot.SessionConfig{Provider: at(m)})
	if _, err := s.Send(soon(t), copilot.MessageOptions{Prompt: "echo hello", AgentMode: "shell"}); err != nil {
		t.Fatal(err)
	}
	await[*copilot.SessionIdleData](t, s.ear, 1)
	return s.events()
}

func aPicture(t *testing.T) []copilot.SessionEvent {
	data, err := base64.StdEncoding.DecodeString(pixel)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "a.png")
	if err := os.WriteFile(file, data, 0o600); err != nil {
		t.Fatal(err)
	}
	m := script(t, say("A picture."))
	s := create(t, spawned(t), copilot.SessionConfig{Provider: at(m), ModelCapabilities: &rpc.ModelCapabilitiesOverride{Supports: &rpc.ModelCapabilitiesOverrideSupports{Vision: new(true)}}})
	if _, err := s.SendAndWait(soon(t), copilot.MessageOptions{Prompt: "Look", Attachments: []copilot.Attachment{
		&copilot.AttachmentFile{Path: file, DisplayName: "a.png"},
	}}); err != nil {
		t.Fatal(err)
	}
	return s.events()
}

func aSandbox(t *testing.T) []copilot.SessionEvent {
	m := script(t, call("bash", `{"command":"echo hello", "description":"Print a word"}`), say("done"))
	s := create(t, spawned(t), copilot.SessionConfig{Provider: at(m), OnPermissionRequest: copilot.PermissionHandler.ApproveAll, WorkingDirectory: t.TempDir()})
	if _, err := s.RPC.Options.Update(soon(t), &rpc.SessionUpdateOptionsParams{SandboxConfig: &rpc.SandboxConfig{Enabled: true}}); err != nil {
		t.Fatal(err)
	}
	s.ask("Print hello")
	return s.events()
}

func aTruncation(t *testing.T) []copilot.SessionEvent {
	lookup := copilot.DefineTool("lookup", "Looks something up.", func(struct{}, copilot.ToolInvocation) (string, error) { return strings.Repeat("x ", 20_000), nil })
	m := script(t, call("lookup", `{}`), modeltest.Reply{Text: "ok", Repeat: true})
	s := create(t, spawned(t), copilot.SessionConfig{
		Provider: at(m), Tools: []copilot.Tool{lookup}, AvailableTools: []string{"lookup"}, OnPermissionRequest: copilot.PermissionHandler.ApproveAll,
		SystemMessage: &copilot.SystemMessageConfig{Mode: "replace", Content: "Answer."},
	})
	for _, prompt := range []string{"1", "2", "3", "4", "5", "6", "7"} {
		s.ask(prompt)
	}
	if _, err := s.RPC.Model.SwitchTo(soon(t), &rpc.ModelSwitchToRequest{ModelID: "small", ModelCapabilities: &rpc.ModelCapabilitiesOverride{
		Limits: &rpc.ModelCapabilitiesOverrideLimits{MaxContextWindowTokens: new(int64(6000))},
	}}); err != nil {
		t.Fatal(err)
	}
	s.ask("8")
	return s.events()
}

func theEndOfASession(t *testing.T) []copilot.SessionEvent {
	m := script(t, say("Hello."), say("Again."))
	c := spawned(t)
	s := create(t, c, copilot.SessionConfig{Provider: at(m)})
	s.ask("Hello")
	if err := s.Disconnect(); err != nil {
		t.Fatal(err)
	}
	again := resume(t, c, s.SessionID, copilot.ResumeSessionConfig{Provider: at(m)})
	if !strings.Contains(again.ask("Hello again"), "Again") {
		t.Error("the resumed session did not answer")
	}
	return again.history()
}
