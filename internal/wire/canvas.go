package wire

import "encoding/json"

// CanvasDeclared is an area that a client can draw.
type CanvasDeclared struct {
	ID          string          `json:"id"`
	DisplayName string          `json:"displayName"`
	Description string          `json:"description"`
	Icon        string          `json:"icon"`
	InputSchema json.RawMessage `json:"inputSchema"`
	Actions     []CanvasAction  `json:"actions"`
}

// CanvasProvider is how a client with canvases is called.
type CanvasProvider struct {
	ID   string `json:"id"`
	Name string `json:"name"`
}

// ExtensionInfo is the name of a client among those of a source, such as "github-app".
type ExtensionInfo struct {
	Source string `json:"source"`
	Name   string `json:"name"`
}

// Account is a GitHub account that a session uses, as session.gitHubAuth.getStatus describes it.
type Account struct {
	Type  string // "token", "user", …
	Host  string
	Login string // empty: it could not be asked for
	Plan  string
	Note  string // why Login is empty
}
