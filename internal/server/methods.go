package server

import (
	"context"
	"encoding/json"
	"reflect"

	"github.com/sidestick-dev/sidestick/internal/session/approval"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// method carries out one method.
type method struct {
	run func(ctx context.Context, c *conn, params json.RawMessage) (any, error)
	// first methods are carried out before the next message of the connection is read: they
	// decide how it is. They must be quick, and must not wait for anything.
	first bool
	// ordered methods take effect in the order in which they arrived for their session; those of
	// no session, in the order in which they arrived.
	// They must be quick and must not wait for a client.
	ordered bool
	// asks: the method is ordered, but may wait for a client, and does not keep those behind it waiting.
	asks bool
	// byRequest: the order is that of the methods with the same requestId.
	byRequest bool
	// enters: the method attaches the client to a session. Those of the connection for one session do so one after the
	// other, in the order in which they arrived: each takes the place of the one before.
	enters bool
	// waits, if not nil, reports which calls wait for what is yet to happen, such as the end of a run: they do not
	// keep those behind them waiting, may be overtaken by them, and take no turn from those that compute.
	waits func(params json.RawMessage) bool
	// params is the type that the parameters are decoded into: other members of them are named, see
	// heed. Nil for methods that compare their parameters themselves.
	params reflect.Type
}

// methods is every method that clients may call.
var methods = map[string]method{
	"connect":          first(on(connect)),
	"ping":             on(ping),
	"status.get":       on(status),
	"auth.getStatus":   on(authStatus),
	"models.list":      on(listModels),
	"runtime.shutdown": on(shutdown),

	"session.create":        entering(configured(createSession)),
	"session.resume":        entering(configured(resumeSession)),
	"session.list":          on(measured(listSessions)),
	"session.getMetadata":   on(getMetadata),
	"session.getLastId":     on(getLastID),
	"session.delete":        on(deleteSession),
	"session.getForeground": on(getForeground),
	"session.setForeground": on(setForeground),
	"session.destroy":       inOrder(on(destroySession)),
	"session.detach":        inOrder(on(detachSession)),

	"sessions.fork":                        on(forkSession),
	"sessions.list":                        on(measured(listStored)),
	"sessions.listNonEmptySessionIds":      on(measured(nonEmptyIDs)),
	"sessions.findByPrefix":                on(findByPrefix),
	"sessions.findByTaskId":                on(findByTask),
	"sessions.getLastForContext":           on(lastForContext),
	"sessions.getSizes":                    on(sessionSizes),
	"sessions.checkInUse":                  on(checkInUse),
	"sessions.getMetadata":                 on(storedMetadata),
	"sessions.enrichMetadata":              on(enrichMetadata),
	"sessions.readPersistedEvents":         on(readPersisted),
	"sessions.getEventFilePath":            on(eventFile),
	"sessions.getBoardEntryCount":          on(boardEntries),
	"sessions.getPersistedRemoteSteerable": on(persistedSteerable),
	"sessions.open":                        entering(on(openSession)),
	"sessions.connect":                     on(connectRemote),
	"sessions.close":                       inOrder(on(closeStored)),
	"sessions.save":                        on(saveStored),
	"sessions.releaseLock":                 inOrder(on(releaseLock)),
	"sessions.delete":                      on(deleteStored),
	"sessions.bulkDelete":                  on(bulkDelete),
	"sessions.pruneOld":                    on(pruneOld),

	"sessions.getRemoteControlStatus":   on(remoteStatus),
	"sessions.setRemoteControlSteering": on(setRemoteSteering),
	"sessions.startRemoteControl":       on(startRemote),
	"sessions.stopRemoteControl":        on(stopRemote),
	"sessions.transferRemoteControl":    on(transferRemote),
	"session.remote.enable":             of(enableRemote),
	"session.remote.disable":            of(disableRemote),

	"session.remote.notifySteerableChanged":    inOrder(of(steerableChanged)),
	"session.visibility.get":                   of(visibility),
	"session.visibility.set":                   of(visibility),
	"session.completions.request":              of(completions),
	"session.completions.getTriggerCharacters": of(completionTriggers),
	"session.telemetry.getEngagementId":        of(engagement),
	"session.telemetry.setFeatureOverrides":    of(featureOverrides),
	"models.getBuiltInCatalog":                 on(builtInModels),
	"managedSettings.read":                     on(deviceSettings),
	"managedSettings.clearCache":               on(clearManaged),
	"agentRegistry.spawn":                      on(spawnAgent),
	"secrets.addFilterValues":                  first(on(addSecrets)),

	"session.extensions.list":                     of(sessionExtensions),
	"session.extensions.enable":                   of(changeExtensions),
	"session.extensions.disable":                  of(changeExtensions),
	"session.extensions.reload":                   of(changeExtensions),
	"session.extensions.sendAttachmentsToMessage": of(pushAttachments),
	"extensions.discover":                         on(discoverExtensions),
	"extensions.enable":                           on(changeDiscovered),
	"extensions.disable":                          on(changeDiscovered),

	"account.getCurrentAuth":            on(currentAuth),
	"account.getAllUsers":               on(allUsers),
	"account.getQuota":                  on(getQuota),
	"account.login":                     on(logIn),
	"account.logout":                    on(logOut),
	"session.gitHubAuth.getStatus":      in(gitHubStatus),
	"session.gitHubAuth.setCredentials": inOrder(in(setCredentials)),

	"user.settings.get":    on(getUserSettings),
	"user.settings.set":    inOrder(on(setUserSettings)),
	"user.settings.reload": on(reloadUserSettings),

	"plugins.list":                   on(listPlugins),
	"plugins.install":                on(installPlugin),
	"plugins.uninstall":              on(uninstallPlugin),
	"plugins.update":                 on(updatePlugin),
	"plugins.updateAll":              on(updatePlugins),
	"plugins.enable":                 inOrder(on(enablePlugins)),
	"plugins.disable":                inOrder(on(disablePlugins)),
	"plugins.builtin.set":            inOrder(on(setBuiltinPlugins)),
	"plugins.marketplaces.list":      on(listMarketplaces),
	"plugins.marketplaces.add":       on(addMarketplace),
	"plugins.marketplaces.browse":    on(browseMarketplace),
	"plugins.marketplaces.refresh":   on(refreshMarketplaces),
	"plugins.marketplaces.remove":    on(removeMarketplace),
	"session.plugins.list":           of(sessionPlugins),
	"session.plugins.reload":         inOrder(of(reloadSessionPlugins)),
	"sessions.setAdditionalPlugins":  inOrder(on(setAdditionalPlugins)),
	"sessions.reloadPluginHooks":     on(reloadHooks),
	"sessions.loadDeferredRepoHooks": on(loadDeferredHooks),

	"session.canvas.list":          of(listCanvases),
	"session.canvas.listOpen":      of(listOpenCanvases),
	"session.canvas.open":          of(openCanvas),
	"session.canvas.close":         of(closeCanvas),
	"session.canvas.action.invoke": of(actOnCanvas),

	"hooks.discover": on(discoverHooks),

	"session.schedule.list":         inOrder(of(listSchedules)),
	"session.schedule.stop":         inOrder(of(stopSchedule)),
	"session.schedule.add":          inOrder(of(addInterval)),
	"session.schedule.addAt":        inOrder(of(addAt)),
	"session.schedule.addCron":      inOrder(of(addCron)),
	"session.schedule.hasSelfPaced": inOrder(of(hasSelfPaced)),

	"session.getMessages":       in(getMessages),
	"session.send":              unless(awaitsRun, in(send)),
	"session.sendAndWait":       polling(always, in(sendAndWait)),
	"session.sendMessages":      unless(awaitsRun, in(sendMessages)),
	"session.abort":             inOrder(of(abort)),
	"session.interruptMainTurn": inOrder(of(interruptMainTurn)),
	"session.log":               inOrder(of(logEntry)),
	"session.model.switchTo":    unless(asksProvider, in(switchModel)),
	"session.options.update":    inOrder(method{run: updateOptions}),

	"session.mode.get":                 of(getMode),
	"session.mode.set":                 inOrder(of(setMode)),
	"session.name.get":                 of(getName),
	"session.name.set":                 inOrder(of(setName)),
	"session.name.setAuto":             inOrder(of(setAutoName)),
	"session.model.getCurrent":         of(currentModel),
	"session.model.list":               in(listSessionModels),
	"session.model.setReasoningEffort": inOrder(of(setReasoningEffort)),
	"session.model.setAllowedModels":   inOrder(of(setAllowedModels)),

	"session.plan.read":   of(readPlan),
	"session.plan.update": inOrder(of(updatePlan)),
	"session.plan.delete": inOrder(of(deletePlan)),

	"session.plan.readSqlTodos":                 of(readTodos),
	"session.plan.readSqlTodosWithDependencies": of(readTodosWithDependencies),

	"session.workspaces.getWorkspace":    of(getWorkspace),
	"session.workspaces.ensure":          of(getWorkspace), // each session has one from the beginning
	"session.workspaces.listFiles":       of(listFiles),
	"session.workspaces.readFile":        in(readFile),
	"session.workspaces.diff":            in(workspaceDiff),
	"session.workspaces.statFile":        of(statFile),
	"session.workspaces.createDirectory": inOrder(of(createDirectory)),
	"session.workspaces.removePath":      inOrder(of(removePath)),
	"session.workspaces.renamePath":      inOrder(of(renamePath)),
	"session.workspaces.createFile":      inOrder(of(createFile)),
	"session.workspaces.saveLargePaste":  inOrder(of(savePaste)),
	"session.workspaces.listCheckpoints": of(listCheckpoints),
	"session.workspaces.readCheckpoint":  in(readCheckpoint),

	"session.queue.pendingItems":       of(pendingItems),
	"session.queue.removeMostRecent":   inOrder(of(removeMostRecent)),
	"session.queue.clear":              inOrder(of(clearQueue)),
	"session.queue.insertAt":           inOrder(in(insertAt)),
	"session.queue.moveItem":           inOrder(of(moveItem)),
	"session.queue.updateText":         inOrder(of(updateText)),
	"session.queue.removeAt":           inOrder(of(removeAt)),
	"session.queue.duplicateAt":        inOrder(of(duplicateAt)),
	"session.queue.sendNow":            inOrder(of(sendNow)),
	"session.queue.setDrainPaused":     inOrder(of(setDrainPaused)),
	"session.queue.withdrawMessage":    of(withdrawMessage),
	"session.queue.appendSteering":     inOrder(of(appendSteering)),
	"session.history.clearContext":     inOrder(of(clearContext)),
	"session.history.listRewindPoints": of(listRewindPoints),
	"session.history.previewRewind":    of(previewRewind),
	"session.history.rewind":           of(rewind),
	"session.history.truncate":         inOrder(of(truncate)),
	"session.suspend":                  inOrder(of(suspendSession)),
	"session.shutdown":                 inOrder(of(shutdownSession)),

	"session.metadata.snapshot":               of(snapshot),
	"session.metadata.isProcessing":           of(isProcessing),
	"session.metadata.activity":               of(activity),
	"session.metadata.contextInfo":            of(contextInfo),
	"session.metadata.recomputeContextTokens": of(contextTokens),

	"session.metadata.getContextAttribution":      of(contextAttribution),
	"session.metadata.getContextHeaviestMessages": of(heaviestMessages),
	"session.metadata.getClientMetadata":          of(getClientMetadata),
	"session.metadata.updateClientMetadata":       inOrder(of(updateClientMetadata)),
	"sessions.getClientMetadata":                  on(storedClientMetadata),

	"session.metadata.setWorkingDirectory": inOrder(of(setWorkingDirectory)),
	"session.metadata.recordContextChange": inOrder(of(recordContextChange)),
	"session.usage.getMetrics":             of(usageMetrics),

	"llmInference.setProvider":       first(on(setInferenceProvider)),
	"sessionFs.setProvider":          first(on(setStorageProvider)),
	"llmInference.httpResponseStart": inOrderOfRequest(on(startInferenceResponse)),
	"llmInference.httpResponseChunk": inOrderOfRequest(on(addInferenceResponse)),

	"session.provider.add":         inOrder(in(addProviders)),
	"session.provider.getEndpoint": in(providerEndpoint),

	"session.skills.list":             asking(of(listSkills)),
	"session.skills.enable":           inOrder(of(enableSkill)),
	"session.skills.disable":          inOrder(of(disableSkill)),
	"session.skills.reload":           asking(of(reloadSkills)),
	"session.skills.ensureLoaded":     asking(of(ensureSkills)),
	"session.skills.getInvoked":       in(invokedSkills),
	"skills.discover":                 on(discoverSkills),
	"skills.getDiscoveryPaths":        on(skillPaths),
	"skills.config.setDisabledSkills": inOrder(on(setDisabledSkills)),
	"skills.config.setSkillDisabled":  inOrder(on(setSkillDisabled)),

	"session.agent.list":       asking(in(listAgents)),
	"session.agent.getCurrent": inOrder(in(currentAgent)),
	"session.agent.select":     inOrder(in(selectAgent)),
	"session.agent.deselect":   inOrder(of(deselectAgent)),
	"session.agent.reload":     asking(in(reloadAgents)),
	"session.agent.setPrompt":  inOrder(of(setAgentPrompt)),
	"agents.discover":          on(discoverAgents),
	"agents.getDiscoveryPaths": on(agentPaths),

	"session.fleet.start":                      of(startFleet),
	"session.tools.updateSubagentSettings":     inOrder(of(updateSubagents)),
	"session.tasks.list":                       inOrder(in(listTasks)),
	"session.tasks.register":                   inOrder(in(registerTask)),
	"session.tasks.update":                     inOrder(in(updateTask)),
	"session.tasks.refresh":                    of(refreshTasks),
	"session.tasks.waitForPending":             of(waitForTasks),
	"session.tasks.startAgent":                 of(startTask),
	"session.tasks.getProgress":                inOrder(of(taskProgress)),
	"session.tasks.cancel":                     of(cancelTask),
	"session.tasks.remove":                     inOrder(of(removeTask)),
	"session.tasks.sendMessage":                of(writeTask),
	"session.tasks.getCurrentPromotable":       inOrder(of(promotableTask)),
	"session.tasks.promoteToBackground":        inOrder(of(promoteTask)),
	"session.tasks.promoteCurrentToBackground": inOrder(of(promoteCurrentTask)),
	"session.cancelAllBackgroundAgents":        of(cancelAllTasks),

	"session.instructions.getSources": in(instructionSources),
	"instructions.discover":           on(discoverInstructions),
	"instructions.getDiscoveryPaths":  on(instructionPaths),

	"commands.list":                           on(listBuiltinCommands),
	"session.commands.list":                   of(listCommands),
	"session.commands.invoke":                 of(invokeCommand),
	"session.commands.execute":                of(executeCommand),
	"session.commands.enqueue":                inOrder(of(enqueueCommand)),
	"session.commands.handlePendingCommand":   answering[wire.CommandAnswer](failCommand, in(answerCommand)),
	"session.commands.respondToQueuedCommand": answering[wire.QueuedCommandAnswer](failQueuedCommand, of(answerQueuedCommand)),

	"session.shell.exec":                 of(shellExec),
	"session.shell.kill":                 of(shellKill),
	"session.shell.executeUserRequested": of(executeUserRequested),
	"session.shell.cancelUserRequested":  of(cancelUserRequested),

	"tools.list":                          on(listTools),
	"session.tools.getCurrentMetadata":    of(currentTools),
	"session.tools.initializeAndValidate": of(validateTools),
	"session.tools.set":                   inOrder(in(setTools)),

	"session.autopilotObjective.getState": of(autopilotObjective),

	"sandbox.getHostSupport":               on(sandboxSupport),
	"session.sandbox.getEnforcementStatus": of(sandboxEnforcement),
	"session.sandbox.disableForSession":    of(disableSandbox),

	"mcp.config.list":    on(listServerConfigs),
	"mcp.config.add":     inOrder(on(addServerConfig)),
	"mcp.config.update":  inOrder(on(updateServerConfig)),
	"mcp.config.remove":  inOrder(on(removeServerConfig)),
	"mcp.config.enable":  inOrder(on(enableServerConfigs)),
	"mcp.config.disable": inOrder(on(disableServerConfigs)),
	"mcp.config.reload":  inOrder(on(reloadServerConfigs)),
	"mcp.discover":       on(discoverServers),

	"session.mcp.list":                                       of(listServers),
	"session.mcp.listConfigured":                             of(listConfigured),
	"session.mcp.listTools":                                  of(listServerTools),
	"session.mcp.isServerRunning":                            of(serverRunning),
	"session.mcp.enable":                                     of(enableServer),
	"session.mcp.disable":                                    of(disableServer),
	"session.mcp.startServer":                                of(startServer),
	"session.mcp.stopServer":                                 of(stopServer),
	"session.mcp.restartServer":                              of(restartServer),
	"session.mcp.reload":                                     of(reloadServers),
	"session.mcp.moveLoadingToBackground":                    of(serversToBackground),
	"session.mcp.setEnvValueMode":                            of(setEnvValueMode),
	"session.mcp.removeGitHub":                               of(removeGitHub),
	"session.mcp.resources.list":                             of(listResources),
	"session.mcp.resources.listTemplates":                    of(listTemplates),
	"session.mcp.resources.read":                             in(readResource),
	"session.mcp.prompts.list":                               of(listPrompts),
	"session.mcp.prompts.get":                                in(getPrompt),
	"session.mcp.executeSampling":                            in(executeSampling),
	"session.mcp.cancelSamplingExecution":                    of(cancelSampling),
	"session.mcp.oauth.login":                                of(loginServer),
	"session.mcp.oauth.handlePendingRequest":                 answering[pendingAnswer](failQuestion(approval.SignsIn), of(answerSignIn)),
	"session.mcp.oauth.probe":                                of(probeServer),
	"session.mcp.oauth.authenticationStateChanged":           of(credentialsChanged),
	"session.mcp.headers.handlePendingHeadersRefreshRequest": answering[pendingAnswer](failQuestion(approval.GivesHeaders), of(answerHeaders)),
	"session.lsp.initialize":                                 inOrder(of(initializeLanguageServers)),
	"session.mcp.apps.setHostContext":                        of(setAppContext),
	"session.mcp.apps.getHostContext":                        of(getAppContext),
	"session.mcp.apps.diagnose":                              in(diagnoseApps),
	"session.mcp.apps.listTools":                             in(listAppTools),
	"session.mcp.apps.callTool":                              in(callAppTool),
	"session.mcp.apps.readResource":                          in(readAppResource),

	"session.eventLog.read":             polling(awaitsEvent, in(readEvents)),
	"session.eventLog.tail":             in(endOfEvents),
	"session.eventLog.registerInterest": in(registerInterest),
	"session.eventLog.releaseInterest":  on(releaseInterest),

	"session.tools.handlePendingToolCall":                answering[wire.ToolCallAnswer](failToolCall, in(answerToolCall)),
	"session.permissions.handlePendingPermissionRequest": answering[wire.OfferedAnswer](failPermission, of(answerPermission)),
	"session.ui.handlePendingUserInput":                  answering[userInputAnswered](failQuestion(approval.AnswersQuestions), of(answerUserInput)),
	"session.ui.handlePendingExitPlanMode":               answering[planAnswered](failQuestion(approval.DecidesOnPlans), of(answerPlan)),

	"session.ui.elicitation":                           of(elicit),
	"session.ui.ephemeralQuery":                        in(ephemeralQuery),
	"session.ui.handlePendingElicitation":              answering[elicitationAnswered](failQuestion(approval.FillsForms), of(answerElicitation)),
	"session.ui.handlePendingSampling":                 answering[samplingAnswered](failQuestion(approval.Samples), of(answerSampling)),
	"session.ui.handlePendingAutoModeSwitch":           answering[switchAnswered](failQuestion(approval.SwitchesModel), of(answerSwitch)),
	"session.ui.handlePendingSessionLimitsExhausted":   answering[limitAnswered](failQuestion(approval.RaisesLimits), of(answerLimit)),
	"session.ui.registerDirectAutoModeSwitchHandler":   in(handleSwitches),
	"session.ui.unregisterDirectAutoModeSwitchHandler": of(stopHandlingSwitches),

	"session.history.compact":                    of(compact),
	"session.history.summarizeForHandoff":        of(summarizeForHandoff),
	"session.history.cancelBackgroundCompaction": of(cancelCompaction),
	"session.history.abortManualCompaction":      of(abortCompaction),

	"session.permissions.configure":                            inOrder(of(configurePermissions)),
	"session.permissions.setApproveAll":                        inOrder(of(setApproveAll)),
	"session.permissions.setMode":                              inOrder(of(setPermissionMode)),
	"session.permissions.getMode":                              inOrder(of(getPermissionMode)),
	"session.permissions.getCapabilities":                      inOrder(of(permissionCapabilities)),
	"session.permissions.resetSessionApprovals":                inOrder(of(resetApprovals)),
	"session.permissions.pendingRequests":                      of(pendingPermissions),
	"session.permissions.offer":                                of(offerPermission),
	"session.permissions.setRequired":                          inOrder(in(setPermissionRequired)),
	"session.permissions.notifyPromptShown":                    of(notifyPromptShown),
	"session.permissions.modifyRules":                          inOrder(of(modifyRules)),
	"session.permissions.urls.setUnrestrictedMode":             inOrder(of(allowURLs)),
	"session.permissions.paths.list":                           inOrder(of(listFolders)),
	"session.permissions.paths.add":                            inOrder(of(addFolder)),
	"session.permissions.paths.updatePrimary":                  inOrder(of(setPrimaryFolder)),
	"session.permissions.paths.isPathWithinAllowedDirectories": inOrder(of(withinFolders)),
	"session.permissions.paths.isPathWithinWorkspace":          inOrder(of(withinWorkspace)),
	"session.permissions.locations.resolve":                    of(resolveLocation),
	"session.permissions.locations.apply":                      inOrder(of(applyLocation)),
	"session.permissions.locations.addToolApproval":            inOrder(of(addToolApproval)),
	"session.permissions.folderTrust.isTrusted":                in(isTrusted),
	"session.permissions.folderTrust.addTrusted":               in(addTrusted),

	"session.quarantine.list":  of(listAside),
	"session.quarantine.allow": of(takeBack),
}
