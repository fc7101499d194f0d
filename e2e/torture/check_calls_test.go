//go:build unix

package torture_test

import "slices"

// checkHanded checks that each tool call was handed out at most once, in all the
// lives of the program together.
func (t *talk) checkHanded() {
	handed := map[string]int{}
	for _, e := range t.ofA {
		for _, event := range e.all() {
			if event.Type == "external_tool.requested" {
				handed[read(event).ToolCallID]++
			}
		}
	}
	for call, n := range handed {
		if n > 1 {
			t.fault(twice, "call %s was handed out %d times", call, n)
		}
	}
}

// checkCalls checks that each tool call has one start and one end, once all is
// over.
func (t *talk) checkCalls(log []told) {
	if !t.ended {
		return
	}
	whole := slices.DeleteFunc(slices.Clone(log), func(e told) bool { return e.raw == t.flipped })
	starts, ends := tally(log)
	starts2, ends2 := tally(whole) // what we changed may count or not
	for _, call := range callsOf(whole) {
		if call == "" && t.flipped != "" {
			continue // it is its id that was changed
		}
		if starts[call] != 1 && starts2[call] != 1 || ends[call] != 1 && ends2[call] != 1 {
			t.fault(unpaired, "call %s has %d starts and %d ends", call, starts[call], ends[call])
		}
	}
}

// tally counts the starts and ends of calls.
func tally(log []told) (starts, ends map[string]int) {
	starts, ends = map[string]int{}, map[string]int{}
	for _, e := range log {
		switch e.Type {
		case "tool.execution_start":
			starts[read(e).ToolCallID]++
		case "tool.execution_complete":
			ends[read(e).ToolCallID]++
		}
	}
	return starts, ends
}

// callsOf are the calls that the model made, or that were started.
func callsOf(log []told) (calls []string) {
	for _, e := range log {
		d := read(e)
		switch e.Type {
		case "assistant.message":
			for _, c := range d.ToolRequests {
				calls = append(calls, c.ToolCallID)
			}
		case "tool.execution_start":
			calls = append(calls, d.ToolCallID)
		}
	}
	slices.Sort(calls)
	return slices.Compact(calls)
}

// checkAccepted checks that what was accepted is in the log: messages, once, and
// results of tools.
func (t *talk) checkAccepted(log []told) {
	said, results := map[string]int{}, map[string]string{}
	for _, e := range log {
		d := read(e)
		switch {
		case e.Type == "user.message":
			said[d.MessageID]++
		case e.Type == "tool.execution_complete" && d.Success:
			results[d.ToolCallID] = d.Result.Content
		}
	}
	for i, id := range t.sent {
		if said[id] == 0 && !t.dropped[id] && t.flippedData.MessageID != id {
			t.fault(unkept, "message %d, %s, was accepted and is not in the log", i+1, id)
		}
		if said[id] > 1 {
			t.fault(order, "message %s is in the log %d times", id, said[id])
		}
	}
	for call, want := range t.results {
		if results[call] != want && t.flippedData.ToolCallID != call {
			t.fault(unkept, "the result of call %s was accepted and is not in the log, which has %.40q", call, results[call])
		}
	}
}
