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
	{"this program installs no MCP servers; clients answer requests for tokens with session.mcp.oauth.handlePendingRequest", `
		mcp.planInstall session.mcp.configureGitHub session.mcp.oauth.respond session.mcp.registerExternalClient
		session.mcp.reloadWithConfig session.mcp.unregisterExternalClient
	`},
	{"tools run when the model calls them, with its permissions; run a command with session.shell.exec", `
		session.tools.execute session.tools.getBuiltinDescriptors session.tools.taskCompleteEventData
	`},
	{"summaries are in the session's log, and session.workspaces.listCheckpoints lists them; clients keep notes with session.metadata.updateClientMetadata", `
		session.workspaces.addSummary session.workspaces.truncateSummaries session.workspaces.updateMetadata
	`},
	{"autopilot follows the messages of the session, and has no objective in a file", `
		session.workspaces.autopilotObjectiveExists session.workspaces.deleteAutopilotObjective session.workspaces.readAutopilotObjective
		session.workspaces.writeAutopilotObjective
	`},
	{"the reference runtime calls these methods itself; the queue of this program needs no such calls", `
		session.queue.beginDeferredIdleDrain session.queue.consumeSystemNotifications session.queue.deferSessionIdle
		session.queue.enqueueResumePending session.queue.finishDeferredIdleDrain session.queue.hasPending
		session.queue.process session.queue.snapshot
		session.sendSystemNotification
	`},
	{"a slash command takes effect when it is invoked", `
		session.commands.finalizeInvocationEffect
	`},
	{"the tiers of the model \"auto\" are a choice of the GitHub service; this program leaves \"auto\" to the provider; choose a model with session.model.switchTo", `
		session.model.switchAutoTier
	`},
	{"a session runs on the model that its client names; the provider decides which models there are, and no service chooses one", `
		session.limitPrediction.predict session.model.applyStartupOverlay
	`},
	{"sidestick sessions show prints the log of a session, and --log-dir writes the diagnostic log to a file", `
		session.debug.collectLogs
	`},
	{"the reference runtime calls these methods itself; user.settings.get returns the user's settings", `
		session.settings.evaluatePredicate session.settings.snapshot
	`},
	{"models have no tool to pace a scheduled prompt; the others are read from the log when a session is resumed", `
		session.schedule.addSelfPaced session.schedule.hydrate session.schedule.rearmSelfPaced
	`},
	{"factories and extensions of the Copilot CLI are not run, and nothing is searched in catalogues on the network", `
		catalog.search registerExtensionLaunchProvider sessions.configureSessionExtensions
		session.canvas.provider.register session.canvas.provider.unregister
		session.factory.agent session.factory.cancel session.factory.getRun session.factory.getRunDetail session.factory.getRunProgress
		session.factory.journal.get session.factory.journal.put session.factory.listRuns session.factory.log session.factory.pause
		session.factory.pauseAtCheckpoint session.factory.resume session.factory.resumeFromTool session.factory.run session.factory.runFromTool
	`},
	{"a session has the account of its token, which session.gitHubAuth.setCredentials sets; this program does not sign users in to GitHub", `
		session.gitHubAuth.getAllAuthAvailable
		session.gitHubAuth.getCurrentAuthInfo session.gitHubAuth.lastAuthErrors session.gitHubAuth.login
		session.gitHubAuth.logout session.gitHubAuth.logoutUser session.gitHubAuth.refreshCopilotUser
		session.gitHubAuth.switchToAuth
	`},
	{"policies of GitHub that exclude files are not fetched; deny files with rules or managedSettings", `
		session.contentExclusion.checkPaths
	`},
}

// calledOnClients lists the methods that a server calls on a client: all of the schema but those of neverCalled, and
// seven that the schema lacks.
const calledOnClients = `
	autoModeSwitch.request canvas.action.invoke canvas.close canvas.open exitPlanMode.request gitHubTelemetry.event gitHubToken.getToken hooks.invoke
	llmInference.httpRequestChunk llmInference.httpRequestStart providerToken.getToken session.event sessionFs.appendFile sessionFs.exists
	sessionFs.mkdir sessionFs.readFile sessionFs.readdir sessionFs.readdirWithTypes sessionFs.rename sessionFs.rm sessionFs.sqliteExists
	sessionFs.sqliteQuery sessionFs.sqliteTransaction sessionFs.stat sessionFs.writeFile skillProvider.list skillProvider.read systemMessage.transform tasks.cancel userInput.request
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
