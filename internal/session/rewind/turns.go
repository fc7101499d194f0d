package rewind

import (
	"context"
	"encoding/json"
	"io/fs"
	"maps"
	"slices"
	"time"

	"github.com/sidestick-dev/sidestick/internal/session/state"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// userTurn is a message of the user with the changes of files that followed it.
type userTurn struct {
	eventID  string
	at       time.Time
	text     string
	auto     bool // the agent was asked to continue in autopilot
	captures []wire.FileCapture
}

// turns are the turns of the history, the oldest first. busy is true, and there are no turns,
// while the session works.
func (f *Files) turns(ctx context.Context) (turns []userTurn, tracking, busy bool, err error) {
	now, err := f.s.Position(ctx)
	if err != nil || now.Busy && now.Tracking {
		return nil, now.Tracking, now.Busy, err
	}
	for rec, err := range now.Cuts.Kept(f.s.Records(ctx)) {
		if err != nil {
			return nil, false, false, err
		}
		e, err := wire.ParseEvent(rec.JSON)
		if err != nil {
			continue
		}
		switch data := wire.Raw(e.Data); {
		case e.Type == "user.message" && e.AgentID == "" && state.BeginsTurn(data):
			turns = append(turns, userTurn{
				eventID: e.ID, at: e.Time, text: data.Get("content").Text(), auto: data.Get("isAutopilotContinuation").True(),
			})
		case e.Type == "session.info" && data.Get("infoType").Text() == wire.InfoFileCaptured && len(turns) > 0:
			var c wire.FileCapture
			if json.Unmarshal(data.Get(wire.FieldCapture), &c) == nil && c.Path != "" {
				last := &turns[len(turns)-1]
				last.captures = append(last.captures, c)
			}
		}
	}
	return turns, now.Tracking, now.Busy, nil
}

// change is what happened to one file in the turns that a rewind removes.
type change struct {
	path                      string
	before, after             string // digests; "" if it does not exist
	mode                      fs.FileMode
	linesAdded, linesRemoved  int64
	uncaptured, restorable    bool
	snapshots                 []string
	existedBefore, existsLast bool
}

// changes sums up captures by file, ordered by path. A file is restorable if this session has
// kept its old version in each of its captures, on this machine.
func (f *Files) changes(captures []wire.FileCapture) []change {
	byPath := map[string]*change{}
	for _, c := range captures {
		k := byPath[c.Path]
		if k == nil {
			k = &change{path: c.Path, before: c.Before, mode: fs.FileMode(c.Mode), existedBefore: c.Before != ""}
			byPath[c.Path] = k
		}
		k.after, k.existsLast = c.After, c.After != ""
		k.uncaptured = k.uncaptured || c.Skipped || !f.ours(c)
		k.linesAdded += c.LinesAdded
		k.linesRemoved += c.LinesRemoved
		if c.Before != "" {
			k.snapshots = append(k.snapshots, c.Before)
		}
	}
	var list []change
	for _, path := range slices.Sorted(maps.Keys(byPath)) {
		k := *byPath[path]
		if k.restorable = !k.uncaptured; k.before == k.after && k.restorable {
			continue // it is as it was
		}
		list = append(list, k)
	}
	return list
}
