package web_test

import (
	"bytes"
	"fmt"
	"io"
	"iter"
	"net/http"
	"strings"
	"testing"

	"github.com/sidestick-dev/sidestick/extension"
	"github.com/sidestick-dev/sidestick/internal/web"
)

// spoken returns an answer as a platform's client reads it.
func (p *process) spoken(answer iter.Seq2[extension.Event, error]) string {
	p.t.Helper()
	var b strings.Builder
	for e, err := range answer {
		if err != nil {
			p.t.Fatal(err)
		}
		switch e.Kind {
		case extension.EventText:
			b.WriteString(e.Text)
		case extension.EventConfirmation:
			fmt.Fprintf(&b, "[%s]", e.Confirmation.Title)
		case extension.EventReferences:
			fmt.Fprintf(&b, "[%d references]", len(e.References))
		case extension.EventFaults:
			fmt.Fprintf(&b, "[%s]", e.Faults[0].Code)
		default:
			fmt.Fprintf(&b, "[%s %s]", e.Kind, e.Warning)
		}
	}
	return b.String()
}

// A chat with our own client, which signs as a platform does.
func TestAChatWithAPlatformThatSigns(t *testing.T) {
	signer, err := extension.GenerateSigner()
	if err != nil {
		t.Fatal(err)
	}
	keys, err := extension.FixedKeys(publicKey(t, signer))
	if err != nil {
		t.Fatal(err)
	}
	bubble(t, web.Options{Keys: keys, Slug: "pilot"}, func(p *process) {
		client := extension.NewClient(extension.ClientOptions{
			Signer: signer, Plain: true, HTTP: &http.Client{Transport: p.host.Transport()},
		})
		thread := client.NewThread("http://agent.example/")
		thread.Agent, thread.Login = "pilot", "ada"
		same(p.t, "first", p.spoken(thread.Say(p.t.Context(), "@pilot Look, then deploy.")), "Looking.[Allow: run $ make deploy]")
		same(p.t, "accepted", p.spoken(thread.Decide(p.t.Context(), thread.Open[0], true)), "It is out.[1 references]")
		same(p.t, "asked again", p.spoken(thread.Say(p.t.Context(), "Once more.")), "[Allow: run $ make deploy]")
		p.restart()
		client = extension.NewClient(extension.ClientOptions{
			Signer: signer, Plain: true, HTTP: &http.Client{Transport: p.host.Transport()},
		})
		later := client.NewThread("http://agent.example/")
		later.ID, later.Agent, later.Login, later.Messages, later.Open = thread.ID, "pilot", "Ada", thread.Messages, thread.Open
		same(p.t, "went on", p.spoken(later.Say(p.t.Context(), "No, stop.")), "As you like.")
		same(p.t, "what ran", p.ran.String(), "view notes.md, bash make deploy")
		other := client.NewThread("http://agent.example/")
		other.ID, other.Agent, other.Login, other.Open = thread.ID, "pilot", "eve", thread.Open
		same(p.t, "somebody else", p.spoken(other.Decide(p.t.Context(), thread.Open[0], true)), "[confirmation_foreign]")
	}, withText("Looking.", call("c1", "view", `{"path":"notes.md"}`)), call("c2", "bash", deploy), says("It is out."),
		call("c3", "bash", deploy), says("As you like."))
}

// publicKey returns the published public key of a signer.
func publicKey(t *testing.T, s *extension.Signer) string {
	t.Helper()
	_, after, ok := strings.Cut(string(s.PublicKeys()), `"key":"`)
	pem, _, ends := strings.Cut(after, `"`)
	if !ok || !ends {
		t.Fatalf("the signer publishes %s", s.PublicKeys())
	}
	return pem
}

// The strict check for agents finds nothing wrong with our answers.
func TestOurAnswersPassTheStrictCheck(t *testing.T) {
	bubble(t, local, func(p *process) {
		for _, text := range []string{"Hello.", "Look.", "Deploy.", "Fail."} {
			resp := p.post(p.t.Context(), "/", body("t"+text, `{"role":"user","content":`+quote(text)+`}`))
			data, err := io.ReadAll(resp.Body)
			_ = resp.Body.Close()
			if err != nil {
				p.t.Fatal(err)
			}
			for _, f := range extension.Check(resp.Header, resp.StatusCode, bytes.NewReader(data)) {
				p.t.Errorf("%s %+v in:\n%s", text, f, data)
			}
		}
	}, says("Hello *there*."), call("c1", "view", `{"path":"notes.md"}`), says("Seen."), withText("So.", call("c1", "bash", deploy)))
}
