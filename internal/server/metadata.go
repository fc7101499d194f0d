package server

import (
	"context"

	"github.com/sidestick-dev/sidestick/internal/session"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

func snapshot(ctx context.Context, s *session.Session, _ named) (any, error) {
	m, err := s.Snapshot(ctx)
	if err != nil {
		return nil, err
	}
	return encode(m)
}

func isProcessing(ctx context.Context, s *session.Session, _ named) (any, error) {
	working, err := s.Working(ctx)
	return wire.Processing{Processing: working}, err
}

// activity reports the same for both fields, because everything that is under way can
// be aborted.
func activity(ctx context.Context, s *session.Session, _ named) (any, error) {
	working, err := s.Working(ctx)
	return wire.Activity{HasActiveWork: working, Abortable: working}, err
}

const (
	// compactAt is the share of the prompt limit at which a session is compacted in the
	// background, blockAt the share at which it waits for that, both in percent.
	// Source: the SDK's defaults for infinite sessions.
	compactAt = 80
	blockAt   = 95
)

// contextInfo answers with estimates for the limits that the client sends. A limit of 0 for the
// prompt means the limit of the model; a limit of 0 for the answer reserves no tokens.
func contextInfo(ctx context.Context, s *session.Session, p wire.ContextInfoParams) (any, error) {
	if p.PromptTokenLimit < 0 {
		return nil, tooSmall("promptTokenLimit", p.PromptTokenLimit, 0)
	}
	if p.OutputTokenLimit < 0 {
		return nil, tooSmall("outputTokenLimit", p.OutputTokenLimit, 0)
	}
	model, _, err := s.Settings().Model(ctx)
	if err != nil {
		return nil, err
	}
	selected := ""
	if p.SelectedModel != nil && *p.SelectedModel != "" {
		selected, model = *p.SelectedModel, *p.SelectedModel
	}
	limit, source := p.PromptTokenLimit, ""
	if limit == 0 {
		w, err := s.Settings().Window(ctx, selected)
		if err != nil {
			return nil, err
		}
		limit, source = w.Tokens, w.Source
	}
	f, err := s.Metrics().Measure(ctx)
	return wire.ContextInfoResult{LimitSource: source, DeferredTools: f.DeferredTools, DeferredTokens: f.Deferred, ContextInfo: &wire.ContextInfo{
		ModelName: model, PromptTokenLimit: limit, Limit: limit + p.OutputTokenLimit,
		SystemTokens: f.System, ConversationTokens: f.Conversation, ToolDefinitionsTokens: f.Tools,
		TotalTokens:         f.System + f.Conversation + f.Tools,
		CompactionThreshold: share(limit, compactAt), BufferTokens: p.OutputTokenLimit + limit - share(limit, blockAt),
	}}, err
}

// share returns percent of n without overflow.
func share(n, percent int64) int64 { return n/100*percent + n%100*percent/100 }

// contextTokens estimates again. The estimate is the session's own, for every model,
// because it is based on the tokens that were counted so far.
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
	return empty{}, s.Settings().RecordContext(ctx, &wire.SessionContextChanged{
		Cwd: c.Cwd, GitRoot: c.GitRoot, Repository: c.Repository, RepositoryHost: c.RepositoryHost, HostType: (*wire.HostType)(c.HostType),
		Branch: c.Branch, BaseCommit: c.BaseCommit, HeadCommit: c.HeadCommit,
	})
}
