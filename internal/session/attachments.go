package session

import (
	"encoding/json"

	"github.com/sidestick-dev/sidestick/internal/vfs"
)

// transform is a prompt as the model reads it.
func transform(prompt string, _ json.RawMessage, _ vfs.FS) string { return stamped(prompt) }
