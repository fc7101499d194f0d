package session

import "github.com/sidestick-dev/sidestick/internal/prompt"

// systemMessage is what the model reads first: our own, and what the client made
// of it. Sections that a client wants to transform stay as they are: the callback
// is not made yet.
func (s *Session) systemMessage() string {
	env := prompt.Env{Cwd: s.cwd, GitRoot: s.gitRoot}
	for _, t := range s.offered() {
		env.Tools = append(env.Tools, t.def.Name)
	}
	text, _ := prompt.System(prompt.Sections(env), s.prompting, nil)
	return text
}
