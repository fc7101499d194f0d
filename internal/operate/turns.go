package operate

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/timeline"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// Turn is a message of the user to which the session can be rewound: the message, and all that
// follows, is removed from the conversation.
type Turn struct {
	Number  int    // from 1, the first message of the session
	EventID string // of the message
	Text    string // the message; harmless
	At      time.Time
	// Files is the number of files that this turn and later ones have changed, as far as the
	// session has kept what they were; Restorable says that a rewind can restore one of them.
	Files          int
	Restorable     bool
	Added, Removed int64 // lines, by this turn alone
}

// ErrBusy says that the session works, so that nothing can be rewound.
var ErrBusy = errors.New("the agent is working; stop it first, or wait for its end")

// Turns implements [Desk].
func (h Here) Turns(ctx context.Context) (list []Turn, tracking bool, err error) {
	points, tracking, busy, err := h.Client.Session().History().Files().Points(ctx)
	if err != nil {
		return nil, tracking, err
	}
	if busy {
		return nil, tracking, ErrBusy
	}
	return TurnsOf(points), tracking, nil
}

// TurnsOf are the turns at the points of the protocol.
func TurnsOf(points []wire.RewindPoint) (list []Turn) {
	for _, p := range points {
		if p.IsAutopilotContinuation {
			continue
		}
		at, _ := time.Parse(time.RFC3339, p.Timestamp)
		list = append(list, Turn{
			Number: len(list) + 1, EventID: p.EventID, Text: timeline.Harmless(p.UserMessage), At: at,
			Files: int(p.FileCount), Restorable: p.CanRestoreFiles, Added: p.LinesAdded, Removed: p.LinesRemoved,
		})
	}
	return list
}

// File is a file that a rewind would restore.
type File struct {
	Path           string // absolute; not harmless
	Change         string // what the agent did: created, modified or deleted
	Added, Removed int64  // lines, by the turns that a rewind removes
	Kept           string // why a rewind leaves the file as it is; "" if it restores it
}

// String is the file in one line, as "modified  main.go  +3 -1".
func (f File) String() string {
	if f.Kept != "" {
		return "leaves    " + timeline.ExposedPath(f.Path) + ": " + f.Kept
	}
	return fmt.Sprintf("%-8s  %s  +%d -%d", f.Change, timeline.ExposedPath(f.Path), f.Added, f.Removed)
}

// Preview implements [Desk].
func (h Here) Preview(ctx context.Context, t Turn) ([]File, error) {
	of := h.Client.Session().History().Files()
	files, _, busy, err := of.Preview(ctx, t.EventID)
	if err == nil && busy {
		err = ErrBusy
	}
	if err != nil || len(files) == 0 {
		return nil, err
	}
	skipped, err := of.Skipped(ctx, t.EventID)
	return FilesOf(files, skipped), err
}

// FilesOf are the files of a preview of the protocol, some of which a rewind leaves as they are.
func FilesOf(files []wire.RewindFile, skipped []wire.SkippedFile) (list []File) {
	for _, f := range files {
		file := File{Path: f.Path, Change: string(f.ChangeType), Added: f.LinesAdded, Removed: f.LinesRemoved}
		for _, k := range skipped {
			if k.Path == f.Path {
				file.Kept = kept(k)
			}
		}
		list = append(list, file)
	}
	return list
}

// kept is why a file is not restored.
func kept(k wire.SkippedFile) string {
	if k.Reason == "skipped-capture" {
		return "what it was is not kept"
	}
	return "it was changed since by something else"
}

// Rewound is the result of a rewind.
type Rewound struct {
	Restored []string // files, absolute
	// Kept are the files that were not restored, each with the reason: something else has changed
	// them since, or what they were was not kept.
	Kept []KeptFile
}

// KeptFile is a file that a rewind has left as it is.
type KeptFile struct{ Path, Why string }

// Rewind implements [Desk].
func (h Here) Rewind(ctx context.Context, t Turn, files bool) (Rewound, error) {
	r, err := h.Client.Session().History().Files().Rewind(ctx, t.EventID, files)
	if err != nil {
		return Rewound{}, err
	}
	return RewoundOf(h.Client.Session().ID(), r)
}

// RewoundOf is the result of a rewind of the protocol in the session with an id.
func RewoundOf(id string, r wire.Rewound) (Rewound, error) {
	done := Rewound{Restored: r.RestoredFiles}
	for _, k := range r.SkippedFiles {
		done.Kept = append(done.Kept, KeptFile{k.Path, kept(k)})
	}
	return done, failed(id, r)
}

// failed is why a rewind has failed, nil if it has not.
func failed(id string, r wire.Rewound) error {
	detail := ""
	if r.Error != nil {
		detail = ": " + *r.Error
	}
	switch r.Outcome {
	case "success", "snapshot-prune-failed", "checkpoint-cleanup-failed":
		return nil
	case "session-busy":
		return ErrBusy
	case "file-change-tracking-disabled":
		return fault.New(fault.Invalid, "rewind", id, "this session does not keep what files were, so only the conversation can be rewound")
	case "files-rolled-back":
		return fault.New(fault.Unavailable, "rewind", id, "a file could not be restored, so nothing was changed%s", detail)
	case "rollback-incomplete":
		return fault.New(fault.Unavailable, "rewind", id, "a file could not be restored, and not all others are as they were%s", detail)
	}
	return fault.New(fault.Unavailable, "rewind", id, "the conversation could not be rewound%s", detail)
}
