package mcp

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/tool"
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
	return withDigest(name, server+"-"+tool)
}

// withDigest returns a name with a digest of a text at its end.
func withDigest(name, of string) string {
	sum := sha256.Sum256([]byte(of))
	digest := "_" + hex.EncodeToString(sum[:4])
	return name[:min(len(name), maxName-len(digest))] + digest
}

// distinct returns the tools, each with a name of its own. Those of one name, such as the tool b-c of the
// server a and the tool c of the server a-b, all get another one, so that no server can take the
// calls that are meant for another.
func distinct(all []*Tool) []tool.Tool {
	used := map[string]int{}
	for _, t := range all {
		used[t.definition.Name]++
	}
	named := make([]tool.Tool, len(all))
	for i, t := range all {
		if name := t.definition.Name; used[name] > 1 {
			renamed := *t
			for n := 0; n == 0 || used[renamed.definition.Name] > 0; n++ { // a server can choose its names so that they meet
				renamed.definition.Name = withDigest(name, fmt.Sprint(t.definition.Server, "\x00", t.definition.ServerTool, "\x00", n))
			}
			t = &renamed
			used[t.definition.Name]++
		}
		named[i] = t
	}
	return named
}
