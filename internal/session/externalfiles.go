package session

import (
	"cmp"
	"encoding/base64"
	"fmt"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/tool"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// attach adds the files of a client's answer to the result of a call. The model reads of those
// that cannot be shown to it. A result that fails has no files in the log, and none here.
func (x *externalCalls) attach(res *tool.Result, files []wire.ToolCallFile) {
	for i, f := range files {
		name := fmt.Sprintf("number %d", i+1)
		if f.Description != nil {
			name = cmp.Or(fault.Bounded(*f.Description), name)
		}
		data, err := base64.StdEncoding.DecodeString(f.Data)
		switch {
		case i >= 2*maxShown:
			res.Text += fmt.Sprintf("\n%d more files are left out.", len(files)-i)
			return
		case err != nil:
			res.Text += "\nThe file " + name + " cannot be shown: it is not base64"
		case strings.HasPrefix(f.MIMEType, "image/"), f.MIMEType == tool.TypePDF:
			res.Files = append(res.Files, tool.File{Path: name, MediaType: f.MIMEType, Data: data})
		default:
			res.Text += fmt.Sprintf("\n[the file %s of type %s, %d bytes, which cannot be shown]", name, fault.Bounded(f.MIMEType), len(data))
		}
	}
}
