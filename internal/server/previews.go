package server

// ofPreviews lists the methods that newer SDKs than ours call and this server does not have, as
// unimplemented does. Newer SDKs may still rename them. Delete the name of a method when you make it. tools/sdknames
// compares the lists of this file with the newest packages; they are as of the crate 1.0.29-preview.4 and the
// Python SDK 1.0.27.
var ofPreviews = []lack{
	{"this program installs nothing from catalogues; plugins.install installs a plugin from a repository or a folder", `
		catalog.getGeneratedFeed catalog.getSavedFeed catalog.planInstallFromReference catalog.recommend catalog.select mcp.applyInstall mcp.applyUninstall
		mcp.installations.cancel mcp.installations.list mcp.installations.recover mcp.installations.status mcp.planUninstall mcp.prepareInstall
		mcp.registry.allocateRequestId mcp.registry.cancel mcp.registry.search plugins.applyInstall plugins.planInstall session.plugins.retryManaged
		skills.applyInstall skills.applyUninstall skills.installations.cancel skills.installations.list skills.installations.recover
		skills.installations.setEnabled skills.installations.status skills.planInstall skills.planUninstall
	`},
	{"accounts and connectors belong to the GitHub service; account.getCurrentAuth says whose token this program uses", `
		account.describeAuthInfo account.getGistSupport account.getTokenEnvVar account.getWebUrl connectors.getAccounts connectors.getCapabilities
		connectors.list connectors.refresh session.accounts.enumerate session.accounts.get session.accounts.login.advance session.accounts.login.begin
		session.accounts.login.cancel session.accounts.set session.connectors.connect session.connectors.continueConnection session.connectors.disconnect
		session.connectors.getAccount session.connectors.getCapabilities session.connectors.getStatus session.connectors.list session.connectors.reconcile
		session.connectors.reconcileForStartup session.connectors.reconnect session.connectors.refresh session.connectors.withdrawProjection
	`},
	{"plugins are managed for all sessions, with plugins.*", `
		session.plugins.disable session.plugins.enable session.plugins.install session.plugins.marketplaces.add session.plugins.marketplaces.browse
		session.plugins.marketplaces.list session.plugins.marketplaces.refresh session.plugins.marketplaces.remove session.plugins.uninstall
		session.plugins.update
	`},
	{"workflows are programs of the Copilot CLI, which this program does not run", `
		session.workflow.agent session.workflow.cancel session.workflow.getRun session.workflow.getRunDetail session.workflow.getRunProgress
		session.workflow.journal.get session.workflow.journal.put session.workflow.listRuns session.workflow.log session.workflow.pause
		session.workflow.pauseAtCheckpoint session.workflow.resume session.workflow.resumeFromTool session.workflow.run session.workflow.runFromTool
	`},
	{"session.mcp.oauth.login signs in to an MCP server and finds out itself what the server needs; clients open addresses in a browser", `
		mcp.oauth.checkDcrSupport mcp.oauth.fetchProtectedResourceMetadata mcp.oauth.isMicrosoftAuthorizationServer mcp.oauth.staticClientConfig
		runtime.openBrowser session.mcp.oauth.cancelLogin session.mcp.oauth.complete session.mcp.oauth.prepareLogin
	`},
	{"only newer SDKs have it; each run reads instructions and skills again, and a resume sends the other settings", `
		session.customizations.reload session.instructions.reload session.provider.sync session.provider.withdraw
	`},
	{"a client sends a policy with the setting managedSettings, and nothing else brings one; managedSettings.read therefore returns nothing", `
		managedSettings.applyControls managedSettings.compose managedSettings.ingest managedSettings.loadRemoteControl managedSettings.parseClientValue
		managedSettings.permissions.evaluate managedSettings.readDevice managedSettings.resolve managedSettings.resolveBypassDisableTransition
		managedSettings.resolveDeviceForceLoginOrgsGate managedSettings.resolveEffectiveValue managedSettings.resolveStartupPolicy
		managedSettings.retainPolicy managedSettings.schema managedSettings.validate permissions.evaluateManagedPolicy session.managedSettings.get
		session.managedSettings.recheckPolicyHelper
	`},
	{"diagnostics are not collected; --log-dir writes the diagnostic log to a file", `
		session.diagnostics.configure session.diagnostics.lifecycle.read session.diagnostics.read
	`},
	{"user.settings.get and user.settings.set read and change the settings of the user, which are in a file; the reference runtime calls the other methods itself", `
		persistence.writeRawJsonLocked settings.redactValueForDisplay settings.removeRawKey user.settings.applyTopKey user.settings.buildRuntime
		user.settings.diagnoseProblems user.settings.edit user.settings.getPath user.settings.getPaths user.settings.getUnknownKeysWarning
		user.settings.listGovernanceKeys user.settings.loadForConfigDir user.settings.loadForEdit user.settings.loadWithWarning
		user.settings.mergeManagedAndUser user.settings.migrateObsoleteOnDisk user.settings.migrateStaffLogLevelOnce
		user.settings.migrateStaffUpdateChannelOnce user.settings.normalize user.settings.resetStaffModelSelectionOnce user.settings.setHookDisabled
		user.settings.update user.settings.validate user.settings.writeAll
	`},
	{"the settings of a repository are in a file of it, which clients can read and write themselves", `
		repo.settings.edit repo.settings.readRaw repo.settings.writeAll repo.settings.writeKey user.settings.loadAndMergeRepo user.settings.loadRepo
		user.settings.mergeRepoValue
	`},
	{"there are no feature flags, and no state of the machine beside the settings", `
		featureFlags.listMetadata featureFlags.resolve featureFlags.resolveStartupGates globalState.load globalState.loadForConfigDir globalState.writeKey
	`},
	{"git and the API of GitHub answer this; the context of session.start names the repository and the branch of a session", `
		git.currentBranchRemote git.reposFromRemotes git.workingDirectoryContext gitHubOwners.cancel gitHubOwners.list gitHubOwners.nextRequestId
		gitHubRepository.atPath
	`},
	{"agents.discover lists the agents in files, and session.agent.list those of a session", `
		agents.customAgentInitialModelDecision agents.getAvailableBuiltins agents.getBuiltinDefinition agents.getBuiltinListingDefinition agents.getBuiltins
	`},
	{"there is no registry of running programs; sessions.list lists the sessions of this one", `
		agentRegistry.ensureDir agentRegistry.listEntries agentRegistry.removeEntry
	`},
	{"instructions.discover lists the files of instructions, and session.instructions.getSources those of a session", `
		instructions.clearCache instructions.discoverRepoSources instructions.getInitPrompt
	`},
	{"this program does not look for servers of models and fetches no models; name them with provider or providers", `
		azureMl.acquireFamily azureMl.cancel azureMl.catalog azureMl.discard azureMl.download azureMl.latest azureMl.releaseFamily azureMl.resolve
		azureMl.status session.providers.discover session.providers.getCatalog session.providers.getStatus session.providers.models.list
		session.providers.models.prepareConfiguration
	`},
	{"session.provider.getEndpoint returns the provider of a session, and models.list its models; what they cost is known to the provider", `
		models.listTokenPriceUnits session.provider.getStatus
	`},
	{"the model of a session, and whether its reasoning is summed up, are those that its client sets", `
		session.model.clearStartupSeed session.model.getReasoningSummaries
	`},
	{"account.getQuota returns the quota of the account", `
		session.quota.get session.quota.refresh session.quota.takeWarnings
	`},
	{"environments belong to the GitHub service; sessions run on this machine", `
		environments.delete environments.get environments.list
	`},
	{"this program does not speak the Agent Host Protocol; other clients connect as this one does", `
		host.authenticate host.cancelAuthentication host.createSession host.dispose host.getAuthenticationCredentials host.getConfiguration
		host.getEnvironmentCredentials host.listSessions host.publishSession host.ready host.releaseSession host.setSessionCreationPolicy host.start
		host.unpublishSession
	`},
	{"requests are not signed with Kerberos; send apiKey or bearerToken with provider", `
		kerberosAuth.setProvider
	`},
	{"sessions do not start or steer other sessions; a client does, with session.create and session.send", `
		session.management.close session.management.configure session.management.create session.management.list session.management.message
	`},
	{"extensions of the Copilot CLI are not run", `
		session.extensions.getPolicy session.extensions.reconcile
	`},
	{"commands in a sandbox are given no credentials by a proxy, so that there are no certificates and passwords to keep", `
		sandbox.proxyCa.checkInstallationSupport sandbox.proxyCa.checkRelevance sandbox.proxyCa.create sandbox.proxyCa.getStatus sandbox.proxyCa.remove
		sandbox.proxyCa.rotate sandbox.proxyCa.trust sandbox.proxySecret.delete sandbox.proxySecret.get sandbox.proxySecret.getLocation
		sandbox.proxySecret.save session.sandbox.getCredentialSuggestions
	`},
	{"sandbox.getHostSupport says what this machine can confine, session.sandbox.getEnforcementStatus what a session does confine, and session.options.update changes sandboxConfig", `
		sandbox.checkEnforcementCommand sandbox.checkPlatformSupport sandbox.checkWindowsHostLoopbackSupport sandbox.filterPickerCandidates
		sandbox.getDocsUrl sandbox.getPathGrantWarning sandbox.getUnsupportedMessage sandbox.getUnsupportedSettingDisabledNotice
		sandbox.getUnsupportedStartupNotice sandbox.preparePickerPolicy sandbox.resolveFlooredConfig sandbox.resolveForOptional
		sandbox.settings.applyDefaults session.sandbox.grantPathForRequest
	`},
	{"policies of GitHub that exclude files are not fetched; deny files with rules or managedSettings", `
		contentExclusion.validatePolicies
	`},
	{"session.permissions.getMode returns how a session decides, which session.permissions.setMode changes; session.permissions.folderTrust.isTrusted says whether a folder is trusted", `
		permissions.folderTrust.checkTrust permissions.locations.cleanupOrphaned session.permissions.clearResumeEscalation
	`},
	{"session.mcp.list lists the servers of a session with their states, and the model is not told of editors", `
		mcp.listBuiltinServerNames mcp.shouldExcludeGitHubTools
		session.mcp.setConnectedIdeInfo
	`},
	{"session.tasks.list and session.tasks.getProgress return the tasks and what they have written", `
		session.tasks.readOutput
	`},
	{"each call that waits is an event external_tool.requested, and a resume with continuePendingWork sends the calls that are open again", `
		session.tools.listPendingRequests
	`},
	{"these settings come from the client, which sends them with session.tools.updateSubagentSettings, and from nowhere else", `
		session.tools.getSubagentSettings
	`},
	{"session.ui.handlePendingUserInput, session.ui.handlePendingElicitation and session.ui.handlePendingExitPlanMode answer for a person, too", `
		session.ui.handleHumanAskUser session.ui.handleHumanExitPlanMode session.ui.handleHumanUserInput
	`},
	{"sessions.getMetadata returns what is known of a session that is not open", `
		sessions.createWorkspace sessions.loadWorkspace sessions.updateWorkspaceFields
	`},
	{"autopilot follows the messages of the session, and has no objective", `
		session.autopilot.evaluateIdleContinuation session.autopilotObjective.setStayInAutopilot
	`},
	{"the reference runtime calls these methods itself; this program needs no such calls", `
		session.commands.reportQueuedCommandWait session.usage.setCodeChanges tools.largeOutput.cleanup
	`},
}

// neverCalled lists the methods that clients of newer SDKs than ours answer and that this server never calls, with
// the reason. A method that is called goes to calledOnClients.
var neverCalled = []lack{
	{"requests are not signed with Entra or Kerberos, and connect with entra is refused; send bearerToken with provider, or hasBearerTokenProvider, and answer providerToken.getToken", `
		entraToken.getToken kerberosAuth.acquire
	`},
	{"this program does not speak the Agent Host Protocol; other clients connect as this one does", `
		host.authenticationCancelled host.exited host.materializeSession host.registerSession host.sessionReleased host.shutdown
		host.unregisterSession host.validateAuthentication
	`},
	{"this program installs nothing from catalogues", `
		installations.confirm
	`},
	{"files are read and written as a whole, as text, with sessionFs.readFile and sessionFs.writeFile", `
		sessionFs.readFileBytes sessionFs.readFileRange sessionFs.writeFileBytes
	`},
	{"sessions do not start or steer other sessions; a client does, with session.create and session.send", `
		sessionManagement.create
	`},
	{"workflows and extensions are programs of the Copilot CLI, which this program does not run", `
		extensionLaunchProvider.resolve factory.abort factory.execute uiThread.run workflow.abort workflow.execute
	`},
}

// eventsOfPreviews are the events that newer SDKs than ours have and that this server never sends. The page of
// what is missing has the other events from the types of our SDK, which do not have these. An event leaves this
// list when our SDK has it.
const eventsOfPreviews = `
	human_response.recorded instruction.update mcp.oauth_recovery_completed model.call_final_result
	session.autopilot_stopped session.indexed_search session.journal_link session.managed_plugin_progress session.mcp_server_tools_loaded
	session.model_deselected session.permission_recovery session.quota_observation
	tool.shell_output workflow.run_settled workflow.run_started workflow.run_updated
`

// fieldsOfPreviews lists the fields of events that newer SDKs than ours have and that this server never sets, as
// event.field, with the reason. Fields of events that it never sends are not listed. A field leaves this list when
// our events have it.
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
		permission.requested.assistedApprovalAssessment
		permission.requested.permissionRequest.assistedApproval.evaluation permission.requested.permissionRequest.assistedApproval.evaluationId
		permission.requested.promptRequest.assistedApproval.evaluation permission.requested.promptRequest.assistedApproval.evaluationId
	`},
	{"session.permissions_changed has the mode of permissions", `
		permission.requested.permissionMode
	`},
	{"the agentId of the event names the sub-agent, and its subagent.started names the tool call", `
		assistant.turn_end.parentToolCallId assistant.turn_start.parentToolCallId model.call_failure.parentToolCallId
	`},
	{"the events before it say what it belongs to: assistant.turn_start has the turn, session.start and session.model_change the model and its reasoning effort", `
		session.compaction_complete.responsesReasoning
		skill.invoked.invokedAtTurn system.notification.responsesReasoning
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
		permission.requested.permissionRequest.fileEdits permission.requested.promptRequest.fileEdits
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
	{"there are no connectors, whose servers have other names for users", `
		assistant.message.toolRequests[].mcpServerDisplayName elicitation.requested.elicitationSourceDisplayName
		permission.requested.permissionRequest.serverDisplayName permission.requested.promptRequest.serverDisplayName sampling.requested.serverDisplayName
	`},
	{"MCP servers bring no skills, and of the result of a tool of theirs the model and the client get the content", `
		session.skills_loaded.skills[].declaredName session.skills_loaded.skills[].mcpOrigin skill.invoked.mcpMeta skill.invoked.mcpOrigin
		tool.execution_complete.result.mcpResultMeta
	`},
	{"the user.message has the mode of the agent, and assistant.usage what was called", `
		assistant.reasoning.isByok assistant.turn_start.agentMode
	`},
	{"the blocks of a message are kept in one order: reasoning, text, calls of tools", `
		assistant.message.reasoningBlocks.orderedBlocks
	`},
	{"no gateway stands between this program and the providers, and the providers decide how long they keep a prompt", `
		assistant.usage.inferenceGateway assistant.usage.promptCacheCreditsBucket assistant.usage.promptCacheTtlReason model.call_failure.inferenceGateway
	`},
	{"instructions do not change in the middle of a run", `
		assistant.usage.instructionUpdateDeliveryId assistant.usage.instructionUpdateLatestEventId model.call_failure.instructionUpdateDeliveryId
		model.call_failure.instructionUpdateLatestEventId
	`},
	{"a failed request is described by the words of the provider, and not by counts of its parts", `
		model.call_failure.productStateError model.call_failure.requestFingerprint.customToolCallCount
		model.call_failure.requestFingerprint.encryptedContentBytes model.call_failure.requestFingerprint.imageBytes
		model.call_failure.requestFingerprint.orphanToolCallCount model.call_failure.requestFingerprint.reasoningItemCount
		model.call_failure.requestFingerprint.unmatchedToolResultCount
	`},
	{"no permission is for reading only, and none changes the sandbox; session.options.update changes sandboxConfig", `
		permission.completed.result.directories permission.requested.permissionRequest.sandboxPathGrant
		permission.requested.promptRequest.readOnlyDirectories permission.requested.promptRequest.sandboxPathGrant
	`},
	{"a compaction calls the model of the session, and its assistant.usage says what that took", `
		session.compaction_complete.clientRequestId session.compaction_complete.compactionTokensUsed.aiCreditsStatus
		session.compaction_complete.compactionTokensUsed.modelDisplayName session.compaction_complete.compactionTokensUsed.provider
		session.compaction_complete.compactionTokensUsed.requestCount session.compaction_complete.execution session.compaction_complete.failureDiagnostics
		session.compaction_complete.reasoningEffort session.compaction_start.execution session.truncation.compactionAttemptId
	`},
	{"there are no policy helpers", `
		session.managed_settings_resolved.policyHelperCapabilities session.managed_settings_resolved.policyHelperFailure
	`},
	{"a provider is not sent reasoning that it does not take", `
		session.model_change.reasoningInvalidated
	`},
	{"a task is complete when the model says so, and has no objective", `
		session.task_complete.objectiveId session.task_complete.outcome session.task_complete.reason
	`},
	{"sandbox.decision says once whether commands are confined, with its fields mode, mechanism and reason; the configuration comes from the client", `
		sandbox.decision.addCurrentWorkingDirectory sandbox.decision.allowBypass sandbox.decision.allowLocalNetwork sandbox.decision.allowOutbound
		sandbox.decision.attestation sandbox.decision.command sandbox.decision.confidence sandbox.decision.degradationReason sandbox.decision.denialClass
		sandbox.decision.deniedPathsCount sandbox.decision.deniedResource sandbox.decision.durationMs sandbox.decision.effectiveFilesystemPolicy
		sandbox.decision.ghAuth sandbox.decision.gitAuth sandbox.decision.keychainAccess sandbox.decision.permissiveSource sandbox.decision.policySource
		sandbox.decision.processName sandbox.decision.proxyMode sandbox.decision.readonlyPathsCount sandbox.decision.readwritePathsCount
		sandbox.decision.source sandbox.decision.toolCallId
	`},
}
