package web_test

import (
	"strings"
	"testing"

	"github.com/sidestick-dev/sidestick/internal/testing/modeltest"
	"github.com/sidestick-dev/sidestick/internal/web"
)

// same compares an answer with the expected one.
func same(t *testing.T, what, got, want string) {
	t.Helper()
	if got != want {
		t.Errorf("%s:\n%s\nwant:\n%s", what, got, want)
	}
}

func TestAThreadIsASession(t *testing.T) {
	bubble(t, local, func(p *process) {
		same(p.t, "first answer", p.say("t1", "@pilot My name is Ada.").wire, "text \"Hello Ada.\"\n")
		same(p.t, "second answer", p.say("t1", "What is my name?").wire, "text \"Ada.\"\n")
		same(p.t, "the model read", p.conversation(), "user: My name is Ada.\nassistant: Hello Ada.\nuser: What is my name?\n")
		p.restart()
		same(p.t, "third answer", p.say("t1", "Still?").wire, "text \"Yes.\"\n")
		same(p.t, "the model read after a restart", p.conversation(),
			"user: My name is Ada.\nassistant: Hello Ada.\nuser: What is my name?\nassistant: Ada.\nuser: Still?\n")
		p.stored() // of one session
	}, says("Hello Ada."), says("Ada."), says("Yes."))
}

func TestAThreadsIDIsNoPath(t *testing.T) {
	bubble(t, local, func(p *process) {
		p.say("../../../etc/passwd", "Hi.")
		dirs, err := p.disk.ReadDir("/home/session-state")
		if err != nil || len(dirs) != 1 || !strings.HasPrefix(dirs[0].Name(), "ext-") || len(dirs[0].Name()) != 36 {
			p.t.Errorf("sessions are %v (%v), want one with the prefix ext-", dirs, err)
		}
	}, says("Hello."))
}

const (
	deploy  = `{"command":"make deploy"}`
	asksFor = `confirm "Allow: run $ make deploy"
Try \*it\*

` + "```sh\nmake deploy\n```" + `

In: ` + "`/work`" + `
with {"id":"ID","kind":"permission","session":"ext-ID","mac":"MAC"}
`
)

func TestAPermissionIsAConfirmation(t *testing.T) {
	for _, tc := range []struct {
		name    string
		between func(p *process)
	}{
		{"answered at once", func(*process) {}},
		{"after a restart", (*process).restart},
		{"after a crash", (*process).crash},
		{"after two", func(p *process) { p.restart(); p.crash() }},
	} {
		t.Run(tc.name, func(t *testing.T) {
			for _, d := range []struct{ state, text, ran, result string }{
				{"accepted", "text \"It is out.\"\n", "bash make deploy", "did make deploy"},
				{"dismissed", "text \"All right, I did not do that.\\n\"\n", "", ""},
			} {
				bubble(t, local, func(p *process) {
					a := p.say("t1", "Deploy.")
					same(p.t, "the question", a.wire, "text \"Right away.\"\n"+asksFor)
					tc.between(p)
					same(p.t, d.state, p.decide("t1", a.confirmation, d.state).wire, d.text)
					same(p.t, "what ran", p.ran.String(), d.ran)
					if got := p.conversation(); !strings.Contains(got, d.result) {
						p.t.Errorf("the model read:\n%s\nwant %s in it", got, d.result)
					}
					for _, again := range []string{"accepted", "dismissed"} {
						p.restart() // a session that is not in memory stays there
						before := len(p.stored())
						same(p.t, again+" again", p.decide("t1", a.confirmation, again).wire, settled)
						if n := len(p.stored()) - before; n != 0 {
							p.t.Errorf("%s again: %d events more", again, n)
						}
					}
					p.say("t1", "Well?")
					same(p.t, "again in memory", p.decide("t1", a.confirmation, d.state).wire, settled)
					same(p.t, "what ran", p.ran.String(), d.ran)
					same(p.t, "afterwards", p.say("t1", "And now?").wire, "text \"Fine.\"\n")
				}, modeltest.Reply{Text: "Right away.", ToolCalls: []modeltest.ToolCall{{ID: "c1", Name: "bash", Arguments: deploy}}},
					modeltest.Reply{Text: "It is out.", When: modeltest.LastIs("did make deploy")}, says("Well."), says("Fine."))
			}
		})
	}
}

const settled = `copilot_errors [{"type":"agent","code":"confirmation_settled",` +
	`"message":"This was decided already, or the run that asked has ended, so nothing was done.","identifier":"ext-ID"}]` + "\n"

func TestConfirmationsThatAreRefused(t *testing.T) {
	const invalid, foreign = `"code":"confirmation_invalid"`, `"code":"confirmation_foreign"`
	for _, tc := range []struct {
		name, thread string
		change       func(string) string
		want         string
	}{
		{"nothing", "t1", func(string) string { return "null" }, invalid},
		{"another's words", "t1", func(string) string { return `{"id":"id-123","other":"identifier-as-needed"}` }, invalid},
		{"a list", "t1", func(s string) string { return "[" + s + "]" }, invalid},
		{"another request", "t1", func(s string) string { return strings.Replace(s, `{"id":"`, `{"id":"0`, 1) }, invalid},
		{"another session", "t1", func(s string) string { return strings.Replace(s, `"ext-`, `"ext-0`, 1) }, invalid},
		{"another kind", "t1", func(s string) string { return strings.Replace(s, "permission", "question", 1) }, invalid},
		{"made to resume", "", func(s string) string { return strings.Replace(s, `"mac"`, `"resume":true,"mac"`, 1) }, invalid},
		{"with more in it", "t1", func(s string) string { return strings.Replace(s, `{`, `{"x":1,`, 1) }, invalid},
		{"without a seal", "t1", func(s string) string { before, _, _ := strings.Cut(s, `,"mac"`); return before + "}" }, invalid},
		{"with an empty seal", "t1", func(s string) string { before, _, _ := strings.Cut(s, `,"mac"`); return before + `,"mac":""}` }, invalid},
		{"of another thread", "t2", func(s string) string { return s }, foreign},
		{"without its thread", "", func(s string) string { return s }, foreign},
		{"as another agent's", "t1\",\"agent\":\"x", nil, foreign},
		{"in other spaces", "t1", func(s string) string { return strings.ReplaceAll(s, ",", " , ") }, "It is out."},
	} {
		t.Run(tc.name, func(t *testing.T) {
			bubble(t, local, func(p *process) {
				asked := string(p.say("t1", "Deploy.").confirmation)
				p.restart() // also a session that is not in memory is not touched
				before := len(p.stored())
				var got string
				if tc.change == nil {
					messages := `{"role":"user","content":"","copilot_confirmations":[{"state":"accepted","confirmation":` + asked + `}]}`
					got = p.read(p.post(p.t.Context(), "/", `{"copilot_thread_id":"t1","agent":"another","messages":[`+messages+`]}`)).wire
				} else {
					got = p.decide(tc.thread, []byte(tc.change(asked)), "accepted").wire
				}
				if !strings.Contains(got, tc.want) {
					p.t.Errorf("answered:\n%s\nwant %s", got, tc.want)
				}
				if tc.want == "It is out." {
					return
				}
				if p.ran.String() != "" || len(p.stored()) != before {
					p.t.Errorf("a refused confirmation changed something: ran %q, %d events, want %d", p.ran, len(p.stored()), before)
				}
				same(p.t, "then the right one", p.decide("t1", []byte(asked), "accepted").wire, "text \"It is out.\"\n")
			}, call("c1", "bash", deploy), says("It is out."))
		})
	}
}

func TestAnotherKeyMakesConfirmationsVoid(t *testing.T) {
	bubble(t, local, func(p *process) {
		a := p.say("t1", "Deploy.")
		if err := p.disk.Remove("/home/extension.key"); err != nil {
			p.t.Fatal(err)
		}
		p.restart()
		if got := p.decide("t1", a.confirmation, "accepted").wire; !strings.Contains(got, "confirmation_invalid") || p.ran.String() != "" {
			p.t.Errorf("answered %s, ran %q", got, p.ran)
		}
	}, call("c1", "bash", deploy))
}

func TestWhoWritesOnHasDenied(t *testing.T) {
	for name, between := range map[string]func(p *process){"at once": func(*process) {}, "after a restart": (*process).restart} {
		t.Run(name, func(t *testing.T) {
			bubble(t, local, func(p *process) {
				a := p.say("t1", "Deploy.")
				between(p)
				same(p.t, "the answer", p.say("t1", "No, first test it.").wire, "text \"Tested.\"\n")
				same(p.t, "what ran", p.ran.String(), "")
				same(p.t, "the model read", p.conversation(), "user: Deploy.\nassistant: [bash "+deploy+"]\n"+
					"tool: The user rejected this tool call. Their reason: The user did not decide on this and wrote a new message instead.\n"+
					"user: No, first test it.\n")
				same(p.t, "the decision of before", p.decide("t1", a.confirmation, "accepted").wire, settled)
			}, call("c1", "bash", deploy), says("Tested."))
		})
	}
}

func TestQuestionsOfOneMessageAreAskedOneAfterTheOther(t *testing.T) {
	const change = "confirm \"Allow: change notes.md (+1 −1)\"\nFile: `notes.md`\n\n````diff\n--- a\n+++ b\n@@ -1 +1 @@\n-old\n+```new\n````\n" +
		"with {\"id\":\"ID\",\"kind\":\"permission\",\"session\":\"ext-ID\",\"mac\":\"MAC\"}\n"
	bubble(t, local, func(p *process) {
		first := p.say("t1", "Both.")
		second := p.decide("t1", first.confirmation, "accepted")
		last := second
		if first.wire == change { // the calls run side by side
			first, second = second, first
		}
		same(p.t, "asked about the command", first.wire, asksFor)
		same(p.t, "asked about the change", second.wire, change)
		same(p.t, "the end", p.decide("t1", last.confirmation, "accepted").wire, "text \"Both done.\"\n"+
			`copilot_references [{"type":"sidestick.file","id":"notes.md","data":{"path":"notes.md"},"is_implicit":false,`+
			`"metadata":{"display_name":"notes.md"}}]`+"\n")
	}, calls(modeltest.ToolCall{ID: "c1", Name: "bash", Arguments: deploy}, modeltest.ToolCall{ID: "c2", Name: "edit", Arguments: `{"path":"notes.md"}`}), says("Both done."))
}

func TestWithoutAThreadTheTicketFindsTheSession(t *testing.T) {
	bubble(t, web.Options{Loopback: true}, func(p *process) {
		a := p.say("", "Deploy.")
		if !strings.Contains(string(a.confirmation), `"resume":true`) {
			p.t.Errorf("the confirmation is %s", a.confirmation)
		}
		p.restart()
		if got := p.decide("t1", a.confirmation, "accepted").wire; !strings.Contains(got, "confirmation_foreign") {
			p.t.Errorf("in a thread it was answered:\n%s", got)
		}
		same(p.t, "the answer", p.decide("", a.confirmation, "accepted").wire, "text \"It is out.\"\n")
	}, call("c1", "bash", deploy), says("It is out."))
}
