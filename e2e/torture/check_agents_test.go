//go:build unix

package torture_test

// checkAgents checks that each start of a sub-agent has exactly one end, that a call which waited
// for it got its result, and that the main agent was notified of each end in the background
// once.
func (t *talk) checkAgents(log []told) {
	if !t.ended || t.flipped != "" { // what was changed may be the start or the end
		return
	}
	running, failed, owed := map[string]data{}, map[string]bool{}, map[string]int{}
	for _, e := range log {
		d := read(e)
		switch e.Type {
		case "subagent.started":
			if _, again := running[e.AgentID]; again {
				t.fault(agents, "the sub-agent %s was started twice", e.AgentID)
			}
			running[e.AgentID] = d
		case "subagent.completed", "subagent.failed":
			began, ok := running[e.AgentID]
			if !ok || began.ToolCallID != d.ToolCallID {
				t.fault(agents, "the sub-agent %s ended without a start: %.200s", e.AgentID, e.raw)
			}
			delete(running, e.AgentID)
			if began.ExecutionMode == "sync" {
				failed[d.ToolCallID] = e.Type == "subagent.failed" || d.Cancelled
			} else if began.ParentID == "" && !d.Cancelled {
				owed[e.AgentID]++
			}
		case "tool.execution_complete":
			if failed[d.ToolCallID] && d.Success {
				t.fault(agents, "the call %s succeeded, and its sub-agent did not", d.ToolCallID)
			}
		case "system.notification":
			if e.AgentID == "" {
				owed[d.Kind.AgentID]--
			}
		}
	}
	for id := range running {
		t.fault(agents, "the sub-agent %s has no end", id)
	}
	for id, n := range owed {
		if n != 0 {
			t.fault(agents, "the main agent was not notified exactly once of the end of %s: %+d", id, -n)
		}
	}
}
