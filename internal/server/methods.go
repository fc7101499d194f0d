package server

import (
	"context"
	"encoding/json"

	"github.com/sidestick-dev/sidestick/internal/session"
)

// method carries out one method.
type method struct {
	run func(ctx context.Context, c *conn, params json.RawMessage) (any, error)
	// ordered methods take effect in the order in which they arrived for their session.
	// They must be quick and must not wait for a client.
	ordered bool
	// byRequest: the order is that of the methods with the same requestId.
	byRequest bool
	// waits, if not nil, reports which calls of an ordered method wait for a run: they do not
	// keep those behind them waiting, and may be overtaken by them.
	waits func(params json.RawMessage) bool
}

// methods is every method that clients may call.
var methods = map[string]method{
	"connect":          on(connect),
	"ping":             on(ping),
	"status.get":       on(status),
	"auth.getStatus":   on(authStatus),
	"models.list":      on(listModels),
	"runtime.shutdown": on(shutdown),

	"session.create":        configured(createSession),
	"session.resume":        configured(resumeSession),
	"session.list":          on(listSessions),
	"session.getMetadata":   on(getMetadata),
	"session.getLastId":     on(getLastID),
	"session.delete":        on(deleteSession),
	"session.getForeground": on(getForeground),
	"session.setForeground": on(setForeground),
	"session.destroy":       inOrder(on(destroySession)),
	"session.detach":        inOrder(on(detachSession)),

	"sessions.fork":                        on(forkSession),
	"sessions.list":                        on(listStored),
	"sessions.listNonEmptySessionIds":      on(nonEmptyIDs),
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
	"sessions.open":                        on(openSession),
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
	"secrets.addFilterValues":                  on(addSecrets),

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
	"user.settings.set":    on(setUserSettings),
	"user.settings.reload": on(reloadUserSettings),

	"plugins.list":                   on(listPlugins),
	"plugins.install":                on(installPlugin),
	"plugins.uninstall":              on(uninstallPlugin),
	"plugins.update":                 on(updatePlugin),
	"plugins.updateAll":              on(updatePlugins),
	"plugins.enable":                 on(enablePlugins),
	"plugins.disable":                on(disablePlugins),
	"plugins.builtin.set":            on(setBuiltinPlugins),
	"plugins.marketplaces.list":      on(listMarketplaces),
	"plugins.marketplaces.add":       on(addMarketplace),
	"plugins.marketplaces.browse":    on(browseMarketplace),
	"plugins.marketplaces.refresh":   on(refreshMarketplaces),
	"plugins.marketplaces.remove":    on(removeMarketplace),
	"session.plugins.list":           of(sessionPlugins),
	"session.plugins.reload":         inOrder(of(reloadSessionPlugins)),
	"sessions.setAdditionalPlugins":  on(setAdditionalPlugins),
	"sessions.reloadPluginHooks":     on(reloadHooks),
	"sessions.loadDeferredRepoHooks": on(loadDeferredHooks),

	"session.canvas.list":          of(listCanvases),
	"session.canvas.listOpen":      of(listOpenCanvases),
	"session.canvas.open":          of(openCanvas),
	"session.canvas.close":         of(closeCanvas),
	"session.canvas.action.invoke": of(actOnCanvas),

	"session.schedule.list": of(listSchedules),
	"session.schedule.stop": of(stopSchedule),

	"session.getMessages":       in(getMessages),
	"session.send":              inOrder(of(send)),
	"session.sendMessages":      unless(awaitsRun, of(sendMessages)),
	"session.abort":             inOrder(of(abort)),
	"session.interruptMainTurn": inOrder(of(interruptMainTurn)),
	"session.log":               inOrder(of(logEntry)),
	"session.model.switchTo":    inOrder(of(switchModel)),
	"session.options.update":    inOrder(of(updateOptions)),

	"session.mode.get":                 of(getMode),
	"session.mode.set":                 inOrder(of(setMode)),
	"session.name.get":                 of(getName),
	"session.name.set":                 inOrder(of(setName)),
	"session.name.setAuto":             inOrder(of(setAutoName)),
	"session.model.getCurrent":         of(currentModel),
	"session.model.list":               in(listSessionModels),
	"session.model.setReasoningEffort": inOrder(of(setReasoningEffort)),

	"session.plan.read":   of(readPlan),
	"session.plan.update": inOrder(of(updatePlan)),
	"session.plan.delete": inOrder(of(deletePlan)),

	"session.plan.readSqlTodos":                 of(readTodos),
	"session.plan.readSqlTodosWithDependencies": of(readTodosWithDependencies),

	"session.workspaces.getWorkspace":    of(getWorkspace),
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
	"session.queue.insertAt":           inOrder(of(insertAt)),
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

	"llmInference.setProvider":       on(setInferenceProvider),
	"sessionFs.setProvider":          on(setStorageProvider),
	"llmInference.httpResponseStart": inOrderOfRequest(on(startInferenceResponse)),
	"llmInference.httpResponseChunk": inOrderOfRequest(on(addInferenceResponse)),

	"session.provider.add":         inOrder(in(addProviders)),
	"session.provider.getEndpoint": in(providerEndpoint),

	"session.skills.list":             inOrder(of(listSkills)),
	"session.skills.enable":           inOrder(of(enableSkill)),
	"session.skills.disable":          inOrder(of(disableSkill)),
	"session.skills.reload":           inOrder(of(reloadSkills)),
	"session.skills.ensureLoaded":     inOrder(of(ensureSkills)),
	"session.skills.getInvoked":       in(invokedSkills),
	"skills.discover":                 on(discoverSkills),
	"skills.getDiscoveryPaths":        on(skillPaths),
	"skills.config.setDisabledSkills": on(setDisabledSkills),
	"skills.config.setSkillDisabled":  on(setSkillDisabled),

	"session.instructions.getSources": in(instructionSources),
	"instructions.discover":           on(discoverInstructions),
	"instructions.getDiscoveryPaths":  on(instructionPaths),

	"commands.list":                           on(listBuiltinCommands),
	"session.commands.list":                   of(listCommands),
	"session.commands.invoke":                 of(invokeCommand),
	"session.commands.execute":                of(executeCommand),
	"session.commands.enqueue":                inOrder(of(enqueueCommand)),
	"session.commands.handlePendingCommand":   in(answerCommand),
	"session.commands.respondToQueuedCommand": of(answerQueuedCommand),

	"session.shell.exec":                 of(shellExec),
	"session.shell.kill":                 of(shellKill),
	"session.shell.executeUserRequested": of(executeUserRequested),
	"session.shell.cancelUserRequested":  of(cancelUserRequested),

	"tools.list":                          on(listTools),
	"session.tools.getCurrentMetadata":    of(currentTools),
	"session.tools.initializeAndValidate": of(validateTools),

	"sandbox.getHostSupport":               on(sandboxSupport),
	"session.sandbox.getEnforcementStatus": of(sandboxEnforcement),
	"session.sandbox.disableForSession":    of(disableSandbox),

	"mcp.config.list":    on(listServerConfigs),
	"mcp.config.add":     on(addServerConfig),
	"mcp.config.update":  on(updateServerConfig),
	"mcp.config.remove":  on(removeServerConfig),
	"mcp.config.enable":  on(enableServerConfigs),
	"mcp.config.disable": on(disableServerConfigs),
	"mcp.config.reload":  on(reloadServerConfigs),
	"mcp.discover":       on(discoverServers),

	"session.mcp.list":                    of(listServers),
	"session.mcp.listTools":               of(listServerTools),
	"session.mcp.isServerRunning":         of(serverRunning),
	"session.mcp.enable":                  of(enableServer),
	"session.mcp.disable":                 of(disableServer),
	"session.mcp.startServer":             of(startServer),
	"session.mcp.stopServer":              of(stopServer),
	"session.mcp.restartServer":           of(restartServer),
	"session.mcp.reload":                  of(reloadServers),
	"session.mcp.moveLoadingToBackground": of(serversToBackground),
	"session.mcp.setEnvValueMode":         of(setEnvValueMode),
	"session.mcp.removeGitHub":            of(removeGitHub),
	"session.mcp.resources.list":          of(listResources),
	"session.mcp.resources.listTemplates": of(listTemplates),
	"session.mcp.resources.read":          in(readResource),
	"session.mcp.executeSampling":         of(executeSampling),
	"session.mcp.cancelSamplingExecution": of(cancelSampling),
	"session.mcp.oauth.login":             of(loginServer),
	"session.mcp.apps.setHostContext":     of(setAppContext),
	"session.mcp.apps.getHostContext":     of(getAppContext),
	"session.mcp.apps.diagnose":           in(diagnoseApps),
	"session.mcp.apps.listTools":          in(listAppTools),
	"session.mcp.apps.callTool":           in(callAppTool),
	"session.mcp.apps.readResource":       in(readAppResource),

	"session.eventLog.read":             in(readEvents),
	"session.eventLog.tail":             in(endOfEvents),
	"session.eventLog.registerInterest": in(registerInterest),
	"session.eventLog.releaseInterest":  on(releaseInterest),

	"session.tools.handlePendingToolCall":                in(answerToolCall),
	"session.permissions.handlePendingPermissionRequest": of(answerPermission),
	"session.ui.handlePendingUserInput":                  of(answerUserInput),
	"session.ui.handlePendingExitPlanMode":               of(answerPlan),

	"session.ui.elicitation":                           of(elicit),
	"session.ui.ephemeralQuery":                        in(ephemeralQuery),
	"session.ui.handlePendingElicitation":              of(answerElicitation),
	"session.ui.handlePendingSampling":                 of(answerSampling),
	"session.ui.handlePendingAutoModeSwitch":           of(answerSwitch),
	"session.ui.handlePendingSessionLimitsExhausted":   of(answerLimit),
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
	"session.permissions.resetSessionApprovals":                inOrder(of(resetApprovals)),
	"session.permissions.pendingRequests":                      of(pendingPermissions),
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
}

// on returns a method that calls a function of the connection.
func on[P any](f func(ctx context.Context, c *conn, p P) (any, error)) method {
	return method{run: func(ctx context.Context, c *conn, params json.RawMessage) (any, error) {
		p, err := decode[P](params)
		if err != nil {
			return nil, err
		}
		return f(ctx, c, p)
	}}
}

// of returns a method that calls a function of a session that the client is attached
// to.
func of[P any](f func(ctx context.Context, s *session.Session, p P) (any, error)) method {
	return in(func(ctx context.Context, _ *conn, a *attachment, p P) (any, error) {
		return f(ctx, a.client.Session(), p)
	})
}

// in returns a method that calls a function of the client's attachment to a session.
func in[P any](f func(ctx context.Context, c *conn, a *attachment, p P) (any, error)) method {
	return method{run: func(ctx context.Context, c *conn, params json.RawMessage) (any, error) {
		p, err := decode[P](params)
		if err != nil {
			return nil, err
		}
		a, err := c.attachment(sessionID(params))
		if err != nil {
			return nil, err
		}
		return f(ctx, c, a, p)
	}}
}

// inOrderOfRequest is inOrder for methods that are about one request of the server, and of no
// session.
func inOrderOfRequest(m method) method {
	m.ordered, m.byRequest = true, true
	return m
}

func inOrder(m method) method {
	m.ordered = true
	return m
}

// unless returns a method that is ordered, but for calls that wait for a run.
func unless(waits func(params json.RawMessage) bool, m method) method {
	m.ordered, m.waits = true, waits
	return m
}
