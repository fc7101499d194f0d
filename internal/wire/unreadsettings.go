package wire

import (
	"maps"
	"reflect"
	"slices"

	"github.com/github/copilot-sdk/go/rpc"
)

// Setting is a setting on which this version does not act: a member of the parameters of
// session.create, session.resume or session.options.update, or of an object in them. The types that
// they are decoded into have the other ones. Delete the line of a setting when you implement it.
type Setting struct {
	// Field is its name; in [Unread], its path.
	Field string
	// Kept lists the values that ask for the existing behaviour, as JSON, separated by a space; "*"
	// stands for every value. Empty values never ask for anything: null, false, 0, "" and
	// lists and objects that have only such values. "{}" says so of a refused setting.
	Kept string
	// Why completes "… has no effect, because".
	Why string
	// Refused settings fail the request, because going on without them would do harm.
	// An empty object asks for them, too, unless Kept is "{}".
	Refused bool
	// Off says that false, and an empty list, ask for something, too.
	Off bool
	// Update says that of the methods of SDKs only session.options.update has it.
	Update bool
}

// unreadSettings are the settings on which this version does not act, by the type that the object
// which has them is decoded into. A test compares them, and the fields of those types, with the SDK's.
var unreadSettings = map[reflect.Type][]Setting{
	reflect.TypeFor[Config]():          topSettings,
	reflect.TypeFor[MCPServerConfig](): serverSettings,
	reflect.TypeFor[MCPOAuth](): {
		{Field: "callbackPort", Why: "the browser comes back to a port that is free"},
		{Field: "authServerMetadataUrl", Why: "the metadata are read where the server and its authorization server have them; an issuer that they name otherwise is accepted with oauthIssuer"},
	},
	reflect.TypeFor[Send]():             sendSettings,
	reflect.TypeFor[SendMessages]():     {{Field: "tracestate", Kept: "*", Why: "spans do not contain it"}},
	reflect.TypeFor[PermissionsPatch](): {exclusionPolicies},
	reflect.TypeFor[ModeSet](): {
		{Field: "compactionDecision", Kept: "*", Why: "nothing is asked before the mode changes"},
		{Field: "inheritPlanBaseFromSessionId", Why: "plan mode has no model of its own"},
		{Field: "persistPlanSelection", Why: "plan mode has no model of its own"},
		{Field: "pickerSettingsContext", Why: "plan mode has no model of its own"},
		{Field: "planContextTier", Kept: `"default"`, Why: "each model has one context size"},
		{Field: "planExitAction", Why: "the answer to the plan decides what follows"},
		{Field: "planModel", Why: "plan mode has no model of its own; change it with session.model.switchTo"},
		{Field: "planModelConfigured", Why: "plan mode has no model of its own; change it with session.model.switchTo"},
		{Field: "planReasoningEffort", Why: "plan mode has no model of its own; change it with session.model.setReasoningEffort"},
		{Field: "restorePlanModel", Kept: "*", Why: "plan mode does not change the model"},
	},
	reflect.TypeFor[ModelSwitch](): {
		{Field: "compactionDecision", Kept: "*", Why: "nothing is asked before the model changes"},
		{Field: "contextTier", Kept: `"default"`, Why: "each model has one context size"},
		{Field: "deferIfModelChangeQueued", Why: "a change of the model takes effect at once and is not queued"},
		{Field: "modelChangeScope", Kept: `"session"`, Why: "the model is that of the session; it is not saved as the user's choice"},
		{Field: "pickerPersistence", Why: "the model is that of the session; it is not saved as the user's choice"},
		{Field: "repoScope", Why: "the model is that of the session; it is not saved for a repository"},
		{Field: "runCompactionPreflight", Why: "the conversation is compacted before the next call if it is too long for the model"},
		{Field: "source", Kept: "*", Why: "a change by a client is recorded as such"},
		{Field: "verbosity", Kept: `"medium"`, Why: "models are not asked for shorter or longer answers"},
	},
	reflect.TypeFor[SendItem](): {
		{Field: "mode", Kept: `"enqueue"`, Why: "the method decides when the message is sent"},
		{Field: "prepend", Why: "the method decides when the message is sent"},
		{Field: "wait", Why: "the method decides when it answers"},
	},
	reflect.TypeFor[MCPDiscover](): {
		{Field: "includeEffectiveSource", Why: "where a server comes from is not told in another way than by its source"},
	},
	reflect.TypeFor[PermissionModeSet](): {
		{Field: "assistedApprovalModel", Why: "no model decides on permissions"},
	},
	reflect.TypeFor[ShutdownParams](): {
		{Field: "detachSessionEndHooks", Why: "a session that ends waits for its hooks, as long as their limits say"},
	},
	reflect.TypeFor[TaskWrite](): {
		{Field: "fromAgentId", Why: "a message of a client is one of its user"},
	},
	reflect.TypeFor[ProviderModel](): {
		{Field: "systemMessage", Why: "all models of a session have the same system message"},
	},
	reflect.TypeFor[Tool](): {
		{Field: "metadata", Kept: "*", Why: "only the client uses it"},
		{Field: "instructions", Why: "the model reads the description; say there how to use the tool"},
		{Field: "namespace", Kept: "*", Why: "a deferred tool is offered by itself, and not with others of its namespace"},
		{Field: "namespacedName", Kept: "*", Why: "lists of tools have the names of tools"},
	},
	reflect.TypeFor[Connect](): {
		{Field: "entra", Refused: true, Why: "nobody is signed in with Microsoft Entra; leave it out, and send bearerToken or hasBearerTokenProvider with provider"},
	},
	reflect.TypeFor[CustomAgent](): {
		{Field: "hooks", Kept: "{}", Refused: true, Why: "hooks of an agent are not run, and what they are to prevent would happen; implement hooks in the client"},
		{Field: "modelPolicy", Kept: `"preferred"`, Refused: true, Why: "the agent would run on the session's model if its own cannot be called; leave modelPolicy out, and look with models.list whether its model can be called"},
	},
	reflect.TypeFor[CapiOptions](): {
		{Field: "autoTier", Why: "the Copilot API is called without tiers"},
	},
	reflect.TypeFor[Provider](): {
		{Field: "apiKeyCommand", Refused: true, Why: "commands of clients are not run for keys; send apiKey, or hasBearerTokenProvider and answer providerToken.getToken"},
		{Field: "providerName", Kept: "*", Why: "only the client uses it"},
		{Field: "modelProvider", Kept: `"openai" "anthropic" "ollama" "lm_studio" "foundry_local" "llama_cpp"`, Why: "the type and the address of the provider say how it is called"},
	},
	reflect.TypeFor[NamedProvider](): {
		{Field: "modelCapabilities", Why: "its models have capabilities of their own; send them in models"},
		{Field: "maxContextWindowTokens", Why: "its models have limits of their own; send them in models"},
		{Field: "maxPromptTokens", Why: "its models have limits of their own; send them in models"},
		{Field: "maxOutputTokens", Why: "its models have limits of their own; send them in models"},
		{Field: "modelId", Why: "its models have names of their own; send them in models"},
		{Field: "wireModel", Why: "its models have names of their own; send them in models"},
	},
	reflect.TypeFor[rpc.ModelCapabilitiesOverrideSupports](): {
		{Field: "adaptive_thinking", Why: "how a model thinks follows from its name"},
		{Field: "reasoningEffort", Off: true, Why: "the provider decides which efforts a model takes"},
		{Field: "toolCalls", Off: true, Kept: "true", Why: "every model is offered the tools of the session"},
	},
	reflect.TypeFor[rpc.ModelCapabilitiesOverrideLimits](): {
		{Field: "vision", Why: "the limits of pictures are the same for all models"},
	},
}

// exclusionPolicies are refused wherever a client sends them.
var exclusionPolicies = Setting{
	Field:   "additionalContentExclusionPolicies",
	Refused: true, Update: true,
	Why: "files are not excluded by policies, and the model would read them; deny files with rules or managedSettings",
}

var topSettings = []Setting{
	exclusionPolicies,
	{Field: "agentContext", Update: true, Why: "a session is the same in every context"},
	{Field: "allowAllMcpServerInstructions", Update: true, Why: "instructions of MCP servers are not part of the system message"},
	{Field: "allowedModels", Refused: true, Off: true, Why: "the session would call other models, too; send the list with session.model.setAllowedModels before the first message"},
	{Field: "cloud", Refused: true, Why: "sessions run on this machine only, and a local session would act on other files; leave out cloud to have one"},
	{Field: "coauthorEnabled", Why: "commit messages get no line about a co-author"},
	{Field: "configDir", Why: "the configuration folder is that of the process (COPILOT_HOME)"},
	{Field: "contextTier", Kept: `"default"`, Why: "each model has one context size"},
	{Field: "copilotUrl", Refused: true, Update: true, Why: "the conversation would be sent to the address of the process; name the address with provider"},
	{Field: "customAgentsLocalOnly", Kept: "*", Why: "no agents come from remote services"},
	{Field: "diagnostics", Why: "diagnostics are not collected"},
	{Field: "embeddingCacheStorage", Kept: "*", Why: "there are no embeddings"},
	{Field: "enableManagedSettings", Refused: true, Why: "the policy of the account is not fetched, and would not be enforced"},
	{Field: "enableOnDemandInstructionDiscovery", Why: "instructions are read when a run begins"},
	{Field: "enableScriptSafety", Off: true, Kept: "true", Update: true, Why: "commands are always analysed before they run; allow them with rules"},
	{Field: "enableSessionStore", Why: "sessions are not searched by other sessions"},
	{Field: "enableSessionTelemetry", Kept: "*", Why: "no telemetry is collected"},
	{Field: "enforceManagedModelDefaults", Why: "no policy chooses models"},
	{Field: "eventsLogDirectory", Update: true, Why: "the log is in the folder of the session; clients keep it with sessionFs"},
	{Field: "eventsLogIncludesSubagents", Off: true, Kept: "true", Update: true, Why: "the log has the events of sub-agents, because a resume reads them there"},
	{Field: "excludedManagedSettings", Why: "there are no managed settings but those that the client sends"},
	{Field: "expAssignments", Why: "there are no experiments"},
	{Field: "extensionSdkPath", Why: "there are no extensions"},
	{Field: "factories", Why: "there are no workflows"},
	{Field: "featureFlags", Why: "there are no feature flags"},
	{Field: "hookDirectories", Refused: true, Why: "hooks of other folders are not run, and what they are to prevent would happen; put the hooks into .github/hooks of the working directory and send enableFileHooks, or trust that folder with session.permissions.folderTrust.addTrusted, or implement hooks in the client"},
	{Field: "ignoredSkillsLocations", Update: true, Why: "skills are looked for in every folder; leave out skills with disabledSkills"},
	{Field: "imageGeneration", Why: "models are not asked for pictures"},
	{Field: "includedBuiltinSkills", Update: true, Why: "there are no built-in skills"},
	{Field: "integrationId", Update: true, Why: "calls of models name the client with clientName"},
	{Field: "interactiveUser", Kept: "*", Why: "messages of users are not analysed"},
	{Field: "isExperimentalMode", Why: "there are no experimental features"},
	{Field: "lifecycleDiagnostics", Why: "diagnostics are not collected"},
	{Field: "logInteractiveShells", Update: true, Why: "the log has the commands and their output, and no other record of shells"},
	{Field: "lspClientName", Kept: "*", Update: true, Why: "there are no language servers"},
	{Field: "manageScheduleEnabled", Why: "there is no tool manage_schedule"},
	{Field: "maxInlineBinaryBytes", Refused: true, Update: true, Why: "the limit of pictures in results of tools is fixed, and larger ones would be sent to the model"},
	{Field: "memory", Why: "there is no memory across sessions"},
	{Field: "openCanvases", Why: "canvases are not opened again"},
	{Field: "refreshCustomInstructions", Kept: "*", Why: "each run reads the instructions again"},
	{Field: "remoteSession", Kept: `"off"`, Why: "sessions are not exported to GitHub"},
	{Field: "requestCanvasRenderer", Why: "models cannot open canvases"},
	{Field: "requestExtensions", Why: "there are no extensions"},
	{Field: "requestedEnvironmentVariables", Refused: true, Why: "there are no extensions, and the variables are not passed on"},
	{Field: "runningInInteractiveMode", Off: true, Update: true, Why: "what a session asks its user follows from the clients that answer"},
	{Field: "sandboxConfigSource", Kept: "*", Why: "all sandbox configurations have the same precedence"},
	{Field: "sessionCapabilities", Refused: true, Off: true, Update: true, Why: "the session would keep the others; leave out requestUserInput, requestElicitation and the like when you create or resume it"},
	{Field: "shell", Update: true, Why: "shells start without profiles, scripts and credentials of clients"},
	{Field: "shellInitProfile", Kept: `"none" "None"`, Update: true, Why: "shells start without profiles"},
	{Field: "shellProcessFlags", Update: true, Why: "shells start with the same flags"},
	{Field: "skipEmbeddingRetrieval", Kept: "*", Why: "there are no embeddings"},
	{Field: "tracestate", Kept: "*", Why: "spans do not contain it"},
	{Field: "trajectoryFile", Update: true, Why: "sidestick sessions export writes the session to a file"},
	{Field: "trustWorkingDirectory", Refused: true, Why: "hooks, servers and agents of the folder would not run; trust what the folder has now with session.permissions.folderTrust.addTrusted, or with sidestick trust"},
	{Field: "verbosity", Kept: `"medium"`, Update: true, Why: "models are not asked for shorter or longer answers"},
	{Field: "workflows", Why: "there are no workflows"},
}

var sendSettings = []Setting{
	{Field: "billable", Kept: "true", Off: true, Why: "the provider decides what a message costs"},
	{Field: "requiredTool", Refused: true, Why: "the message would be sent without the tool, too; look for it with session.tools.getCurrentMetadata"},
	{Field: "tracestate", Kept: "*", Why: "spans do not contain it"},
}

var serverSettings = []Setting{
	{Field: "auth", Why: "servers are signed in to with the fields that begin with oauth"},
	{Field: "configWarnings", Kept: "*", Why: "it describes the configuration"},
	{Field: "disableSecretMasking", Kept: "*", Why: "what is masked does not depend on the server"},
	{Field: "disableToolCache", Kept: "*", Why: "a server lists its tools whenever it starts"},
	{Field: "envFile", Why: "files with variables are not read; send env"},
	{Field: "events", Why: "no events of servers are passed on"},
	{Field: "filterMapping", Why: "results of tools are not filtered"},
	{Field: "gallery", Kept: "*", Why: "it describes the configuration"},
	{Field: "headersHelper", Why: "programs are not run for headers; write headers, which can refer to variables as ${NAME}"},
	{Field: "isDefaultServer", Kept: "*", Why: "it describes the configuration"},
	{Field: "notifications", Why: "no notifications of servers are passed on"},
	{Field: "oidc", Why: "servers are signed in to with the fields that begin with oauth"},
	{Field: "safeForTelemetry", Kept: "*", Why: "no telemetry is collected"},
	{Field: "sourcePath", Kept: "*", Why: "it describes the configuration"},
	{Field: "sourcePlugin", Kept: "*", Why: "it describes the configuration"},
	{Field: "sourcePluginSpec", Kept: "*", Why: "it describes the configuration"},
	{Field: "sourcePluginVersion", Kept: "*", Why: "it describes the configuration"},
	{Field: "version", Kept: "*", Why: "it describes the configuration"},
}

// MembersWithoutEffect returns the members of objects in settings on which this version does not act,
// with their paths: "[]" stands for each element of a list, "*" for each name. Objects of one kind
// that stand in several places are listed once, with a path that is as short as any.
func MembersWithoutEffect() (list []Setting) {
	type place struct {
		t    reflect.Type
		path string
	}
	seen := map[reflect.Type]bool{}
	for todo := []place{{reflect.TypeFor[Config](), ""}}; len(todo) > 0; todo = todo[1:] {
		at, known := todo[0], membersOf(todo[0].t)
		for _, name := range slices.Sorted(maps.Keys(known)) {
			switch m := known[name]; {
			case m.unread != nil && at.path != "":
				s := *m.unread
				s.Field = at.path + s.Field
				list = append(list, s)
			case m.unread == nil && m.inner != nil:
				inner := place{m.inner, at.path + name}
				for ; inner.t.Kind() != reflect.Struct; inner.t = indirect(inner.t.Elem()) {
					inner.path += map[bool]string{true: "[]", false: ".*"}[inner.t.Kind() == reflect.Slice]
				}
				if inner.path += "."; !seen[inner.t] {
					seen[inner.t] = true
					todo = append(todo, inner)
				}
			}
		}
	}
	return list
}

// SettingsWithoutEffect returns the settings of session.create, session.resume and
// session.options.update on which this version does not act.
func SettingsWithoutEffect() []Setting { return topSettings }
