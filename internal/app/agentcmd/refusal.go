package agentcmd

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/sidestick-dev/sidestick/extension"
	"github.com/sidestick-dev/sidestick/internal/fault"
)

// outcome is what an agent made of a request.
type outcome struct {
	status   int
	answered bool  // it wrote text, references or a confirmation, with a status of success
	reported bool  // it wrote copilot_errors instead
	err      error // there was no response
}

// outcomeOf reads a body until it shows whether the agent answers.
func outcomeOf(status int, body io.Reader) outcome {
	o := outcome{status: status}
	if status/100 != 2 {
		return o
	}
	for e, err := range extension.ReadReply(io.LimitReader(body, maxReply)) {
		switch {
		case err != nil: // what came before counts
		case e.Kind == extension.EventFaults:
			o.reported = true
		case e.Kind == extension.EventText && strings.TrimSpace(e.Text) != "", e.Kind == extension.EventReferences, e.Kind == extension.EventConfirmation:
			o.answered = true
			return o
		}
	}
	return o
}

// refused reports whether the agent has clearly refused the request.
func (o outcome) refused() bool {
	switch o.status {
	case http.StatusUnauthorized, http.StatusForbidden, http.StatusBadRequest:
		return true
	}
	return o.reported && !o.answered
}

// trials are the two requests that an agent should refuse.
type trials struct {
	unsigned, forged outcome
	token            bool // they carried the user's token
}

// try sends the two requests: one is not signed, the signature of the other is over other
// bytes.
func (p *prober) try(ctx context.Context, token string) trials {
	return trials{unsigned: p.outcome(ctx, nil, token), forged: p.outcome(ctx, []byte("another body"), token), token: token != ""}
}

// outcome makes a request, signed over some bytes; nil is not signed.
func (p *prober) outcome(ctx context.Context, over []byte, token string) outcome {
	bounded, cancel := context.WithTimeout(ctx, probeWait)
	defer cancel()
	req, err := p.request(bounded, over, token)
	if err != nil {
		return outcome{err: err}
	}
	resp, err := p.http.Do(req)
	if err != nil {
		return outcome{err: p.unanswered(ctx, err, probeWait)}
	}
	defer func() { _ = resp.Body.Close() }() // all that is needed was read
	return outcomeOf(resp.StatusCode, resp.Body)
}

// refused reports whether the agent has refused both.
func (t trials) refused() bool { return t.unsigned.refused() && t.forged.refused() }

// findings are the results of the two requests.
func (t trials) findings() []checkFinding {
	return []checkFinding{t.finding("unsigned", t.unsigned), t.finding("forged", t.forged)}
}

func (t trials) finding(about string, o outcome) checkFinding {
	f := checkFinding{About: about, Severity: isWarning, Fix: "verify the signature before anything else, and answer 401"}
	switch {
	case o.err != nil:
		f.Text = fault.Message(o.err)
	case o.answered && t.token:
		f.Text = fmt.Sprintf("the request is answered, with %d, because of the token: any program with a token of a user can use the agent", o.status)
	case o.answered:
		f.Text = fmt.Sprintf("the request is answered, with %d: anybody can use the agent", o.status)
	case o.reported:
		return checkFinding{About: about, Text: fmt.Sprintf("the request is refused, with %d and copilot_errors", o.status)}
	case o.refused():
		return checkFinding{About: about, Text: fmt.Sprintf("the request is refused, with %d", o.status)}
	case o.status/100 == 2:
		f.Text = fmt.Sprintf("the request gets %d, but neither an answer nor an error", o.status)
	default:
		f.Text = fmt.Sprintf("the request is refused, but with %d", o.status)
	}
	return f
}

// notTried are the findings if the agent does not answer the signed request either: then the
// refusal of another request proves nothing.
func notTried() []checkFinding {
	f := checkFinding{
		Severity: isWarning, Text: "it is not known whether such a request is refused, because the signed request is not answered either",
		Fix: "make the agent answer the signed request, and check it again",
	}
	unsigned, forged := f, f
	unsigned.About, forged.About = "unsigned", "forged"
	return []checkFinding{unsigned, forged}
}

// withheld is the finding that the user's token was not sent.
func withheld() checkFinding {
	return checkFinding{
		About: "token", Severity: isWarning, Text: "the token was not sent, because the agent does not refuse a request that is not signed, or forged",
		Fix: "let the agent verify signatures, and check it again",
	}
}
