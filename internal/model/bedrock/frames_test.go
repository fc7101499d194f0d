package bedrock

import (
	"bytes"
	"encoding/hex"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/sse"
)

func next(data []byte) (sse.Event, error) { return newFrames(bytes.NewReader(data), 1<<20).Next() }

func unhex(t testing.TB, text string) []byte {
	t.Helper()
	b, err := hex.DecodeString(strings.ReplaceAll(text, " ", ""))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

const (
	noHeaders  = "0000001d 00000000 fd528c5a 7b27666f6f273a27626172277d c3653936"
	oneHeader  = "0000003d 00000020 07fd8396 0c636f6e74656e742d74797065 07 0010 6170706c69636174696f6e2f6a736f6e 7b27666f6f273a27626172277d 8d9c08b1"
	allHeaders = "000000cc 000000af 0fae64ca 0a6576656e742d74797065 04 0000a00c 0c636f6e74656e742d74797065 07 0010 6170706c69636174696f6e2f6a736f6e" +
		"0a626f6f6c2066616c7365 01 09626f6f6c2074727565 00 0462797465 02 cf 0862797465206275 66 06 0014 49276d2061206c6974746c6520746561706f7421" +
		"0974696d657374616d70 08 0000000000845fed 05696e743136 03 002a 05696e743634 05 00000000028757b2 0475756964 09 0102030405060708090a0b0c0d0e0f10 7b27666f6f273a27626172277d aba5f10c"
)

// The frames are those of AWS's test vectors (aws-sdk-go-v2, aws/protocol/eventstream/testdata).
func TestFrames(t *testing.T) {
	for name, tc := range map[string]struct {
		frame   string
		payload string // "error" if the frame is refused
	}{
		"empty_message":          {"00000010 00000000 05c248eb 7d98c8ff", ""},
		"payload_no_headers":     {noHeaders, "{'foo':'bar'}"},
		"payload_one_str_header": {oneHeader, "{'foo':'bar'}"},
		"int32_header":           {"0000002d 00000010 41c424b8 0a6576656e742d74797065 04 0000a00c 7b27666f6f273a27626172277d 36f480a0", "{'foo':'bar'}"},
		"all_headers":            {allHeaders, "{'foo':'bar'}"},
		"corrupted_header_len":   {"0000003d 00000021 07fd8396 0c636f6e74656e742d74797065 07 0010 6170706c69636174696f6e2f6a736f6e 7b27666f6f273a27626172277d 8d9c08b1", "error"},
		"corrupted_headers":      {"0000003d 00000020 07fd8396 0c636f6e74656e742d74797065 07 0010 6170706c69636174696f6e2f6a736f6e 7b61666f6f273a27626172277d 8d9c08b1", "error"},
		"corrupted_length":       {"0000003e 00000020 07fd8396 0c636f6e74656e742d74797065 07 0010 6170706c69636174696f6e2f6a736f6e 7b27666f6f273a27626172277d 8d9c08b1", "error"},
		"corrupted_payload":      {"0000001d 00000000 fd528c5a 5b27666f6f273a27626172277d c3653936", "error"},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := next(unhex(t, tc.frame))
			if tc.payload == "error" {
				if fault.KindOf(err) != fault.Invalid {
					t.Errorf("%+v, %v, want that it is refused", got, err)
				}
			} else if err != nil || string(got.Data) != tc.payload {
				t.Errorf("%q, %v", got.Data, err)
			}
		})
	}
}

func TestHeadersOfAllTypes(t *testing.T) {
	frame := unhex(t, allHeaders)
	all, err := textHeaders(frame[preludeSize : preludeSize+0xaf])
	if err != nil || len(all) != 1 || all["content-type"] != "application/json" {
		t.Errorf("%v, %v", all, err)
	}
	for _, broken := range []string{"ff", "01 61", "01 61 0a", "01 61 07 00", "01 61 07 0002 61", "01 61 09 00"} {
		if _, err := textHeaders(unhex(t, broken)); fault.KindOf(err) != fault.Invalid {
			t.Errorf("%s: %v", broken, err)
		}
	}
}

func TestTheEndOfAStream(t *testing.T) {
	frame := unhex(t, noHeaders)
	f := newFrames(bytes.NewReader(append(frame[:len(frame):len(frame)], frame[:20]...)), 1<<20)
	if _, err := f.Next(); err != nil || f.Bytes() != int64(len(frame)) {
		t.Fatalf("%v after %d bytes", err, f.Bytes())
	}
	if _, err := f.Next(); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("a frame that is cut: %v", err)
	}
	if _, err := next(nil); err != io.EOF {
		t.Errorf("no frame: %v", err)
	}
	if _, err := newFrames(bytes.NewReader(frame), 28).Next(); fault.KindOf(err) != fault.Invalid {
		t.Errorf("a frame that is too long: %v", err)
	}
}

// FuzzFrames: whatever a server sends, reading ends, and nothing is read past the bound.
func FuzzFrames(f *testing.F) {
	for _, seed := range []string{noHeaders, oneHeader, allHeaders} {
		f.Add(unhex(f, seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		r := newFrames(bytes.NewReader(data), 1<<12)
		for {
			ev, err := r.Next()
			if err != nil {
				return
			}
			if len(ev.Data) > 1<<12 {
				t.Fatalf("an event has %d bytes", len(ev.Data))
			}
		}
	})
}

// FuzzHeaders: headers that no checksum protects.
func FuzzHeaders(f *testing.F) {
	f.Add(unhex(f, allHeaders)[preludeSize : preludeSize+0xaf])
	f.Fuzz(func(t *testing.T, data []byte) {
		if all, err := textHeaders(data); err == nil && len(all) > len(data) {
			t.Fatalf("%d headers in %d bytes", len(all), len(data))
		}
	})
}
