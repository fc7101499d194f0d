//go:build unix

package torture_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/sidestick-dev/sidestick/internal/wire"
)

// whole is a session in which all is well: what was told is what is in the log.
const whole = `session.start {}
user.message {"messageId":"m1","delivery":"idle"}
assistant.message {"toolRequests":[{"toolCallId":"c1"}]}
permission.requested {"requestId":"p1","permissionRequest":{"toolCallId":"c1"}}
permission.completed {"requestId":"p1"}
tool.execution_start {"toolCallId":"c1"}
external_tool.requested {"requestId":"r1","toolCallId":"c1"}
tool.execution_complete {"toolCallId":"c1","success":true,"result":{"content":"seen"}}
-session.idle {}
user.message {"messageId":"m2","delivery":"idle"}
assistant.message {}
-session.idle {}`

// events makes events of lines "type data", chained; a type with a dash before it
// is told only, and "@agent " before it names the sub-agent that it is of.
func events(text string) (list []told) {
	parent := ""
	for line := range strings.SplitSeq(text, "\n") {
		agent := ""
		if rest, ok := strings.CutPrefix(line, "@"); ok {
			agent, line, _ = strings.Cut(rest, " ")
		}
		kind, body, _ := strings.Cut(line, " ")
		kind, ephemeral := strings.CutPrefix(kind, "-")
		e := wire.Event{Data: []byte(body), Header: wire.Header{
			ID: fmt.Sprintf("e%d", len(list)), ParentID: parent, Type: wire.EventType(kind), Ephemeral: ephemeral, AgentID: agent,
		}}
		list = append(list, told{e, string(wire.AppendEvent(nil, &e))})
		if !ephemeral {
			parent = e.ID
		}
	}
	return list
}

func kept(list []told) []told {
	return slices.DeleteFunc(slices.Clone(list), func(e told) bool { return e.Ephemeral })
}

// brokenPromises has changes of a sound log and the classes of errors that the checks must report.
var brokenPromises = []struct {
	name string
	hurt func(t *talk, log []told) []told
	want []class
}{
	{"all is well", func(_ *talk, log []told) []told { return log }, nil},
	{"the last event is gone", func(_ *talk, log []told) []told { return log[:len(log)-1] }, []class{lost}},
	{"an event in the middle is gone", func(_ *talk, log []told) []told {
		return slices.Delete(log, 4, 5)
	}, []class{lost, order}},
	{"an event was changed", func(_ *talk, log []told) []told {
		log[9].raw = strings.Replace(log[9].raw, "{}", `{"x":1}`, 1)
		return log
	}, []class{lost}},
	{"two events changed places", func(_ *talk, log []told) []told {
		log[4], log[5] = log[5], log[4]
		return log
	}, []class{order}},
	{"an event is there twice", func(_ *talk, log []told) []told { return append(log, log[0]) }, []class{order}},
	{"a client was told of an event twice", func(t *talk, log []told) []told {
		t.ears[0].heard = slices.Insert(t.ears[0].heard, 2, t.ears[0].heard[1])
		return log
	}, []class{order, idles}},
	{"a client missed an event", func(t *talk, log []told) []told {
		t.ears[0].heard = slices.Delete(t.ears[0].heard, 4, 5)
		return log
	}, []class{order}},
	{"a call was handed out twice", func(t *talk, log []told) []told {
		t.ofA = append(t.ofA, t.ofA[0])
		return log
	}, []class{twice}},
	{"a call has two ends", func(t *talk, _ []told) []told {
		t.ears = nil
		return kept(events(strings.Replace(whole, "-session.idle", "tool.execution_complete {\"toolCallId\":\"c1\",\"success\":true,\"result\":{\"content\":\"seen\"}}\n-session.idle", 1)))
	}, []class{unpaired}},
	{"a message is missing", func(t *talk, log []told) []told {
		t.sent = append(t.sent, "m3")
		return log
	}, []class{unkept}},
	{"a message is there twice", func(t *talk, _ []told) []told {
		t.ears = nil
		return kept(events(strings.Replace(whole, "m2", "m1", 1)))
	}, []class{order, unkept}},
	{"a result is another", func(t *talk, log []told) []told {
		t.results["c1"] = "not seen"
		return log
	}, []class{unkept}},
	{"a run has two idles", func(t *talk, log []told) []told {
		t.ears[0].heard = append(t.ears[0].heard, told{Event: wire.Event{Header: wire.Header{Type: "session.idle", Ephemeral: true}}})
		return log
	}, []class{idles}},
	{"something came after the idle", func(t *talk, log []told) []told {
		t.ears[0].heard = append(t.ears[0].heard, told{Event: wire.Event{Header: wire.Header{Type: "assistant.message_delta", Ephemeral: true}}})
		return log
	}, []class{idles}},
	{"a run has no idle", func(t *talk, log []told) []told {
		t.ears[0].heard = slices.Delete(t.ears[0].heard, 8, 9)
		return log
	}, []class{idles}},
	{"the log is read back otherwise", func(t *talk, log []told) []told {
		t.readBack = []told{log[1]}
		return log
	}, []class{lost}},
	{"a sub-agent has no end", func(t *talk, _ []told) []told { return delegated(t, "subagent.failed", "session.warning") }, []class{agents}},
	{"a sub-agent has two ends", func(t *talk, _ []told) []told { return delegated(t, "system.notification", "subagent.completed") }, []class{agents}},
	{"the end of a sub-agent in the background was not reported", func(t *talk, _ []told) []told {
		return delegated(t, "system.notification", "session.warning")
	}, []class{agents}},
	{"a sub-agent failed, and its call did not", func(t *talk, _ []told) []told {
		return delegated(t, `"success":false`, `"success":true`)
	}, []class{agents}},
	{"sub-agents are well", func(t *talk, _ []told) []told { return delegated(t, "", "") }, nil},
	{"damage was not told of", func(t *talk, log []told) []told {
		t.broken = true
		return log
	}, []class{unreported}},
}

// delegated is a log with two sub-agents, in which a text is replaced. No client received it.
func delegated(t *talk, old, text string) []told {
	t.ears, t.ofA, t.sent, t.results = nil, nil, nil, nil
	const sound = `session.start {}
assistant.message {"toolRequests":[{"toolCallId":"c1"},{"toolCallId":"c2"}]}
tool.execution_start {"toolCallId":"c1"}
tool.execution_start {"toolCallId":"c2"}
@x subagent.started {"toolCallId":"c1","executionMode":"sync"}
@y subagent.started {"toolCallId":"c2","executionMode":"background"}
tool.execution_complete {"toolCallId":"c2","success":true}
@x subagent.failed {"toolCallId":"c1"}
@y subagent.completed {"toolCallId":"c2"}
system.notification {"kind":{"agentId":"y"}}
tool.execution_complete {"toolCallId":"c1","success":false}`
	return kept(events(strings.Replace(sound, old, text, 1)))
}

// A check that cannot fail is none: each must notice what it is there for.
func TestEachBrokenPromiseIsNoticed(t *testing.T) {
	for _, tc := range brokenPromises {
		t.Run(tc.name, func(t *testing.T) {
			s := newTalk("s1", variant{}, "", "")
			s.ears = []*ear{{heard: events(whole)}}
			s.ended = true
			s.ofA, s.sent, s.results = s.ears, []string{"m1", "m2"}, map[string]string{"c1": "seen"}
			s.check(tc.hurt(s, kept(events(whole))))
			var got []class
			for _, p := range s.problems {
				got = append(got, p.class)
			}
			slices.Sort(got)
			if got = slices.Compact(got); !slices.Equal(got, tc.want) {
				t.Errorf("noticed %v, want %v:\n%+v", got, tc.want, s.problems)
			}
		})
	}
}

// The same in the large: a disk that says it has written what it has not costs
// events that were told, and the campaign sees it.
func TestADiskThatForgetsIsNoticed(t *testing.T) {
	p := point{variant: variants[0], faults: []fault{{kind: none}}}
	ops := harmless(t, p)
	forgotten := 0
	for _, o := range ops {
		if o.name != "write" || o.n%4 != 0 {
			continue // some will do
		}
		p.faults[0] = fault{forget, o.n, 0}
		out, err := p.run()
		if err != nil {
			t.Fatal(err)
		}
		if slices.ContainsFunc(out.problems, func(p problem) bool { return p.class == lost }) {
			forgotten++
		}
	}
	if forgotten == 0 {
		t.Error("no event that a disk forgot was missed")
	}
}
