package wire

import (
	"bytes"
	"encoding/json"
)

// CompactObject returns a JSON object without white space, nil if the text is not a JSON
// object.
func CompactObject(object json.RawMessage) json.RawMessage {
	var b bytes.Buffer
	if !bytes.HasPrefix(bytes.TrimSpace(object), []byte("{")) || json.Compact(&b, object) != nil {
		return nil
	}
	return b.Bytes()
}
