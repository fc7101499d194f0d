package wire

// Kind says what this program does with the events of one type.
type Kind struct {
	// By names the package that emits them; "" if this program does not emit them.
	By    string
	flags flags
}

// Persisted reports whether the events are written to the log before any client receives
// them. Others are ephemeral and never enter the parentId chain.
func (k Kind) Persisted() bool { return k.flags&persisted != 0 }

// Synced reports whether the events are synced to disk before any client receives them: user
// messages, the start and end of tool calls, and the end of each turn. Source:
// docs/decisions/0001 and 0009.
func (k Kind) Synced() bool { return k.flags&synced != 0 }

// Forked reports whether a fork of the session copies the events.
func (k Kind) Forked() bool { return k.flags&forked != 0 }

// Shown reports whether the timeline for users has a row for the events.
func (k Kind) Shown() bool { return k.flags&shown != 0 }

type flags uint8

const (
	persisted flags = 1 << iota
	synced
	forked
	shown
)

// KindOf returns the kind of an event. The session.info events that carry state of this
// program have kinds of their own. Events of unknown types, which other runtimes wrote, are
// copied by a fork and not shown.
func KindOf(t EventType, data Raw) Kind {
	if t == "session.info" {
		if k, ours := infoKinds[data.Get("infoType").Text()]; ours {
			return k
		}
	}
	if k, known := Kinds[t]; known {
		return k
	}
	return Kind{flags: forked}
}

// infoKinds are the kinds of the session.info events that carry state of this program, by
// their infoType; see own.go. Waiting messages and truncations belong to one session and are
// not copied.
var infoKinds = map[string]Kind{
	InfoMessageQueued:    {"session", persisted | synced | shown},
	InfoMessagesDropped:  {"session", persisted | synced | shown},
	InfoQueueOrdered:     {"session", persisted | synced | shown},
	InfoQueueHeld:        {"session", persisted | synced | shown},
	InfoFileCaptured:     {"session", persisted},
	InfoCommandLeft:      {"session", persisted},
	InfoCommandEnded:     {"session", persisted},
	InfoRunEnded:         {"session", persisted | forked},
	InfoHistoryTruncated: {"session", persisted | synced | shown},
	InfoSessionNamed:     {"session", persisted | forked | shown},

	InfoInstructionsSkipped: {"session", persisted | forked},
	InfoServersDisabled:     {"session", persisted | synced | forked},
}

// Kinds lists every event type of the SDK. Where the SDK's guide and its newer schema
// differ, the schema is followed: permission.requested, permission.completed and
// external_tool.requested persist, because requests must survive a restart.
// assistant.reasoning persists as in the guide, although the reference runtime has been
// observed to send it as ephemeral. A test fails when an SDK version adds a type that is not
// listed here.
//
// Types that this program does not emit yet have no By. Logs of other runtimes may contain
// them: they are kept, passed on and copied by a fork.
var Kinds = map[EventType]Kind{
	"session.start":                    {"session", persisted | forked | shown},
	"session.resume":                   {"session", persisted | forked | shown},
	"session.shutdown":                 {"session", persisted | forked | shown},
	"session.error":                    {"session", persisted | forked | shown},
	"session.warning":                  {"session", persisted | forked | shown},
	"session.info":                     {"session", persisted | forked | shown},
	"session.idle":                     {"session", shown},
	"session.title_changed":            {"session", shown},
	"session.model_change":             {"session", persisted | forked | shown},
	"session.context_changed":          {"session", persisted | forked | shown},
	"pending_messages.modified":        {"session", 0},
	"abort":                            {"session", persisted | forked | shown},
	"user.message":                     {"session", persisted | synced | forked | shown},
	"system.message":                   {"session", persisted | forked},
	"session.usage_info":               {"turn", 0},
	"assistant.turn_start":             {"turn", persisted | forked},
	"assistant.turn_end":               {"turn", persisted | synced | forked},
	"assistant.message_start":          {"turn", 0},
	"assistant.turn_retry":             {"turn", shown},
	"assistant.message_delta":          {"turn", shown},
	"assistant.reasoning_delta":        {"turn", shown},
	"assistant.tool_call_delta":        {"turn", shown},
	"assistant.streaming_delta":        {"turn", 0},
	"assistant.message":                {"turn", persisted | forked | shown},
	"assistant.reasoning":              {"turn", persisted | forked | shown},
	"assistant.usage":                  {"turn", shown},
	"assistant.idle":                   {"session", 0},
	"model.call_failure":               {"turn", shown},
	"tool.execution_start":             {"turn", persisted | synced | forked | shown},
	"tool.execution_complete":          {"turn", persisted | synced | forked | shown},
	"external_tool.requested":          {"session", persisted | forked},
	"external_tool.completed":          {"session", 0},
	"permission.requested":             {"session", persisted | forked | shown},
	"sandbox.decision":                 {"session", persisted | forked},
	"permission.completed":             {"session", persisted | forked | shown},
	"assistant.intent":                 {"turn", shown},
	"tool.execution_partial_result":    {"session", shown},
	"tool.execution_progress":          {"session", shown},
	"user_input.requested":             {"session", shown},
	"user_input.completed":             {"session", shown},
	"exit_plan_mode.requested":         {"session", shown},
	"exit_plan_mode.completed":         {"session", shown},
	"hook.start":                       {"session", persisted | forked},
	"hook.end":                         {"session", persisted | forked},
	"skill.invoked":                    {"session", persisted | forked | shown},
	"session.skills_loaded":            {"session", 0},
	"session.task_complete":            {"tool", persisted | forked | shown},
	"tool.user_requested":              {"session", persisted | synced | forked | shown},
	"session.binary_asset":             {"session", persisted | forked},
	"session.compaction_start":         {"session", persisted | forked | shown},
	"session.compaction_complete":      {"session", persisted | forked | shown},
	"session.truncation":               {"session", persisted | forked | shown},
	"session.mode_changed":             {"session", persisted | forked | shown},
	"session.plan_changed":             {"session", persisted | forked | shown},
	"session.workspace_file_changed":   {"session", persisted | forked | shown},
	"session.snapshot_rewind":          {"session", 0},
	"session.todos_changed":            {"session", 0},
	"session.permissions_changed":      {"session", persisted | forked | shown},
	"session.context_cleared":          {"session", persisted | forked | shown},
	"command.queued":                   {"session", 0},
	"command.completed":                {"session", 0},
	"command.execute":                  {"session", 0},
	"commands.changed":                 {"session", 0},
	"session.custom_agents_updated":    {"session", 0},
	"session.background_tasks_changed": {"session", 0},
	"system.notification":              {"session", persisted | forked | shown},
	"subagent.deselected":              {"session", persisted | forked},
	"subagent.selected":                {"session", persisted | forked},
	"subagent.configured":              {"session", persisted | forked},
	"subagent.started":                 {"session", persisted | forked | shown},
	"subagent.failed":                  {"session", persisted | forked | shown},
	"subagent.completed":               {"session", persisted | forked | shown},

	"session.remote_steerable_changed":   {"session", persisted},
	"session.canvas.opened":              {"session", 0},
	"session.canvas.closed":              {"session", 0},
	"session.canvas.unavailable":         {"session", 0},
	"session.canvas.registry_changed":    {"session", 0},
	"elicitation.requested":              {"session", shown},
	"elicitation.completed":              {"session", shown},
	"sampling.requested":                 {"session", 0},
	"sampling.completed":                 {"session", 0},
	"auto_mode_switch.requested":         {"session", shown},
	"auto_mode_switch.completed":         {"session", 0},
	"session_limits_exhausted.requested": {"session", shown},
	"session_limits_exhausted.completed": {"session", 0},
	"session.session_limits_changed":     {"session", persisted | forked},
	"session.usage_checkpoint":           {"session", persisted},
	"session.schedule_created":           {"session", persisted}, // not forked: the prompt would be sent twice
	"session.schedule_cancelled":         {"session", persisted},
	"capabilities.changed":               {"session", 0},
	"ui.ephemeral_query":                 {"session", 0},
	"mcp.prompts.list_changed":           {"mcp", 0},
	"mcp.resources.list_changed":         {"mcp", 0},
	"mcp.tools.list_changed":             {"mcp", 0},
	"mcp.oauth_required":                 {"session", 0},
	"mcp.oauth_completed":                {"session", 0},
	"mcp.headers_refresh_required":       {"session", 0},
	"mcp.headers_refresh_completed":      {"session", 0},
	"mcp_app.tool_call_complete":         {"mcp", 0},
	"session.mcp_server_status_changed":  {"mcp", shown},
	"session.mcp_servers_loaded":         {"mcp", 0},

	"agent.interrupted":                       {"", forked},
	"assistant.fusion_phase_activity":         {"", forked},
	"assistant.fusion_phase_completed":        {"", forked},
	"assistant.fusion_phase_failed":           {"", forked},
	"assistant.fusion_phase_started":          {"", forked},
	"assistant.server_tool_progress":          {"", forked},
	"factory.run_settled":                     {"", forked},
	"factory.run_started":                     {"", forked},
	"factory.run_updated":                     {"", forked},
	"hook.progress":                           {"", forked},
	"model.call_finished":                     {"", forked},
	"model.call_start":                        {"", forked},
	"permission.assentDetected":               {"", forked},
	"permission.carriedForward":               {"", forked},
	"permission.contextualAuthorization":      {"", forked},
	"permission.messageAuthorization":         {"", forked},
	"permission.messageAuthorizationDegraded": {"", forked},
	"permission.messageAuthorizationRead":     {"", forked},
	"prompt_cache_break":                      {"", forked},
	"session.auto_mode_resolved":              {"", forked},
	"session.auto_tier_recommendation":        {"", forked},
	"session.auto_tier_switch_failed":         {"", forked},
	"session.autopilot_objective_changed":     {"", forked},
	"session.canvas.recorded":                 {"", forked},
	"session.canvas.removed":                  {"", forked},
	"session.completion_receipt":              {"", forked},
	"session.custom_notification":             {"", forked},
	"session.extensions.attachments_pushed":   {"", forked},
	"session.extensions_loaded":               {"", forked},
	"session.fusion_completed":                {"", forked},
	"session.fusion_resolved":                 {"", forked},
	"session.fusion_route_failed":             {"", forked},
	"session.fusion_route_started":            {"", forked},
	"session.handoff":                         {"", forked},
	"session.managed_settings_enforced":       {"session/approval", 0},
	"session.managed_settings_resolved":       {"session", 0},
	"session.mcp_server_needs_reconnect":      {"", forked},
	"session.mcp_server_removed":              {"", forked},
	"session.mode_notice_delivered":           {"", forked},
	"session.schedule_rearmed":                {"", forked},
	"session.tools_updated":                   {"session/clienttools", 0},
	"skill.context_delivered":                 {"", forked},
	"skill.context_delivered_ref":             {"", forked},
	"skill.invoked_ref":                       {"", forked},
	"tool_search.activated":                   {"turn", persisted | forked},
}
