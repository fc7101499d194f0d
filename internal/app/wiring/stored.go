package wiring

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"log/slog"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"github.com/sidestick-dev/sidestick/internal/app/cli"
	"github.com/sidestick-dev/sidestick/internal/catalog"
	"github.com/sidestick-dev/sidestick/internal/eventlog/files"
	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/session/approval"
	"github.com/sidestick-dev/sidestick/internal/session/listing"
	"github.com/sidestick-dev/sidestick/internal/session/registry"
	"github.com/sidestick-dev/sidestick/internal/timeline"
	"github.com/sidestick-dev/sidestick/internal/vfs"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// listPatience bounds how long a list waits for the catalogue to become exact. The user
// waits for it.
const listPatience = 2 * time.Second

// Stored is the stored sessions, opened for reading. Close it.
type Stored struct {
	*registry.Registry
	Store *files.Store

	mu      sync.Mutex // guards the rest: the catalogue reads logs, too
	leftOut map[string]files.LeftOut
}

// LeftOut is what was passed over of the log of a session, because it is no event, when it was last read to its end.
func (s *Stored) LeftOut(id string) files.LeftOut {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.leftOut[id]
}

func (s *Stored) leave(id string, what files.LeftOut) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.leftOut[id] = what
}

// OpenStored opens the stored sessions such that none of them can be changed. If there
// is a catalogue, it is used and brought up to date; none is made. If there are no
// sessions yet, the error is [fs.ErrNotExist].
func OpenStored(o *cli.Options) (*Stored, error) {
	cfg, err := o.ConfigToShow()
	if err != nil {
		return nil, err
	}
	root, disk := sessionsPath(cfg), readOnly{}
	if _, err := disk.Stat(root); err != nil {
		return nil, &fault.Error{
			Op: "sessions", On: root, Kind: fault.Denied, Hint: "sidestick doctor says which setting this is", Err: cli.Reason(err),
		}
	}
	s := &Stored{leftOut: map[string]files.LeftOut{}}
	if s.Store, err = files.Open(files.Options{Root: root, FS: disk, LeftOut: s.leave}); err != nil {
		return nil, err
	}
	s.Registry = registry.New(registry.Options{
		Store: s.Store, FS: disk, Version: cli.Version(), Logger: slog.New(slog.DiscardHandler),
		Catalog: catalog.Options{Path: catalogPath(cfg), Existing: true, Patience: listPatience},
	})
	return s, nil
}

// OpenStore opens the store of the sessions for writing.
func OpenStore(o *cli.Options) (*files.Store, error) {
	cfg, err := o.Config()
	if err != nil {
		return nil, err
	}
	return files.Open(files.Options{Root: sessionsPath(cfg)})
}

// Disown makes everything in the log of a session grant nothing: it was imported, or changed by
// hand.
func Disown(o *cli.Options, session string) error {
	cfg, err := o.Config()
	if err != nil {
		return err
	}
	return approval.OpenGrants(vfs.OS{}, ApprovalsPath(cli.Absolute(cfg.Home.Value))).Disown(session)
}

// WorkedIn reports whether a session, which may be given by the beginning of its id, is one of this machine that
// works in a folder which was chosen here.
func WorkedIn(o *cli.Options, given, dir string) (bool, error) {
	stored, err := OpenStored(o)
	if err != nil {
		return false, err
	}
	defer func() { _ = stored.Close(context.Background()) }() // nothing was written
	id, err := stored.Resolve(given)
	if err != nil {
		return false, err
	}
	cfg, err := o.Config()
	if err != nil {
		return false, err
	}
	return stored.WorkedIn(context.Background(), approval.OpenGrants(readOnly{}, ApprovalsPath(cli.Absolute(cfg.Home.Value))), id, dir)
}

// Newest returns the newest sessions that have a message, at most limit, 0 for all, and
// how many more there are.
func Newest(ctx context.Context, o *cli.Options, limit int) (list []listing.Listed, more int, err error) {
	stored, err := OpenStored(o)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, 0, nil
	}
	if err != nil {
		return nil, 0, err
	}
	defer func() { err = errors.Join(err, stored.Close(ctx)) }()
	return stored.Newest(ctx, limit)
}

// Resolve is [ChooseSession] for the stored sessions.
func (s *Stored) Resolve(given string) (string, error) {
	return ChooseSession(context.Background(), s.Registry, given)
}

// ChooseSession returns the id of the session that is given by its id, or by the beginning of an id
// that only one session has. Sessions without a message count only if no session with a message
// begins so: no list shows them. The error is a [cli.UsageError] if there is none, or several.
func ChooseSession(ctx context.Context, r *registry.Registry, given string) (string, error) {
	if err := CheckID(given); err != nil {
		return "", err
	}
	all, err := r.Stored(ctx)
	if err != nil {
		return "", err
	}
	var ids []string
	for _, info := range all {
		ids = append(ids, info.ID)
	}
	id, several := OneSession(given, ids)
	if several == nil || errors.Is(several, errNoSession) {
		return id, several
	}
	list, err := r.List(ctx, wire.SessionContext{})
	if err != nil {
		return "", err
	}
	ids = ids[:0]
	for _, m := range list {
		ids = append(ids, m.SessionID)
	}
	if id, err = OneSession(given, ids); errors.Is(err, errNoSession) {
		err = several
	}
	return id, err
}

// CheckID returns a [cli.UsageError] for a text that cannot be the id of a session.
func CheckID(id string) error {
	if err := files.CheckID(id); err != nil {
		return cli.NewUsageError(err)
	}
	return nil
}

// CheckNewID returns a [cli.UsageError] for what cannot be the id of a session that a command
// creates. Other programs may create sessions whose ids begin with "-"; the commands can
// use these.
func CheckNewID(id string) error {
	if strings.HasPrefix(id, "-") {
		return cli.NewUsageError(&fault.Error{
			Op: "sessions", On: id, Kind: fault.Invalid, Hint: "begin it with a letter or a digit",
			Err: errors.New("an id that begins with - would be read as a flag"),
		})
	}
	return CheckID(id)
}

// OneSession returns the one of ids that is given or begins with given, and a [cli.UsageError] if
// there is none, or several.
func OneSession(given string, ids []string) (string, error) {
	var found []string
	for _, id := range ids {
		if id == given {
			return id, nil
		}
		if given != "" && strings.HasPrefix(id, given) {
			found = append(found, id)
		}
	}
	switch len(found) {
	case 0:
		return "", UnknownSession(given)
	case 1:
		return found[0], nil
	}
	short := listing.Shortener(ids)
	return "", cli.NewUsageError(fmt.Errorf("%d sessions begin with %q, among them %s and %s: give more characters of the id", len(found), given, short(found[0]), short(found[1])))
}

// errNoSession is the reason in [UnknownSession].
var errNoSession = errors.New("there is no such session")

// StoredEvents yields the events of a session as its log holds them, oldest first, also those that
// were removed from the history. id may be as short as for [Stored.Resolve]. What the log has beside events is named on
// stderr. An error is the last pair yielded.
func StoredEvents(ctx context.Context, o *cli.Options, id string) iter.Seq2[listing.Past, error] {
	return storedEvents(ctx, o, id, false)
}

// FollowedEvents is [StoredEvents] that goes on with the events that any process appends, until ctx ends. Those are not
// marked as removed.
func FollowedEvents(ctx context.Context, o *cli.Options, id string) iter.Seq2[listing.Past, error] {
	return storedEvents(ctx, o, id, true)
}

func storedEvents(ctx context.Context, o *cli.Options, id string, follow bool) iter.Seq2[listing.Past, error] {
	return func(yield func(listing.Past, error) bool) {
		stored, err := OpenStored(o)
		if errors.Is(err, fs.ErrNotExist) {
			err = UnknownSession(id)
		}
		if err != nil {
			yield(listing.Past{}, err)
			return
		}
		defer func() { _ = stored.Close(context.Background()) }() // nothing was written
		if id, err = stored.Resolve(id); err != nil {
			yield(listing.Past{}, err)
			return
		}
		last := uint64(0)
		for event, err := range stored.Past(ctx, id) {
			switch {
			case ctx.Err() != nil && follow: // the way in which it ends
				return
			case ctx.Err() != nil:
				err = cli.ErrAborted
			case err != nil && fault.KindOf(err) == fault.NotFound:
				err = UnknownSession(id)
			}
			if !yield(event, err) || err != nil {
				return
			}
			last = event.Pos
		}
		if err := cli.Print(o.Sys.Stderr, damaged(id, stored.LeftOut(id))); err != nil {
			yield(listing.Past{}, err)
			return
		}
		if follow {
			stored.followFrom(ctx, id, last, yield)
		}
	}
}

// damaged says what was left out of the log of a session, "" if nothing was.
func damaged(id string, what files.LeftOut) string {
	if what.Pieces == 0 {
		return ""
	}
	const most = 10
	text := "1 broken piece of the log is left out (line "
	if what.Pieces > 1 {
		text = fmt.Sprintf("%d broken pieces of the log are left out (lines ", what.Pieces)
	}
	for n, line := range what.Lines[:min(most, len(what.Lines))] {
		if n > 0 {
			text += ", "
		}
		text += fmt.Sprint(line)
	}
	if what.Pieces > most {
		text += fmt.Sprintf(" and %d more", what.Pieces-most)
	}
	return fmt.Sprintf("%s: %s); to check it: sidestick sessions verify %s\n", id, text, cli.IDArgument(id))
}

// followFrom yields the events of a session behind a position, and those that come.
func (s *Stored) followFrom(ctx context.Context, id string, after uint64, yield func(listing.Past, error) bool) {
	reader, err := s.Tail(ctx, id, after)
	if err != nil {
		yield(listing.Past{}, err)
		return
	}
	for rec, err := range reader.Records(ctx) {
		if fault.KindOf(err) == fault.NotFound && err != nil {
			err = &fault.Error{Op: "sessions", On: id, Kind: fault.NotFound, Err: errors.New("the session was removed")}
		}
		if ctx.Err() != nil || !yield(listing.Past{JSON: rec.JSON, Pos: rec.Pos}, err) {
			return
		}
	}
}

// UnknownSession is the [cli.UsageError] for a session id that does not exist.
func UnknownSession(id string) error {
	return cli.NewUsageError(&fault.Error{
		Op: "sessions", On: id, Kind: fault.NotFound, Hint: "sidestick sessions list shows the ids",
		Err: errNoSession,
	})
}

// completeLimit is how many sessions a shell is offered. It is larger than any list that
// a user reads, so that the beginning of an older id can be completed too.
const completeLimit = 1000

// CompleteSession returns the function that offers session ids, with their titles, to
// the completion of a shell.
func CompleteSession(o *cli.Options) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
		if len(args) > 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		var ids []string
		if list, _, err := Newest(cmd.Context(), o, completeLimit); err == nil {
			for _, l := range list {
				id := l.Short
				if !strings.HasPrefix(id, typed) { // more was typed than is needed
					id = l.SessionID
				}
				ids = append(ids, cobra.CompletionWithDesc(id, timeline.OneLine(l.Summary, 40)))
			}
		}
		return ids, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveKeepOrder
	}
}

// readOnly is a file system that refuses every change. The commands that only read use
// it, because a server may be writing the same logs.
type readOnly struct{ vfs.OS }

var _ vfs.FS = readOnly{}

func (r readOnly) OpenFile(name string, flag int, perm fs.FileMode) (vfs.File, error) {
	if flag != os.O_RDONLY {
		return nil, refused("open", name)
	}
	return r.OS.OpenFile(name, flag, perm)
}

func (readOnly) MkdirAll(name string, _ fs.FileMode) error { return refused("mkdir", name) }
func (readOnly) Rename(name, _ string) error               { return refused("rename", name) }
func (readOnly) Remove(name string) error                  { return refused("remove", name) }
func (readOnly) RemoveAll(name string) error               { return refused("remove", name) }
func (readOnly) SyncDir(name string) error                 { return refused("sync", name) }

func (readOnly) Root(name string) (vfs.Rooted, error) { return nil, refused("root", name) }

func refused(op, name string) error {
	return &fs.PathError{Op: op, Path: name, Err: fs.ErrPermission}
}
