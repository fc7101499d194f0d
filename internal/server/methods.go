package server

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/jsonrpc"
	"github.com/sidestick-dev/sidestick/internal/session"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// method carries out one method.
type method struct {
	run func(ctx context.Context, c *conn, params json.RawMessage) (any, error)
	// ordered methods take effect in the order in which they arrived for their session.
	// They must be quick and must not wait for a client.
	ordered bool
	// byRequest: the order is that of the methods with the same requestId.
	byRequest bool
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

	"sessions.fork": on(forkSession),

	"session.getMessages":    in(getMessages),
	"session.send":           inOrder(of(send)),
	"session.abort":          inOrder(of(abort)),
	"session.log":            inOrder(of(logEntry)),
	"session.model.switchTo": inOrder(of(switchModel)),
	"session.options.update": inOrder(of(updateOptions)),

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
	"session.workspaces.createFile":      inOrder(of(createFile)),
	"session.workspaces.saveLargePaste":  inOrder(of(savePaste)),
	"session.workspaces.listCheckpoints": of(listCheckpoints),
	"session.workspaces.readCheckpoint":  in(readCheckpoint),

	"session.queue.pendingItems":     of(pendingItems),
	"session.queue.removeMostRecent": inOrder(of(removeMostRecent)),
	"session.queue.clear":            inOrder(of(clearQueue)),
	"session.history.clearContext":   inOrder(of(clearContext)),
	"session.history.truncate":       inOrder(of(truncate)),
	"session.shutdown":               inOrder(of(shutdownSession)),

	"session.metadata.snapshot":               of(snapshot),
	"session.metadata.isProcessing":           of(isProcessing),
	"session.metadata.activity":               of(activity),
	"session.metadata.contextInfo":            of(contextInfo),
	"session.metadata.recomputeContextTokens": of(contextTokens),
	"session.metadata.setWorkingDirectory":    inOrder(of(setWorkingDirectory)),
	"session.metadata.recordContextChange":    inOrder(of(recordContextChange)),
	"session.usage.getMetrics":                of(usageMetrics),

	"llmInference.setProvider":       on(setInferenceProvider),
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

	"session.agent.list":       inOrder(of(listAgents)),
	"session.agent.getCurrent": inOrder(of(currentAgent)),
	"session.agent.select":     inOrder(of(selectAgent)),
	"session.agent.deselect":   inOrder(of(deselectAgent)),
	"session.agent.reload":     inOrder(of(reloadAgents)),
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

// decode reads parameters. Unknown fields are ignored, as the protocol demands;
// absent parameters are an empty object.
func decode[P any](params json.RawMessage) (p P, err error) {
	if len(bytes.TrimSpace(params)) == 0 {
		return p, nil
	}
	if err := json.Unmarshal(params, &p); err != nil {
		return p, fault.New(fault.Invalid, "", "", "invalid parameters: %s", misfit[P](params, err))
	}
	return p, nil
}

// misfit returns which parameter does not fit and why, after decoding all of them
// failed with err. It tries them one by one, because types that decode themselves do
// not know their name.
func misfit[P any](params json.RawMessage, err error) string {
	var fields map[string]json.RawMessage
	if json.Unmarshal(params, &fields) != nil {
		return "they are not one JSON object"
	}
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		var p P
		alone := append(append(wire.AppendString([]byte("{"), name), ':'), fields[name]...)
		var kind *json.UnmarshalTypeError
		switch err := json.Unmarshal(append(alone, '}'), &p); {
		case err == nil:
		case errors.As(err, &kind):
			kind.Field = path(name, kind.Field)
			return fault.JSON(kind).Error()
		case strings.Contains(err.Error(), "union variant"): // of the SDK, which names a type of Go
			return name + " has none of the types that the protocol allows for it"
		default:
			return fmt.Sprintf("%s cannot be read: %v", name, fault.JSON(err))
		}
	}
	return fault.JSON(err).Error()
}

// path returns the path to a value in a parameter; field is the path in the whole or,
// in types that decode themselves, in the parameter.
func path(parameter, field string) string {
	first, _, _ := strings.Cut(field, ".")
	switch {
	case field == "":
		return parameter
	case strings.EqualFold(first, parameter):
		return field
	}
	return parameter + "." + field
}

// missing returns the error for a required parameter that is absent or empty.
func missing(name string) error {
	return fault.New(fault.Invalid, "", "", "%s is missing", name)
}

// encode returns a value of package wire as a result.
func encode(v any) (any, error) {
	b, err := wire.Marshal(v)
	if err != nil {
		return nil, fault.New(fault.Internal, "server", "", "encoding a result: %w", err)
	}
	return json.RawMessage(b), nil
}

// codes maps faults to JSON-RPC codes; no other place does. Clients branch on -32601
// only, which is not a fault but a method that does not exist; the other codes are for
// logs.
var codes = map[fault.Kind]int{
	fault.Internal:    jsonrpc.InternalError,
	fault.Invalid:     jsonrpc.InvalidParams,
	fault.NotFound:    -32001,
	fault.Conflict:    -32002,
	fault.Denied:      -32003,
	fault.Unavailable: -32004,
	fault.Canceled:    jsonrpc.RequestCancelled,
}

// failure is the error of a method that a client has called.
type failure struct {
	method string
	err    error
}

func (f *failure) Error() string { return f.err.Error() }
func (f *failure) Unwrap() error { return f.err }

// call carries a method out for a client. An error remembers the method, for errorOf.
func (m method) call(ctx context.Context, c *conn, req *jsonrpc.Request) (any, error) {
	result, err := m.run(ctx, c, req.Params)
	if err != nil {
		err = &failure{req.Method, err}
	}
	return result, err
}

// errorOf returns an error as the client reads it: its text names the method that the client
// has called, no function of this program, and no secret.
func (s *Server) errorOf(err error) *jsonrpc.Error {
	var e *jsonrpc.Error
	if errors.As(err, &e) {
		return e
	}
	method := ""
	var f *failure
	if errors.As(err, &f) {
		method = f.method
	}
	return &jsonrpc.Error{Code: codes[fault.KindOf(err)], Message: s.opts.Secrets.Redact(fault.ForClient(err, method))}
}
