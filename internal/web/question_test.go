package web_test

import (
	"strings"
	"testing"
	"testing/synctest"
)

const yesNo = `{"question":"Really delete **all**?","choices":["Yes, all of it","No"]}`

func TestAQuestionOfYesOrNoIsAConfirmation(t *testing.T) {
	for _, tc := range []struct {
		name, state, text string // text: typed in place of a decision
		between           func(p *process)
		want              string
	}{
		{"yes", "accepted", "", nil, "User selected: Yes, all of it"},
		{"no", "dismissed", "", nil, "User selected: No"},
		{"yes, after a restart", "accepted", "", (*process).restart, "User selected: Yes, all of it"},
		{"no, after a crash", "dismissed", "", (*process).crash, "User selected: No"},
		{"typed", "", "y", nil, "User selected: Yes, all of it"},
		{"typed after a restart", "", "no!", (*process).restart, "User selected: No"},
		{"typed in other words", "", "Only the logs.", nil, "User responded: Only the logs."},
	} {
		t.Run(tc.name, func(t *testing.T) {
			bubble(t, local, func(p *process) {
				a := p.say("t1", "Tidy up.")
				same(p.t, "the question", a.wire, "confirm \"Really delete **all**?\"\nReally delete **all**?\n\nAccept: Yes, all of it\n\nDismiss: No\n"+
					"with {\"id\":\"ID\",\"kind\":\"question\",\"session\":\"ext-ID\",\"mac\":\"MAC\"}\n")
				if tc.between != nil {
					tc.between(p)
				}
				var got answer
				if tc.state != "" {
					got = p.decide("t1", a.confirmation, tc.state)
				} else {
					got = p.say("t1", tc.text)
				}
				same(p.t, "the answer", got.wire, "text \"So be it.\"\n")
				if read := p.conversation(); !strings.HasSuffix(read, "tool: "+tc.want+"\n") {
					p.t.Errorf("the model read:\n%s\nwant %q", read, tc.want)
				}
				same(p.t, "again", p.decide("t1", a.confirmation, "accepted").wire, settled)
			}, call("call_0", "ask_user", yesNo), says("So be it."))
		})
	}
}

func TestToolsOfOtherKinds(t *testing.T) {
	const with = "\nwith {\"id\":\"ID\",\"kind\":\"permission\",\"session\":\"ext-ID\",\"mac\":\"MAC\"}\n"
	for _, tc := range []struct{ name, tool, args, want string }{
		{
			"a tool of a program", "deploy", `{"to":"production"}`,
			"confirm \"Allow: call deploy {\\\"to\\\":\\\"production\\\"}\"\nTool: `deploy`\n\nDoes \\*it\\*\n\n```json\n{\n  \"to\": \"production\"\n}\n```" + with,
		},
		{
			"an agent that is the model", "copilot_confirmation", `{"title":"Turn off?","message":"The ` + "`copilot`" + ` flag"}`,
			"confirm \"Turn off?\"\nThe `copilot` flag" + with,
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			bubble(t, local, func(p *process) {
				a := p.say("t1", "Go.")
				same(p.t, "asked", a.wire, tc.want)
				same(p.t, "the end", p.decide("t1", a.confirmation, "accepted").wire, "text \"Done.\"\n")
			}, call("c1", tc.tool, tc.args), says("Done."))
		})
	}
}

// Providers may use the id of a call twice.
func TestADecisionIsForOneQuestionOnly(t *testing.T) {
	bubble(t, local, func(p *process) {
		first := p.say("t1", "Tidy up.")
		p.decide("t1", first.confirmation, "dismissed")
		second := p.say("t1", "And now?")
		same(p.t, "the first decision for the second question", p.decide("t1", first.confirmation, "accepted").wire, settled)
		same(p.t, "its own", p.decide("t1", second.confirmation, "accepted").wire, "text \"Gone.\"\n")
	}, call("call_0", "ask_user", yesNo), says("Kept."), call("call_0", "ask_user", yesNo), says("Gone."))
}

func TestAQuestionInWordsIsAnsweredByTheNextMessage(t *testing.T) {
	const colours = `{"question":"Which colour?","choices":["red","*blue*"]}`
	for _, tc := range []struct{ typed, want string }{
		{"2", "User selected: *blue*"}, {"RED", "User selected: red"}, {"3", "User responded: 3"}, {"green", "User responded: green"},
	} {
		for name, between := range map[string]func(p *process){"at once": func(*process) {}, "after a restart": (*process).restart} {
			t.Run(tc.typed+" "+name, func(t *testing.T) {
				bubble(t, local, func(p *process) {
					same(p.t, "the question", p.say("t1", "Paint it.").wire, "text \"Sure.\\n\\nWhich colour?\\n\\n1. red\\n2. \\\\*blue\\\\*\\n\"\n")
					between(p)
					same(p.t, "the answer", p.say("t1", tc.typed).wire, "text \"Painted.\"\n")
					if read := p.conversation(); !strings.HasSuffix(read, "tool: "+tc.want+"\n") {
						p.t.Errorf("the model read:\n%s\nwant %q", read, tc.want)
					}
				}, withText("Sure.", call("c1", "ask_user", colours)), says("Painted."))
			})
		}
	}
}

// The user's answer could not reach the session: the next message would be in another
// one.
func TestWithoutAThreadNothingIsAskedInWords(t *testing.T) {
	bubble(t, local, func(p *process) {
		same(p.t, "the answer", p.say("", "Paint it.").wire, "text \"Red, I assumed.\"\n")
		if read := p.conversation(); !strings.Contains(read, "cannot answer in words here") {
			p.t.Errorf("the model read:\n%s", read)
		}
	}, call("c1", "ask_user", `{"question":"Which colour?"}`), says("Red, I assumed."))
}

// A decision of another client of the session counts.
func TestADecisionThatSomebodyElseWasFasterWith(t *testing.T) {
	bubble(t, local, func(p *process) {
		a := p.say("t1", "Deploy.")
		p.approveElsewhere()
		synctest.Wait()
		same(p.t, "the decision", p.decide("t1", a.confirmation, "dismissed").wire, settled)
		same(p.t, "what ran", p.ran.String(), "bash make deploy")
		same(p.t, "afterwards", p.say("t1", "Well?").wire, "text \"It is out.\"\n")
	}, call("c1", "bash", deploy), says("Out."), says("It is out."))
}
