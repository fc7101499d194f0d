package mcp

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
)

// maxName bounds the name of a tool, in bytes. Source: what providers of models accept,
// ^[a-zA-Z0-9_-]{1,64}$.
const maxName = 64

// wireName is the name by which a model calls a tool of a server: the names of both with a "-"
// between them, as the reference runtime makes it. Characters that providers refuse become
// "_". Of a name that is too long, the end is replaced by a digest.
func wireName(server, tool string) string {
	name := strings.Map(func(c rune) rune {
		switch {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', c == '_', c == '-':
			return c
		}
		return '_'
	}, server+"-"+tool)
	if len(name) <= maxName {
		return name
	}
	sum := sha256.Sum256([]byte(server + "-" + tool))
	digest := "_" + hex.EncodeToString(sum[:4])
	return name[:maxName-len(digest)] + digest
}
