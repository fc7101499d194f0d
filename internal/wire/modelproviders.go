package wire

import "net/http"

// Provider is the endpoint that a client chooses for a session. It is never persisted: a
// resume must send it again.
type Provider struct {
	Type            string            `json:"type"` // "openai" (default), "azure", "anthropic"; ours: "gemini", "bedrock", "ollama"
	WireAPI         string            `json:"wireApi"`
	Transport       string            `json:"transport"` // of Responses: "http" (default), "websockets"
	BaseURL         string            `json:"baseUrl"`
	APIKey          string            `json:"apiKey"`
	BearerToken     string            `json:"bearerToken"` // takes precedence over APIKey
	Headers         map[string]string `json:"headers"`
	ModelID         string            `json:"modelId"`
	WireModel       string            `json:"wireModel"`
	MaxPromptTokens int               `json:"maxPromptTokens"`
	MaxOutputTokens int               `json:"maxOutputTokens"`
	MaxWindowTokens int               `json:"maxContextWindowTokens"` // if there is no MaxPromptTokens
	HasTokenSource  bool              `json:"hasBearerTokenProvider"`
	Capabilities    *Capabilities     `json:"modelCapabilities"` // takes the place of those of the session, unless they come with it
	// Replay is the absolute path of a recording from which the calls are answered, and
	// ReplayTools answers calls of tools from it, too. They are fields of this program.
	Replay      string `json:"replay"`
	ReplayTools bool   `json:"replayTools"`
	// Recording is what Replay names, opened by package session.
	Recording http.RoundTripper `json:"-"`
	Azure     AzureProvider     `json:"azure"`
}

// AzureProvider are the settings of a provider of the type azure.
type AzureProvider struct {
	APIVersion string `json:"apiVersion"` // "": the API without versions
}

// NamedProvider is one of several providers of a session. It is never persisted either.
type NamedProvider struct {
	Name string `json:"name"` // unique, without "/"
	Provider
}

// ProviderModel is a model of a [NamedProvider]. Its name in the session is Provider/ID.
type ProviderModel struct {
	ID                     string        `json:"id"` // unique in its provider
	Provider               string        `json:"provider"`
	WireModel              string        `json:"wireModel"` // the name that is sent; default ID
	ModelID                string        `json:"modelId"`   // the base model that is known; default ID
	Name                   string        `json:"name"`      // for users; default Provider/ID
	MaxPromptTokens        int           `json:"maxPromptTokens"`
	MaxContextWindowTokens int           `json:"maxContextWindowTokens"`
	MaxOutputTokens        int           `json:"maxOutputTokens"`
	Capabilities           *Capabilities `json:"capabilities"`
}

// SelectionID is the name of the model in a session.
func (m ProviderModel) SelectionID() string { return m.Provider + "/" + m.ID }

// ProviderAdd has the parameters of session.provider.add.
type ProviderAdd struct {
	Providers []NamedProvider `json:"providers"`
	Models    []ProviderModel `json:"models"`
}

// CapiOptions are the settings of a client for the Copilot API.
type CapiOptions struct {
	// WebSockets, if false, calls models over HTTP that the API lists with ws:/responses; nil: over a WebSocket.
	WebSockets *bool `json:"enableWebSocketResponses"`
}
