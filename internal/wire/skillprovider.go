package wire

import "context"

// SkillProvider gives a session the skills of a client. Its methods wait for the client, for up to 30 seconds. Any
// goroutine may call them, but that of the session.
type SkillProvider interface {
	List(ctx context.Context, sessionID string) ([]ProvidedSkill, error)
	// Read returns the text of a skill. [fault.NotFound] if the client has none of that name.
	Read(ctx context.Context, sessionID, name string) (string, error)
}

// ProvidedSkill is a skill of a client, as skillProvider.list describes it.
type ProvidedSkill struct {
	Name                   string `json:"name"`
	Description            string `json:"description"`
	ArgumentHint           string `json:"argumentHint"`
	Directory              string `json:"directory"` // with the files of the skill; absolute, "" for none
	DisableModelInvocation bool   `json:"disableModelInvocation"`
	UserInvocable          *bool  `json:"userInvocable"` // default true
}
