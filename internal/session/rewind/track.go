package rewind

import (
	"context"

	"github.com/sidestick-dev/sidestick/internal/permit"
	"github.com/sidestick-dev/sidestick/internal/tool"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// trackedTool is a built-in tool that writes files, in a session that keeps old versions.
type trackedTool struct {
	tool.Tool
	f *Files
}

// Track returns the tools of a session that keeps old versions of files: before one of them
// changes a file, the file is kept, and the result of the call carries the event about it.
func (f *Files) Track(tools []tool.Tool) []tool.Tool {
	tracked := make([]tool.Tool, len(tools))
	for i, t := range tools {
		tracked[i] = t
		if _, asks := t.(tool.Asker); asks {
			tracked[i] = trackedTool{t, f}
		}
	}
	return tracked
}

// Request implements [tool.Asker].
func (t trackedTool) Request(ctx context.Context, c tool.Call) (*permit.Request, *tool.Result) {
	return t.Tool.(tool.Asker).Request(ctx, c)
}

// Run runs the tool, and adds an event about the file if the tool has changed it.
func (t trackedTool) Run(ctx context.Context, c tool.Call) tool.Result {
	if c.Permitted == nil || c.Permitted.Kind != permit.Write || c.Permitted.Path.Real == "" {
		return t.Tool.Run(ctx, c)
	}
	path := c.Permitted.Path.Real
	before, keepErr := t.f.keep(path)
	res := t.Tool.Run(ctx, c)
	after, err := t.f.version(path)
	if err != nil || keepErr == nil && after.digest == before.digest {
		return res
	}
	capture := wire.FileCapture{Path: path, Before: before.digest, After: after.digest, Mode: uint32(before.mode), Skipped: keepErr != nil}
	if keepErr == nil {
		_, capture.LinesAdded, capture.LinesRemoved = tool.Changes("", string(before.data), string(after.data))
	}
	if capture.Seal, err = t.f.seal(capture); err != nil {
		t.f.o.Logs.Warn("a change of a file is not tracked", "path", path, "err", err)
		return res
	}
	info := &wire.SessionInfo{InfoType: wire.InfoFileCaptured, Message: "The session has kept what a file was before it was changed."}
	res.After = append(res.After, wire.WithJSON(info, wire.FieldCapture, capture))
	return res
}
