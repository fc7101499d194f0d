package server

import (
	"context"

	"github.com/sidestick-dev/sidestick/internal/session"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// unavailable is why files cannot be restored, nil if they can.
func unavailable(tracking, busy bool) *wire.RewindUnavailable {
	var why wire.RewindUnavailable
	switch {
	case !tracking:
		why = "file-change-tracking-disabled"
	case busy:
		why = "session-busy"
	default:
		return nil
	}
	return &why
}

func listRewindPoints(ctx context.Context, s *session.Session, _ named) (any, error) {
	points, tracking, busy, err := s.History().Files().Points(ctx)
	if err != nil {
		return nil, err
	}
	result := wire.RewindPoints{FileChangeTrackingEnabled: tracking, Points: points}
	if tracking {
		result.UnavailableReason = unavailable(tracking, busy)
	}
	return encode(result)
}

func previewRewind(ctx context.Context, s *session.Session, p wire.RewindPreview) (any, error) {
	files, tracking, busy, err := s.History().Files().Preview(ctx, p.EventID)
	if err != nil {
		return nil, err
	}
	var result struct {
		wire.RewindPreviewed
		// SkippedFiles is an addition of Sidestick: the files that a rewind would leave as they are.
		SkippedFiles []wire.SkippedFile `json:"skippedFiles,omitempty"`
	}
	result.RewindPreviewed = wire.RewindPreviewed{Reason: unavailable(tracking, busy), Files: files, FileCount: int64(len(files))}
	if result.Available = result.Reason == nil; result.Available && len(files) > 0 {
		if result.SkippedFiles, err = s.History().Files().Skipped(ctx, p.EventID); err != nil {
			return nil, err
		}
	}
	return encode(result)
}

func rewind(ctx context.Context, s *session.Session, p wire.Rewind) (any, error) {
	if p.Mode != "conversation" && p.Mode != "conversation-and-files" {
		return nil, unfit(`mode is %q, want "conversation" or "conversation-and-files"`, p.Mode)
	}
	result, err := s.History().Files().Rewind(ctx, p.EventID, p.Mode == "conversation-and-files")
	if err != nil {
		return nil, err
	}
	return encode(result)
}
