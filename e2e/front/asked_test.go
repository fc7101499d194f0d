package front_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/sidestick-dev/sidestick/internal/testing/glass"
	"github.com/sidestick-dev/sidestick/internal/testing/modeltest"
)

// touch is a call that makes a file.
func touch(name string) modeltest.Reply {
	return call("bash", `{"command":"touch `+name+`","description":"Make a file"}`)
}

func (d *desk) made(name string) bool {
	_, err := os.Stat(filepath.Join(d.folder, name))
	return err == nil
}

func TestAPermissionIsGivenOnce(t *testing.T) {
	t.Parallel()
	d := sit(t, touch("one"), touch("two"), say("Both."))
	d.says("make them")
	d.asks("run $ touch one")
	d.press("y")
	d.shows("› y  yes, once")
	if d.made("one") {
		t.Error("a letter alone has answered")
	}
	d.press("enter")
	d.asks("run $ touch two")
	d.press("y", "enter")
	d.shows("Both.")
	if !d.made("one") || !d.made("two") {
		t.Error("the commands did not run")
	}
	d.leave()
}

func TestAPermissionForTheSession(t *testing.T) {
	t.Parallel()
	d := sit(t, touch("one"), touch("two"), say("Both."))
	d.says("make them")
	d.asks("run $ touch one")
	d.press("a")
	d.shows("› a  yes, for this session")
	d.press("enter")
	d.shows("Both.")
	if !d.made("one") || !d.made("two") {
		t.Error("the commands did not run")
	}
	d.leave()
}

// Keys that were typed before a question came do not answer it, not even with Enter.
func TestAKeyThatWasTypedBeforeAQuestionIsNoAnswer(t *testing.T) {
	t.Parallel()
	gate := make(chan struct{})
	held := touch("one")
	held.When = func(*modeltest.Request) bool { <-gate; return true }
	d := sit(t, held, say("Done."))
	d.says("make it")
	d.types("yay")
	close(gate)
	d.shows("run $ touch one", "Tab to answer")
	d.press("y", "y")
	d.shows("› yayyy")
	d.turns("touch one")
	if d.made("one") {
		t.Error("a key for the input box has answered")
	}
	d.press("y", "enter")
	d.shows("Done.")
	d.idle()
	d.shows("› yayyy")
	d.press("ctrl+c")
	d.empty()
	d.leave()
}

func TestANoWithAReasonIsTheNextMessage(t *testing.T) {
	t.Parallel()
	d := sit(t, touch("one"), say("Then not."))
	d.says("make it")
	d.asks("touch one")
	d.press("n")
	d.shows("why, or what instead?")
	glass.Pause(1100 * time.Millisecond) // sooner, n would be the first letter of a text
	d.write("use mkdir")
	d.shows("use mkdir")
	d.press("enter")
	d.shows("you said no", "› use mkdir", "Then not.")
	d.idle()
	if d.made("one") {
		t.Error("the command has run")
	}
	d.leave()
}

func TestEscInAQuestionLeavesItForLater(t *testing.T) {
	t.Parallel()
	d := sit(t, touch("one"), say("Done."))
	d.says("make it")
	d.asks("touch one")
	d.press("esc")
	d.shows("Tab to answer")
	d.turns("touch one")
	d.press("y", "enter")
	d.shows("Done.")
	d.leave()
}

func TestTheModelAsks(t *testing.T) {
	t.Parallel()
	d := sit(t, call("ask_user", `{"question":"Which colour?","choices":["red","blue"]}`), say("Blue it is."))
	d.says("paint")
	d.asks("Which colour?")
	d.press("2", "enter")
	d.shows("asks: Which colour? · blue", "Blue it is.")
	d.leave()
	if got := d.model.Requests()[1].Last().Content; !strings.Contains(got, "blue") {
		t.Errorf("the model got %q", got)
	}
}

// The name of the mode stands in the status line.
func TestAutopilotEndsWhenItIsCalledOnceMore(t *testing.T) {
	t.Parallel()
	d := sit(t)
	d.says("/autopilot")
	d.shows("test-model · autopilot")
	d.says("/autopilot")
	d.shows("interactive mode")
	d.hides("test-model · autopilot")
	d.leave()
}

func TestAPlanIsApproved(t *testing.T) {
	t.Parallel()
	d := sit(t, call("exit_plan_mode", `{"summary":"I paint it blue"}`), say("Painted."))
	d.press("shift+tab")
	d.shows("plan mode")
	d.says("paint")
	d.asks("I paint it blue")
	d.press("1", "enter")
	d.shows("Painted.")
	d.leave()
}

// A command that the sandbox has stopped runs outside only after a second yes.
func TestASecondYesAfterTheSandbox(t *testing.T) {
	mustSandbox(t)
	t.Parallel()
	d := sit(t, call("bash", `{"command":"sh probe.sh","description":"Look"}`), say("Seen."))
	for name, text := range map[string]string{"probe.sh": "cat ../secret\n", "../secret": "a secret\n"} {
		if err := os.WriteFile(filepath.Join(d.folder, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	d.says("look")
	d.asks("AGAIN, where it may write: $ sh probe.sh")
	d.press("y", "enter")
	d.asks("AGAIN, outside the sandbox")
	d.press("y", "enter")
	d.shows("    a secret", "Seen.")
	d.leave()
}
