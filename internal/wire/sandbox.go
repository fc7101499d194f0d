package wire

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"

	"github.com/github/copilot-sdk/go/rpc"
)

// Results of the methods about sandboxes that the SDK has types for.
type (
	SandboxDisable     = rpc.SandboxDisableForSessionRequest
	SandboxDisabled    = rpc.SandboxDisableForSessionResult
	SandboxEnforcement = rpc.SandboxEnforcementStatus
	Remediation        = rpc.RemediationAction
)

// ReviewSandbox is what a user can do about a sandbox that is in the way.
const ReviewSandbox = rpc.RemediationActionReviewSandboxPolicy

// SandboxConfig says how the commands of a session are confined. A client sends it as
// sandboxConfig or sandbox in session.create, session.resume and session.options.update.
// It is not persisted: a resume must send it again. A nil pointer means that a field is absent
// or null; the comments give what that stands for.
type SandboxConfig struct {
	Enabled     *bool              `json:"enabled"`                    // required
	AllowBypass bool               `json:"allowBypass"`                // false
	WorkingDir  *bool              `json:"addCurrentWorkingDirectory"` // true
	DevTools    *bool              `json:"allowDevToolAccess"`         // true
	MCPServers  *bool              `json:"sandboxMcpServers"`          // true
	LSPServers  *bool              `json:"sandboxLspServers"`          // true
	Auth        SandboxCredentials `json:"auth"`
	UserPolicy  SandboxPolicy      `json:"userPolicy"`

	// Fields of this program. FailIfUnavailable stands for true if it is absent.
	AutoAllow         bool     `json:"autoAllowBashIfSandboxed"`
	Excluded          []string `json:"excludedCommands"`
	FailIfUnavailable *bool    `json:"failIfUnavailable"`

	// Fields that only the SDKs' own runtime sets; they have no effect.
	MCPLocked json.RawMessage `json:"managedMcpRoutingLocked"`
	LSPLocked json.RawMessage `json:"managedLspRoutingLocked"`

	// Unknown are the fields that this program does not know, as paths, in order.
	Unknown []string `json:"-"`
}

// SandboxCredentials are the credentials that a client wants commands to have.
type SandboxCredentials struct {
	Git bool `json:"git"`
	Gh  bool `json:"gh"`
}

// SandboxPolicy is what a client allows and denies in a sandbox.
type SandboxPolicy struct {
	Filesystem   SandboxFiles    `json:"filesystem"`
	Network      SandboxNetwork  `json:"network"`
	Seatbelt     SandboxSeatbelt `json:"seatbelt"`
	Experimental struct {
		Seatbelt SandboxSeatbelt `json:"seatbelt"`
	} `json:"experimental"`
}

// SandboxFiles are files and folders. Relative paths begin in the working directory.
type SandboxFiles struct {
	Readonly    []string `json:"readonlyPaths"`
	Readwrite   []string `json:"readwritePaths"`
	Denied      []string `json:"deniedPaths"`
	ClearOnExit *bool    `json:"clearPolicyOnExit"` // no effect: a sandbox ends with its session
}

// SandboxNetwork says where commands may connect to. As in the reference runtime, absent
// Outbound and Allowed stand for every host.
type SandboxNetwork struct {
	Outbound *bool                `json:"allowOutbound"`     // true
	Local    bool                 `json:"allowLocalNetwork"` // false
	Allowed  []string             `json:"allowedHosts"`      // empty: every host
	Blocked  []string             `json:"blockedHosts"`
	Proxy    *SandboxNetworkProxy `json:"proxy"`
}

// SandboxNetworkProxy is the proxy through which the user's network reaches the internet.
type SandboxNetworkProxy struct {
	URL      string `json:"url"`
	Username string `json:"username"`
	Password string `json:"password"`
}

// SandboxSeatbelt are the settings for macOS.
type SandboxSeatbelt struct {
	KeychainAccess bool `json:"keychainAccess"`
}

// UnmarshalJSON implements [json.Unmarshaler].
func (c *SandboxConfig) UnmarshalJSON(text []byte) error {
	type plain SandboxConfig
	if err := json.Unmarshal(text, (*plain)(c)); err != nil {
		return err
	}
	w := comparison{all: true}
	w.object(reflect.TypeFor[SandboxConfig](), text, "")
	for _, s := range w.found.Settings {
		c.Unknown = append(c.Unknown, s.Field)
	}
	slices.Sort(c.Unknown)
	if w.found.More > 0 {
		c.Unknown = append(c.Unknown, fmt.Sprintf("… (%d more fields)", w.found.More))
	}
	return nil
}

// Sandboxed are the parameters that configure a sandbox; a client sends one of them.
type Sandboxed struct {
	Config *SandboxConfig `json:"sandboxConfig"`
	Short  *SandboxConfig `json:"sandbox"`
}

// HostSupport is the result of sandbox.getHostSupport, which the SDK does not have yet.
type HostSupport struct {
	Supported    bool             `json:"supported"`
	Reason       string           `json:"reason,omitempty"`
	Capabilities []HostCapability `json:"capabilities"`
}

// HostCapability is one part of a sandbox on this machine.
type HostCapability struct {
	Name      string `json:"name"`
	Supported bool   `json:"supported"`
	Reason    string `json:"reason,omitempty"`
}

// SandboxDecision is the data of sandbox.decision, which is empty in the SDK: what a session's
// sandbox was configured to do, and whether it took effect. The event has, too, what newer SDKs require.
type SandboxDecision struct {
	Platform string `json:"platform"` // "linux", "macos", "windows" or "other"
	Mode     string `json:"mode"`     // "workspace-write" or "read-only"
	// Mechanism is what confines commands: "namespaces", "landlock" or "none".
	Mechanism  string `json:"mechanism"`
	TookEffect bool   `json:"tookEffect"`
	// Reason is why it did not take effect, or not in full.
	Reason string `json:"reason,omitempty"`
}

// Event returns the event that records a decision. Newer SDKs fail on another kind, control or backend than theirs,
// so that namespaces and Landlock have the name of the backend for Linux that they know.
// Source: the crate 1.0.29-preview.4, SandboxDecisionData.
func (d SandboxDecision) Event() Data {
	outcome, backend := "inactive", "unsupported"
	if d.TookEffect {
		outcome, backend = "engaged", map[bool]string{true: "seatbelt", false: "bubblewrap"}[d.Platform == "macos"]
	}
	raw, err := Marshal(struct {
		Kind             string `json:"kind"`
		Control          string `json:"control"`
		EnforcementPoint string `json:"enforcementPoint"`
		Outcome          string `json:"outcome"`
		Backend          string `json:"backend"`
		SandboxDecision
	}{"enforcement_state", "process", "shell", outcome, backend, d})
	if err != nil {
		panic(err) // cannot happen: only text and flags
	}
	return &RawData{EventType: rpc.SessionEventTypeSandboxDecision, Raw: raw}
}
