package jsonrpc

import (
	"errors"
	"io"
)

// Pipe joins two one-way streams, such as os.Stdin and os.Stdout, to a stream for
// [NewConn]. Close closes each of them that can be closed.
func Pipe(r io.Reader, w io.Writer) io.ReadWriteCloser { return pipe{r, w} }

type pipe struct {
	io.Reader
	io.Writer
}

func (p pipe) Close() error {
	return errors.Join(closeIfAble(p.Writer), closeIfAble(p.Reader))
}

func closeIfAble(stream any) error {
	if c, ok := stream.(io.Closer); ok {
		return c.Close()
	}
	return nil
}
