package approval

import (
	"bytes"
	"encoding/json"

	"github.com/sidestick-dev/sidestick/internal/wire"
)

// comparedFields are the texts of a permission request that say what the tool would do.
var comparedFields = []string{
	"kind", "fullCommandText", "resolvedWorkingDirectory", "path", "fileName", "resolvedPath", "newFileContents", "url", "toolName",
}

// sameRequest reports whether a request that the log holds is about what a new one asks.
// Fields that the log does not have, as that of another runtime may not, are not compared.
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
	args := before.Get("args")
	return args == nil || bytes.Equal(wire.CompactObject(json.RawMessage(args)), wire.CompactObject(json.RawMessage(after.Get("args"))))
}
