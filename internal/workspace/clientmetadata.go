package workspace

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"maps"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/fault"
)

// clientMetadataName is the file of what clients note about the session.
const clientMetadataName = "client-metadata.json"

// Limits on what clients note, in bytes. Source: the SDK's schema.
const (
	maxNoteKey   = 256
	maxNote      = 16 << 10
	maxNotes     = 128 // entries
	maxNotesFile = 64 << 10
)

// clientNotes is the content of the file.
type clientNotes struct {
	Version  int               `json:"version"` // 1
	Metadata map[string]string `json:"metadata"`
}

// ErrNewerNotes is the error of client metadata that a newer version has written.
var ErrNewerNotes = errors.New("a newer version has written the client metadata")

// ClientMetadata returns what clients have noted; never nil. [fault.Invalid] if the file is
// damaged, [ErrNewerNotes] if its version is not known.
func (w *Workspace) ClientMetadata(ctx context.Context) (map[string]string, error) {
	data, err := w.files.Read(ctx, clientMetadataName, maxNotesFile)
	if errors.Is(err, fs.ErrNotExist) {
		return map[string]string{}, nil
	}
	if err != nil {
		return nil, w.fail("session.metadata.getClientMetadata", "the client metadata", err)
	}
	var notes clientNotes
	switch err := fault.DecodeObject(data, &notes); {
	case err == nil && notes.Version > 1:
		return nil, ErrNewerNotes
	case err == nil && notes.Version == 1 && notes.Metadata != nil:
		return notes.Metadata, nil
	case err == nil:
		err = errors.New("it has no version or no metadata")
		fallthrough
	default:
		return nil, fault.New(fault.Invalid, "session.metadata.getClientMetadata", w.session, "%s is damaged: %w", clientMetadataName, err)
	}
}

// NotesPatch changes client metadata: first Clear, then Remove, then Set.
type NotesPatch struct {
	Clear  bool
	Remove []string
	Set    map[string]string
}

// UpdateClientMetadata changes what clients have noted, and returns the result. The error is
// [fault.Invalid], and nothing is changed, if that would break a limit.
func (w *Workspace) UpdateClientMetadata(ctx context.Context, p NotesPatch) (map[string]string, error) {
	const op = "session.metadata.updateClientMetadata"
	for _, key := range p.Remove {
		if err := CheckNoteKey(key); err != nil {
			return nil, w.invalid(op, err)
		}
	}
	for key, value := range p.Set {
		if err := CheckNoteKey(key); err != nil {
			return nil, w.invalid(op, err)
		}
		if len(value) > maxNote {
			return nil, fault.New(fault.Invalid, op, w.session, "the value of %q has %d bytes, want %d at most", key, len(value), maxNote)
		}
	}
	w.writing.Lock()
	defer w.writing.Unlock()
	notes := map[string]string{}
	if !p.Clear {
		var err error
		if notes, err = w.ClientMetadata(ctx); err != nil {
			return nil, err
		}
	}
	for _, key := range p.Remove {
		delete(notes, key)
	}
	maps.Copy(notes, p.Set)
	data, err := json.Marshal(clientNotes{1, notes})
	switch {
	case err != nil:
		return nil, w.fail(op, "the client metadata", err)
	case len(notes) > maxNotes:
		return nil, fault.New(fault.Invalid, op, w.session, "there would be %d entries, want %d at most", len(notes), maxNotes)
	case len(data) > maxNotesFile:
		return nil, fault.New(fault.Invalid, op, w.session, "the client metadata would have %d bytes, want %d at most", len(data), maxNotesFile)
	}
	_, err = w.files.Write(ctx, clientMetadataName, data, Durable)
	return notes, w.fail(op, "the client metadata", err)
}

// CheckNoteKey refuses a key that client metadata cannot have.
func CheckNoteKey(key string) error {
	switch {
	case key == "":
		return errors.New("a key is empty")
	case len(key) > maxNoteKey:
		return errors.New("a key is longer than 256 bytes")
	case strings.HasPrefix(key, "copilot/"), strings.HasPrefix(key, "github/"):
		return errors.New("keys that begin with copilot/ or github/ are reserved")
	}
	return nil
}
