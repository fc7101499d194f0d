package turn

import (
	"context"
	"fmt"
	"time"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/tool"
)

// cancelGrace is how long a tool may run on after its run was aborted. A tool that
// takes longer, or ignores its context, is left to itself, so that the user who pressed
// stop does not wait for it.
const cancelGrace = 5 * time.Second

// RunTool runs a tool, at most until cancelGrace after ctx has ended. A panic of the
// tool is a result. A [tool.Obedient] tool runs on the calling goroutine: it may wait for hours, and
// a second goroutine that only waits for it would cost as much memory as the first.
func RunTool(ctx context.Context, tl tool.Tool, c tool.Call) tool.Result {
	if ctx.Err() != nil {
		return *interrupted()
	}
	if obedient, ok := tl.(tool.Obedient); ok && obedient.Obeys() {
		return guarded(ctx, tl, c)
	}
	result := make(chan tool.Result, 1)
	go func() { result <- guarded(ctx, tl, c) }()
	select {
	case res := <-result:
		return res
	case <-ctx.Done():
	}
	grace := time.NewTimer(cancelGrace)
	defer grace.Stop()
	select {
	case res := <-result:
		return res
	case <-grace.C:
		return *interrupted()
	}
}

// guarded turns a panic of a tool into a result.
func guarded(ctx context.Context, tl tool.Tool, c tool.Call) (res tool.Result) {
	defer func() {
		if p := recover(); p != nil {
			res = *crashed(c, p)
		}
	}()
	return tl.Run(ctx, c)
}

// crashed returns the result of a call in which a panic happened.
func crashed(c tool.Call, p any) *tool.Result {
	return &tool.Result{Outcome: tool.Failure, Text: Crashed(c), Error: fault.Panicked("tool "+c.Name, p).Error()}
}

// Crashed is the model's text for a failure of a tool's own code. It does not say how it failed,
// because the text of an exception is written for the tool's author.
func Crashed(c tool.Call) string {
	return fmt.Sprintf("Failed to execute `%s` tool with arguments: %s due to error: Error: Tool execution failed", c.Name, c.Arguments)
}
