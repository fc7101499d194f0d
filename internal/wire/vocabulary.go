package wire

import (
	"errors"
	"fmt"
	"strings"

	"github.com/github/copilot-sdk/go/rpc"
)

// ProtocolVersion is the version of the protocol that this program speaks: that of every SDK 1.x.
const ProtocolVersion = 3

// CheckProtocol refuses versions that this program does not speak, because a client of another version would
// lose settings without a word. SDKs say no version: the one who opens a door for them does.
func CheckProtocol(version int) error {
	switch version {
	case ProtocolVersion:
		return nil
	case 4:
		return errors.New("this version speaks 3; SDK 2.x needs 4; use SDK 1.x, newest 1.0.x")
	}
	return fmt.Errorf("%d is no version of the protocol; this version speaks %d", version, ProtocolVersion)
}

// EventType names an event, as in "assistant.message".
type EventType = rpc.SessionEventType

// Data is the payload of an event. Its dynamic type determines the event's type.
type Data = rpc.SessionEventData

// The payloads that this program emits.
type (
	SessionStart           = rpc.SessionStartData
	SessionResume          = rpc.SessionResumeData
	SessionShutdown        = rpc.SessionShutdownData
	SessionIdle            = rpc.SessionIdleData
	SessionError           = rpc.SessionErrorData
	SessionWarning         = rpc.SessionWarningData
	SessionInfo            = rpc.SessionInfoData
	SessionModelChange     = rpc.SessionModelChangeData
	ManagedResolved        = rpc.SessionManagedSettingsResolvedData
	ManagedEnforced        = rpc.SessionManagedSettingsEnforcedData
	SessionTitleChanged    = rpc.SessionTitleChangedData
	SessionContextChanged  = rpc.SessionContextChangedData
	SessionUsageInfo       = rpc.SessionUsageInfoData
	SessionModeChanged     = rpc.SessionModeChangedData
	SessionPlanChanged     = rpc.SessionPlanChangedData
	SessionTodosChanged    = rpc.SessionTodosChangedData
	SessionSnapshotRewind  = rpc.SessionSnapshotRewindData
	CanvasOpened           = rpc.SessionCanvasOpenedData
	CanvasClosed           = rpc.SessionCanvasClosedData
	CanvasUnavailable      = rpc.SessionCanvasUnavailableData
	CanvasRegistryChanged  = rpc.SessionCanvasRegistryChangedData
	CanvasRegistered       = rpc.CanvasRegistryChangedCanvas
	CanvasRegisteredAction = rpc.CanvasRegistryChangedCanvasAction
	SessionSteerable       = rpc.SessionRemoteSteerableChangedData
	WorkspaceFileChanged   = rpc.SessionWorkspaceFileChangedData
	PendingMessages        = rpc.PendingMessagesModifiedData
	Abort                  = rpc.AbortData
	UserMessage            = rpc.UserMessageData
	SystemMessage          = rpc.SystemMessageData
	AssistantTurnStart     = rpc.AssistantTurnStartData
	AssistantTurnEnd       = rpc.AssistantTurnEndData
	AssistantMessageStart  = rpc.AssistantMessageStartData
	AssistantTurnRetry     = rpc.AssistantTurnRetryData
	AssistantMessage       = rpc.AssistantMessageData
	AssistantReasoning     = rpc.AssistantReasoningData
	AssistantUsage         = rpc.AssistantUsageData
	AssistantIdle          = rpc.AssistantIdleData
	ModelCallFailure       = rpc.ModelCallFailureData
	ToolStart              = rpc.ToolExecutionStartData
	ToolComplete           = rpc.ToolExecutionCompleteData
	ExternalToolRequested  = rpc.ExternalToolRequestedData
	ExternalToolCompleted  = rpc.ExternalToolCompletedData
	PermissionRequested    = rpc.PermissionRequestedData
	PermissionCompleted    = rpc.PermissionCompletedData
	ToolRequest            = rpc.AssistantMessageToolRequest
	ToolResult             = rpc.ToolExecutionCompleteResult
	ToolError              = rpc.ToolExecutionCompleteError
	ToolExit               = rpc.ToolExecutionCompleteShellExecution
	ToolBinary             = rpc.PersistedBinaryResult
	ToolImage              = rpc.PersistedBinaryImage
	ToolImageKind          = rpc.PersistedBinaryImageType
	ToolPartialResult      = rpc.ToolExecutionPartialResultData
	ToolProgress           = rpc.ToolExecutionProgressData
	ToolUserRequested      = rpc.ToolUserRequestedData
	AssistantIntent        = rpc.AssistantIntentData
	UserInputRequested     = rpc.UserInputRequestedData
	UserInputCompleted     = rpc.UserInputCompletedData
	ExitPlanRequested      = rpc.ExitPlanModeRequestedData
	ExitPlanCompleted      = rpc.ExitPlanModeCompletedData
	PlanAction             = rpc.ExitPlanModeAction
	ElicitationRequested   = rpc.ElicitationRequestedData
	ElicitationCompleted   = rpc.ElicitationCompletedData
	ElicitationAction      = rpc.ElicitationCompletedAction
	SamplingRequested      = rpc.SamplingRequestedData
	SamplingCompleted      = rpc.SamplingCompletedData
	SwitchRequested        = rpc.AutoModeSwitchRequestedData
	SwitchCompleted        = rpc.AutoModeSwitchCompletedData
	SwitchAnswer           = rpc.AutoModeSwitchResponse
	LimitRequested         = rpc.SessionLimitsExhaustedRequestedData
	LimitCompleted         = rpc.SessionLimitsExhaustedCompletedData
	LimitAnswer            = rpc.SessionLimitsExhaustedResponse
	LimitsChanged          = rpc.SessionSessionLimitsChangedData
	LimitsConfig           = rpc.SessionLimitsConfig
	CapabilitiesChanged    = rpc.CapabilitiesChangedData
	CapabilitiesUI         = rpc.CapabilitiesChangedUI
	EphemeralQuery         = rpc.UIEphemeralQueryData
	UsageCheckpoint        = rpc.SessionUsageCheckpointData
	ScheduleCreated        = rpc.SessionScheduleCreatedData
	ScheduleOrigin         = rpc.ScheduleOrigin
	ScheduleCancelled      = rpc.SessionScheduleCancelledData
	CopilotUsage           = rpc.AssistantUsageCopilotUsage
	HookStart              = rpc.HookStartData
	HookEnd                = rpc.HookEndData
	HookError              = rpc.HookEndError
	ContextCleared         = rpc.SessionContextClearedData
	CommandQueued          = rpc.CommandQueuedData
	CommandCompleted       = rpc.CommandCompletedData
	CommandExecute         = rpc.CommandExecuteData
	CommandsChanged        = rpc.CommandsChangedData
	ToolsUpdated           = rpc.SessionToolsUpdatedData
	ToolSearchActivated    = rpc.ToolSearchActivatedData
	CommandRegistered      = rpc.CommandsChangedCommand
	CompactionStart        = rpc.SessionCompactionStartData
	CompactionComplete     = rpc.SessionCompactionCompleteData
	CompactionTokens       = rpc.CompactionCompleteCompactionTokensUsed
	CompactionTrigger      = rpc.CompactionTrigger
	SessionTruncation      = rpc.SessionTruncationData
	WorkingDirectory       = rpc.WorkingDirectoryContext
	PermissionResult       = rpc.PermissionResult
	CodeChanges            = rpc.ShutdownCodeChanges
	ModelMetric            = rpc.ShutdownModelMetric
	ModelMetricRequests    = rpc.ShutdownModelMetricRequests
	ModelMetricUsage       = rpc.ShutdownModelMetricUsage
	ModelInfo              = rpc.Model
	ModelCapabilities      = rpc.ModelCapabilities
	ModelCapabilityLimits  = rpc.ModelCapabilitiesLimits
	ModelCapabilitySupport = rpc.ModelCapabilitiesSupports
)

// The types of a permission request: complete, and as shown to users.
type (
	PermissionRequest    = rpc.PermissionRequest
	PermissionPrompt     = rpc.PermissionPromptRequest
	ShellPermission      = rpc.PermissionRequestShell
	ShellCommand         = rpc.PermissionRequestShellCommand
	ShellSegment         = rpc.PermissionRequestShellCommandSegment
	ShellURL             = rpc.PermissionRequestShellPossibleURL
	ReadPermission       = rpc.PermissionRequestRead
	WritePermission      = rpc.PermissionRequestWrite
	URLPermission        = rpc.PermissionRequestURL
	CustomToolPermission = rpc.PermissionRequestCustomTool
	CommandsPrompt       = rpc.PermissionPromptRequestCommands
	PathPrompt           = rpc.PermissionPromptRequestPath
	PathAccess           = rpc.PermissionPromptRequestPathAccessKind
	ReadPrompt           = rpc.PermissionPromptRequestRead
	WritePrompt          = rpc.PermissionPromptRequestWrite
	URLPrompt            = rpc.PermissionPromptRequestURL
	CustomToolPrompt     = rpc.PermissionPromptRequestCustomTool
)

// The results of a permission request in permission.completed.
type (
	PermissionApproved            = rpc.PermissionApproved
	PermissionApprovedForSession  = rpc.PermissionApprovedForSession
	PermissionApprovedForLocation = rpc.PermissionApprovedForLocation
	PermissionCancelled           = rpc.PermissionCancelled
	PermissionRejected            = rpc.PermissionDeniedInteractivelyByUser
	PermissionUnanswerable        = rpc.PermissionDeniedNoApprovalRuleAndCouldNotRequestFromUser
	PermissionForbidden           = rpc.PermissionDeniedByRules
)

// The types of the citations in an answer.
type (
	Citations      = rpc.Citations
	CitationSource = rpc.CitationSource
	CitationSpan   = rpc.CitationSpan
	// A CitationReference leads from a span to a source, at one of the locations.
	CitationReference = rpc.CitationReference
	CitedPages        = rpc.CitationLocationPage
	CitedChars        = rpc.CitationLocationChar
	CitedBlocks       = rpc.CitationLocationBlock
)

// CitationByClient is the provider of citations that the runtime has found, and not a
// model.
const CitationByClient = rpc.CitationProviderClient

// CitationByAnthropic is the provider of citations of a Claude model.
const CitationByAnthropic = rpc.CitationProviderAnthropic

// PermissionMode says how permission requests are decided.
type PermissionMode = rpc.PermissionMode

// The modes.
const (
	ModeManual   = rpc.PermissionModeManual
	ModeAssisted = rpc.PermissionModeAssisted
	ModeAllowAll = rpc.PermissionModeAllowAll
)

// Escalation is an attempt to allow everything of a kind at once.
type Escalation = rpc.ManagedSettingsEnforcedEscalation

// The escalations that clients may attempt, what is done about them, and where a managed policy
// comes from.
const (
	EscalationAllowAll   = rpc.ManagedSettingsEnforcedEscalationAllowAll
	EscalationApproveAll = rpc.ManagedSettingsEnforcedEscalationApproveAll
	EscalationPaths      = rpc.ManagedSettingsEnforcedEscalationUnrestrictedPaths
	EscalationURLs       = rpc.ManagedSettingsEnforcedEscalationUnrestrictedURLs
	BypassBlocked        = rpc.ManagedSettingsEnforcedActionBypassPermissionsBlocked
	ManagedByClient      = rpc.ManagedSettingsResolvedSourceClient
)

// APIEndpoint is the path of the protocol of a model.
type APIEndpoint = rpc.AssistantUsageAPIEndpoint

// The paths of the dialects.
const (
	ChatCompletions = rpc.AssistantUsageAPIEndpointChatCompletions
	Responses       = rpc.AssistantUsageAPIEndpointResponses
	SocketResponses = rpc.AssistantUsageAPIEndpointWsResponses
	Messages        = rpc.AssistantUsageAPIEndpointV1Messages
)

// ShellInfo says which files a command may read or write.
type ShellInfo = rpc.ToolExecutionStartShellToolInfo

// The modes of an elicitation.
const (
	ElicitationForm = rpc.ElicitationRequestedModeForm
	ElicitationURL  = rpc.ElicitationRequestedModeURL
)

// The answers to the question whether a run continues on another model: for this time, from
// now on without asking, or not.
const (
	SwitchYes    = rpc.AutoModeSwitchResponseYes
	SwitchAlways = rpc.AutoModeSwitchResponseYesAlways
	SwitchNo     = rpc.AutoModeSwitchResponseNo
)

// CauseRateLimit is the cause of a session.model_change that follows such an answer.
const CauseRateLimit = "rate_limit_auto_switch"

// CauseFallback is the cause of a session.model_change to the next model of the fallback list. It is
// a word of this program.
const CauseFallback = "fallback"

// TriggerContextLimit is the trigger of a compaction after a model has refused a request as too
// long.
const TriggerContextLimit = rpc.CompactionTriggerContextLimitRetry

// The actions of a [LimitAnswer].
const (
	LimitAdd    = rpc.SessionLimitsExhaustedResponseActionAdd
	LimitSet    = rpc.SessionLimitsExhaustedResponseActionSet
	LimitUnset  = rpc.SessionLimitsExhaustedResponseActionUnset
	LimitCancel = rpc.SessionLimitsExhaustedResponseActionCancel
)

// The phases of an [EphemeralQuery].
const (
	QueryStarted   = rpc.UIEphemeralQueryPhaseStarted
	QueryChunk     = rpc.UIEphemeralQueryPhaseChunk
	QueryCompleted = rpc.UIEphemeralQueryPhaseCompleted
	QueryFailed    = rpc.UIEphemeralQueryPhaseFailed
	QueryAborted   = rpc.UIEphemeralQueryPhaseAborted
)

// RawData is event data that is already JSON.
type RawData = rpc.RawSessionEventData

// Other types of the vocabulary.
type (
	Attachment  = rpc.Attachment
	Delivery    = rpc.UserMessageDelivery
	AgentMode   = rpc.UserMessageAgentMode
	AbortReason = rpc.AbortReason
	// Mode is the mode of a session: "interactive", "plan" or "autopilot".
	Mode          = rpc.SessionMode
	PlanOperation = rpc.PlanChangedOperation
	FileOperation = rpc.WorkspaceFileChangedOperation
	ShutdownType  = rpc.ShutdownType
	HostType      = rpc.WorkingDirectoryContextHostType
)

// LogWarning is the level of a warning.
const LogWarning = rpc.SessionLogLevelWarning

// LogLevel returns the level of a session.log call, "" if it names none.
func LogLevel(e LogEntry) string {
	if e.Level == nil {
		return ""
	}
	return string(*e.Level)
}

// ReasoningSummary says how much of its reasoning a model should show.
type ReasoningSummary = rpc.ReasoningSummary

// The results of the methods for instructions and skills.
type (
	InstructionSource = rpc.InstructionSource
	InstructionKind   = rpc.InstructionSourceType
	InstructionPlace  = rpc.InstructionSourceLocation
	Skill             = rpc.Skill
	SkillSource       = rpc.SkillSource
	SkillInvoked      = rpc.SkillInvokedData
	SkillTrigger      = rpc.SkillInvokedTrigger
	SkillsLoaded      = rpc.SessionSkillsLoadedData
	SkillsLoadedSkill = rpc.SkillsLoadedSkill
	SkillLoaded       = rpc.SkillsInvokedSkill
	SkillDiagnostics  = rpc.SkillsLoadDiagnostics
	SkillList         = rpc.SkillList
	SkillsInvoked     = rpc.SkillsGetInvokedResult
	ServerSkill       = rpc.ServerSkill
	ServerSkills      = rpc.ServerSkillList
	SkillPath         = rpc.SkillDiscoveryPath
	SkillPaths        = rpc.SkillDiscoveryPathList

	InstructionSources  = rpc.InstructionsGetSourcesResult
	ServerInstructions  = rpc.ServerInstructionSourceList
	InstructionPath     = rpc.InstructionDiscoveryPath
	InstructionPathKind = rpc.InstructionDiscoveryPathKind
	InstructionTier     = rpc.InstructionDiscoveryPathLocation
	InstructionPaths    = rpc.InstructionDiscoveryPathList
)

// The types of agents and sub-agents.
type (
	SubagentStarted        = rpc.SubagentStartedData
	SubagentConfigured     = rpc.SubagentConfiguredData
	SubagentCompleted      = rpc.SubagentCompletedData
	SubagentFailed         = rpc.SubagentFailedData
	SubagentSelected       = rpc.SubagentSelectedData
	SubagentDeselected     = rpc.SubagentDeselectedData
	SystemNotification     = rpc.SystemNotificationData
	AgentNotice            = rpc.SystemNotificationAgentCompleted
	AgentNoticeStatus      = rpc.SystemNotificationAgentCompletedStatus
	ShellNotice            = rpc.SystemNotificationShellCompleted
	BackgroundTasksChanged = rpc.SessionBackgroundTasksChangedData
	CustomAgentsUpdated    = rpc.SessionCustomAgentsUpdatedData
	CustomAgentUpdated     = rpc.CustomAgentsUpdatedAgent
	AgentInfo              = rpc.AgentInfo
	AgentInfoSource        = rpc.AgentInfoSource
	AgentList              = rpc.AgentList
	AgentSelected          = rpc.AgentSelectResult
	AgentsReloaded         = rpc.AgentReloadResult
	AgentPath              = rpc.AgentDiscoveryPath
	AgentPaths             = rpc.AgentDiscoveryPathList
	SubagentSettings       = rpc.SubagentSettings
	SubagentEntry          = rpc.SubagentSettingsEntry
	Task                   = rpc.TaskInfo
	TaskList               = rpc.TaskList
	TaskStatus             = rpc.TaskStatus
	TaskMode               = rpc.TaskExecutionMode
	AgentTask              = rpc.TaskAgentInfo
	ShellTask              = rpc.TaskShellInfo
	AgentProgress          = rpc.TaskAgentProgress
	ProgressLine           = rpc.TaskProgressLine
	ModelCallSource        = rpc.ModelCallFailureSource
	ClientTask             = rpc.TaskClientInfo
	ClientTaskStatus       = rpc.TaskClientStatus
	ClientProgress         = rpc.TaskClientProgress
	ClientTaskUpdate       = rpc.TaskClientUpdate
	ClientTaskProgressed   = rpc.TaskClientUpdateProgress
	ClientTaskCompleted    = rpc.TaskClientUpdateCompleted
	ClientTaskFailed       = rpc.TaskClientUpdateFailed
	ClientTaskCancelled    = rpc.TaskClientUpdateCancelled
	TaskOwner              = rpc.TaskClientOwner
	Progress               = rpc.TaskProgress
)

// BinaryAsset is the payload of session.binary_asset: bytes that later events of the
// log refer to by their id.
type BinaryAsset = rpc.SessionBinaryAssetData

// The dialects of a [ProviderEndpoint].
const (
	WireAPICompletions = rpc.ProviderEndpointWireAPICompletions
	WireAPIResponses   = rpc.ProviderEndpointWireAPIResponses
)

// AssetImage is a [BinaryAsset] that is a picture.
const AssetImage = rpc.BinaryAssetTypeImage

// KindOfBinary is the type of a binary result of a tool, by its media type.
func KindOfBinary(mediaType string) ToolImageKind {
	if strings.HasPrefix(mediaType, "image/") {
		return rpc.PersistedBinaryImageTypeImage
	}
	return rpc.PersistedBinaryImageTypeResource
}
