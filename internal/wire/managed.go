package wire

import (
	"bytes"
	"encoding/json"
)

// ManagedSettings is the policy that the host of a session injects with session.create and
// session.resume. It is never persisted: a resume must send it again. A field that is not
// known is an error: its author believes that it is enforced.
type ManagedSettings struct {
	Permissions *ManagedPermissions `json:"permissions"`
}

// ManagedPermissions are rules in the form of managed policies, such as "Shell(git push *)".
type ManagedPermissions struct {
	Deny  []string `json:"deny,omitempty"`
	Ask   []string `json:"ask,omitempty"`
	Allow []string `json:"allow,omitempty"`
	// Bypass is "" (everything may be allowed at once), "disable", "allow-auto-only", or a value
	// that this version does not know, which counts as "disable".
	Bypass string `json:"disableBypassPermissionsMode,omitempty"`
}

// PermissionCapabilities says which permission modes a session has beside that in which it asks.
type PermissionCapabilities struct {
	Assisted bool `json:"assistedApproval"`  // a model judges requests; always false
	Bypass   bool `json:"bypassPermissions"` // everything may be allowed at once
}

// UnmarshalJSON implements [json.Unmarshaler].
func (m *ManagedSettings) UnmarshalJSON(data []byte) error {
	type plain ManagedSettings
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	return d.Decode((*plain)(m))
}
