package tool

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/sidestick-dev/sidestick/internal/permit"
	"github.com/sidestick-dev/sidestick/internal/shell"
	"github.com/sidestick-dev/sidestick/internal/tool/fact"
)

var listBashDefinition = described{name: fact.ListBash}

// listBash lists the shells.
type listBash struct{ *console }

func (listBash) Definition() Definition { return listBashDefinition.Get() }

// Request needs no permission: the tool only lists.
func (listBash) Request(context.Context, Call) (*permit.Request, *Result) { return nil, nil }

func (b listBash) Run(context.Context, Call) Result {
	infos := b.shells.List()
	if len(infos) == 0 {
		return success("There are no shells.")
	}
	lines := make([]string, len(infos))
	for i, info := range infos {
		lines[i] = listed(info)
	}
	return success(strings.Join(lines, "\n"))
}

// listed describes a shell on one line.
func listed(i shell.Info) string {
	state := fmt.Sprintf("ended with exit code %d", i.Code)
	if i.Running {
		state = "running for " + time.Since(i.Began).Round(time.Second).String()
	}
	if i.PID != 0 {
		state += fmt.Sprintf(", process group %d, output in %s", i.PID, i.File)
	}
	if i.Unread > 0 {
		state += fmt.Sprintf(", %d bytes unread", i.Unread)
	}
	return fmt.Sprintf("%s (%s): %s: %s", i.Shell, i.Mode, state, firstRunes(strings.Join(strings.Fields(i.Text), " "), 100))
}
