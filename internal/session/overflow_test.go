package session_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"image"
	"image/png"
	"math/rand/v2"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/sidestick-dev/sidestick/internal/testing/modeltest"
	"github.com/sidestick-dev/sidestick/internal/vfs"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// taciturn runs f with a model whose provider refuses what refuses says, in the words of OpenAI, which have
// no numbers.
func taciturn(t *testing.T, refuses func(r *modeltest.Request) bool, f func(d *desk), replies ...modeltest.Reply) {
	refusal := modeltest.Failure(400, "context_length_exceeded", "Your input exceeds the context window of this model. Please adjust your input and try again.")
	refusal.When, refusal.Repeat = refuses, true
	replies = append([]modeltest.Reply{refusal}, replies...)
	bubble(t, &desk{fs: vfs.NewMem()}, f, append(replies, modeltest.Reply{When: talks, Text: "ok", Repeat: true})...)
}

// noise is a picture of some 12 kilobytes, as an attachment.
func noise(t *testing.T) json.RawMessage {
	t.Helper()
	picture, random := image.NewGray(image.Rect(0, 0, 110, 110)), rand.NewChaCha8([32]byte{})
	if _, err := random.Read(picture.Pix); err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := png.Encode(&b, picture); err != nil {
		t.Fatal(err)
	}
	return fmt.Appendf(nil, `[{"type":"blob","mimeType":"image/png","displayName":"a.png","data":%q}]`, base64.StdEncoding.EncodeToString(b.Bytes()))
}

// show sends a message with attachments and waits for the end of the run.
func (s *seat) show(prompt string, attached json.RawMessage) {
	s.d.t.Helper()
	if _, err := s.s.Send(context.Background(), wire.Send{Prompt: prompt, Attachments: attached}); err != nil {
		s.d.t.Fatalf("Send(%q): %v", prompt, err)
	}
	s.until("session.idle")
}

// eachWithLess checks that no call since the first ones repeats the one before it, which was refused.
func (d *desk) eachWithLess(t *testing.T, first int) (calls int) {
	t.Helper()
	all := d.model.Requests()[first:]
	for i := 1; i < len(all); i++ {
		if bytes.Equal(all[i].Raw, all[i-1].Raw) {
			t.Errorf("call %d of %d repeats the one before it, which was refused: %d bytes", i+1, len(all), len(all[i].Raw))
		}
	}
	return len(all)
}

// A provider may refuse a request without saying how long it may be. The call is made again, each time with less.
func TestARefusalWithoutNumbersIsFollowedByLess(t *testing.T) {
	attached := noise(t)
	for _, tc := range []struct {
		name     string
		attached json.RawMessage
		most     int // bytes of a request
	}{
		{"text", nil, 3000},
		{"pictures", attached, 40_000},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var on atomic.Bool
			taciturn(t, func(r *modeltest.Request) bool { return on.Load() && len(r.Raw) > tc.most }, func(d *desk) {
				s := d.create(small(wire.Config{}))
				for i := range 8 {
					s.show(long(fmt.Sprint("prompt-", i), 600), tc.attached)
				}
				on.Store(true)
				before := len(d.model.Requests())
				s.show("and now?", tc.attached)
				s.answeredEach(t, 9)
				d.eachWithLess(t, before)
				if said := d.sent(); len(said) > tc.most || !strings.Contains(said, "and now?") {
					t.Errorf("the model read %d bytes: %.200s", len(said), said)
				}
				warned := leftOutWarnings(s.told)
				if len(warned) == 0 {
					t.Error("the user was not told what the model no longer reads")
				}
				for _, w := range warned {
					if strings.Contains(w, " 0 ") {
						t.Errorf("the user was told %q", w)
					}
				}
			}, summary(modeltest.Failure(400, "odd", "odd")))
		})
	}
}

// A request may be refused while a summary is made beside it. If that summary fails, the call is made again with less.
func TestASummaryThatFailsBesideARefusedCallDoesNotRepeatIt(t *testing.T) {
	var on atomic.Bool
	failing := summary(modeltest.Failure(400, "odd", "odd"))
	failing.Delay = time.Minute
	refusal := modeltest.Failure(400, "context_length_exceeded", "Your input exceeds the context window of this model. Please adjust your input and try again.")
	refusal.When, refusal.Repeat = func(r *modeltest.Request) bool { return on.Load() && talks(r) && len(r.Raw) > 4000 }, true
	narrow(t, func(d *desk) {
		s := d.behind()
		on.Store(true)
		before := len(d.model.Requests())
		s.show("and now?", nil)
		last := []byte(nil)
		for i, r := range d.model.Requests()[before:] {
			if bytes.Equal(r.Raw, last) {
				t.Errorf("call %d repeats the one before it, which was refused: %d bytes", i+1, len(r.Raw))
			}
			if talks(&r) {
				last = r.Raw
			}
		}
		if s.rest(); last == nil || count(s.told, "session.error") > 0 {
			t.Errorf("the prompt was not answered:\n%s", types(s.told))
		}
	}, failing, refusal, modeltest.Reply{When: talks, Text: modeltest.Varied(1000), Repeat: true})
}

// What a provider refuses at any length ends with its error, after a few calls of which each has less. Nothing is
// lost by that: the next prompt has the whole conversation again.
func TestWhatIsRefusedAtAnyLengthEndsByName(t *testing.T) {
	attached := noise(t)
	for _, tc := range []struct {
		name         string
		before, last json.RawMessage
	}{
		{"text", nil, nil},
		{"pictures", attached, attached},
		{"one picture", nil, attached},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var on atomic.Bool
			taciturn(t, func(r *modeltest.Request) bool { return on.Load() }, func(d *desk) {
				s := d.create(small(wire.Config{}))
				for i := range 6 {
					s.show(long(fmt.Sprint("prompt-", i), 600), tc.before)
				}
				on.Store(true)
				before := len(d.model.Requests())
				s.show("and now?", tc.last)
				s.rest()
				if e := last(t, s.told, "session.error"); field(e, "errorType") != "context_limit" || count(s.told, "session.error") != 1 {
					t.Errorf("%d errors, the last %s", count(s.told, "session.error"), e.Data)
				}
				if n := d.eachWithLess(t, before); n > 7 {
					t.Errorf("%d calls before the error", n)
				}
				for _, w := range leftOutWarnings(s.told) {
					if strings.Contains(w, " 0 ") {
						t.Errorf("the user was told %q", w)
					}
				}
				on.Store(false)
				s = d.again(small(wire.Config{}))
				s.talk("and then?")
				s.answeredEach(t, 1)
				for _, want := range []string{"prompt-0", "prompt-5", "and now?", "and then?"} {
					if !strings.Contains(d.sent(), want) {
						t.Errorf("the model no longer reads %s", want)
					}
				}
			}, summary(modeltest.Failure(400, "odd", "odd")))
		})
	}
}

// A first message that is refused has nothing before it that could be left out, so it is sent once.
func TestAFirstMessageThatIsTooLongIsSentOnce(t *testing.T) {
	taciturn(t, func(r *modeltest.Request) bool { return len(r.Raw) > 3000 }, func(d *desk) {
		s := d.create(small(wire.Config{}))
		s.talk(long("huge", 9000))
		s.rest()
		if e := last(t, s.told, "session.error"); field(e, "errorType") != "context_limit" {
			t.Errorf("the error is %s", e.Data)
		}
		if n := len(d.model.Requests()); n != 1 {
			t.Errorf("%d calls, want 1", n)
		}
		if warned := leftOutWarnings(s.told); len(warned) > 0 {
			t.Errorf("the user was told %q", warned)
		}
	})
}

// One message that is too long does not take away what the model has read before it.
func TestAMessageThatIsTooLongTakesNothingElseAway(t *testing.T) {
	taciturn(t, func(r *modeltest.Request) bool { return len(r.Raw) > 6000 }, func(d *desk) {
		s := d.create(small(wire.Config{}))
		s.talk("my name is Ada")
		s.talk(long("huge", 9000))
		if e := last(t, s.told, "session.error"); field(e, "errorType") != "context_limit" {
			t.Errorf("the error is %s", e.Data)
		}
		s.talk("who am I?")
		if said := d.conversation(); !strings.Contains(said, "Ada") || !strings.Contains(said, "who am I?") {
			t.Errorf("the model read\n%s", said)
		}
		s = d.again(small(wire.Config{}))
		s.talk("and now?")
		s.answeredEach(t, 1)
		if said := d.conversation(); !strings.Contains(said, "Ada") {
			t.Errorf("the next process has the model read\n%s", said)
		}
	}, summary(modeltest.Failure(400, "odd", "odd")))
}

// Pictures have far fewer tokens than bytes, and the provider counts them differently from us. A
// refusal with numbers still says which part of the request is to be left out.
func TestPicturesAreLeftOutByTheNumbersOfTheProvider(t *testing.T) {
	attached := noise(t)
	counted(t, func(d *desk) {
		d.model.SetWindow(1_000_000, 3)
		s := d.create(small(wire.Config{}))
		for i := range 8 {
			s.show(fmt.Sprint("prompt-", i), attached)
		}
		d.model.SetWindow(16_000, 3) // some three pictures
		before := len(d.model.Requests())
		s = d.again(small(wire.Config{}))
		s.show("and now?", attached)
		s.answeredEach(t, 1)
		if n := d.eachWithLess(t, before); n > 4 {
			t.Errorf("%d calls for one answer", n)
		}
		if said := d.sent(); !strings.Contains(said, "and now?") || strings.Contains(said, "prompt-0") || strings.Count(said, "data:image") == 0 {
			t.Errorf("the model read %.300s", said)
		}
	}, summary(modeltest.Failure(400, "odd", "odd")))
}

// A sub-agent whose work outgrows the window goes on as the main agent does, and its result arrives.
func TestASubAgentOutgrowsItsWindow(t *testing.T) {
	part := func(id string) modeltest.Reply {
		return first("do find it", modeltest.Reply{ToolCalls: []modeltest.ToolCall{call(id, "lookup", `{"q":"it"}`)}})
	}
	delegates(t, func(d *desk) {
		d.model.SetWindow(6000, 3)
		cfg := whole(tools("lookup"))
		cfg.SystemMessage = small(cfg).SystemMessage
		cfg.AvailableTools = []string{"lookup", "task"}
		cfg.CustomAgents = []wire.CustomAgent{{Name: "scout", DisplayName: "Scout", Description: "finds things", Prompt: "Be quick.", Tools: []string{"lookup"}}}
		s := d.create(cfg)
		s.send("go")
		for i := range 4 {
			s.answer(fmt.Sprintf(`"result":"result-%d %s"`, i, strings.Repeat("z", 7000)))
		}
		s.until("session.idle")
		s.rest()
		if n := count(s.told, "session.error") + count(s.told, "subagent.failed"); n > 0 {
			t.Errorf("%d failures; received:\n%s", n, types(s.told))
		}
		if got := field(last(t, s.told, "tool.execution_complete"), "result", "content"); got != "It is there." {
			t.Errorf("the result is %q", got)
		}
		d.eachWithLess(t, 0)
		warned := leftOutWarnings(s.told)
		if len(warned) == 0 {
			t.Error("nobody was told that the sub-agent no longer reads something")
		}
	},
		summary(modeltest.Failure(400, "odd", "odd")),
		modeltest.Reply{ToolCalls: []modeltest.ToolCall{taskCall("c1", "scout", "find it", "sync")}},
		part("1"), part("2"), part("3"), part("4"),
		first("do find it", modeltest.Reply{Text: "It is there."}),
		modeltest.Reply{Text: "Done."})
}

// A session that is resumed with a smaller model fits into that, whether or not its window is known.
func TestASmallerModelGoesOnWithALongConversation(t *testing.T) {
	for _, known := range []bool{false, true} {
		t.Run(fmt.Sprint("known: ", known), func(t *testing.T) {
			counted(t, func(d *desk) {
				d.model.SetWindow(1_000_000, 3)
				s := d.create(small(wire.Config{Model: "large"}))
				for i := range 10 {
					s.talk(long(fmt.Sprint("prompt-", i), 1200))
				}
				d.model.SetWindow(2000, 3)
				if known {
					d.model.SetWindow(2000, 4) // as is assumed before a refusal
					d.model.SetModels(modeltest.Reply{Body: `{"data":[{"id":"tiny","max_model_len":2000}]}`, Repeat: true})
				}
				before := len(d.model.Requests())
				cfg := small(wire.Config{Model: "tiny"})
				if known {
					cfg.Provider = &wire.Provider{BaseURL: "http://127.0.0.1:1/v1"}
				}
				s = d.again(cfg)
				s.talk("and now?", "and then?")
				s.answeredEach(t, 2)
				if n := d.refusals(before); known && n > 0 || n > 1 {
					t.Errorf("%d calls were refused", n)
				}
				if len(leftOutWarnings(s.told)) == 0 {
					t.Error("the user was not told what the model no longer reads")
				}
			}, summary(modeltest.Failure(400, "odd", "odd")))
		})
	}
}
