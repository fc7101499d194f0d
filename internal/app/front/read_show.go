package front

import (
	"fmt"
	"iter"
	"strconv"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/follow"
	"github.com/sidestick-dev/sidestick/internal/timeline"
	"github.com/sidestick-dev/sidestick/internal/tui"
	"github.com/sidestick-dev/sidestick/internal/tui/cell"
	"github.com/sidestick-dev/sidestick/internal/tui/pager"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// showSession opens the whole session in the pager: at the call with a number, or at the last call.
func (d desk) showSession(records iter.Seq2[wire.Event, error], arg string) (tui.Effect, error) {
	var overlap follow.Overlap
	t, err := cell.Read(overlap.Read(records))
	if err != nil {
		return tui.Effect{}, err
	}
	at := t.Call(0)
	if at < 0 {
		at = t.Len() - 1
	}
	if arg != "" {
		n, err := strconv.Atoi(strings.Trim(arg, "[]"))
		if at = t.Call(n); err != nil || at < 0 {
			return tui.Effect{}, fmt.Errorf("there is no call %s; the number of a call stands before it", timeline.OneLine(arg, 20))
		}
	}
	p := pager.New("session", t, d.keys)
	p.Show(at)
	return tui.Effect{Read: p, Follow: func(e wire.Event) int {
		if overlap.Has(&e) {
			return t.Len()
		}
		return t.Event(e)
	}}, nil
}
