package composer

import (
	"encoding/base64"
	"encoding/json"
)

// attachment is an attachment as the protocol has it.
type attachment struct {
	Type        string `json:"type"` // "file", "directory" or "blob"
	Path        string `json:"path,omitempty"`
	Data        string `json:"data,omitempty"`
	MIMEType    string `json:"mimeType,omitempty"`
	DisplayName string `json:"displayName,omitempty"`
}

// Encoded are attachments as a message has them, nil for none.
func Encoded(list []Attachment) json.RawMessage {
	if len(list) == 0 {
		return nil
	}
	var out []attachment
	for _, f := range list {
		a := attachment{Type: "file", Path: f.Path, DisplayName: f.Name}
		if f.Folder {
			a.Type = "directory"
		}
		if f.Path == "" {
			a = attachment{Type: "blob", Data: base64.StdEncoding.EncodeToString(f.Data), MIMEType: f.MIME, DisplayName: f.Name}
		}
		out = append(out, a)
	}
	raw, _ := json.Marshal(out) // strings only
	return raw
}
