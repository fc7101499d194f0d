package server

import (
	"slices"
	"strings"
)

// lack is a group of methods that clients may call and this server does not have, with
// the reason. Calling one is answered with -32601 and the reason.
type lack struct{ reason, methods string }

// unimplemented lists every method of the SDK's schema that this server does not have.
// A test compares this list and the methods that exist with the SDK's own list, so that
// each method of a new SDK version is decided on.
var unimplemented = []lack{
	{"this program does not sign in to MCP servers, and installs none", `
		mcp.planInstall session.mcp.configureGitHub session.mcp.headers.handlePendingHeadersRefreshRequest session.mcp.oauth.authenticationStateChanged
		session.mcp.oauth.handlePendingRequest session.mcp.oauth.probe session.mcp.oauth.respond session.mcp.registerExternalClient
		session.mcp.reloadWithConfig session.mcp.unregisterExternalClient
	`},
	{"clients cannot run a session's tools", `
		agentRegistry.spawn
		session.interruptMainTurn session.lsp.initialize session.shell.cancelUserRequested session.shell.exec
		session.shell.executeUserRequested session.shell.kill session.tools.execute
		session.tools.getBuiltinDescriptors session.tools.set session.tools.taskCompleteEventData
	`},
	{"a session's summaries and objectives cannot be managed yet, and its files only read and written", `
		session.workspaces.addSummary session.workspaces.autopilotObjectiveExists session.workspaces.createDirectory
		session.workspaces.deleteAutopilotObjective session.workspaces.diff session.workspaces.ensure session.workspaces.readAutopilotObjective
		session.workspaces.removePath session.workspaces.renamePath session.workspaces.statFile session.workspaces.truncateSummaries
		session.workspaces.updateMetadata session.workspaces.writeAutopilotObjective
	`},
	{"only session.history.truncate and clearContext remove history", `
		session.history.listRewindPoints session.history.previewRewind session.history.rewind
	`},
	{"messages can be removed from the queue, and nothing else", `
		session.queue.beginDeferredIdleDrain session.queue.consumeSystemNotifications session.queue.deferSessionIdle session.queue.duplicateAt
		session.queue.enqueueResumePending session.queue.finishDeferredIdleDrain session.queue.hasPending session.queue.insertAt session.queue.moveItem
		session.queue.process session.queue.removeAt session.queue.sendNow session.queue.setDrainPaused session.queue.snapshot session.queue.updateText
		session.sendMessages session.sendSystemNotification
	`},
	{"nothing is completed while the user types yet", `
		session.completions.getTriggerCharacters session.completions.request
	`},
	{"there are no slash commands yet", `
		commands.list session.commands.enqueue session.commands.execute session.commands.finalizeInvocationEffect session.commands.handlePendingCommand
		session.commands.invoke session.commands.list session.commands.respondToQueuedCommand
	`},
	{"budgets, schedules, objectives and providers of a session cannot be changed by clients yet", `
		session.autopilotObjective.getState session.debug.collectLogs session.limitPrediction.predict session.metadata.getClientMetadata
		session.metadata.getContextAttribution session.metadata.getContextHeaviestMessages session.metadata.updateClientMetadata
		session.model.applyStartupOverlay session.model.setAllowedModels session.model.switchAutoTier
		session.schedule.add session.schedule.addAt session.schedule.addCron session.schedule.addSelfPaced session.schedule.hasSelfPaced
		session.schedule.hydrate session.schedule.list session.schedule.rearmSelfPaced session.schedule.stop session.settings.evaluatePredicate
		session.settings.snapshot session.suspend session.visibility.get session.visibility.set
	`},
	{"hooks are run, but not listed", `
		hooks.discover
	`},
	{"plugins, extensions, canvases and factories are not run", `
		catalog.search extensions.disable extensions.discover extensions.enable plugins.builtin.set plugins.disable plugins.enable plugins.install
		plugins.list plugins.marketplaces.add plugins.marketplaces.browse plugins.marketplaces.list plugins.marketplaces.refresh plugins.marketplaces.remove
		plugins.uninstall plugins.update plugins.updateAll registerExtensionLaunchProvider session.canvas.action.invoke session.canvas.close
		session.canvas.list session.canvas.listOpen session.canvas.open session.canvas.provider.register session.canvas.provider.unregister
		session.extensions.disable session.extensions.enable session.extensions.list session.extensions.reload session.extensions.sendAttachmentsToMessage
		session.factory.agent session.factory.cancel session.factory.getRun session.factory.getRunDetail session.factory.getRunProgress
		session.factory.journal.get session.factory.journal.put session.factory.listRuns session.factory.log session.factory.pause
		session.factory.pauseAtCheckpoint session.factory.resume session.factory.resumeFromTool session.factory.run session.factory.runFromTool
		session.plugins.list session.plugins.reload
	`},
	{"stored sessions are managed with session.list, session.delete and the command line only", `
		sessions.bulkDelete sessions.checkInUse sessions.close sessions.configureSessionExtensions sessions.connect sessions.delete sessions.enrichMetadata
		sessions.findByPrefix sessions.findByTaskId sessions.getBoardEntryCount sessions.getClientMetadata sessions.getEventFilePath
		sessions.getLastForContext sessions.getMetadata sessions.getPersistedRemoteSteerable sessions.getRemoteControlStatus sessions.getSizes sessions.list
		sessions.listNonEmptySessionIds sessions.loadDeferredRepoHooks sessions.open sessions.pruneOld sessions.readPersistedEvents sessions.releaseLock
		sessions.reloadPluginHooks sessions.save sessions.setAdditionalPlugins sessions.setRemoteControlSteering sessions.startRemoteControl
		sessions.stopRemoteControl sessions.transferRemoteControl
	`},
	{"accounts, settings and remote control belong to the GitHub service; none is needed here", `
		account.getAllUsers account.getCurrentAuth account.getQuota account.login account.logout managedSettings.clearCache managedSettings.read
		models.getBuiltInCatalog secrets.addFilterValues session.contentExclusion.checkPaths session.gitHubAuth.getAllAuthAvailable
		session.gitHubAuth.getCurrentAuthInfo session.gitHubAuth.getStatus session.gitHubAuth.lastAuthErrors session.gitHubAuth.login
		session.gitHubAuth.logout session.gitHubAuth.logoutUser session.gitHubAuth.refreshCopilotUser session.gitHubAuth.setCredentials
		session.gitHubAuth.switchToAuth session.remote.disable session.remote.enable session.remote.notifySteerableChanged session.telemetry.getEngagementId
		session.telemetry.setFeatureOverrides user.settings.get user.settings.reload user.settings.set
	`},
	{"session files are handled by this process, not by a client, so far", `
		sessionFs.setProvider
	`},
}

// calledOnClients lists every method of the schema that a server calls on a client.
// None is called yet.
const calledOnClients = `
	canvas.action.invoke canvas.close canvas.open extensionLaunchProvider.resolve factory.abort factory.execute gitHubTelemetry.event gitHubToken.getToken
	hooks.invoke llmInference.httpRequestChunk llmInference.httpRequestStart providerToken.getToken sessionFs.appendFile sessionFs.exists sessionFs.mkdir
	sessionFs.readFile sessionFs.readdir sessionFs.readdirWithTypes sessionFs.rename sessionFs.rm sessionFs.sqliteExists sessionFs.sqliteQuery
	sessionFs.sqliteTransaction sessionFs.stat sessionFs.writeFile tasks.cancel
`

// whyMissing returns why a method is missing, "" for a method that neither the schema nor a
// preview has.
func whyMissing(method string) string {
	for _, l := range slices.Concat(unimplemented, ofPreviews) {
		for name := range strings.FieldsSeq(l.methods) {
			if name == method {
				return l.reason
			}
		}
	}
	return ""
}
