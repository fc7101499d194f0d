package config

import (
	"fmt"
	"log/slog"
)

// Secret is a token or a key. Printed, logged or encoded, it shows only that it is there;
// string(s) is the only way to its text.
type Secret string

// String returns "" for no secret, else «redacted».
func (s Secret) String() string {
	if s == "" {
		return ""
	}
	return "«redacted»"
}

// GoString is String in quotes, for %#v.
func (s Secret) GoString() string { return fmt.Sprintf("%q", s.String()) }

// MarshalText is String, for JSON and other encodings of text.
func (s Secret) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// LogValue is String, for slog.
func (s Secret) LogValue() slog.Value { return slog.StringValue(s.String()) }
