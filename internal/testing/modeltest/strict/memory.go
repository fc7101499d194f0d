package strict

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"strconv"
	"strings"
)

// memory is what a server has given out.
type memory struct {
	ids   int
	given map[string]given  // by signature, or encrypted content
	noted []string          // what the vendor drops without an error
	calls map[string]string // the names of Gemini's calls, by the ids that it gave them
	// thoughts is the reasoning of DeepSeek's calls, by their ids.
	thoughts map[string]string
}

// given is a signed piece of an answer.
type given struct {
	model   string
	content string // what was signed; it must come back unchanged
	answer  int    // the number of the answer
	of      int    // how many signed pieces that answer has
	// before and prefix are how many pieces the prompt had, and their digest.
	before int
	prefix string
}

// sign remembers a piece of an answer and returns its signature.
func (m *memory) sign(g given) string {
	if m.given == nil {
		m.given = map[string]given{}
	}
	m.ids++
	sum := sha256.Sum256([]byte(g.content + g.prefix + string(rune(m.ids))))
	signature := base64.StdEncoding.EncodeToString(append([]byte("signed+/"), sum[:]...))
	m.given[signature] = g
	return signature
}

// name gives a call an id.
func (m *memory) name(call string) (id string) {
	if m.calls == nil {
		m.calls = map[string]string{}
	}
	m.ids++
	id = "fc" + strconv.Itoa(m.ids)
	m.calls[id] = call
	return id
}

// think remembers the reasoning that came with a call.
func (m *memory) think(call, reasoning string) {
	if m.thoughts == nil {
		m.thoughts = map[string]string{}
	}
	m.thoughts[call] = reasoning
}

// note records what the vendor would drop without an error.
func (m *memory) note(text string) { m.noted = append(m.noted, text) }

// digest is that of a prompt in pieces.
func digest(pieces []string) string {
	sum := sha256.Sum256([]byte(strings.Join(pieces, "\n")))
	return hex.EncodeToString(sum[:8])
}

// unchanged reports whether the prompt before a signed piece is the one that it was given out
// after.
func (g *given) unchanged(prompt []string) bool {
	return g.before <= len(prompt) && digest(prompt[:g.before]) == g.prefix
}
