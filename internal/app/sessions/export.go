package sessions

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/sidestick-dev/sidestick/internal/app/cli"
	"github.com/sidestick-dev/sidestick/internal/app/wiring"
	"github.com/sidestick-dev/sidestick/internal/export"
	"github.com/sidestick-dev/sidestick/internal/terminal"
	"github.com/sidestick-dev/sidestick/internal/timeline"
)

func exportCommand(o *cli.Options) *cobra.Command {
	var format, path string
	var all bool
	cmd := &cobra.Command{
		Use:   "export ID",
		Short: "Write a session as Markdown, HTML or JSON",
		Long: `Write a session as Markdown, as a page of HTML, or as its events in JSON, one a
line. Without -o it goes to stdout. The ending of the file chooses the format:
.md, .html, .json. It has what tools have printed, and what is in files that
were read: look through it before you publish it. Messages that were rewound
are left out, unless you ask for --all.`,
		Example: `  sidestick sessions export 0b1f -o talk.md
  sidestick sessions export 0b1f --format html >talk.html`,
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: wiring.CompleteSession(o),
		RunE: func(cmd *cobra.Command, args []string) error {
			format := cmp.Or(format, export.FormatOf(path))
			switch toFile := path != "" && path != "-"; {
			case format == "" && toFile:
				return cli.NewUsageError(fmt.Errorf("the ending of %s is not known; use .md, .html or .json, or --format", timeline.ExposedPath(path)))
			case format == "":
				format = export.Formats[0]
			case !slices.Contains(export.Formats, format):
				return cli.NewUsageError(fmt.Errorf("there is no format %q; --format takes %s", format, strings.Join(export.Formats, ", ")))
			}
			return exportSession(cmd.Context(), o, args[0], format, path, all)
		},
	}
	cmd.Flags().StringVar(&format, "format", "", "the `format`: markdown, json or html (default: by the ending of the file, markdown on stdout)")
	cmd.Flags().StringVarP(&path, "output", "o", "", "write to this `file`, which is replaced if it exists; readable for you alone")
	cmd.Flags().BoolVar(&all, "all", false, "write also the messages that were rewound")
	_ = cmd.RegisterFlagCompletionFunc("format", cobra.FixedCompletions(export.Formats, cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

func exportSession(ctx context.Context, o *cli.Options, given, format, path string, all bool) error {
	title, err := titleOf(o, given)
	if err != nil {
		return err
	}
	toStdout := path == "" || path == "-"
	if toStdout && !terminal.Is(o.Sys.Stdout) {
		return export.Write(o.Sys.Stdout, format, title, stored(ctx, o, given, all))
	}
	var b bytes.Buffer
	if err := export.Write(&b, format, title, stored(ctx, o, given, all)); err != nil {
		return err
	}
	switch {
	case toStdout && format == "json":
		_, err := o.Sys.Stdout.Write(cli.PrintableJSON(b.Bytes()))
		return err
	case toStdout:
		return cli.Print(o.Sys.Stdout, b.String())
	}
	said, err := cli.WriteExport(path, b.Bytes())
	if err != nil {
		return err
	}
	return cli.Print(o.Sys.Stderr, said+"\n")
}

// titleOf is the title of a session, "" if it has none.
func titleOf(o *cli.Options, given string) (string, error) {
	s, err := wiring.OpenStored(o)
	if errors.Is(err, fs.ErrNotExist) {
		return "", wiring.UnknownSession(given)
	}
	if err != nil {
		return "", err
	}
	defer func() { _ = s.Close(context.Background()) }() // nothing was written
	id, err := s.Resolve(given)
	if err != nil {
		return "", err
	}
	m, err := s.Metadata(context.Background(), id)
	if err != nil || m == nil {
		return "", err
	}
	return m.Summary, nil
}

// stored yields the events of a session; with all also those that a rewind has removed.
func stored(ctx context.Context, o *cli.Options, given string, all bool) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		for past, err := range wiring.StoredEvents(ctx, o, given) {
			if past.Removed && !all {
				continue
			}
			if !yield(past.JSON, err) {
				return
			}
		}
	}
}
