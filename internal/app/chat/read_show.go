package chat

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/timeline"
	"github.com/sidestick-dev/sidestick/internal/tui"
	"github.com/sidestick-dev/sidestick/internal/tui/cell"
	"github.com/sidestick-dev/sidestick/internal/tui/pager"
)

// show opens the whole session in the pager: at the call with a number, or at the last call.
func (f *front) show(ctx context.Context, arg string) (tui.Effect, error) {
	t, err := cell.Read(f.now.Records(ctx))
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
	p := pager.New("session", t, f.keys)
	p.Show(at)
	return tui.Effect{Read: p}, nil
}

// usage says what the session has used.
func (f *front) usage(ctx context.Context, _ string) (tui.Effect, error) {
	u, err := f.now.client.Session().Metrics().Usage(ctx)
	if err != nil {
		return tui.Effect{}, err
	}
	var in, out, requests int64
	for _, m := range u.ModelMetrics {
		in, out, requests = in+m.Usage.InputTokens, out+m.Usage.OutputTokens, requests+m.Requests.Count
	}
	return tui.Effect{Text: fmt.Sprintf("%s model calls, %s tokens in, %s out", timeline.Count(requests), timeline.Count(in), timeline.Count(out))}, nil
}
