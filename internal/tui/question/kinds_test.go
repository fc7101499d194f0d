package question

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/sidestick-dev/sidestick/internal/permit"
	"github.com/sidestick-dev/sidestick/internal/question"
	"github.com/sidestick-dev/sidestick/internal/session/approval"
	"github.com/sidestick-dev/sidestick/internal/testing/golden"
	"github.com/sidestick-dev/sidestick/internal/timeline"
	"github.com/sidestick-dev/sidestick/internal/tui/input"
	"github.com/sidestick-dev/sidestick/internal/tui/keymap"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// request is the question of a permission.requested event in /src/app. rules are what an approval
// can cover.
func request(t testing.TB, raw string, placed permit.Placed, rules ...string) *question.Question {
	t.Helper()
	q, ok := timeline.ReadRequest(wire.Event{
		Header: wire.Header{Type: "permission.requested"}, Data: []byte(`{"requestId":"r","permissionRequest":` + raw + `}`),
	})
	if !ok {
		t.Fatal("no request")
	}
	o := approval.Offer{Folders: permit.Folders{Primary: "/src/app"}, Location: wire.PermissionLocation{LocationKey: "/src", LocationType: "repo"}, Placed: placed}
	for _, text := range rules {
		r, err := permit.ParseRule(text)
		if err != nil {
			t.Fatal(err)
		}
		o.Rules = append(o.Rules, r)
	}
	return question.OfRequest(q, "/src/app", "agent.example", o)
}

// command is the question of a command.
func command(t testing.TB, text string, rules ...string) *question.Question {
	t.Helper()
	raw, err := json.Marshal(map[string]any{
		"kind": "shell", "fullCommandText": text, "resolvedWorkingDirectory": "/src/app", "canOfferSessionApproval": len(rules) > 0,
	})
	if err != nil {
		t.Fatal(err)
	}
	return request(t, string(raw), permit.Placed{Place: permit.InWorkspace}, rules...)
}

// call is the question of a call of the session.
func call(t testing.TB, method, params string) *question.Question {
	t.Helper()
	q, err := question.Of(method, json.RawMessage(params))
	if err != nil || q == nil {
		t.Fatalf("%s: %v", method, err)
	}
	return q
}

// elicits is the question of an elicitation.
func elicits(t testing.TB, e question.Elicitation) *question.Question {
	t.Helper()
	q, err := question.OfElicitation(e)
	if err != nil {
		t.Fatal(err)
	}
	return q
}

const orderForm = `{"type":"object","properties":{
	"size":{"type":"string","title":"Size","description":"Of the pizza.","oneOf":[{"const":"s","title":"small"},{"const":"l","title":"large"}]},
	"number":{"type":"integer","minimum":1,"default":1},
	"tops":{"type":"array","items":{"enum":["olives","tuna","more cheese"]},"maxItems":2},
	"fast":{"type":"boolean"},
	"mail":{"type":"string","format":"email","title":"E-mail"}
},"required":["size","fast"]}`

// kinds has a question of each kind.
func kinds(t testing.TB) map[string]*question.Question {
	diff := "--- a/a.go\n+++ b/a.go\n@@ -1,3 +1,3 @@\n package a\n-\tx := 0\n+\tx := 1\n"
	var long strings.Builder
	for i := range 100 {
		fmt.Fprintf(&long, "+line %d\n", i)
	}
	return map[string]*question.Question{
		"short-command": command(t, "git status", "shell(git status)"),
		"command": request(t, `{"kind":"shell","intention":"Publish the branch","fullCommandText":"cd docs &&\n  git push > /tmp/log","resolvedWorkingDirectory":"/src/app",
			"possiblePaths":["/src/app/docs","/tmp/log"],"possibleUrls":[{"url":"https://github.com/x"}],"hasWriteFileRedirection":true,
			"canOfferSessionApproval":true,"warning":"it writes outside of the project"}`, permit.Placed{Because: "it needs your keys", AsksOutside: true}, "shell(cd)", "shell(git push)"),
		"sandbox-command": request(t, `{"kind":"shell","fullCommandText":"go test ./...","resolvedWorkingDirectory":"/src/app","canOfferSessionApproval":true}`,
			permit.Placed{Place: permit.InWorkspace, AutoAllowable: true}, "shell(go test)"),
		"many-rules": command(t, "make", "shell(git status)", "shell(git commit)", "shell(make the-first-target)", "shell(rm)", "shell(npm run build:production)", "shell(docker compose up)",
			"shell(kubectl apply)", "shell(terraform apply)", "shell(ansible-playbook)"),
		"change":      request(t, `{"kind":"write","intention":"Edit","fileName":"/src/app/a.go","canOfferSessionApproval":true,"diff":`+quoted(diff)+`}`, permit.Placed{}, "write"),
		"long-change": request(t, `{"kind":"write","fileName":"/src/app/a.txt","canOfferSessionApproval":true,"diff":`+quoted("@@ -0,0 +1,100 @@\n"+long.String())+`}`, permit.Placed{}, "write"),
		"new-file":    request(t, `{"kind":"write","fileName":"/src/app/b.sh","newFileContents":"#!/bin/sh\n# hello\necho \"$1\"\n","diff":"","canOfferSessionApproval":false}`, permit.Placed{}),
		"address":     request(t, `{"kind":"url","url":"https://evil.example/x","redirectedFrom":"https://good.example/"}`, permit.Placed{}, "url(evil.example)"),
		"tool":        request(t, `{"kind":"mcp","serverName":"pizza","toolName":"order","args":{"size":"large","to":"Mona, 1 Octocat Way, and three more lines of an address"}}`, permit.Placed{}, "mcp(pizza(order))"),
		"confirmation": request(t, `{"kind":"custom-tool","toolName":"copilot_confirmation","managedApprovalRequired":true,"args":{"title":"Turn off the flag?","message":"All users get the new page.\n\nThis cannot be undone."}}`,
			permit.Placed{}),
		"input":      call(t, "userInput.request", `{"question":"Which colour shall the button have?","choices":["red","blue, as the others"]}`),
		"words":      call(t, "userInput.request", `{"question":"What is the name of the project?"}`),
		"long-input": call(t, "userInput.request", `{"question":`+quoted(strings.Repeat("A line of the question.\n", 30))+`,"choices":["yes","no"],"allowFreeform":false}`),
		"plan":       call(t, "exitPlanMode.request", `{"summary":"Two steps.","planContent":"# Plan\n\n1. Write **tests**\n2. Run them\n\n`+"```sh\\ngo test ./...\\n```"+`\n","actions":["autopilot","interactive","exit_only"],"recommendedAction":"interactive"}`),
		"switch":     call(t, "autoModeSwitch.request", `{"errorCode":"user_weekly_rate_limited"}`),
		"page":       elicits(t, question.Elicitation{Source: "pizza", Message: "Sign in to order.", URL: "https://pizza.example/login?next=/a/very/long/path/that/does/not/fit/into/forty/columns"}),
		"form":       elicits(t, question.Elicitation{Source: "pizza", Message: "What shall it be?", Schema: json.RawMessage(orderForm)}),
	}
}

// Each option of each question can be marked with a digit, or with a letter that an action of the table of
// keys stands for.
func TestEveryOptionHasAKey(t *testing.T) {
	for name, q := range kinds(t) {
		for _, o := range q.Options {
			own := o.Needs && o.Key == "" // it has only a text field, which the arrows reach
			if o.Number == 0 && !own && actionOf(o.Key) == "" {
				t.Errorf("%s: nothing marks %q, key %q: add it to markers in key.go, with an action of package keymap", name, o.Text, o.Key)
			}
		}
	}
	for _, l := range markers {
		if a, ok := keymap.Default().Find(l.action); !ok || a.Focus != keymap.Question {
			t.Errorf("%s marks the option %s, and is no action of questions", l.action, l.option)
		}
	}
}

// Each kind of question as the user first sees it.
func TestKinds(t *testing.T) {
	for name, asked := range kinds(t) {
		t.Run(name, func(t *testing.T) {
			golden.Text(t, name, pictures(t, func(width, height int) *Queue {
				q := &Queue{}
				q.Add(asked)
				show(q, width, height, start)
				return q
			}, start.Add(time.Second)))
		})
	}
}

// Questions after some keys.
func TestStates(t *testing.T) {
	all := kinds(t)
	for name, tc := range map[string]struct {
		asked string
		keys  string // separated by spaces; those in quotes are typed one after the other
	}{
		"marked":         {"command", "y"},
		"reason":         {"command", "n 'use make'"},
		"reason-closed":  {"command", "n 'use make' esc down"},
		"unread":         {"long-change", "y enter"},
		"scrolled":       {"long-change", "pgdown pgdown"},
		"later":          {"command", "esc"},
		"own-words":      {"input", "'a green one'"},
		"plan-change":    {"plan", "'leave out step 2'"},
		"say-instead":    {"confirmation", "s 'ask me later'"},
		"form-choice":    {"form", "down space"},
		"form-text":      {"form", "2 enter '0'"},
		"form-several":   {"form", "tab tab space down space"},
		"form-invalid":   {"form", "tab tab tab tab 'nobody' up"},
		"form-missing":   {"form", "pgdown pgdown pgdown pgdown pgdown up enter"},
		"form-review":    {"form", "2 tab '3' tab 1 tab y tab 'mona@pizza.example' enter enter"},
		"form-review-no": {"form", "2 tab '3' tab 1 tab y tab 'mona@pizza.example' enter enter y"},
	} {
		t.Run(name, func(t *testing.T) {
			golden.Text(t, "state-"+name, pictures(t, func(width, height int) *Queue {
				q := &Queue{}
				q.Add(all[tc.asked])
				show(q, width, height, start)
				typed(q, width, height, start.Add(time.Minute), tc.keys)
				return q
			}, start.Add(time.Hour)))
		})
	}
}

// typed presses keys that are separated by spaces, two seconds apart. Those in quotes are typed
// 100 milliseconds apart.
func typed(q *Queue, width, height int, now time.Time, keys string) (r Result, at time.Time) {
	for i, part := range strings.Split(keys, "'") {
		if i%2 == 1 {
			now = now.Add(2 * time.Second)
			for _, c := range part {
				now = now.Add(100 * time.Millisecond)
				r = q.Key(key(string(c)), now)
				show(q, width, height, now)
			}
			continue
		}
		for name := range strings.FieldsSeq(part) {
			now = now.Add(2 * time.Second)
			r = q.Key(key(name), now)
			show(q, width, height, now)
		}
	}
	return r, now
}

// key is the key with a name.
func key(name string) input.Key {
	k := input.Key{Name: name}
	switch {
	case name == " ":
		return input.Key{Name: "space", Text: " "}
	case name == "space":
		k.Text = " "
	case len([]rune(name)) == 1:
		k.Text = name
	}
	return k
}
