package server

import (
	"context"

	"github.com/sidestick-dev/sidestick/internal/session"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

func snapshot(ctx context.Context, s *session.Session, _ named) (any, error) {
	m, err := s.Metrics().Snapshot(ctx)
	if err != nil {
		return nil, err
	}
	return encode(m)
}

func isProcessing(ctx context.Context, s *session.Session, _ named) (any, error) {
	working, err := s.Metrics().Working(ctx)
	return wire.Processing{Processing: working}, err
}

// activity says the same of both: whatever is at work here can be aborted.
func activity(ctx context.Context, s *session.Session, _ named) (any, error) {
	working, err := s.Metrics().Working(ctx)
	return wire.Activity{HasActiveWork: working, Abortable: working}, err
}

const (
	// compactAt is the share of the prompt limit at which a session is compacted in
	// the background, and blockAt that at which it waits for that, in percent.
	// Source: the SDK's defaults for infinite sessions.
	compactAt = 80
	blockAt   = 95
)

// contextInfo answers with estimates for the limits that the client names.
func contextInfo(ctx context.Context, s *session.Session, p wire.ContextInfoParams) (any, error) {
	if p.PromptTokenLimit < 1 {
		return nil, tooSmall("promptTokenLimit", p.PromptTokenLimit, 1)
	}
	if p.OutputTokenLimit < 0 {
		return nil, tooSmall("outputTokenLimit", p.OutputTokenLimit, 0)
	}
	model, _, err := s.Settings().Model(ctx)
	if err != nil {
		return nil, err
	}
	if p.SelectedModel != nil && *p.SelectedModel != "" {
		model = *p.SelectedModel
	}
	f, err := s.Metrics().Measure(ctx)
	limit := p.PromptTokenLimit
	return wire.ContextInfoResult{ContextInfo: &wire.ContextInfo{
		ModelName: model, PromptTokenLimit: limit, Limit: limit + p.OutputTokenLimit,
		SystemTokens: f.System, ConversationTokens: f.Conversation, ToolDefinitionsTokens: f.Tools,
		TotalTokens:         f.System + f.Conversation + f.Tools,
		CompactionThreshold: share(limit, compactAt), BufferTokens: p.OutputTokenLimit + limit - share(limit, blockAt),
	}}, err
}

// share is some percent of n, which may be as large as a number gets.
func share(n, percent int64) int64 { return n/100*percent + n%100*percent/100 }

// contextTokens estimates anew. The estimate is that of the session, whatever the
// model: it has learnt from what was counted so far.
func contextTokens(ctx context.Context, s *session.Session, _ named) (any, error) {
	f, err := s.Metrics().Measure(ctx)
	return wire.ContextTokens{SystemTokenCount: f.System, MessagesTokenCount: f.Conversation, TotalTokens: f.System + f.Conversation}, err
}

func setWorkingDirectory(ctx context.Context, s *session.Session, p wire.DirectorySet) (any, error) {
	at, err := s.Settings().SetWorkingDirectory(ctx, p.WorkingDirectory)
	return wire.DirectorySetResult{WorkingDirectory: at}, err
}

func recordContextChange(ctx context.Context, s *session.Session, p wire.ContextChange) (any, error) {
	c := p.Context
	return none{}, s.Settings().RecordContext(ctx, &wire.SessionContextChanged{
		Cwd: c.Cwd, GitRoot: c.GitRoot, Repository: c.Repository, RepositoryHost: c.RepositoryHost, HostType: (*wire.HostType)(c.HostType),
		Branch: c.Branch, BaseCommit: c.BaseCommit, HeadCommit: c.HeadCommit,
	})
}
