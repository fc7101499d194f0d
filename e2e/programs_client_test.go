package e2e_test

import (
	"os"
	"path/filepath"
	"strings"

	copilot "github.com/github/copilot-sdk/go"
	"github.com/github/copilot-sdk/go/rpc"
)

// clientPrograms are those of the suites about clients: several at once, their handlers, their
// providers, their commands, and what they see of the life of sessions.
var clientPrograms = map[string]program{
	"client_lifecycle/should_emit_session_lifecycle_events":                                 seesTheLife,
	"client_lifecycle/should_receive_session_deleted_lifecycle_event_when_deleted":          seesTheEnd,
	"client_lifecycle/should_return_last_session_id_after_sending_a_message":                knowsTheLast,
	"commands/session_with_commands_resumes_successfully":                                   resumesWithCommands,
	"mode_handlers/should_invoke_auto_mode_switch_handler_when_rate_limited":                switchesToAuto,
	"mode_handlers/should_invoke_exit_plan_mode_handler_when_model_uses_tool":               approvesThePlan,
	"multi_client/both_clients_see_tool_request_and_completion_events":                      bothSeeATool,
	"multi_client/disconnecting_client_removes_its_tools":                                   aClientLeaves,
	"multi_client/one_client_approves_permission_and_both_see_the_result":                   oneApproves,
	"multi_client/one_client_rejects_permission_and_both_see_the_result":                    oneRejects,
	"multi_client/two_clients_register_different_tools_and_agent_uses_both":                 eachBringsATool,
	"multi_provider_registry/should_route_alpha_haiku_turn_to_its_provider_and_wire_model":  routes("alpha/haiku", "byok-gpt-4o-mini", "alpha"),
	"multi_provider_registry/should_route_alpha_sonnet_turn_to_its_provider_and_wire_model": routes("alpha/sonnet", "byok-gpt-4o", "alpha"),
	"multi_provider_registry/should_route_delta_turbo_turn_to_its_provider_and_wire_model":  routes("delta/turbo", "byok-gpt-4-turbo", "delta"),
	"rust_multi_client/both_clients_see_tool_request_and_completion_events":                 bothSeeATool,
	"rust_multi_client/disconnecting_client_removes_its_tools":                              aClientLeaves,
	"rust_multi_client/two_clients_register_different_tools_and_agent_uses_both":            eachBringsATool,
	"telemetry/should_export_file_telemetry_for_sdk_interactions":                           exportsSpans,
}

// watch returns a client and the lifecycle events that it gets.
func (s *stage) watch() (*copilot.Client, <-chan copilot.SessionLifecycleEvent) {
	c, seen := s.client(), make(chan copilot.SessionLifecycleEvent, 20)
	c.On(func(e copilot.SessionLifecycleEvent) { seen <- e })
	return c, seen
}

// expect waits for a lifecycle event of a session.
func (s *stage) expect(seen <-chan copilot.SessionLifecycleEvent, kind copilot.SessionLifecycleEventType, id string) {
	s.Helper()
	for limit := soon(s.T); ; {
		select {
		case e := <-seen:
			if e.Type == kind && e.SessionID == id {
				return
			}
		case <-limit.Done():
			s.Fatalf("no %s of the session", kind)
		}
	}
}

func seesTheLife(s *stage) {
	c, seen := s.watch()
	talk := s.create(c, copilot.SessionConfig{})
	s.expect(seen, copilot.SessionLifecycleCreated, talk.SessionID)
	talk.asked("Say hello")
	s.expect(seen, copilot.SessionLifecycleUpdated, talk.SessionID)
}

func seesTheEnd(s *stage) {
	c, seen := s.watch()
	talk := s.create(c, copilot.SessionConfig{})
	talk.asked("Say SESSION_DELETED_OK exactly.")
	s.must(talk.Disconnect())
	s.must(c.DeleteSession(soon(s.T), talk.SessionID))
	s.expect(seen, copilot.SessionLifecycleDeleted, talk.SessionID)
}

func knowsTheLast(s *stage) {
	c := s.client()
	talk := s.create(c, copilot.SessionConfig{})
	talk.asked("Say hello")
	last, err := c.GetLastSessionID(soon(s.T))
	s.must(err)
	if last == nil || *last != talk.SessionID {
		s.Errorf("the last session is %v, want %s", last, talk.SessionID)
	}
}

func resumesWithCommands(s *stage) {
	c := s.client()
	talk := s.create(c, copilot.SessionConfig{})
	talk.asked("Say OK.")
	deploy := copilot.CommandDefinition{Name: "deploy", Description: "Deploys", Handler: func(copilot.CommandContext) error { return nil }}
	again := s.resume(c, talk.SessionID, copilot.ResumeSessionConfig{Commands: []copilot.CommandDefinition{deploy}})
	list, err := again.RPC.Commands.List(soon(s.T))
	s.must(err)
	for _, command := range list.Commands {
		if command.Name == "deploy" {
			return
		}
	}
	s.Errorf("the commands are %+v", list.Commands)
}

func approvesThePlan(s *stage) {
	talk := s.create(s.client(), copilot.SessionConfig{
		OnExitPlanModeRequest: func(r copilot.ExitPlanModeRequest, _ copilot.ExitPlanModeInvocation) (copilot.ExitPlanModeResult, error) {
			if r.Summary != "Greeting file implementation plan" || r.RecommendedAction != "interactive" || len(r.Actions) != 3 {
				s.Errorf("the request is %+v", r)
			}
			return copilot.ExitPlanModeResult{Approved: true, SelectedAction: "interactive", Feedback: "Approved"}, nil
		},
	})
	_, err := talk.SendAndWait(soon(s.T), copilot.MessageOptions{
		Prompt:    "Create a brief implementation plan for adding a greeting.txt file, then request approval with exit_plan_mode.",
		AgentMode: copilot.AgentModePlan,
	})
	s.must(err)
	if done := await[*copilot.ExitPlanModeCompletedData](s.T, talk.ear, 1); done.Approved == nil || !*done.Approved || *done.Feedback != "Approved" {
		s.Errorf("the plan ended with %+v", done)
	}
}

func switchesToAuto(s *stage) {
	talk := s.create(s.client(), copilot.SessionConfig{
		OnAutoModeSwitchRequest: func(r copilot.AutoModeSwitchRequest, _ copilot.AutoModeSwitchInvocation) (copilot.AutoModeSwitchResponse, error) {
			if r.ErrorCode == nil || *r.ErrorCode != "user_weekly_rate_limited" || r.RetryAfterSeconds == nil || *r.RetryAfterSeconds != 1 {
				s.Errorf("the request is %+v", r)
			}
			return copilot.AutoModeSwitchResponseYes, nil
		},
	})
	talk.send("Explain that auto mode recovered from a rate limit in one short sentence.")
	change := await[*copilot.SessionModelChangeData](s.T, talk.ear, 1)
	if change.Cause == nil || *change.Cause != "rate_limit_auto_switch" {
		s.Errorf("the model changed because of %+v", change)
	}
	await[*copilot.SessionIdleData](s.T, talk.ear, 1)
}

// two returns two talks of one session, each client with its tools.
func (s *stage) two(one, other []copilot.Tool) (first, second *talk, leave func()) {
	p := s.shared()
	first = s.create(p.client(s.T), copilot.SessionConfig{Tools: one})
	c := p.client(s.T)
	return first, s.resume(c, first.SessionID, copilot.ResumeSessionConfig{Tools: other}), c.ForceStop
}

func bothSeeATool(s *stage) {
	magic := toolOf("magic_number", "seed", func(seed string) string { return "MAGIC_" + seed + "_42" })
	first, second, _ := s.two([]copilot.Tool{magic}, nil)
	first.asked("Use the magic_number tool with seed 'hello' and tell me the result")
	for _, t := range []*talk{first, second} {
		await[*copilot.ExternalToolRequestedData](s.T, t.ear, 1)
		await[*copilot.ExternalToolCompletedData](s.T, t.ear, 1)
	}
}

func aClientLeaves(s *stage) {
	stable := toolOf("stable_tool", "input", func(v string) string { return "STABLE_" + v })
	passing := toolOf("ephemeral_tool", "input", func(v string) string { return "EPHEMERAL_" + v })
	first, _, leave := s.two([]copilot.Tool{stable}, []copilot.Tool{passing})
	first.asked("Use the stable_tool with input 'test1' and tell me the result.", "Use the ephemeral_tool with input 'test2' and tell me the result.")
	leave()
	for limit := soon(s.T); ; { // the end of a connection has no event of its own
		current, err := first.RPC.Tools.GetCurrentMetadata(limit)
		s.must(err)
		if !hasTool(current, "ephemeral_tool") {
			break
		}
	}
	first.asked("Use the stable_tool with input 'still_here'. Also try using ephemeral_tool if it is available.")
}

func hasTool(list *rpc.ToolsGetCurrentMetadataResult, name string) bool {
	for _, t := range list.Tools {
		if t.Name == name {
			return true
		}
	}
	return false
}

func eachBringsATool(s *stage) {
	city := toolOf("city_lookup", "countryCode", func(code string) string { return "CITY_FOR_" + code })
	currency := toolOf("currency_lookup", "countryCode", func(code string) string { return "CURRENCY_FOR_" + code })
	first, _, _ := s.two([]copilot.Tool{city}, []copilot.Tool{currency})
	first.asked("Use the city_lookup tool with countryCode 'US' and tell me the result.",
		"Now use the currency_lookup tool with countryCode 'US' and tell me the result.")
}

// decided is a session of two clients where the first decides and the second only looks on.
func (s *stage) decided(decision rpc.PermissionDecision, prompt string) (first, second *talk) {
	answer := func(d rpc.PermissionDecision) copilot.PermissionHandlerFunc {
		return func(copilot.PermissionRequest, copilot.PermissionInvocation) (rpc.PermissionDecision, error) {
			return d, nil
		}
	}
	p := s.shared()
	first = s.create(p.client(s.T), copilot.SessionConfig{OnPermissionRequest: answer(decision)})
	second = s.resume(p.client(s.T), first.SessionID, copilot.ResumeSessionConfig{OnPermissionRequest: answer(&rpc.PermissionDecisionNoResult{})})
	first.asked(prompt)
	return first, second
}

func oneApproves(s *stage) {
	first, second := s.decided(&rpc.PermissionDecisionApproveOnce{}, "Create a file called hello.txt containing the text 'hello world'")
	for _, t := range []*talk{first, second} {
		done := await[*copilot.PermissionCompletedData](s.T, t.ear, 1)
		if _, ok := done.Result.(*copilot.PermissionApproved); !ok {
			s.Errorf("a client read %+v", done.Result)
		}
	}
	if b, err := os.ReadFile(filepath.Join(s.work, "hello.txt")); string(b) != "hello world" {
		s.Errorf("the file has %q, %v", b, err)
	}
}

func oneRejects(s *stage) {
	file := filepath.Join(s.work, "protected.txt")
	s.must(os.WriteFile(file, []byte("protected content"), 0o644))
	first, second := s.decided(&rpc.PermissionDecisionReject{}, "Edit protected.txt and replace 'protected' with 'hacked'.")
	for _, t := range []*talk{first, second} {
		done := await[*copilot.PermissionCompletedData](s.T, t.ear, 1)
		if _, ok := done.Result.(*copilot.PermissionDeniedInteractivelyByUser); !ok {
			s.Errorf("a client read %+v", done.Result)
		}
	}
	if b, err := os.ReadFile(file); string(b) != "protected content" {
		s.Errorf("the file has %q, %v", b, err)
	}
}

// routes is a session with two providers, of which one gets the request.
func routes(model, wireModel, provider string) program {
	return func(s *stage) {
		named := func(name string) copilot.NamedProviderConfig {
			return copilot.NamedProviderConfig{
				Name: name, Type: "openai", WireAPI: "completions", BaseURL: s.url, APIKey: name + "-secret", Headers: map[string]string{"X-Provider": name},
			}
		}
		talk := s.create(s.client(), copilot.SessionConfig{
			Model: model, Providers: []copilot.NamedProviderConfig{named("alpha"), named("delta")},
			Models: []copilot.ProviderModelConfig{
				{ID: "sonnet", Provider: "alpha", WireModel: "byok-gpt-4o"},
				{ID: "haiku", Provider: "alpha", WireModel: "byok-gpt-4o-mini"},
				{ID: "turbo", Provider: "delta", WireModel: "byok-gpt-4-turbo"},
			},
		})
		talk.asked("What is 5+5?")
		r := s.lastRequest()
		if r.Model != wireModel || r.Header.Get("X-Provider") != provider || r.Header.Get("Authorization") != "Bearer "+provider+"-secret" {
			s.Errorf("the model %q was asked with the headers %v", r.Model, r.Header)
		}
	}
}

func exportsSpans(s *stage) {
	file := filepath.Join(s.work, "spans.jsonl")
	c := s.client(func(o *copilot.ClientOptions) {
		o.Telemetry = &copilot.TelemetryConfig{FilePath: file, ExporterType: "file", SourceName: "recorded", CaptureContent: new(true)}
	})
	echo := toolOf("echo_telemetry_marker", "value", func(v string) string { return v })
	talk := s.create(c, copilot.SessionConfig{Tools: []copilot.Tool{echo}})
	talk.asked("Use the echo_telemetry_marker tool with value 'copilot-sdk-telemetry-e2e', then respond with TELEMETRY_E2E_DONE.")
	s.must(talk.Disconnect())
	s.must(c.Stop())
	spans, err := os.ReadFile(file)
	s.must(err)
	for _, want := range []string{"execute_tool echo_telemetry_marker", "invoke_agent", "copilot-sdk-telemetry-e2e", "TELEMETRY_E2E_DONE"} {
		if !strings.Contains(string(spans), want) {
			s.Errorf("the spans lack %q", want)
		}
	}
}
