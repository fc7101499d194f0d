package clientfs

import (
	"encoding/base64"
	"fmt"
	"strings"
	"unicode/utf8"
)

// A file in the storage of a client contains text. Bytes that are not text are stored as a data
// URL, and so is text that looks like such a data URL.
const dataURL = "data:application/octet-stream;base64,"

// toText returns the text that is stored for these bytes.
func toText(data []byte) string {
	if text := string(data); utf8.ValidString(text) && !strings.HasPrefix(text, dataURL) {
		return text
	}
	return dataURL + base64.StdEncoding.EncodeToString(data)
}

// toBytes reverses toText.
func toBytes(text string) ([]byte, error) {
	encoded, ok := strings.CutPrefix(text, dataURL)
	if !ok {
		return []byte(text), nil
	}
	data, err := base64.StdEncoding.DecodeString(encoded)
	if err != nil {
		return nil, fmt.Errorf("its data URL is damaged: %w", err)
	}
	return data, nil
}
