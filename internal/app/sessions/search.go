package sessions

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/spf13/cobra"

	"github.com/sidestick-dev/sidestick/internal/app/cli"
	"github.com/sidestick-dev/sidestick/internal/app/wiring"
	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/session/listing"
	"github.com/sidestick-dev/sidestick/internal/terminal"
	"github.com/sidestick-dev/sidestick/internal/timeline"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// searchLimit is how many sessions are found by default.
const searchLimit = 20

func searchCommand(o *cli.Options) *cobra.Command {
	var asJSON bool
	limit := searchLimit
	cmd := &cobra.Command{
		Use:   "search WORD...",
		Short: "Search titles and messages",
		Long: `Search the titles of sessions, and the messages of users and models in them, also
interrupted answers. All words must be in the title or in one message; upper and
lower case are the same, and so is the beginning of a longer word. The newest
sessions come first, each with the last line that matches.`,
		Example: `  sidestick sessions search race condition
  sidestick sessions search --json 'go vet' | jq -r .sessionId`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if limit < 0 {
				return cli.NewUsageError(fmt.Errorf("--limit is %d, want a number of sessions, or 0 for all", limit))
			}
			found, missed, err := search(cmd.Context(), o, args, limit)
			if err != nil {
				return err
			}
			if asJSON {
				err = cli.PrintJSON(o.Sys.Stdout, found)
			} else {
				err = printFound(o, found)
			}
			if err == nil && len(missed) > 0 {
				err = cli.Printf(o.Sys.Stderr, "not searched as a whole, because their logs are damaged or cannot be read: %s; to check them: sidestick sessions verify --all\n", first(missed))
			}
			return err
		},
	}
	cmd.Flags().IntVar(&limit, "limit", searchLimit, "how many sessions to find; 0 finds all")
	cmd.Flags().BoolVar(&asJSON, "json", false, "one JSON object a line")
	return cmd
}

// found is a session that matches.
type found struct {
	listing.Listed
	Line string `json:"line"` // of a message, the last that matches; "" if only the title does
	By   string `json:"by"`   // user or assistant; title
}

// first names the first of some sessions.
func first(ids []string) string {
	const most = 5
	return strings.Join(ids[:min(most, len(ids))], ", ") + more(len(ids)-most)
}

// search returns the newest sessions that match, and the ids of those whose logs it could not read as a whole.
func search(ctx context.Context, o *cli.Options, args []string, limit int) (list []found, missed []string, err error) {
	w := wordsOf(args)
	if len(w.lower) == 0 {
		return nil, nil, cli.NewUsageError(errors.New("name at least one word"))
	}
	s, err := wiring.OpenStored(o)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, nil
	}
	if err != nil {
		return nil, nil, err
	}
	defer func() { err = errors.Join(err, s.Close(ctx)) }()
	all, _, err := s.Newest(ctx, 0)
	if err != nil {
		return nil, nil, err
	}
	for _, l := range all {
		if limit > 0 && len(list) == limit {
			break
		}
		f, unread := found{Listed: l}, false
		for event, err := range s.History(ctx, l.SessionID) {
			if err != nil { // what was read counts
				unread = fault.KindOf(err) != fault.NotFound // else it was deleted meanwhile
				break
			}
			if line, by := w.in(event); line != "" {
				f.Line, f.By = line, by
			}
		}
		if ctx.Err() != nil {
			return nil, nil, ctx.Err()
		}
		if unread || s.LeftOut(l.SessionID).Pieces > 0 {
			missed = append(missed, l.SessionID)
		}
		if f.Line == "" && w.match(l.Summary) {
			f.By = "title"
		}
		if f.By != "" {
			list = append(list, f)
		}
	}
	return list, missed, nil
}

// words is what is searched.
type words struct {
	lower []string
	// raw is the word by which an event is dismissed before it is parsed: one whose characters
	// are the same in JSON. nil if there is none.
	raw []byte
}

func wordsOf(args []string) (w words) {
	for _, arg := range args {
		for _, word := range strings.Fields(strings.ToLower(arg)) {
			w.lower = append(w.lower, word)
			if plain(word) && len(word) > len(w.raw) {
				w.raw = []byte(word)
			}
		}
	}
	return w
}

// plain reports whether JSON writes a word as it is, and case does not change its length.
func plain(word string) bool {
	return strings.IndexFunc(word, func(r rune) bool { return r < ' ' || r > '~' || strings.ContainsRune(`"\/<>&`, r) }) < 0
}

// searched is the text of an event that is searched, "" for other events, and who has written it.
func searched(kind wire.EventType, data wire.Raw) (text, by string) {
	switch kind {
	case "user.message":
		return data.Get("content").Text(), "user"
	case "assistant.message":
		return data.Get("content").Text(), "assistant"
	case "abort":
		return data.Get(wire.FieldCutOff).Get("content").Text(), "assistant"
	case "session.task_complete":
		return data.Get("summary").Text(), "assistant"
	}
	return "", ""
}

// in returns the line of an event that matches, "" if none does, and who has written it.
func (w words) in(event []byte) (line, by string) {
	if w.raw != nil && !containsFold(event, w.raw) {
		return "", ""
	}
	e, err := wire.ParseEvent(event)
	if err != nil || e.AgentID != "" {
		return "", ""
	}
	text, by := searched(e.Type, wire.Raw(e.Data))
	if !w.match(text) {
		return "", ""
	}
	return w.line(text), by
}

func (w words) match(text string) bool {
	text = strings.ToLower(text)
	for _, word := range w.lower {
		if !strings.Contains(text, word) {
			return false
		}
	}
	return true
}

// line is the line of a text with the most of the words.
func (w words) line(text string) (best string) {
	most := 0
	for line := range strings.SplitSeq(text, "\n") {
		n, lower := 0, strings.ToLower(line)
		for _, word := range w.lower {
			if strings.Contains(lower, word) {
				n++
			}
		}
		if n > most {
			most, best = n, line
		}
	}
	return strings.TrimSpace(best)
}

// containsFold is bytes.Contains without regard to the case of ASCII letters; word is in lower case.
func containsFold(text, word []byte) bool {
	letters := string(word[:1]) + string(bytes.ToUpper(word[:1]))
	for len(text) >= len(word) {
		i := bytes.IndexAny(text, letters)
		if i < 0 || len(text)-i < len(word) {
			return false
		}
		if bytes.EqualFold(text[i:i+len(word)], word) {
			return true
		}
		text = text[i+1:]
	}
	return false
}

// printFound prints each session in two lines: its description, and the line that matches.
func printFound(o *cli.Options, list []found) error {
	if len(list) == 0 {
		err := cli.Print(o.Sys.Stderr, "nothing was found"+"\n")
		return err
	}
	look := terminal.PaintFor(o.Sys.Stdout, o.Sys.Getenv)
	width := 4 * terminal.Columns // of a line for a program or a file
	if terminal.Is(o.Sys.Stdout) {
		width = cli.Width(o.Sys.Stdout)
	}
	for _, f := range list {
		head := fmt.Sprintf("%s  %s  %s  ", f.SessionID, cli.Age(f.ModifiedTime), folder(o, f.Listed))
		title := timeline.OneLine(f.Summary, max(width-timeline.Width(head), 20))
		if err := cli.Print(o.Sys.Stdout, look.Dim(head)+look.Bold(title)+"\n"); err != nil {
			return err
		}
		if f.Line == "" {
			continue
		}
		if err := cli.Printf(o.Sys.Stdout, "    %s: %s\n", f.By, timeline.OneLine(f.Line, max(width-16, 40))); err != nil {
			return err
		}
	}
	return nil
}
