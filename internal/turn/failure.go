package turn

import (
	"errors"
	"fmt"
	"path/filepath"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/model"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// Failure is why a run failed, as clients get it: a session.error. message is the id of the message that the run answers,
// "" if there is none.
func Failure(err error, message string) wire.Data {
	more := wire.ErrorMore{OriginatingMessageID: message}
	e := &wire.SessionError{ErrorType: "internal", Message: unwritten(err) + fault.Message(err)}
	if me := model.ErrorOf(err); me != nil {
		e.ErrorType = me.Category
		e.ErrorCode, e.ProviderCallID = wire.Optional(me.Code), wire.Optional(me.CallID)
		e.StatusCode = wire.Optional(int32(me.Status))
		more.ProviderErrorType, more.ProviderErrorParam = me.Type, me.Param
	} else if kind := fault.KindOf(err); kind != fault.Internal {
		e.ErrorType = map[fault.Kind]string{
			fault.Invalid: "configuration", fault.NotFound: "configuration", fault.Conflict: "conflict",
			fault.Denied: "authorization", fault.Unavailable: "unavailable", fault.Canceled: "canceled",
		}[kind]
	}
	return wire.With(e, more)
}

// unwritten names the file in front of the message of a disk that cannot be written, "" for
// any other error.
func unwritten(err error) string {
	var e *fault.Error
	if errors.As(err, &e) && filepath.IsAbs(e.On) && (e.Kind == fault.Unavailable || e.Kind == fault.Denied) {
		return e.On + ": "
	}
	return ""
}

// Unreported warns that the agent has stopped on autopilot and has not reported that the task is done. nudges says how often
// it was asked to go on.
func Unreported(nudges int) *wire.SessionWarning {
	asked := ""
	switch {
	case nudges == 1:
		asked = ", although it was asked once to go on"
	case nudges > 1:
		asked = fmt.Sprintf(", although it was asked %d times to go on", nudges)
	}
	return &wire.SessionWarning{WarningType: wire.WarningUnreported, Message: "The agent has stopped without reporting that the task is done" + asked +
		". Part of the task may be left: check the result, or send a message to go on."}
}
