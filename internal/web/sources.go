package web

import (
	"cmp"
	"encoding/json"
	"net/url"
	"path/filepath"
	"strings"

	"github.com/sidestick-dev/sidestick/extension"
	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/follow"
	"github.com/sidestick-dev/sidestick/internal/timeline"
	"github.com/sidestick-dev/sidestick/internal/tool/fact"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// The types of the references that we send.
const (
	referenceFile = "sidestick.file"
	referenceURL  = "sidestick.url"
)

// Bounds of the references of an answer.
const (
	maxSources = 20      // references
	maxPending = 100     // tool calls under way that may become references
	maxID      = 1 << 10 // bytes of a path or an address; a longer one is left out
)

// sources collects the references of an answer: files that tools have read or changed
// and pages that they fetched, each once, in that order; and the references of an agent
// that is the session's model. The zero value is ready.
type sources struct {
	pending map[string]extension.Reference // by tool call
	found   []extension.Reference
}

// take reads the start or the end of a tool call. A call that failed gives no
// reference.
func (s *sources) take(e follow.Event) {
	call := e.Get("toolCallId").Text()
	if e.Type == "tool.execution_start" {
		ref, ok := source(e)
		if ok && len(s.pending) < maxPending {
			if s.pending == nil {
				s.pending = map[string]extension.Reference{}
			}
			s.pending[call] = ref
		}
		return
	}
	ref, ok := s.pending[call]
	delete(s.pending, call)
	if ok && e.Get("success").True() {
		s.add(ref)
	}
}

func (s *sources) add(ref extension.Reference) {
	for _, have := range s.found {
		if have.Type == ref.Type && have.ID == ref.ID {
			return
		}
	}
	if len(s.found) < maxSources {
		s.found = append(s.found, ref)
	}
}

// quote takes over the references in an agent's answer. One without a name gets its id as the
// name, because no reference can be sent without one.
func (s *sources) quote(e follow.Event) {
	var refs []extension.Reference
	if raw := e.Get(wire.FieldReferences); raw != nil && json.Unmarshal(raw, &refs) == nil {
		for i := range refs {
			refs[i].Metadata.DisplayName = cmp.Or(refs[i].Metadata.DisplayName, refs[i].ID)
		}
		s.found = append(s.found, refs...) // bounded, because answers of agents are
	}
}

// write writes the references, except those that no client would show.
func (s *sources) write(w *extension.Writer) error {
	for _, ref := range s.found {
		if err := w.References(ref); err != nil && fault.KindOf(err) != fault.Invalid {
			return err
		}
	}
	return nil
}

// source returns what a tool call reads or changes.
func source(e follow.Event) (extension.Reference, bool) {
	args := e.Get("arguments")
	switch fact.Of(e.Get("toolName").Text()).Does {
	case fact.Read, fact.Write:
		return fileReference(args.Get("path").Text(), e.Cwd)
	case fact.Fetch:
		return pageReference(args.Get("url").Text())
	}
	return extension.Reference{}, false
}

// fileReference names a file as the model did, but relative to the working directory if
// it is below: the answer should not reveal paths of this machine.
func fileReference(path, cwd string) (extension.Reference, bool) {
	if path == "" || len(path) > maxID {
		return extension.Reference{}, false
	}
	if rel, err := filepath.Rel(cwd, path); err == nil && filepath.IsAbs(path) && filepath.IsLocal(rel) {
		path = rel
	}
	path = filepath.ToSlash(filepath.Clean(path))
	return reference(referenceFile, path, "path", extension.Metadata{DisplayName: timeline.ExposedLine(path, maxTitle)}), true
}

func pageReference(address string) (extension.Reference, bool) {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.User != nil || len(address) > maxID {
		return extension.Reference{}, false
	}
	name := timeline.ExposedLine(strings.TrimSuffix(u.Host+u.EscapedPath(), "/"), maxTitle)
	return reference(referenceURL, address, "url", extension.Metadata{DisplayName: name, DisplayURL: address}), true
}

func reference(kind, id, field string, shown extension.Metadata) extension.Reference {
	data, err := json.Marshal(map[string]string{field: id})
	if err != nil {
		panic(err) // cannot happen: it is a string
	}
	return extension.Reference{Type: kind, ID: id, Data: data, Metadata: shown}
}
