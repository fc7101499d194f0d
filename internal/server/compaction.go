package server

import (
	"context"

	"github.com/sidestick-dev/sidestick/internal/session"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

func compact(ctx context.Context, s *session.Session, p wire.HistoryCompact) (any, error) {
	focus := ""
	if p.CustomInstructions != nil {
		focus = *p.CustomInstructions
	}
	done, err := s.Compaction().Run(ctx, focus)
	if err != nil {
		return nil, err
	}
	result := wire.HistoryCompacted{Success: done.Success, SummaryContent: done.SummaryContent}
	if done.Success {
		result.TokensRemoved, result.MessagesRemoved = *done.TokensRemoved, *done.MessagesRemoved
		result.ContextWindow = &wire.ContextWindow{
			CurrentTokens: *done.PostCompactionTokens, TokenLimit: *done.TokenLimit, SystemTokens: done.SystemTokens,
			ToolDefinitionsTokens: done.ToolDefinitionsTokens, ConversationTokens: done.ConversationTokens, MessagesLength: 1,
		}
	}
	return encode(result)
}

func summarizeForHandoff(ctx context.Context, s *session.Session, _ struct{}) (any, error) {
	text, err := s.Compaction().Handoff(ctx)
	return wire.HandoffSummary{Summary: text}, err
}

func cancelCompaction(ctx context.Context, s *session.Session, _ struct{}) (any, error) {
	did, err := s.Compaction().Cancel(ctx, false)
	return wire.CompactionCanceled{Cancelled: did}, err
}

func abortCompaction(ctx context.Context, s *session.Session, _ struct{}) (any, error) {
	did, err := s.Compaction().Cancel(ctx, true)
	return wire.CompactionAborted{Aborted: did}, err
}
