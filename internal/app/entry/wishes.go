package entry

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/app/ask"
	"github.com/sidestick-dev/sidestick/internal/app/cli"
	"github.com/sidestick-dev/sidestick/internal/question"
	"github.com/sidestick-dev/sidestick/internal/session/provider"
	"github.com/sidestick-dev/sidestick/internal/session/registry"
	"github.com/sidestick-dev/sidestick/internal/timeline"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// The values of --from-log.
const (
	useLog    = "use"
	ignoreLog = "ignore"
)

// consent asks the user whether the model and the folder that the log of a foreign session names take
// effect. After a yes, they are added to the configuration; after a no, those of this program are, so that
// the session continues with them from then on. Without a terminal, --from-log has to say it. A
// session that the user enters from another one is not asked about: nothing that its log names takes effect,
// and its warning says so.
func (r *Runtime) consent(ctx context.Context, s *Settings, id string, cfg *wire.Config) error {
	if s.switched {
		return nil
	}
	w, err := r.wishes(ctx, id, cfg.Model)
	if err != nil || w.Model == "" && w.Folder == "" {
		return err
	}
	answer := s.FromLog
	if answer == "" {
		if answer, err = r.askAboutLog(ctx, id, w); err != nil {
			return err
		}
	}
	if answer == ignoreLog {
		w = r.insteadOf(w)
	}
	cfg.Model, cfg.WorkingDirectory = cmp.Or(cfg.Model, w.Model), w.Folder
	return nil
}

// wishes returns what needs consent in the log of a session. The model does not if the user has chosen another one.
func (r *Runtime) wishes(ctx context.Context, id, chosen string) (registry.Wishes, error) {
	w, err := r.Parts.Sessions.Wishes(ctx, id)
	if chosen != "" {
		w.Model = ""
	}
	return w, err
}

// AskAhead asks what [Runtime.Open] would ask about the log of a session that must exist, and keeps the answer for it:
// once the terminal interface is drawn, the terminal is its own. What else is wrong with the session, Open reports.
func (r *Runtime) AskAhead(ctx context.Context, s *Settings) error {
	if !s.MustExist() || s.FromLog != "" || r.Terminal == nil {
		return nil
	}
	id, err := r.Choose(ctx, s)
	if err != nil || id == "" {
		return nil
	}
	w, err := r.wishes(ctx, id, r.Options.Flags.Model)
	if err != nil || w.Model == "" && w.Folder == "" {
		return nil
	}
	if s.FromLog, err = r.askAboutLog(ctx, id, w); err != nil {
		return err
	}
	s.Continue, s.Resume = false, id // the answer is about this session, also if another one is the newest meanwhile
	return nil
}

// insteadOf returns the model of this program, also in the place of one that the log names and that needs no consent, and
// its folder, if the log names one.
func (r *Runtime) insteadOf(w registry.Wishes) (own registry.Wishes) {
	own.Model = cmp.Or(r.Parts.Provider.Model, provider.ModelAuto)
	if w.Folder != "" {
		own.Folder = cli.Absolute(".")
	}
	return own
}

// askAboutLog returns the answer of the user as a value of --from-log.
func (r *Runtime) askAboutLog(ctx context.Context, id string, w registry.Wishes) (string, error) {
	if r.Terminal == nil {
		return "", cli.NewUsageError(fmt.Errorf("the log of the session %s was not written on this machine, and it names: %s. Nobody can be asked whether this is to take effect: --from-log=use accepts it, --from-log=ignore continues without it", cli.IDArgument(id), strings.Join(wanted(w), "; ")))
	}
	asker := &ask.Asker{Screen: r.Terminal, Look: r.Terminal.Paint(r.Options.Sys.Getenv), Numbered: r.Terminal.Plain}
	yes, err := asker.ForeignLog(ctx, asked(w))
	switch {
	case ctx.Err() != nil:
		return "", ctx.Err()
	case err != nil:
		return "", errors.Join(cli.ErrAborted, err)
	case yes:
		return useLog, nil
	}
	return ignoreLog, nil
}

// asked is what the question about a log shows.
func asked(w registry.Wishes) question.Wishes {
	q := question.Wishes{Model: w.Model, Folder: w.Folder, Idle: idle(w)}
	if w.Model == "" {
		return q
	}
	q.Address, q.Host = w.Address, w.Address
	if u, err := url.Parse(w.Address); err == nil && u.Host != "" {
		q.Host = u.Host
	}
	return q
}

// maxWish bounds a value of a log in an error, in columns.
const maxWish = 200

// maxHost bounds the host of an address, in columns. No name is longer than 253 characters (RFC 1035), so a
// host that is called is always shown whole: its end says who owns it.
const maxHost = 256

// maxFolder bounds the folder, in columns: the longest path that Linux opens.
const maxFolder = 4096

// destination is an address of a log, with its host whole.
func destination(address string) string {
	shown := timeline.ExposedLine(address, maxWish)
	if u, err := url.Parse(address); err == nil && !strings.Contains(shown, u.Host) {
		return "the host " + timeline.ExposedLine(u.Host, maxHost) + " (" + shown + ")"
	}
	return shown
}

// wanted describes what takes effect after a yes.
func wanted(w registry.Wishes) (list []string) {
	if w.Model != "" {
		list = append(list, fmt.Sprintf("the model %s, whose calls go to %s", timeline.ExposedLine(w.Model, maxWish), destination(w.Address)))
	}
	if w.Folder != "" {
		list = append(list, "the folder "+timeline.ExposedLine(w.Folder, maxFolder))
	}
	return list
}

// idle describes what has no effect at all.
func idle(w registry.Wishes) (list []string) {
	if w.Agent != "" {
		list = append(list, "the agent "+timeline.OneLine(w.Agent, maxWish))
	}
	if w.Autopilot {
		list = append(list, "the mode autopilot")
	}
	if w.Queued > 0 {
		list = append(list, fmt.Sprintf("queued messages (%d)", w.Queued))
	}
	if w.Scheduled > 0 {
		list = append(list, fmt.Sprintf("scheduled prompts (%d)", w.Scheduled))
	}
	return list
}
