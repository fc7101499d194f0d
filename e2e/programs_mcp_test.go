package e2e_test

import (
	"slices"

	copilot "github.com/github/copilot-sdk/go"
	"github.com/github/copilot-sdk/go/rpc"
)

// mcpPrograms are those of the suites about MCP servers and agents. Servers in the SDKs' tests that
// only have to be accepted are this test program here, so that they connect.
var mcpPrograms = map[string]program{
	"combinedconfiguration/accept_mcp_servers_and_custom_agents":                accepts("What is 7+7?", true, true),
	"customagents/accept_custom_agent_config_on_create":                         accepts("What is 5+5?", false, true),
	"customagents/accept_custom_agent_config_on_resume":                         acceptsLater("What is 1+1?", "What is 6+6?", false, true),
	"mcp-and-agents/should_accept_custom_agent_configuration_on_session_create": accepts("What is 5+5?", false, true),
	"mcp-and-agents/should_accept_custom_agent_configuration_on_session_resume": acceptsLater("What is 1+1?", "What is 6+6?", false, true),
	"mcp-and-agents/should_accept_mcp_server_configuration_on_session_create":   accepts("What is 2+2?", true, false),
	"mcp-and-agents/should_accept_mcp_server_configuration_on_session_resume":   acceptsLater("What is 1+1?", "What is 3+3?", true, false),
	"mcp_and_agents/accept_custom_agent_config_on_create":                       accepts("What is 5+5?", false, true),
	"mcp_and_agents/accept_custom_agent_config_on_resume":                       acceptsLater("What is 1+1?", "What is 6+6?", false, true),
	"mcp_and_agents/accept_mcp_server_config_on_create":                         accepts("What is 2+2?", true, false),
	"mcp_and_agents/accept_mcp_server_config_on_resume":                         acceptsLater("What is 1+1?", "", true, false),
	"mcp_and_agents/accept_mcp_server_config_without_args":                      accepts("What is 2+2?", true, false),
	"mcp_and_agents/accept_mcp_servers_and_custom_agents":                       accepts("What is 7+7?", true, true),
	"mcp_and_agents/should_accept_both_mcp_servers_and_custom_agents":           accepts("What is 7+7?", true, true),
	"mcp_and_agents/should_accept_custom_agent_configuration_on_session_create": accepts("What is 5+5?", false, true),
	"mcp_and_agents/should_accept_custom_agent_configuration_on_session_resume": acceptsLater("What is 1+1?", "What is 6+6?", false, true),
	"mcp_and_agents/should_accept_defaultagent_configuration_on_session_resume": defaultAgentLater,
	"mcp_and_agents/should_accept_mcp_server_configuration_on_session_create":   accepts("What is 2+2?", true, false),
	"mcp_and_agents/should_accept_mcp_server_configuration_on_session_resume":   acceptsLater("What is 1+1?", "", true, false),
	"mcp_and_agents/should_accept_mcp_server_configuration_without_args":        accepts("What is 2+2?", true, false),
	"mcp_and_agents/should_hide_excluded_tools_from_default_agent":              hidesFromTheMainAgent,
	"mcp_and_agents/should_pass_literal_env_values_to_mcp_server_subprocess":    readsItsEnvironment,
	"mcp_and_agents/should_round_trip_mcp_server_elicitation_request":           asksForAColour,
	"mcpservers/accept_mcp_server_config_on_create":                             accepts("What is 2+2?", true, false),
	"mcpservers/accept_mcp_server_config_on_resume":                             acceptsLater("What is 1+1?", "What is 3+3?", true, false),

	"pre_mcp_tool_call_hook/should_remove_meta_via_premcptoolcall_hook":  givesMeta("test-remove", nil),
	"pre_mcp_tool_call_hook/should_replace_meta_via_premcptoolcall_hook": givesMeta("test-replace", object{"completely": "replaced"}),
	"pre_mcp_tool_call_hook/should_set_meta_via_premcptoolcall_hook":     givesMeta("test-set", object{"injected": "by-hook", "source": "test"}),

	"resume_mcp_oauth/should_resume_a_persisted_session_with_mcp_auth_handler": resumesWithAuthHandler,
}

// serverWith is this test program as an MCP server with more in its environment.
func serverWith(env ...string) copilot.MCPServerConfig {
	config := testServer().(copilot.MCPStdioServerConfig)
	for i := 0; i < len(env); i += 2 {
		config.Env[env[i]] = env[i+1]
	}
	return config
}

func serversIf(yes bool) map[string]copilot.MCPServerConfig {
	if !yes {
		return nil
	}
	return map[string]copilot.MCPServerConfig{"test-server": serverWith()}
}

func agentsIf(yes bool) []copilot.CustomAgentConfig {
	if !yes {
		return nil
	}
	return []copilot.CustomAgentConfig{{Name: "test-agent", DisplayName: "Test Agent", Description: "Knows tests", Prompt: "You help with tests."}}
}

// accepts is a session with an MCP server, an agent, or both.
func accepts(prompt string, servers, agents bool) program {
	return func(s *stage) {
		talk := s.create(s.client(), copilot.SessionConfig{MCPServers: serversIf(servers), CustomAgents: agentsIf(agents)})
		talk.asked(prompt)
		s.has(talk, servers, agents)
	}
}

// acceptsLater brings them when the session is resumed.
func acceptsLater(first, second string, servers, agents bool) program {
	return func(s *stage) {
		c := s.client()
		talk := s.create(c, copilot.SessionConfig{})
		talk.asked(first)
		again := s.resume(c, talk.SessionID, copilot.ResumeSessionConfig{MCPServers: serversIf(servers), CustomAgents: agentsIf(agents)})
		if second != "" {
			again.asked(second)
		}
		s.has(again, servers, agents)
	}
}

// has wants that the session has its agent and a connected server.
func (s *stage) has(t *talk, servers, agents bool) {
	s.Helper()
	if agents {
		list, err := t.RPC.Agent.List(soon(s.T))
		s.must(err)
		if !slices.ContainsFunc(list.Agents, func(a rpc.AgentInfo) bool { return a.Name == "test-agent" }) {
			s.Errorf("the agents are %+v", list.Agents)
		}
	}
	if servers {
		for limit := soon(s.T); ; { // until it has connected
			list, err := t.RPC.MCP.List(limit)
			s.must(err)
			if len(list.Servers) != 1 || list.Servers[0].Name != "test-server" {
				s.Fatalf("the servers are %+v", list.Servers)
			}
			if list.Servers[0].Status == "connected" {
				break
			}
		}
	}
}

func defaultAgentLater(s *stage) {
	c := s.client()
	talk := s.create(c, copilot.SessionConfig{})
	talk.asked("What is 3+3?")
	again := s.resume(c, talk.SessionID, copilot.ResumeSessionConfig{DefaultAgent: &copilot.DefaultAgentConfig{ExcludedTools: []string{"view"}}})
	again.asked("What is 4+4?")
	if r := s.lastRequest(); slices.Contains(r.Tools, "view") {
		s.Errorf("the tools are %q", r.Tools)
	}
}

func hidesFromTheMainAgent(s *stage) {
	secret := toolOf("secret_tool", "input", func(string) string { return "SECRET" })
	talk := s.create(s.client(), copilot.SessionConfig{Tools: []copilot.Tool{secret}, DefaultAgent: &copilot.DefaultAgentConfig{ExcludedTools: []string{"secret_tool"}}})
	talk.asked("Do you have access to a tool called secret_tool? Answer yes or no.")
	if r := s.lastRequest(); slices.Contains(r.Tools, "secret_tool") {
		s.Errorf("the tools are %q", r.Tools)
	}
}

func readsItsEnvironment(s *stage) {
	talk := s.create(s.client(), copilot.SessionConfig{MCPServers: map[string]copilot.MCPServerConfig{"env-echo": serverWith("TEST_SECRET", "hunter2")}})
	talk.asked("Use the env-echo/get_env tool to read the TEST_SECRET environment variable. Reply with just the value, nothing else.")
}

func asksForAColour(s *stage) {
	talk := s.create(s.client(), copilot.SessionConfig{
		MCPServers: map[string]copilot.MCPServerConfig{"test-elicitation-server": serverWith()},
		OnElicitationRequest: func(copilot.ElicitationContext) (copilot.ElicitationResult, error) {
			return copilot.ElicitationResult{Action: "accept", Content: object{"color": "blue"}}, nil
		},
	})
	talk.asked("Use the test-elicitation-server-request_user_input tool and tell me the chosen color. Reply with just the color.")
}

// givesMeta is a session whose hook chooses what an MCP server is sent beside the arguments.
func givesMeta(value string, meta any) program {
	return func(s *stage) {
		talk := s.create(s.client(), copilot.SessionConfig{
			MCPServers: map[string]copilot.MCPServerConfig{"meta-echo": serverWith()},
			Hooks: &copilot.SessionHooks{OnPreMCPToolCall: func(in copilot.PreMCPToolCallHookInput, _ copilot.HookInvocation) (*copilot.PreMCPToolCallHookOutput, error) {
				if in.ServerName != "meta-echo" || in.ToolName != "echo_meta" || in.WorkingDirectory == "" {
					s.Errorf("the hook read %+v", in)
				}
				return &copilot.PreMCPToolCallHookOutput{MetaToUse: meta}, nil
			}},
		})
		talk.asked("Use the meta-echo/echo_meta tool with value '" + value + "'. Reply with just the raw tool result.")
	}
}

func resumesWithAuthHandler(s *stage) {
	cancelled := func(copilot.MCPAuthRequest, copilot.MCPAuthInvocation) (*copilot.MCPAuthResult, error) {
		return copilot.MCPAuthResultCancelled(), nil
	}
	talk := s.create(s.client(), copilot.SessionConfig{OnMCPAuthRequest: cancelled})
	talk.asked("What is 1+1?")
	again := s.resume(s.client(), talk.SessionID, copilot.ResumeSessionConfig{OnMCPAuthRequest: cancelled})
	if got := types(again.history()); got == "" {
		s.Error("the resumed session is empty")
	}
}
