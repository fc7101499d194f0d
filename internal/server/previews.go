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
