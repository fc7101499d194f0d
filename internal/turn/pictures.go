package turn

import (
	"fmt"
	"path/filepath"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/prompt"
	"github.com/sidestick-dev/sidestick/internal/tool"
)

// maxShown bounds the files of one result that the model sees.
const maxShown = 20

// Fit makes the pictures of a result small enough to be sent. For a file that cannot
// be sent, the model reads why.
func Fit(res tool.Result) tool.Result {
	var kept []tool.File
	if left := len(res.Files) - maxShown; left > 0 {
		res.Files = res.Files[:maxShown]
		res.Text += fmt.Sprintf("\n%d more pictures are left out: a result has at most %d.", left, maxShown)
	}
	for _, p := range res.Files {
		mediaType, data, err := fitFile(p)
		if err != nil {
			res.Text += "\nThe file " + filepath.Base(p.Path) + " cannot be shown: " + fault.Message(err)
			continue
		}
		kept = append(kept, tool.File{Path: p.Path, MediaType: mediaType, Data: data})
	}
	res.Files = kept
	return res
}

// fitFile is [prompt.Fit]. A picture whose decoder panics cannot be sent.
func fitFile(p tool.File) (mediaType string, data []byte, err error) {
	err = fault.Guard("prompt.Fit", func() (err error) {
		mediaType, data, err = prompt.Fit(p.MediaType, p.Data)
		return err
	})
	return mediaType, data, err
}
