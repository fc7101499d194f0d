package tape

import (
	"bytes"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sidestick-dev/sidestick/internal/obs"
)

// slowly yields a byte with each read, and waits before each tenth.
type slowly struct {
	text string
	at   int
}

func (s *slowly) Read(p []byte) (int, error) {
	if s.at == len(s.text) {
		return 0, io.EOF
	}
	if s.at > 0 && s.at%10 == 0 {
		time.Sleep(20 * time.Millisecond) // of a test with fake time
	}
	s.at++
	return copy(p, s.text[s.at-1:s.at]), nil
}

// Bytes that come one by one are recorded as the few pieces that they are for a reader, so that a
// recording needs little more memory than the answer.
func TestBytesThatComeOneByOne(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		text := strings.Repeat("0123456789", 5) + "ü"
		b := &recordedBody{
			ReadCloser: io.NopCloser(&slowly{text: text}), to: &Recorder{err: io.ErrClosedPipe}, secrets: &obs.Redactor{},
			began: time.Now(), ctx: t.Context(), call: call{Answer: &answer{Status: 200}},
		}
		if got, err := io.ReadAll(b); err != nil || string(got) != text {
			t.Fatalf("read %q, %v", got, err)
		}
		var whole bytes.Buffer
		for i, p := range b.call.Answer.Pieces {
			whole.Write(p.bytes())
			if want := int64(20 * i); p.Milliseconds != want || p.Base64 != "" {
				t.Errorf("piece %d: %+v, want one of %d ms", i, p, want)
			}
		}
		if n := len(b.call.Answer.Pieces); n != 6 || whole.String() != text {
			t.Errorf("%d pieces: %q", n, whole.String())
		}
	})
}
