package question

import (
	"bytes"
	"cmp"
	"encoding/json"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/permit"
	"github.com/sidestick-dev/sidestick/internal/session/approval"
	"github.com/sidestick-dev/sidestick/internal/timeline"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// OfRequest is the question of a permission request: a confirmation of an agent, at a host that may
// be "", or whether a tool may act. See [OfPermission].
func OfRequest(q timeline.Request, cwd, host string, o approval.Offer) *Question {
	if title, message, ok := q.Confirmation(); ok {
		return OfConfirmation(q.ID, host, title, message)
	}
	return OfPermission(q, cwd, o)
}

// OfPermission is the question whether a tool may act. q is what the tool asks for, cwd the folder
// that paths are shortened against, and o what an approval can cover beyond this call. The
// confirmation of an agent is [OfConfirmation].
func OfPermission(q timeline.Request, cwd string, o approval.Offer) *Question {
	if q.SessionApproval != nil && !*q.SessionApproval {
		o.Rules = nil
	}
	out := &Question{ID: q.ID, Kind: Permission, Heading: permissionHeading(q, cwd, o)}
	out.about(q, cwd, o)
	out.permits(o)
	return out
}

// permissionHeading is what the user is asked to allow, in one line.
func permissionHeading(q timeline.Request, cwd string, o approval.Offer) string {
	title := q.Title(cwd)
	switch {
	case o.Again && o.Placed.Place != permit.Outside:
		return "Run AGAIN, where it may write: " + strings.TrimPrefix(title, "run ")
	case o.Again:
		return "Run AGAIN, outside the sandbox: " + strings.TrimPrefix(title, "run ")
	case o.Input: // its tool has written the intention
		id := strings.TrimPrefix(q.Intention, "Type into the program in shell ")
		return "Allow: type into shell " + timeline.ExposedLine(id+": "+q.Command, headingColumns)
	}
	if l := linkOf(q, cwd, o); l.leaves {
		title += ", which leads to " + timeline.ExposedLine(l.target, headingColumns)
	}
	return "Allow: " + title
}

// headingColumns bounds what is typed in the heading, in columns. The details show all of it.
const headingColumns = 200

// about adds what the user needs to know to decide.
func (out *Question) about(q timeline.Request, cwd string, o approval.Offer) {
	if file := cmp.Or(q.FileName, q.Path); !o.Input && (file == "" || !strings.Contains(q.Intention, file)) {
		out.note("for", q.Intention, Quiet)
	}
	if q.Warning != o.Placed.Because && !o.Input { // otherwise the detail about the sandbox says so
		out.note("asked because", q.Warning, Caution) // above the details, which can be long enough to hide it
	}
	out.note("asked because", q.Changed, Caution)
	switch q.Kind {
	case "shell":
		out.command(q, cwd, o)
	case "write":
		out.exact("file", q.FileName, Quiet)
		out.leads(linkOf(q, cwd, o))
		if q.Diff == "" && q.Contents != nil {
			out.add(Detail{Shape: Contents, Name: q.FileName, Text: *q.Contents})
		}
		out.add(Detail{Shape: Diff, Text: q.Diff})
	case "read":
		out.exact("file", q.Path, Normal)
		out.leads(linkOf(q, cwd, o))
	case "url":
		out.address("address", q.URL, Normal)
		out.address("from", q.RedirectedFrom, Caution)
	default:
		out.add(Detail{Shape: Exact, Name: "all of it", Text: q.Title(cwd), When: IfCut})
		out.note("does", q.Description, Quiet)
		out.add(Detail{Shape: Data, Text: indented(q.Args), When: IfWrapped})
	}
}

// indented is JSON with line breaks and indentation.
func indented(raw json.RawMessage) string {
	var b bytes.Buffer
	if json.Indent(&b, raw, "", "  ") != nil {
		return string(raw)
	}
	return b.String()
}

// permits adds the answers to a permission request.
func (out *Question) permits(o approval.Offer) {
	out.refused = map[string]string{}
	yes := func(a permit.Answer) func(string) Answer {
		a.Outcome = permit.Approved
		return always(Answer{Permit: a})
	}
	out.Options = append(out.Options, Option{Key: "y", Words: []string{"yes", "once"}, Text: "yes, once", Allows: true, answer: yes(permit.Answer{})})
	if o.Placed.AutoAllowable {
		out.Options = append(out.Options, Option{
			Key: "s", Words: []string{"sandbox"}, Text: "yes, until you leave: everything that stays in the sandbox", Allows: true,
			answer: yes(permit.Answer{InSandbox: true}),
		})
	} else {
		out.refuse("nothing was approved: s allows only commands that stay in the sandbox, and is not offered for this request", "s", "sandbox")
	}
	if len(o.Rules) > 0 {
		place := unbroken(o.Location.LocationKey)
		out.Options = append(out.Options, Option{
			Key: "a", Words: []string{"always"}, Text: "yes, for this session", Grants: granting(o), Allows: true,
			answer: yes(permit.Answer{Scope: permit.ForSession, Rules: o.Rules}),
		}, Option{
			Key: "l", Words: []string{"location"}, Text: "yes, in every session " + within(o.Location), Grants: granting(o), Where: place, Allows: true,
			answer: yes(permit.Answer{Scope: permit.ForLocation, Rules: o.Rules, Location: o.Location.LocationKey}),
		})
	} else {
		out.refuse("this request can only be approved once", "a", "always", "l", "location")
	}
	no := "no, and say why"
	if o.Again {
		no = "no, and continue with the first result"
	}
	out.Options = append(out.Options, Option{Key: "n", Words: []string{"no"}, Text: no, Prompt: whyNot, answer: func(why string) Answer {
		return Answer{Permit: permit.Answer{Outcome: permit.Rejected, Feedback: why}}
	}}, stop())
}

// within names a location as the scope of an approval. The type is "" if the server of the session
// does not say it.
func within(l wire.PermissionLocation) string {
	switch l.LocationType {
	case "repo":
		return "in this repository"
	case "dir":
		return "in this folder"
	}
	return "in this repository or folder"
}

// whyNot asks for the reason of a no.
const whyNot = "why, or what instead? (Enter: no reason)"

func (out *Question) refuse(remark string, words ...string) {
	for _, w := range words {
		out.refused[w] = remark
	}
}
