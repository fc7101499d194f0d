package offer

import "github.com/sidestick-dev/sidestick/internal/tool"

// Chosen is a tool that an agent may call, and what its next request does with it. Deferred tools are found by a search;
// the request has those that were found, and all that are not deferred: they are Sent.
type Chosen struct {
	Definition     tool.Definition
	Deferred, Sent bool
}

// Limits are those of the model that is called, as far as they are about tools.
type Limits struct {
	Window int64 // of a prompt, in tokens; 0: not known
	Most   int   // the tools that a request may have; 0: not known
}
