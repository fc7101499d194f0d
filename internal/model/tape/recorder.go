package tape

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"os"
	"runtime"
	"strings"
	"sync"
	"time"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/model"
	"github.com/sidestick-dev/sidestick/internal/obs"
	"github.com/sidestick-dev/sidestick/internal/vfs"
)

const opRecord = "tape.Record"

// RecorderOptions configures [Record]. Path is required.
type RecorderOptions struct {
	// Path is the file. One that is a recording already is continued.
	Path string
	// Program is the name and version of this program.
	Program string
	// Secrets knows the secrets of the process; those of an endpoint need not be in it.
	Secrets *obs.Redactor
	// Logger gets one warning if the file can no longer be written. Default: nowhere.
	Logger *slog.Logger
	// FS is where the file is. Default the operating system.
	FS vfs.FS
}

// Recorder writes a recording. Each line is written at once when its exchange has ended, so that a
// process that is killed loses only the exchanges under way. Safe for concurrent use.
type Recorder struct {
	secrets *obs.Redactor
	logs    *slog.Logger
	path    string

	mu   sync.Mutex // guards the rest, and orders the lines
	file vfs.File
	err  error // the first failure; nothing is written after it
}

// Record opens a recording for writing, with mode 0600. Errors are [*fault.Error]; a file that is
// no recording of this [Version] is not changed. Close it when all calls have ended.
func Record(o RecorderOptions) (*Recorder, error) {
	if o.FS == nil {
		o.FS = vfs.OS{}
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	torn, err := continued(o.FS, o.Path)
	if err != nil {
		return nil, err
	}
	f, err := o.FS.OpenFile(o.Path, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return nil, unusable(opRecord, o.Path, err)
	}
	r := &Recorder{secrets: o.Secrets, logs: o.Logger, path: o.Path, file: f}
	line, err := encode(header{typeHeader, Version, o.Program, time.Now().UTC()})
	if err == nil {
		if torn {
			line = append([]byte{'\n'}, line...)
		}
		_, err = f.Write(line)
	}
	if err != nil {
		return nil, errors.Join(unusable(opRecord, o.Path, err), f.Close())
	}
	return r, nil
}

// continued checks a file that is there already, and reports whether its last line is cut.
func continued(files vfs.FS, path string) (torn bool, err error) {
	info, err := files.Stat(path)
	if err != nil || !info.Mode().IsRegular() {
		return false, nil // opening it says what is wrong, if anything is
	}
	data, err := files.ReadFile(path)
	if err != nil {
		return false, unusable(opRecord, path, err)
	}
	if len(data) > 0 {
		if _, err := parse(path, data); err != nil {
			e := fault.New(fault.Invalid, opRecord, path, "this file is not a recording that can be continued: %s", fault.Message(err))
			e.Hint = "choose another file"
			return false, e
		}
	}
	if info.Mode().Perm()&0o077 != 0 && runtime.GOOS != "windows" { // which has other permissions
		e := fault.New(fault.Denied, opRecord, path, "other users can read this file, and a recording holds whole conversations")
		e.Hint = "chmod 600 it, or choose another file"
		return false, e
	}
	return len(data) > 0 && data[len(data)-1] != '\n', nil
}

// Close closes the file, and returns the first error of writing it.
func (r *Recorder) Close() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	err := r.file.Close()
	if r.err != nil {
		return r.err
	}
	if err != nil {
		return unusable(opRecord, r.path, err)
	}
	return nil
}

// write adds a line.
func (r *Recorder) write(v any) {
	line, err := encode(v)
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.err != nil {
		return
	}
	if err == nil {
		_, err = r.file.Write(line)
	}
	if err != nil {
		r.err = unusable(opRecord, r.path, err)
		r.logs.Warn("the recording is not complete: it can no longer be written", "file", r.path, "err", err)
	}
}

// Around returns a transport that records what another one carries.
func (r *Recorder) Around(next http.RoundTripper) http.RoundTripper { return recording{r, next} }

type recording struct {
	*Recorder
	next http.RoundTripper
}

// RoundTrip sends a request and records it with its answer, when that has come to its end.
func (r recording) RoundTrip(req *http.Request) (*http.Response, error) {
	body, err := readBody(req)
	if err != nil {
		return nil, err
	}
	secrets := secretsOf(r.secrets, req)
	began := time.Now()
	c := call{
		Type: typeCall, At: began.UTC(),
		Request: request{
			Method: req.Method, URL: address(req.URL, secrets), Headers: sentHeaders(req.Header, secrets), content: asContent(secrets.RedactData(body, true)),
		},
	}
	c.Place, c.Model = sceneOf(req, secrets)
	resp, err := r.next.RoundTrip(req)
	if err != nil {
		var refusal *model.Refusal
		switch {
		case errors.As(err, &refusal): // another recording answers this one
		case req.Context().Err() != nil:
			c.Answer = &answer{Aborted: true}
			r.write(c)
		default:
			c.Failure = secrets.Redact(failure(err))
			r.write(c)
		}
		return nil, err
	}
	c.Answer = &answer{Status: resp.StatusCode, Headers: answeredHeaders(resp.Header, secrets)}
	resp.Body = &recordedBody{ReadCloser: resp.Body, to: r.Recorder, call: c, secrets: secrets, began: began, ctx: req.Context()}
	return resp, nil
}

// readBody returns the body of a request, which stays readable.
func readBody(req *http.Request) ([]byte, error) {
	if req.Body == nil || req.Body == http.NoBody {
		return nil, nil
	}
	data, err := io.ReadAll(req.Body)
	_ = req.Body.Close() // it has been read
	req.Body = io.NopCloser(bytes.NewReader(data))
	return data, err
}

// secretsOf knows the secrets of a call besides those of the process.
func secretsOf(process *obs.Redactor, req *http.Request) *obs.Redactor {
	s := model.SceneOf(req.Context())
	if s != nil && s.Request != nil && s.Request.Secrets != nil {
		process = s.Request.Secrets // that of the session knows those of the process, too
	}
	secrets := process.Child()
	if s != nil {
		s.Endpoint.AddSecrets(secrets)
		if s.Request != nil {
			for name, value := range s.Request.Headers {
				secrets.AddHeader(name, value)
			}
		}
	}
	for name, values := range req.Header {
		if obs.NamesSecret(name) {
			for _, v := range values {
				secrets.AddHeader(name, v)
			}
		}
	}
	return secrets
}

// sceneOf returns where a call belongs, and the model that it is for.
func sceneOf(req *http.Request, secrets *obs.Redactor) (model.Place, *called) {
	s := model.SceneOf(req.Context())
	if s == nil {
		return model.Place{}, nil
	}
	c := &called{Dialect: s.Endpoint.Dialect, Copilot: s.Endpoint.Copilot}
	if u, err := url.Parse(s.Endpoint.BaseURL); err == nil {
		c.BaseURL = address(u, secrets)
	}
	if s.Request == nil {
		return model.Place{}, c
	}
	c.Name, c.Sent = secrets.RedactPiece(s.Request.Model), secrets.RedactPiece(s.Endpoint.WireModel)
	return s.Request.Place, c
}

// address is a URL without user, and without the values of parameters that are secrets.
func address(u *url.URL, secrets *obs.Redactor) string {
	shown := *u
	shown.User, shown.Fragment = nil, ""
	query := shown.Query()
	for name := range query {
		if obs.NamesSecret(name) || strings.EqualFold(name, "sig") {
			query.Set(name, obs.Redacted)
		}
	}
	shown.RawQuery = query.Encode()
	return secrets.Redact(shown.String())
}

// failure is a failed exchange in words that repeat neither the method nor the address.
func failure(err error) string {
	var outer *url.Error
	if errors.As(err, &outer) {
		err = outer.Err
	}
	return fault.Message(err)
}

// unusable is an error of the file system, in words for the user.
func unusable(op, path string, err error) error {
	f := vfs.Failure(op, path, err)
	f.Hint = "choose another file, or see that this user may use it"
	if f.Kind == fault.Unavailable {
		f.Hint = ""
	}
	f.Err = fmt.Errorf("the recording cannot be used: %w", f.Err)
	return f
}
