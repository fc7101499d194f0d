package server_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/sidestick-dev/sidestick/internal/jsonrpc"
	"github.com/sidestick-dev/sidestick/internal/server"
)

// previewMethods are those that the previews of the Node SDK 1.0.15 have in addition to 1.0.14.
var previewMethods = strings.Fields(`
	accounts.acquireEntraToken catalog.select
	mcp.applyInstall mcp.applyUninstall mcp.installations.cancel mcp.installations.list mcp.installations.recover mcp.installations.status
	mcp.planUninstall mcp.prepareInstall
	sandbox.getHostSupport
	session.accounts.enumerate session.accounts.get session.accounts.login.advance session.accounts.login.begin session.accounts.login.cancel session.accounts.set
	session.connectors.connect session.connectors.continueConnection session.connectors.disconnect session.connectors.getCapabilities
	session.connectors.getStatus session.connectors.list session.connectors.reconcile session.connectors.reconcileForStartup session.connectors.reconnect
	session.connectors.refresh session.connectors.withdrawProjection
	session.customizations.reload session.diagnostics.configure session.diagnostics.read session.instructions.reload session.managedSettings.get
	session.mcp.oauth.cancelLogin session.mcp.oauth.prepareLogin
	session.plugins.disable session.plugins.enable session.plugins.install session.plugins.marketplaces.add session.plugins.marketplaces.browse
	session.plugins.marketplaces.list session.plugins.marketplaces.refresh session.plugins.marketplaces.remove session.plugins.uninstall session.plugins.update
	session.provider.sync session.queue.appendSteering session.queue.withdrawMessage
	session.workflow.agent session.workflow.cancel session.workflow.getRun session.workflow.getRunDetail session.workflow.getRunProgress
	session.workflow.journal.get session.workflow.journal.put session.workflow.listRuns session.workflow.log session.workflow.pause
	session.workflow.pauseAtCheckpoint session.workflow.resume session.workflow.resumeFromTool session.workflow.run session.workflow.runFromTool
	skills.applyInstall skills.applyUninstall skills.installations.cancel skills.installations.list skills.installations.recover
	skills.installations.setEnabled skills.installations.status skills.planInstall skills.planUninstall
`)

// Each method of a preview exists, or is answered with the code at which SDKs fall back, its
// name and the reason.
func TestMethodsOfPreviewsAreAnsweredByName(t *testing.T) {
	inBubble(t, setup{}, func(t *testing.T, p *process) {
		c := p.connect()
		for _, name := range previewMethods {
			if slices.Contains(server.Methods(), name) {
				continue
			}
			got := c.answer(c.request(name, `{"sessionId":"s1"}`)).failure
			if got.Code != jsonrpc.MethodNotFound || !strings.HasPrefix(got.Message, "Unhandled method "+name+": ") {
				t.Errorf("%s is answered with %d %q", name, got.Code, got.Message)
			}
		}
	})
	for _, name := range server.OfPreviews() {
		if !slices.Contains(previewMethods, name) || slices.Contains(server.Methods(), name) || slices.Contains(server.Unimplemented(), name) {
			t.Errorf("%s does not belong into previews.go", name)
		}
	}
}
