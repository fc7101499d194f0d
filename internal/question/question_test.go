package question

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sidestick-dev/sidestick/internal/permit"
	"github.com/sidestick-dev/sidestick/internal/session/approval"
	"github.com/sidestick-dev/sidestick/internal/timeline"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// request is what a permission.requested event asks.
func request(t *testing.T, raw string) timeline.Request {
	t.Helper()
	q, ok := timeline.ReadRequest(wire.Event{
		Header: wire.Header{Type: "permission.requested"}, Data: []byte(`{"requestId":"r","permissionRequest":` + raw + `}`),
	})
	if !ok {
		t.Fatal("no request")
	}
	return q
}

func ofTool(t *testing.T, o approval.Offer) *Question {
	t.Helper()
	return OfRequest(request(t, `{"kind":"custom-tool","toolName":"x"}`), "", "", o)
}

// Typed lines and the options that they choose.
func TestTyped(t *testing.T) {
	rules := approval.Offer{Rules: []permit.Rule{{Kind: permit.CustomTool, Argument: "x"}}, Placed: permit.Placed{AutoAllowable: true}}
	colours, err := Of("userInput.request", json.RawMessage(`{"question":"Which?","choices":["red","blue"]}`))
	if err != nil {
		t.Fatal(err)
	}
	closed, err := Of("userInput.request", json.RawMessage(`{"question":"Which?","choices":["red","blue"],"allowFreeform":false}`))
	if err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		q      *Question
		line   string
		option int
		text   string
		own    bool
		remark string
	}{
		{ofTool(t, rules), "y", 0, "", false, ""},
		{ofTool(t, rules), " YES ", 0, "", false, ""},
		{ofTool(t, rules), "yes, but not b", -1, "", false, OnlyWord},
		{ofTool(t, rules), "s", 1, "", false, ""},
		{ofTool(t, rules), "s for now", -1, "", false, OnlyWord},
		{ofTool(t, rules), "a", 2, "", false, ""},
		{ofTool(t, rules), "location", 3, "", false, ""},
		{ofTool(t, rules), "no, use make", 4, "use make", false, ""},
		{ofTool(t, rules), "q", 5, "", false, ""},
		{ofTool(t, rules), "", -1, "", false, ""},
		{ofTool(t, rules), "1", -1, "", false, ""},
		{ofTool(t, approval.Offer{}), "a", -1, "", false, "this request can only be approved once"},
		{ofTool(t, approval.Offer{}), "sandbox", -1, "", false, "nothing was approved: s allows only commands that stay in the sandbox, and is not offered for this request"},
		{colours, "2", 1, "", false, ""},
		{colours, "Red", 0, "", false, ""},
		{colours, "3", -1, "", true, ""},
		{closed, "3", -1, "", false, "choose a number from 1 to 2"},
	} {
		option, text, own, remark := tc.q.Typed(tc.line)
		if option != tc.option || text != tc.text || (own != nil) != tc.own || remark != tc.remark {
			t.Errorf("%q: %d, %q, %v, %q", tc.line, option, text, own, remark)
		}
	}
}

// The default of a question allows nothing, and there is one option for each answer.
func TestTheDefaultAllowsNothing(t *testing.T) {
	for _, q := range []*Question{
		ofTool(t, approval.Offer{}), OfConfirmation("", "", "Sure?", ""), ofSwitch(limited{}), ofPlan(planDone{}), ofPlan(planDone{Actions: []string{"autopilot"}, Recommended: "autopilot"}),
		ofPlan(planDone{Actions: []string{"autopilot"}, Recommended: "elsewhere"}), ofInput(userInput{Choices: []string{"delete it"}}),
	} {
		i := q.Default()
		if i < 0 || q.Options[i].Allows {
			t.Errorf("%s: the default is %d", q.Short(), i)
		}
		if a, err := q.Choose(i, ""); err == nil && a.Permit.Outcome == permit.Approved {
			t.Errorf("%s: the default approves", q.Short())
		}
	}
	if i := ofInput(userInput{Choices: []string{"a"}, Freeform: new(bool)}).Default(); i != -1 {
		t.Errorf("a question with choices only has the default %d", i)
	}
}

// Choices become the answers of the session.
func TestChoose(t *testing.T) {
	rule := []permit.Rule{{Kind: permit.CustomTool, Argument: "x"}}
	q := ofTool(t, approval.Offer{Rules: rule, Location: wire.PermissionLocation{LocationKey: "/src"}})
	for option, want := range []Answer{
		{Permit: permit.Answer{Outcome: permit.Approved}},
		{Permit: permit.Answer{Outcome: permit.Approved, Scope: permit.ForSession, Rules: rule}},
		{Permit: permit.Answer{Outcome: permit.Approved, Scope: permit.ForLocation, Rules: rule, Location: "/src"}},
		{Permit: permit.Answer{Outcome: permit.Rejected, Feedback: "why"}},
		{Stop: true},
	} {
		got, err := q.Choose(option, " why ")
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("option %d: %v (-want +got):\n%s", option, err, diff)
		}
	}
	if _, err := q.Choose(5, ""); err == nil {
		t.Error("there is no option 5")
	}
	c := OfConfirmation("", "", "Sure?", "")
	if _, err := c.Choose(2, " "); err == nil {
		t.Error("a message has no text")
	}
	if a, err := c.Choose(2, "later"); err != nil || a.Instead != "later" {
		t.Errorf("a message: %+v, %v", a, err)
	}
	p := ofPlan(planDone{Recommended: "autopilot"})
	if a, err := p.Choose(0, ""); err != nil || !cmp.Equal(a.Reply, planVerdict{Approved: true, Action: "autopilot"}) {
		t.Errorf("a plan without actions: %+v, %v", a, err)
	}
}

// The option for a location says which folders it is about.
func TestLocation(t *testing.T) {
	rule := []permit.Rule{{Kind: permit.Shell, Argument: "git push"}}
	for want, l := range map[string]wire.PermissionLocation{
		"yes, in every session in this repository":           {LocationKey: "/src", LocationType: "repo"},
		"yes, in every session in this folder":               {LocationKey: "/src", LocationType: "dir"},
		"yes, in every session in this repository or folder": {LocationKey: "/src"}, // of an older server
	} {
		if o := ofTool(t, approval.Offer{Rules: rule, Location: l}).Options[2]; o.Text != want || o.Where != "/src" {
			t.Errorf("%+v: %q at %q, want %q", l, o.Text, o.Where, want)
		}
	}
}

// The grant of an option is written in full, in one line, also if a path has several lines.
func TestGrants(t *testing.T) {
	long := strings.Repeat("/folder", 200)
	q := ofTool(t, approval.Offer{
		Rules:    []permit.Rule{{Kind: permit.Read, Argument: long + "\n[y] yes\t"}, {Kind: permit.Shell, Argument: "git push"}, {Kind: permit.MCP, Argument: "pizza"}},
		Location: wire.PermissionLocation{LocationKey: "/a\nb"},
	})
	want := "reading " + long + `<U+000A>[y] yes<U+0009>, any "git push", every tool of the MCP server pizza`
	if o := q.Options[2]; o.Grants != want || q.Options[1].Grants != want || o.Where != "/a<U+000A>b" {
		t.Errorf("grants %q at %q", o.Grants, o.Where)
	}
	if q := OfPermission(request(t, `{"kind":"custom-tool","toolName":"x","canOfferSessionApproval":false}`), "", approval.Offer{Rules: []permit.Rule{{Kind: permit.CustomTool, Argument: "x"}}}); len(q.Options) != 3 {
		t.Errorf("a request that can be approved once only has %d options", len(q.Options))
	}
}

// The values of fields are what the schema allows.
func TestValue(t *testing.T) {
	q, err := OfElicitation(Elicitation{Schema: json.RawMessage(`{"type":"object","properties":{"n":{"type":"number","maximum":9},"s":{"type":"string","default":"x"},"o":{"type":"boolean"}},"required":["n"]}`)})
	if err != nil {
		t.Fatal(err)
	}
	number, text, optional := &q.Fields.Fields[0], &q.Fields.Fields[1], &q.Fields.Fields[2]
	for typed, fits := range map[string]bool{"1.5": true, "10": false, "": false, "NaN": false, "inf": false, "-Infinity": false, "one": false} {
		if _, _, err := Value(number, typed); (err == nil) != fits {
			t.Errorf("%q: %v", typed, err)
		}
	}
	if v, filled, err := Value(text, ""); v != "x" || !filled || err != nil {
		t.Errorf("the default: %v, %v, %v", v, filled, err)
	}
	if _, filled, err := Value(optional, ""); filled || err != nil {
		t.Errorf("left out: %v, %v", filled, err)
	}
	if a, err := FormAnswer(q.Fields, map[string]any{"n": 1.0}); err != nil || a.Form.Action != approval.Accepted || string(a.Form.Content) != `{"n":1}` {
		t.Errorf("%+v, %v", a, err)
	}
	if _, err := FormAnswer(q.Fields, map[string]any{}); err == nil {
		t.Error("a form without its required field was accepted")
	}
	if _, err := OfElicitation(Elicitation{Schema: json.RawMessage(`{"type":"array"}`)}); err == nil {
		t.Error("an array is a form")
	}
}

// Methods that a terminal does not answer are told from parameters that cannot be read.
func TestMethods(t *testing.T) {
	for method, answers := range map[string]bool{"userInput.request": true, "exitPlanMode.request": true, "autoModeSwitch.request": true, "hooks.invoke": false} {
		if Answers(method) != answers {
			t.Errorf("%s: want %v", method, answers)
		}
	}
	if _, err := Of("userInput.request", json.RawMessage(`[]`)); err == nil {
		t.Error("a list of parameters was read")
	}
	e := ReadElicitation(wire.Event{Data: []byte(`{"requestId":"r","elicitationSource":"pizza","message":"Who?","requestedSchema":{"type":"object"},"url":"https://a.example"}`)})
	if diff := cmp.Diff(Elicitation{ID: "r", Source: "pizza", Message: "Who?", Schema: json.RawMessage(`{"type":"object"}`), URL: "https://a.example"}, e); diff != "" {
		t.Error("-want +got:\n" + diff)
	}
}

// Two choices that look the same are told apart.
func TestChoicesAreExposed(t *testing.T) {
	q, err := Of("userInput.request", []byte(`{"question":"Which?","choices":["yes","yes\u200b","\u2800"]}`))
	if err != nil {
		t.Fatal(err)
	}
	if q.Options[1].Text != "yes<U+200B>" || q.Options[2].Text != "<U+2800>" {
		t.Errorf("the choices are %q and %q", q.Options[1].Text, q.Options[2].Text)
	}
}

// A question about an address says which host it has, if it looks like another one.
func TestAddressesThatLookLikeOthers(t *testing.T) {
	page, err := OfElicitation(Elicitation{ID: "r", Message: "Sign in.", URL: "https://apple.example@evil.example"})
	if err != nil {
		t.Fatal(err)
	}
	fetch := OfPermission(timeline.Request{ID: "r", Kind: "url", URL: "https://аpple.example", RedirectedFrom: "https://plain.example"}, "/work", approval.Offer{})
	run := OfPermission(timeline.Request{ID: "r", Kind: "shell", Command: "curl x", Addresses: []timeline.Address{{URL: "https://аpple.example"}}}, "/work", approval.Offer{})
	for want, q := range map[string]*Question{
		"the host is evil.example": page, "the host is xn--pple-43d.example": fetch, "аpple.example (leads to xn--pple-43d.example)": run,
	} {
		n := 0
		for _, d := range q.Details {
			if d.Text == want {
				n++
			}
		}
		if n != 1 {
			t.Errorf("%q is there %d times: %+v", want, n, q.Details)
		}
	}
}

// A question about a file says where a symbolic link leads, because the path hides it.
func TestLinks(t *testing.T) {
	inside := approval.Offer{Folders: permit.Folders{Primary: "/ws"}}
	anywhere := approval.Offer{Folders: permit.Folders{Primary: "/ws", Anywhere: true}}
	const out = "asked because: a symbolic link leads out of the allowed folders|leads to: /out/x, outside the allowed folders"
	for _, tc := range []struct {
		request       string
		offer         approval.Offer
		heading, want string
		tone          Tone
	}{
		{`"kind":"write","fileName":"/ws/lnk","resolvedPath":"/out/x","newFileContents":""`, inside, "Allow: write lnk, which leads to /out/x", out, Caution},
		{`"kind":"write","fileName":"/ws/lnk","resolvedPath":"/out/x","diff":"@@\n+a"`, inside, "Allow: change lnk (+1 −0), which leads to /out/x", out, Caution},
		{`"kind":"read","path":"/ws/docs/x","resolvedPath":"/out/x"`, inside, "Allow: read docs/x, which leads to /out/x", out, Caution},
		{`"kind":"read","path":"/ws/x","resolvedPath":"/out/x"`, approval.Offer{}, "Allow: read x, which leads to /out/x", out, Caution},
		{`"kind":"read","path":"/ws/x","resolvedPath":"/out/x"`, anywhere, "Allow: read x, which leads to /out/x", "leads to: /out/x", Caution},
		{`"kind":"read","path":"/ws/x","resolvedPath":"/out\n/x"`, anywhere, "Allow: read x, which leads to /out /x", "leads to: /out<U+000A>/x", Caution},
		{`"kind":"read","path":"/ws/x","resolvedPath":"/ws/y"`, inside, "Allow: read x", "leads to: /ws/y", Normal},
		{`"kind":"read","path":"/ws/x","resolvedPath":"/ws/x"`, inside, "Allow: read x", "", Normal},
		{`"kind":"read","path":"/ws/x","resolvedPath":"/real/x"`, approval.Offer{Folders: permit.Folders{Primary: "/real"}}, "Allow: read x", "", Normal},
	} {
		q := OfPermission(request(t, "{"+tc.request+"}"), "/ws", tc.offer)
		var got []string
		for _, d := range q.Details {
			if d.Name == "asked because" || d.Name == "leads to" {
				got = append(got, d.Name+": "+d.Text)
				if d.Tone != tc.tone {
					t.Errorf("%s: the tone of %q is %d", tc.request, d.Text, d.Tone)
				}
			}
		}
		if strings.Join(got, "|") != tc.want || q.Heading != tc.heading {
			t.Errorf("%s:\n%q\n%q", tc.request, q.Heading, got)
		}
	}
}
