package approval

import (
	"bytes"
	"encoding/json"

	"github.com/sidestick-dev/sidestick/internal/wire"
)

// comparedFields are the fields of a permission request that describe the action.
var comparedFields = []string{
	"kind", "fullCommandText", "resolvedWorkingDirectory", "path", "fileName", "resolvedPath", "newFileContents", "url", "toolName", "serverName",
}

// sameRequest reports whether a request in the log asks for the same as a new one. Fields
// that are missing in the log, as in that of another runtime, are not compared.
func sameRequest(asked json.RawMessage, now *wire.PermissionRequested) bool {
	data, err := wire.Marshal(now)
	if err != nil {
		return false
	}
	before, after := wire.Raw(asked).Get("permissionRequest"), wire.Raw(data).Get("permissionRequest")
	for _, name := range comparedFields {
		if text := before.Get(name); text.IsString() && text.Text() != after.Get(name).Text() {
			return false
		}
	}
	if leaves := "requestSandboxBypass"; after.Get(leaves).True() && !before.Get(leaves).True() {
		return false // the user was not told that it runs outside
	}
	args := before.Get("args")
	return args == nil || bytes.Equal(wire.CompactObject(json.RawMessage(args)), wire.CompactObject(json.RawMessage(after.Get("args"))))
}
