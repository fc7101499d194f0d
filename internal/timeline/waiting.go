package timeline

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/sidestick-dev/sidestick/internal/wire"
)

// Waiting is what a model call waits for before its answer begins. The zero value is nothing.
type Waiting struct {
	wire.ModelWaiting
	Since time.Time // when it began to wait for that
	Told  time.Time // when the event came
}

const (
	// waitsLong is from which time on a wait is worth a word.
	waitsLong = 2 * time.Second
	// loadingFor is how long a server counts as loading its model after it has said so. It is asked every
	// second, and does not say that it has ended.
	loadingFor = 3 * time.Second
)

// ReadWaiting reads what a model call waits for from an event that came now; false for other events.
func ReadWaiting(e wire.Event, now time.Time) (w Waiting, ok bool) {
	if e.Type != "session.info" || wire.Raw(e.Data).Get("infoType").Text() != wire.InfoModelWaiting {
		return w, false
	}
	var data struct {
		Waiting wire.ModelWaiting `json:"waiting"`
	}
	if json.Unmarshal(e.Data, &data) != nil {
		return w, true // from a newer server
	}
	return Waiting{ModelWaiting: data.Waiting, Since: now.Add(-time.Duration(data.Waiting.SinceMs) * time.Millisecond), Told: now}, true
}

// EndsWaiting reports whether an event of an agent ends the wait for its answer: a piece of the answer, or the
// end of the call.
func EndsWaiting(t wire.EventType) bool {
	switch t {
	case "assistant.turn_start", "assistant.turn_end", "assistant.turn_retry", "assistant.message_start", "assistant.message", "assistant.usage",
		wire.ReasoningDelta, wire.MessageDelta, wire.ToolCallDelta, "model.call_failure", "session.error", "session.idle", "abort":
		return true
	}
	return false
}

// Text says what is waited for and for how long, "" if that is not worth a word yet.
func (w Waiting) Text(now time.Time) string {
	if w.Told.IsZero() {
		return ""
	}
	since := w.Since
	if w.Loading && now.Sub(w.Told) >= loadingFor {
		since, w.Loading = w.Told, false
	}
	took := now.Sub(since)
	switch {
	case w.Loading:
		return "the server is loading the model, " + seconds(took)
	case w.Total > 0:
		return fmt.Sprintf("reading %s of %s tokens (%s)", Count(min(w.Read, w.Total)), Count(w.Total), seconds(took))
	case took < waitsLong:
		return ""
	case w.Others == 1:
		return fmt.Sprintf("the server is busy with another call of this process (%s)", seconds(took))
	case w.Others > 1:
		return fmt.Sprintf("the server is busy with %d other calls of this process (%s)", w.Others, seconds(took))
	case w.Tokens > 0:
		return fmt.Sprintf("waiting for the model (%s); %s tokens to read", seconds(took), Count(w.Tokens))
	}
	return "waiting for the model (" + seconds(took) + ")"
}

// seconds is a time that goes on, in whole seconds.
func seconds(d time.Duration) string {
	d = max(d, 0)
	if d < time.Minute {
		return fmt.Sprintf("%d s", int(d.Seconds()))
	}
	return fmt.Sprintf("%d min %d s", int(d.Minutes()), int(d.Seconds())%60)
}
