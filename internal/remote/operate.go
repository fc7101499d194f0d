package remote

import (
	"context"
	"time"

	"github.com/sidestick-dev/sidestick/internal/operate"
	"github.com/sidestick-dev/sidestick/internal/session/metrics"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// longTime bounds what a model or git does for the caller.
const longTime = 10 * time.Minute

// Model is the name of the model.
func (s *Session) Model(ctx context.Context) (string, error) {
	var now wire.CurrentModel
	err := s.do(ctx, "session.model.getCurrent", nil, &now)
	return wire.OrZero(now.ModelID), err
}

// SwitchModel changes the model.
func (s *Session) SwitchModel(ctx context.Context, name string) error {
	return s.do(ctx, "session.model.switchTo", map[string]any{"modelId": name}, nil)
}

// Rename gives the session another title.
func (s *Session) Rename(ctx context.Context, title string) error {
	return s.do(ctx, "session.name.set", map[string]any{"name": title}, nil)
}

// Name is the title of the session, "" if it has none.
func (s *Session) Name(ctx context.Context) (string, error) {
	var name wire.NameGot
	err := s.do(ctx, "session.name.get", nil, &name)
	return wire.OrZero(name.Name), err
}

// Compact makes the conversation shorter. Its events say how it goes.
func (s *Session) Compact(ctx context.Context, focus string) error {
	ctx, cancel := context.WithTimeout(ctx, longTime)
	defer cancel()
	params := map[string]any{}
	if focus != "" {
		params["customInstructions"] = focus
	}
	return s.do(ctx, "session.history.compact", params, nil)
}

// Promote lets the work that runs continue in the background; false if nothing runs that could.
func (s *Session) Promote(ctx context.Context) (bool, error) {
	var done struct {
		Task *struct{} `json:"task"`
	}
	err := s.do(ctx, "session.tasks.promoteCurrentToBackground", nil, &done)
	return done.Task != nil, err
}

// Invoked is the result of a slash command: a text, or a message to send.
type Invoked struct {
	Kind          string `json:"kind"` // text, agent-prompt, completed, or what a newer server has
	Text          string `json:"text"`
	Message       string `json:"message"`
	Prompt        string `json:"prompt"`
	DisplayPrompt string `json:"displayPrompt"`
	Mode          string `json:"mode"`
	Notice        string `json:"notice"`
}

// Invoke carries out a slash command of the server: one of its own, a skill, or a prompt in a file.
func (s *Session) Invoke(ctx context.Context, name, input string) (r Invoked, err error) {
	ctx, cancel := context.WithTimeout(ctx, longTime)
	defer cancel()
	err = s.do(ctx, "session.commands.invoke", map[string]any{"name": name, "input": input}, &r)
	return r, err
}

// Command is a slash command of the server.
type Command struct {
	Name        string `json:"name"`
	Description string `json:"description"`
}

// Commands lists them.
func (s *Session) Commands(ctx context.Context) ([]Command, error) {
	var out struct {
		Commands []Command `json:"commands"`
	}
	err := s.do(ctx, "session.commands.list", nil, &out)
	return out.Commands, err
}

// Turns implements [operate.Desk].
func (s *Session) Turns(ctx context.Context) (list []operate.Turn, tracking bool, err error) {
	var got wire.RewindPoints
	if err := s.do(ctx, "session.history.listRewindPoints", nil, &got); err != nil {
		return nil, false, err
	}
	if got.UnavailableReason != nil && *got.UnavailableReason == "session-busy" {
		return nil, got.FileChangeTrackingEnabled, operate.ErrBusy
	}
	return operate.TurnsOf(got.Points), got.FileChangeTrackingEnabled, nil
}

// Preview implements [operate.Desk].
func (s *Session) Preview(ctx context.Context, t operate.Turn) ([]operate.File, error) {
	var got struct {
		wire.RewindPreviewed
		SkippedFiles []wire.SkippedFile `json:"skippedFiles"`
	}
	err := s.do(ctx, "session.history.previewRewind", map[string]any{"eventId": t.EventID}, &got)
	if err == nil && got.Reason != nil && *got.Reason == "session-busy" {
		err = operate.ErrBusy
	}
	return operate.FilesOf(got.Files, got.SkippedFiles), err
}

// CommandsSince implements [operate.Desk].
func (s *Session) CommandsSince(ctx context.Context, eventID string) (operate.Commands, error) {
	return operate.CommandsOf(s.log(ctx), eventID)
}

// Rewind implements [operate.Desk].
func (s *Session) Rewind(ctx context.Context, t operate.Turn, files bool) (operate.Rewound, error) {
	mode := "conversation"
	if files {
		mode = "conversation-and-files"
	}
	var got wire.Rewound
	if err := s.do(ctx, "session.history.rewind", map[string]any{"eventId": t.EventID, "mode": mode}, &got); err != nil {
		return operate.Rewound{}, err
	}
	return operate.RewoundOf(s.id, got)
}

// Changes implements [operate.Desk].
func (s *Session) Changes(ctx context.Context, mode string) (operate.Diff, error) {
	if mode == "" {
		mode = "session"
	}
	var got wire.WorkspaceDiff
	if err := s.do(ctx, "session.workspaces.diff", map[string]any{"mode": mode}, &got); err != nil {
		return operate.Diff{}, err
	}
	d := operate.DiffOf(got)
	if got.Mode != "session" {
		return d, nil
	}
	var err error
	d.Commands, err = s.CommandsSince(ctx, "")
	return d, err
}

// Window implements [operate.Desk].
func (s *Session) Window(ctx context.Context) (metrics.Window, error) {
	var got wire.ContextInfoResult
	err := s.do(ctx, "session.metadata.contextInfo", map[string]any{"promptTokenLimit": 0, "outputTokenLimit": 0}, &got)
	if err != nil || got.ContextInfo == nil {
		return metrics.Window{}, err
	}
	i := got.ContextInfo
	return metrics.Window{
		System: i.SystemTokens, Tools: i.ToolDefinitionsTokens, Conversation: i.ConversationTokens, Limit: i.PromptTokenLimit, Source: got.LimitSource,
		Deferred: got.DeferredTokens, DeferredTools: got.DeferredTools,
	}, nil
}

// Answer implements [operate.Desk].
func (s *Session) Answer(ctx context.Context, n int) (string, error) {
	return operate.AnswerOf(s.log(ctx), n)
}
