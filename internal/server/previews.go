package server

// ofPreviews lists the methods that previews of newer SDKs than ours call and this server does
// not have, as unimplemented does. A preview may still rename them. A method that is made
// leaves this list. Source: the Node SDK 1.0.15-preview.4.
var ofPreviews = []lack{
	{"this program installs nothing from catalogues", `
		catalog.select mcp.applyInstall mcp.applyUninstall mcp.installations.cancel mcp.installations.list mcp.installations.recover
		mcp.installations.status mcp.planUninstall mcp.prepareInstall skills.applyInstall skills.applyUninstall skills.installations.cancel
		skills.installations.list skills.installations.recover skills.installations.setEnabled skills.installations.status skills.planInstall
		skills.planUninstall
	`},
	{"accounts and connectors belong to the GitHub service; this program needs none", `
		accounts.acquireEntraToken session.accounts.enumerate session.accounts.get session.accounts.login.advance session.accounts.login.begin
		session.accounts.login.cancel session.accounts.set session.connectors.connect session.connectors.continueConnection session.connectors.disconnect
		session.connectors.getCapabilities session.connectors.getStatus session.connectors.list session.connectors.reconcile
		session.connectors.reconcileForStartup session.connectors.reconnect session.connectors.refresh session.connectors.withdrawProjection
	`},
	{"plugins are managed for all sessions, with plugins.*", `
		session.plugins.disable session.plugins.enable session.plugins.install session.plugins.marketplaces.add session.plugins.marketplaces.browse
		session.plugins.marketplaces.list session.plugins.marketplaces.refresh session.plugins.marketplaces.remove session.plugins.uninstall
		session.plugins.update
	`},
	{"workflows are programs of the Copilot CLI, which this program does not run", `
		session.workflow.agent session.workflow.cancel session.workflow.getRun session.workflow.getRunDetail
		session.workflow.getRunProgress session.workflow.journal.get session.workflow.journal.put session.workflow.listRuns session.workflow.log
		session.workflow.pause session.workflow.pauseAtCheckpoint session.workflow.resume session.workflow.resumeFromTool session.workflow.run
		session.workflow.runFromTool
	`},
	{"only a preview of the SDKs has it; session.mcp.oauth.login signs in to an MCP server", `
		session.mcp.oauth.cancelLogin session.mcp.oauth.prepareLogin
	`},
	{"only a preview of the SDKs has it; each run reads instructions and skills again, and a resume sends the other settings", `
		session.customizations.reload session.instructions.reload session.provider.sync
	`},
	{"only a preview of the SDKs has it, and it may still change", `
		session.diagnostics.configure session.diagnostics.read session.managedSettings.get
	`},
}

// eventsOfPreviews are the events that newer SDKs than ours have and that this server never sends. The page of
// what is missing has the other events from the types of our SDK, which do not have these. An event leaves this
// list when our SDK has it. Source: the Node SDK 1.0.15-preview.4, and the Python SDK 1.0.27.
const eventsOfPreviews = `
	human_response.recorded instruction.update mcp.oauth_recovery_completed model.call_final_result
	session.autopilot_stopped session.indexed_search session.journal_link session.managed_plugin_progress session.mcp_server_tools_loaded
	session.model_deselected session.permission_recovery session.quota_observation
	tool.shell_output workflow.run_settled workflow.run_started workflow.run_updated
`

// fieldsOfPreviews lists the fields of events that newer SDKs than ours have and that this server never sets, as
// event.field, with the reason. Fields of events that it never sends are not listed. A field leaves this list when
// our events have it. Source: the Node SDK 1.0.15-preview.4, the Python SDK 1.0.27, and the crate 1.0.29-preview.4.
var fieldsOfPreviews = []lack{
	{"workflows are programs of the Copilot CLI, which this program does not run", `
		subagent.started.workflowRunId system.notification.kind.workflowName
	`},
	{"one model answers a turn, and several are not combined", `
		assistant.message.fusion.hasUserSteering assistant.usage.fusion.hasUserSteering model.call_failure.fusion.hasUserSteering permission.requested.fusion
		tool.execution_complete.fusion.hasUserSteering tool.execution_start.fusion.hasUserSteering
	`},
	{"a request that was refused is not tried again in another form, so that there is no recovery to report", `
		permission.completed.blocker permission.completed.recoveryEpisodeId permission.requested.recoveryEpisodeId
		permission.requested.ownerAgentId permission.requested.ownerSessionId session.task_complete.blockedActions session.task_complete.blocker
	`},
	{"no model judges requests for permission", `
		permission.requested.permissionRequest.assistedApproval.evaluation permission.requested.promptRequest.assistedApproval.evaluation
	`},
	{"session.permissions_changed has the mode of permissions", `
		permission.requested.permissionMode
	`},
	{"the agentId of the event names the sub-agent, and its subagent.started names the tool call", `
		assistant.turn_end.parentToolCallId assistant.turn_start.parentToolCallId model.call_failure.parentToolCallId
	`},
	{"the events before it say what it belongs to: assistant.turn_start has the turn, session.start and session.model_change the model and its reasoning effort", `
		session.compaction_complete.responsesReasoning
		session.warning.originatingMessageId skill.invoked.invokedAtTurn system.notification.responsesReasoning
		user.message.responsesReasoning
	`},
	{"the whole text is in the field content", `
		system.message.contentBlocks
	`},
	{"a rewind removes every event after the one that it names", `
		session.snapshot_rewind.eventIds
	`},
	{"the SDKs know providers with ids only of accounts at GitHub and Microsoft that are signed in; the client knows those that it named, and assistant.usage names the type of the provider and the model", `
		assistant.message.providerId assistant.usage.accounting assistant.usage.provider
		model.call_failure.byokKind model.call_failure.modelProvider
		session.model_change.previousProviderId session.model_change.providerId session.resume.providerId
		session.shutdown.providerModelMetrics session.start.providerId session.usage_checkpoint.providerModelMetrics
	`},
	{"success and error say how a compaction ended; the SDKs do not say which words its outcome and reasons have, and the others are about compactions for another model", `
		session.compaction_complete.activeWorkflowSummary session.compaction_complete.attemptMetrics
		session.compaction_complete.failureReason session.compaction_complete.initialModel session.compaction_complete.outcome
		session.compaction_complete.outcomeReason session.compaction_complete.summarizerProgress session.compaction_complete.switchTargetModel
		session.compaction_complete.targetPromptTokenLimit session.compaction_complete.tokenAccountingBasis
		session.compaction_start.switchTargetModel session.compaction_start.targetPromptTokenLimit
	`},
	{"diff and newFileContents show the change; the whole file before and after would be in the event as well", `
		permission.requested.permissionRequest.fileEdits
	`},
	{"the skill is loaded by its name alone; what the user writes behind a slash command is in the message", `
		skill.invoked.arguments
	`},
	{"no tool calls a model for itself", `
		tool.execution_complete.toolUsage
	`},
	{"the event has the scopes that the server asks for", `
		mcp.oauth_required.staticClientConfig.scope
	`},
	{"assistant.usage has the model and its tokens, and session.shutdown their sums", `
		assistant.usage.aiCreditsStatus assistant.usage.byokKind assistant.usage.cachePolicyTtlSeconds assistant.usage.customToolCallCount
		assistant.usage.modelProvider assistant.usage.orphanToolCallCount assistant.usage.thinkingDroppedBlocks assistant.usage.thinkingDroppedReasons
		assistant.usage.unmatchedToolResultCount session.shutdown.accountingSnapshot session.shutdown.toolUsageRequestIds
		session.shutdown.usageAccountingWatermarks session.usage_checkpoint.accountingSnapshot session.usage_checkpoint.toolUsageRequestIds
		session.usage_checkpoint.usageAccountingWatermarks
	`},
	{"how a request to a provider travelled is not reported", `
		assistant.usage.requestBodyCompressionFallback assistant.usage.requestBodyCompressionFallbackFrom assistant.usage.requestBodyCompressionRejectedStatus
		assistant.usage.requestBodyEncoding assistant.usage.requestBodyWireBytes assistant.usage.websocketFallbackAfterMs
		assistant.usage.websocketFallbackCloseCode assistant.usage.websocketFallbackErrorKind assistant.usage.websocketFallbackReason
		assistant.usage.websocketFallbackReconnectAttempted assistant.usage.websocketFallbackStartedThisCall assistant.usage.websocketFallbackStatusCode
		model.call_failure.requestBodyBytes model.call_failure.requestBodyCompressionFallback model.call_failure.requestBodyCompressionFallbackFrom
		model.call_failure.requestBodyCompressionRejectedStatus model.call_failure.requestBodyEncoding model.call_failure.requestBodyWireBytes
		model.call_failure.websocketFallbackAfterMs model.call_failure.websocketFallbackCloseCode model.call_failure.websocketFallbackErrorKind
		model.call_failure.websocketFallbackReason model.call_failure.websocketFallbackReconnectAttempted model.call_failure.websocketFallbackStartedThisCall
		model.call_failure.websocketFallbackStatusCode
	`},
	{"no policy of an account chooses the model, its context or its effort", `
		session.managed_settings_resolved.permissionsContext session.model_change.autoTierManaged session.model_change.contextTierManaged
		session.model_change.reasoningEffortManaged session.model_change.reasoningEffortModel session.resume.autoTierManaged session.resume.contextTierManaged
		session.resume.reasoningEffortManaged session.resume.reasoningEffortModel session.start.autoTierManaged session.start.contextTierManaged
		session.start.reasoningEffortManaged session.start.reasoningEffortModel
	`},
	{"no tool reports structured progress", `
		tool.execution_progress.structuredContent
	`},
	{"the status has the error of the server as text, and session.mcp.list has its configuration", `
		session.mcp_server_status_changed.configSource session.mcp_server_status_changed.errorClassification
	`},
	{"a client that answers mcp.oauth_required with a token renews it, too", `
		mcp.oauth_required.runtimeRefreshSupported
	`},
}
