package agents

import (
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/sidestick-dev/sidestick/internal/wire"
)

// progress is what a sub-agent has done last. It is safe for concurrent use.
type progress struct {
	mu    sync.Mutex // guards the rest
	lines []wire.ProgressLine
	about string // the last intent
}

// add adds a line, which replaces the oldest if there are too many.
func (p *progress) add(line string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.lines) >= maxProgress {
		p.lines = slices.Delete(p.lines, 0, 1)
	}
	p.lines = append(p.lines, wire.ProgressLine{Message: line, Timestamp: wire.Moment(time.Now())})
}

func (p *progress) now() *wire.AgentProgress {
	p.mu.Lock()
	defer p.mu.Unlock()
	return &wire.AgentProgress{RecentActivity: append([]wire.ProgressLine{}, p.lines...), LatestIntent: wire.Optional(p.about)}
}

// note adds what events of the sub-agent say about its progress.
func (p *progress) note(events ...wire.Data) {
	for _, e := range events {
		switch e := wire.Plain(e).(type) {
		case *wire.ToolStart:
			p.add("▸ " + e.ToolName)
		case *wire.ToolComplete:
			switch {
			case !e.Success:
				p.add("✗ a tool call failed")
			case e.ShellExecution != nil && e.ShellExecution.ExitCode != 0:
				p.add(fmt.Sprintf("✗ a command ended with exit code %d", e.ShellExecution.ExitCode))
			}
		case *wire.AssistantIntent:
			p.mu.Lock()
			p.about = e.Intent
			p.mu.Unlock()
		}
	}
}

// Note adds what events of the sub-agent say about its progress. Any goroutine may call it.
func (b *Subagent) Note(events ...wire.Data) { b.progress.note(events...) }
