package clientfs_test

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/sidestick-dev/sidestick/internal/clientfs"
	"github.com/sidestick-dev/sidestick/internal/fault"
)

// fake is a client that keeps files in memory, as programs on the SDKs do. What it is sent and
// what it answers goes through JSON.
type fake struct {
	mu    sync.Mutex
	files map[string]string // by session, NUL and path
	calls []string          // the methods that were called
	// before is asked what a call does instead; nil, or a nil error: what it asks for.
	before func(ctx context.Context, method, path string) error
	units  func(text string) int64 // in which sizes are counted; nil: bytes
}

// request has the parameters of all methods.
type request struct {
	SessionID, Path, Content, Src, Dest string
	Recursive                           bool
}

type object map[string]any

var noEntry = object{"error": object{"code": "ENOENT", "message": "no such file"}}

func (f *fake) Call(ctx context.Context, method string, params, result any) error {
	data, err := json.Marshal(params)
	if err != nil {
		return err
	}
	var req request
	if err := json.Unmarshal(data, &req); err != nil {
		return err
	}
	f.mu.Lock()
	if f.files == nil {
		f.files = map[string]string{}
	}
	method = strings.TrimPrefix(method, "sessionFs.")
	f.calls = append(f.calls, method)
	before := f.before
	f.mu.Unlock()
	if before != nil {
		if err := before(ctx, method, req.Path); err != nil {
			return err
		}
	}
	f.mu.Lock()
	answer := f.answer(method, req)
	f.mu.Unlock()
	if data, err = json.Marshal(answer); err != nil {
		return err
	}
	return json.Unmarshal(data, result)
}

func (f *fake) answer(method string, req request) any {
	key := req.SessionID + "\x00" + req.Path
	text, isFile := f.files[key]
	isFolder := slices.ContainsFunc(f.keys(), func(k string) bool { return strings.HasPrefix(k, key+"/") })
	switch method {
	case "readFile":
		if !isFile {
			return noEntry
		}
		return object{"content": text}
	case "writeFile":
		f.files[key] = req.Content
	case "appendFile":
		f.files[key] = text + req.Content
	case "stat":
		if !isFile && !isFolder {
			return noEntry
		}
		size := int64(len(text))
		if f.units != nil {
			size = f.units(text)
		}
		return object{"isFile": isFile, "isDirectory": isFolder, "size": size, "mtime": time.Now(), "birthtime": time.Now()}
	case "mkdir":
	case "readdirWithTypes":
		return f.readdir(key, isFolder)
	case "rm":
		delete(f.files, key)
		for _, k := range f.keys() {
			if req.Recursive && strings.HasPrefix(k, key+"/") {
				delete(f.files, k)
			}
		}
	case "rename":
		f.files[req.SessionID+"\x00"+req.Dest] = f.files[req.SessionID+"\x00"+req.Src]
		delete(f.files, req.SessionID+"\x00"+req.Src)
	default:
		return object{"error": object{"code": "UNKNOWN", "message": "no method " + method}}
	}
	return nil
}

func (f *fake) readdir(key string, isFolder bool) any {
	if !isFolder {
		return noEntry
	}
	kinds := map[string]string{}
	for _, k := range f.keys() {
		if below, ok := strings.CutPrefix(k, key+"/"); ok {
			name, _, folder := strings.Cut(below, "/")
			kinds[name] = map[bool]string{true: "directory", false: "file"}[folder]
		}
	}
	entries := []object{}
	for name, kind := range kinds {
		entries = append(entries, object{"name": name, "type": kind})
	}
	return object{"entries": entries}
}

func (f *fake) keys() (keys []string) {
	for k := range f.files {
		keys = append(keys, k)
	}
	return keys
}

// file returns a file of the session s; path is below its folder.
func (f *fake) file(path string) string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.files["s\x00/state/"+path]
}

func (f *fake) set(path, text string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.files == nil {
		f.files = map[string]string{}
	}
	f.files["s\x00/state/"+path] = text
}

// storage is a storage of the client, as a connection of its has one.
func (f *fake) storage(t *testing.T, opts clientfs.Options) *clientfs.Storage {
	opts.Call, opts.Connection, opts.StatePath = f.Call, t.Context(), cmp.Or(opts.StatePath, "/state")
	return clientfs.New(opts)
}

func wantKind(t *testing.T, what string, err error, want fault.Kind) {
	t.Helper()
	if err == nil || fault.KindOf(err) != want {
		t.Errorf("%s = %v, want a fault of kind %v", what, err, want)
	}
}

// decode puts an answer into a result.
func decode(answer, result any) error {
	data, err := json.Marshal(answer)
	if err != nil {
		return err
	}
	return json.Unmarshal(data, result)
}
