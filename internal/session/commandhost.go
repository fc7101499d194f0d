package session

import (
	"cmp"
	"context"
	"fmt"
	"io"

	"github.com/sidestick-dev/sidestick/internal/export"
	"github.com/sidestick-dev/sidestick/internal/plugin"
	"github.com/sidestick-dev/sidestick/internal/schedule"
	"github.com/sidestick-dev/sidestick/internal/session/command"
	"github.com/sidestick-dev/sidestick/internal/session/mailbox"
	"github.com/sidestick-dev/sidestick/internal/session/state"
	"github.com/sidestick-dev/sidestick/internal/timeline"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// Commands returns the session's slash commands.
func (s *Session) Commands() *command.Commands { return s.command }

// commandHost is a session as its slash commands see it; it implements [command.Session].
type commandHost struct{ recorder }

func (h commandHost) Clients() (list []command.Client) {
	for _, c := range h.s.clients {
		list = append(list, asked{c})
	}
	return list
}

func (h commandHost) Interested(event wire.EventType) bool { return audience{h.s}.interested(event) }

func (h commandHost) Send(ctx context.Context, m wire.Send) (string, error) { return h.s.Send(ctx, m) }

func (h commandHost) Model(ctx context.Context) (string, error) {
	now, _, err := h.s.Settings().Model(ctx)
	return now, err
}

func (h commandHost) SwitchModel(ctx context.Context, name string) error {
	return h.s.Settings().SwitchModel(ctx, wire.ModelSwitch{ModelID: name})
}

func (h commandHost) SetMode(ctx context.Context, mode wire.Mode) error {
	return h.s.Settings().SetMode(ctx, mode)
}

func (h commandHost) Mode(ctx context.Context) (wire.Mode, error) { return h.s.Settings().Mode(ctx) }

func (h commandHost) Name(ctx context.Context) (string, error) { return h.s.Settings().Name(ctx) }

func (h commandHost) SetName(ctx context.Context, name string) error {
	return h.s.Settings().SetName(ctx, name)
}

func (h commandHost) Cwd(ctx context.Context) (string, error) {
	return mailbox.Ask(ctx, h.s.log.Do, func() (string, error) { return h.s.log.State().Cwd, nil })
}

func (h commandHost) SetWorkingDirectory(ctx context.Context, dir string) (string, error) {
	return h.s.Settings().SetWorkingDirectory(ctx, dir)
}

func (h commandHost) Changed(ctx context.Context) (list []wire.RewindFile, unknown string, err error) {
	files := h.s.History().Files()
	points, tracking, busy, err := files.Points(ctx)
	switch {
	case err != nil:
		return nil, "", err
	case !tracking:
		return nil, "the session does not keep what files were (enableFileChangeTracking)", nil
	case busy:
		return nil, "a run is under way", nil
	case len(points) == 0:
		return nil, "", nil
	}
	list, _, _, err = files.Preview(ctx, points[0].EventID)
	return list, "", err
}

func (h commandHost) Window(ctx context.Context) (rows []string, of string, err error) {
	w, err := h.s.Window(ctx)
	return w.Rows(), w.Of(), err
}

func (h commandHost) Servers() command.Servers { return MCP(h.s) }

func (h commandHost) Agents(ctx context.Context) ([]wire.AgentInfo, error) {
	return h.s.agents.List(ctx, true, false)
}

func (h commandHost) Effort(ctx context.Context) (string, error) {
	_, effort, err := h.s.Settings().Model(ctx)
	return effort, err
}

func (h commandHost) SetReasoningEffort(ctx context.Context, effort string) error {
	return h.s.Settings().SetReasoningEffort(ctx, effort)
}

func (h commandHost) Work(ctx context.Context) (list []command.Work, err error) {
	todos, err := h.s.Workspace().Todos(ctx)
	if err != nil {
		return nil, err
	}
	for _, t := range todos.Rows {
		list = append(list, command.Work{Kind: "to-do", State: wire.OrZero(t.Status), Text: wire.OrZero(t.Title)})
	}
	agents, err := h.s.agents.Tasks().List(ctx, false)
	if err != nil {
		return nil, err
	}
	for _, t := range agents {
		if a, ok := t.(*wire.AgentTask); ok {
			list = append(list, command.Work{Kind: "agent", State: string(a.Status), Text: a.Description})
		}
	}
	jobs, err := h.s.Shell().Jobs().List(ctx)
	for _, j := range jobs {
		list = append(list, command.Work{Kind: "command", State: "running", Text: j.Text})
	}
	return list, err
}

func (h commandHost) Background(ctx context.Context) (bool, error) {
	task, err := h.s.agents.Tasks().Promote(ctx, "")
	if err != nil {
		return false, err
	}
	moved, err := h.s.Shell().Jobs().Background(ctx)
	return task != nil || len(moved) > 0, err
}

func (h commandHost) Plugins(ctx context.Context) ([]plugin.Plugin, error) {
	return PluginsOf(ctx, h.s)
}

func (h commandHost) Destination(ctx context.Context) (model, window string, err error) {
	to, err := h.s.Settings().Destination(ctx)
	if model = to.Model; to.Missing != nil {
		model = to.Missing.Error()
	}
	if to.Address != "" {
		model += " at " + to.Address
	}
	if to.Window.Tokens > 0 {
		window = fmt.Sprintf("%s tokens for a prompt (%s)", timeline.Count(to.Window.Tokens), timeline.OneLine(to.Window.Source, 100))
	}
	return model, window, err
}

func (h commandHost) Export(ctx context.Context, format string, out io.Writer) error {
	return h.s.Export(ctx, format, out)
}

// Export writes the session in a format of [export.Formats], "" for the first.
func (s *Session) Export(ctx context.Context, format string, out io.Writer) error {
	title, err := s.Settings().Name(ctx)
	if err != nil {
		return err
	}
	return export.Write(out, cmp.Or(format, export.Formats[0]), title, s.History().All(ctx))
}

func (h commandHost) StartFleet(ctx context.Context, prompt string) error {
	return h.s.agents.StartFleet(ctx, prompt, nil, false)
}

func (h commandHost) Schedule(ctx context.Context, e schedule.Entry) (wire.ScheduleEntry, error) {
	return h.s.queue.Schedule().Add(ctx, e)
}

func (h commandHost) Schedules(ctx context.Context) ([]wire.ScheduleEntry, error) {
	return h.s.queue.Schedule().List(ctx)
}

func (h commandHost) Permissions() command.Permissions { return h.s.permissions }

func (h commandHost) Retry(ctx context.Context) error { return h.s.queue.Retry(ctx) }

func (h commandHost) Summarize(ctx context.Context, focus string) (int64, error) {
	done, err := h.s.compact.Run(ctx, focus)
	if err != nil {
		return 0, err
	}
	return *done.TokensRemoved, nil
}

func (h commandHost) Usage(ctx context.Context) (wire.UsageMetrics, error) {
	return h.s.metrics.Usage(ctx)
}

func (h commandHost) Enqueue(item state.Queued) error { return h.s.queue.Enqueue(item) }

func (h commandHost) Begin(id string) (there bool, err error) { return h.s.queue.Begin(id) }

func (h commandHost) Next(item state.Queued) error { return h.s.queue.Next(item) }

func (h commandHost) Stop() { h.s.queue.Stop() }
