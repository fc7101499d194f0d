package wire

import (
	"encoding/json"

	"github.com/github/copilot-sdk/go/rpc"
)

// The events about MCP servers.
type (
	MCPStatusChanged        = rpc.SessionMCPServerStatusChangedData
	MCPServersLoaded        = rpc.SessionMCPServersLoadedData
	MCPServerLoaded         = rpc.MCPServersLoadedServer
	MCPTransport            = rpc.MCPServerTransport
	MCPToolsListChanged     = rpc.MCPToolsListChangedData
	MCPResourcesListChanged = rpc.MCPResourcesListChangedData
	MCPPromptsListChanged   = rpc.MCPPromptsListChangedData
	MCPAppCalled            = rpc.MCPAppToolCallCompleteData
	MCPAppError             = rpc.MCPAppToolCallCompleteError
	MCPAppToolMeta          = rpc.MCPAppToolCallCompleteToolMeta
	MCPAppToolUI            = rpc.MCPAppToolCallCompleteToolMetaUI
	MCPAuthRequired         = rpc.MCPOauthRequiredData
	MCPAuthCompleted        = rpc.MCPOauthCompletedData
	MCPAuthReason           = rpc.MCPOauthRequestReason
	MCPAuthParams           = rpc.MCPOauthWwwAuthenticateParams
	MCPAuthResponse         = rpc.MCPOauthHTTPResponse
	MCPStaticClient         = rpc.MCPOauthRequiredStaticClientConfig
	MCPGrantType            = rpc.MCPOauthRequiredStaticClientConfigGrantType
	HeaderEntry             = rpc.HeaderEntry
	MCPHeadersRequired      = rpc.MCPHeadersRefreshRequiredData
	MCPHeadersReason        = rpc.MCPHeadersRefreshRequiredReason
	MCPHeadersCompleted     = rpc.MCPHeadersRefreshCompletedData
)

// The ends of a request for a token, and of one for headers.
const (
	MCPAuthToken      = rpc.MCPOauthCompletionOutcomeToken
	MCPAuthCanceled   = rpc.MCPOauthCompletionOutcomeCancelled
	MCPHeadersGiven   = rpc.MCPHeadersRefreshCompletedOutcomeHeaders
	MCPHeadersNone    = rpc.MCPHeadersRefreshCompletedOutcomeNone
	MCPHeadersTimeout = rpc.MCPHeadersRefreshCompletedOutcomeTimeout
)

// MCPToken is a token that a client gives for a server.
type MCPToken = rpc.MCPOauthPendingRequestResponseToken

// The sign-in to a server, as clients begin it.
type (
	MCPLogin    = rpc.MCPOauthLoginRequest
	MCPLoggedIn = rpc.MCPOauthLoginResult
)

// MCPLoginWithCode is the sign-in with a page for the user.
const MCPLoginWithCode = rpc.MCPOauthLoginGrantTypeAuthorizationCode

// MCPProbed is whether a server wants a token. The SDK has a type for each status.
type MCPProbed struct {
	Status                rpc.MCPOauthProbeResultStatus `json:"status"`
	HTTPResponse          *MCPAuthResponse              `json:"httpResponse,omitempty"`
	Reason                *string                       `json:"reason,omitempty"` // of status needs-auth
	WwwAuthenticateParams *MCPAuthParams                `json:"wwwAuthenticateParams,omitempty"`
	Error                 *string                       `json:"error,omitempty"` // of status failed
}

// The statuses of [MCPProbed].
const (
	MCPProbeAuthenticated = rpc.MCPOauthProbeResultStatusAuthenticated
	MCPProbeFailed        = rpc.MCPOauthProbeResultStatusFailed
	MCPProbeNeedsAuth     = rpc.MCPOauthProbeResultStatusNeedsAuth
	MCPProbeOpen          = rpc.MCPOauthProbeResultStatusNoAuthRequired
)

// MCPClientCredentials is the grant type of a client that signs in without a user.
const MCPClientCredentials = rpc.MCPOauthRequiredStaticClientConfigGrantTypeClientCredentials

// MCPServerStatus is the state of a server.
type MCPServerStatus = rpc.MCPServerStatus

// The states.
const (
	MCPConnected = rpc.MCPServerStatusConnected
	MCPDisabled  = rpc.MCPServerStatusDisabled
	MCPFailed    = rpc.MCPServerStatusFailed
	MCPNeedsAuth = rpc.MCPServerStatusNeedsAuth
	MCPPending   = rpc.MCPServerStatusPending
	MCPStopped   = rpc.MCPServerStatusStopped
)

// MCPConfigured are the servers that a session has by its configuration.
type MCPConfigured struct {
	Servers []MCPConfiguredServer `json:"servers"`
}

// MCPConfiguredServer says where a server is configured, and whether the session uses it.
type MCPConfiguredServer struct {
	Name                string     `json:"name"`
	DisplayName         *string    `json:"displayName,omitempty"`
	Enabled             bool       `json:"enabled"` // nobody has disabled it
	Source              *MCPSource `json:"source,omitempty"`
	SourcePlugin        *string    `json:"sourcePlugin,omitempty"`
	SourcePluginVersion *string    `json:"sourcePluginVersion,omitempty"`
	Live                MCPLive    `json:"live"`
}

// MCPLive is the state of a server now.
type MCPLive struct {
	Status rpc.MCPServerStatus `json:"status"`
	Error  *string             `json:"error,omitempty"`
}

// MCPPrompts is one page of the prompts of a server, as the server sent them.
type MCPPrompts struct {
	Meta       json.RawMessage   `json:"_meta,omitempty"`
	Prompts    []json.RawMessage `json:"prompts"`
	NextCursor string            `json:"nextCursor,omitempty"` // "" for the last page
}

// MCPPromptText is what a prompt of a server says with its arguments, as the server sent it.
type MCPPromptText struct {
	Meta        json.RawMessage   `json:"_meta,omitempty"`
	Description string            `json:"description,omitempty"`
	Messages    []json.RawMessage `json:"messages"`
}

// The results of the methods about MCP servers.
type (
	MCPServerList    = rpc.MCPServerList
	MCPServer        = rpc.MCPServer
	MCPSource        = rpc.MCPServerSource
	MCPHostState     = rpc.MCPHostState
	MCPFailure       = rpc.MCPServerFailureInfo
	MCPNeedsAuthInfo = rpc.MCPServerNeedsAuthInfo
	MCPToolList      = rpc.MCPListToolsResult
	MCPTool          = rpc.MCPTools
	MCPToolUI        = rpc.MCPToolUI
	MCPVisibility    = rpc.MCPToolUIVisibility
	MCPResources     = rpc.MCPResourcesListResult
	MCPTemplates     = rpc.MCPResourcesListTemplatesResult
	MCPResourceRead  = rpc.MCPResourcesReadResult
	MCPAppsServer    = rpc.MCPAppsDiagnoseServer

	MCPDiscover         = rpc.MCPDiscoverRequest
	MCPDiscovered       = rpc.MCPDiscoverResult
	MCPDiscoveredServer = rpc.DiscoveredMCPServer
	MCPDiscoveredType   = rpc.DiscoveredMCPServerType

	MCPRunning          = rpc.MCPIsServerRunningResult
	MCPToBackground     = rpc.MoveMCPLoadingToBackgroundResult
	MCPEnvMode          = rpc.MCPSetEnvValueModeParams
	MCPEnvModeSet       = rpc.MCPSetEnvValueModeResult
	MCPGitHubRemoved    = rpc.MCPRemoveGitHubResult
	MCPSamplingResult   = rpc.MCPSamplingExecutionResult
	MCPSamplingCancel   = rpc.MCPCancelSamplingExecutionParams
	MCPSamplingCanceled = rpc.MCPCancelSamplingExecutionResult
	MCPAppContext       = rpc.MCPAppsSetHostContextDetails
	MCPAppTools         = rpc.MCPAppsListToolsResult
	MCPAppsDiagnosis    = rpc.MCPAppsDiagnoseResult
	MCPAppsCapability   = rpc.MCPAppsDiagnoseCapability
)

// The actions of a [MCPSamplingResult].
const (
	MCPSamplingSucceeded      = rpc.MCPSamplingExecutionActionSuccess
	MCPSamplingFailed         = rpc.MCPSamplingExecutionActionFailure
	MCPSamplingCanceledAction = rpc.MCPSamplingExecutionActionCancelled
)

// The blocks of a tool's result.
type (
	ToolContent      = rpc.ToolExecutionCompleteContent
	ToolText         = rpc.ToolExecutionCompleteContentText
	ToolAudio        = rpc.ToolExecutionCompleteContentAudio
	ToolResource     = rpc.ToolExecutionCompleteContentResource
	ToolShellExit    = rpc.ToolExecutionCompleteContentShellExit
	ToolTerminal     = rpc.ToolExecutionCompleteContentTerminal
	ToolResourceLink = rpc.ToolExecutionCompleteContentResourceLink
)

// TextResource returns a block with a resource that is text.
func TextResource(uri, mediaType, text string) *ToolResource {
	return &ToolResource{Resource: rpc.ToolExecutionCompleteContentResourceDetails{
		EmbeddedTextResourceContents: &rpc.EmbeddedTextResourceContents{URI: uri, MIMEType: Optional(mediaType), Text: text},
	}}
}

// BlobResource returns a block with a resource that is not text, in base64.
func BlobResource(uri, mediaType, blob string) *ToolResource {
	return &ToolResource{Resource: rpc.ToolExecutionCompleteContentResourceDetails{
		EmbeddedBlobResourceContents: &rpc.EmbeddedBlobResourceContents{URI: uri, MIMEType: Optional(mediaType), Blob: blob},
	}}
}

// The permission to call a tool of an MCP server.
type (
	MCPPermission = rpc.PermissionRequestMCP
	MCPPrompt     = rpc.PermissionPromptRequestMCP
)

// MCPServerConfig is the configuration of an MCP server, as clients send it in mcpServers. Package mcp
// documents its fields.
type MCPServerConfig struct {
	Type        string            `json:"type"`
	Command     string            `json:"command"`
	Args        []string          `json:"args"`
	Env         map[string]string `json:"env"`
	Cwd         string            `json:"cwd"`
	URL         string            `json:"url"`
	Headers     map[string]string `json:"headers"`
	Tools       []string          `json:"tools"`
	Excluded    []string          `json:"excludeTools"`
	Timeout     float64           `json:"timeout"` // milliseconds
	Source      string            `json:"source"`
	DisplayName string            `json:"displayName"` // for users, of tool.execution_start
	Defer       string            `json:"deferTools"`  // "auto" (default) or "never"
	AlwaysLoad  bool              `json:"alwaysLoad"`  // how files of Claude Code say "never"

	HeadersTTL   float64      `json:"headersRefreshTtlMs"`
	ClientID     string       `json:"oauthClientId"`
	PublicClient *bool        `json:"oauthPublicClient"`
	GrantType    MCPGrantType `json:"oauthGrantType"`
	Scopes       []string     `json:"oauthScopes"`
	// Issuer is the one issuer that the metadata of the authorization server may name beside the one that the
	// server names. Only this program has the field.
	Issuer string `json:"oauthIssuer"`
	// OAuth is how files of Claude Code say the same as ClientID and Scopes.
	OAuth MCPOAuth `json:"oauth"`
}

// MCPOAuth says how to sign in to a server, in the form of Claude Code. Source: https://code.claude.com/docs/en/mcp
type MCPOAuth struct {
	ClientID string `json:"clientId"`
	Scopes   string `json:"scopes"` // with spaces between them
}

// GitHubMCP says which tools of GitHub's MCP server are offered: all, or those that read, and which
// others.
type GitHubMCP struct {
	All      bool     `json:"enableAllTools"`
	Toolsets []string `json:"additionalToolsets"`
	Tools    []string `json:"additionalTools"`
	Insiders bool     `json:"enableInsidersMode"`
	// Undeferred is about forms of MCP Apps. They are never deferred here.
	Undeferred bool `json:"disableFormDeferral"`
}
