package mcp

import (
	"encoding/json"

	"github.com/sidestick-dev/sidestick/internal/projectfiles"
)

// OfProject is a server that a file of a project configures: a program that the user has not chosen by name. It
// runs in a sandbox.
type OfProject struct {
	Name   string
	Folder string // of the project
	// Digest is that of the configuration as it is written in the file; see [DefinitionDigest].
	Digest string
	// Config has the values of variables, too.
	Config json.RawMessage
}

// projectMark is what [MarkOfProject] adds to a configuration. A client that sends it only confines its own
// server.
type projectMark struct {
	Folder string `json:"sidestick.projectFolder"`
	Digest string `json:"sidestick.definition"`
}

// DefinitionDigest is the digest of a configuration as it is written in a file; white space does not count.
func DefinitionDigest(written json.RawMessage) string { return projectfiles.Digest(compact(written)) }

// MarkOfProject returns a configuration that [Host.Sandbox] gets as one of a project. written is how the file has
// it, folder the project.
func MarkOfProject(config, written json.RawMessage, folder string) json.RawMessage {
	var fields map[string]json.RawMessage
	if json.Unmarshal(config, &fields) != nil || fields == nil {
		return config // the error is that of the server
	}
	mark, err := json.Marshal(projectMark{folder, DefinitionDigest(written)})
	if err != nil || json.Unmarshal(mark, &fields) != nil {
		return nil // a text can always be written; without a mark the server must not start
	}
	with, err := json.Marshal(fields)
	if err != nil {
		return nil
	}
	return with
}

// ofProject is the server as [Host.Sandbox] gets it; nil if no file of a project configures it.
func (c *config) ofProject(name string) *OfProject {
	if c.project == (projectMark{}) {
		return nil
	}
	return &OfProject{Name: name, Folder: c.project.Folder, Digest: c.project.Digest, Config: c.text}
}
