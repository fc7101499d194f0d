package entry

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/app/cli"
	"github.com/sidestick-dev/sidestick/internal/export"
	"github.com/sidestick-dev/sidestick/internal/timeline"
)

// Export writes the session with an id to a file, and says so. The ending of the file is the format; "" is a
// file in the working directory that is named after the session. write writes the session in a format.
func Export(id, path string, write func(format string, out io.Writer) error) (said string, err error) {
	path = cmp.Or(path, "session-"+short(id)+".md")
	format := export.FormatOf(path)
	if format == "" {
		return "", cli.NewUsageError(fmt.Errorf("the ending of %s is not known; use .md, .html or .json", timeline.OneLine(path, 80)))
	}
	var b bytes.Buffer
	if err := write(format, &b); err != nil {
		return "", err
	}
	return cli.WriteExport(path, b.Bytes())
}

// short is the beginning of an id that Sidestick has made: the time in milliseconds. --resume takes it, too.
func short(id string) string {
	const whole, begin = len("01a20641-0a99-7c5c-9274-777de7e0346b"), len("01a20641-0a99")
	if len(id) == whole && strings.Count(id, "-") == 4 {
		return id[:begin]
	}
	return id
}
