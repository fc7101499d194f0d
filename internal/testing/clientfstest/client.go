// Package clientfstest has a client that keeps the files of sessions in memory, for the tests of
// the packages that call one: client.go.
package clientfstest

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"sync"
	"time"
)

// Client is a client that keeps files in memory, as programs on the SDKs do. Requests
// and answers go through JSON.
type Client struct {
	mu    sync.Mutex
	files map[string]string // by session, NUL and path
	calls []string
	// Before is asked what a call does instead; nil, or a nil error: what it asks for. method is
	// without "sessionFs.".
	Before func(ctx context.Context, method, path string) error
	// NoTimes says that the client knows no times of files.
	NoTimes bool
	// Units counts the size of a text; nil: its bytes.
	Units func(text string) int64
	// Query carries out SQL statements; nil: they are refused.
	Query func(way, text string) Answer
}

// request has the parameters of all methods.
type request struct {
	SessionID, Path, Content, Src, Dest string
	Recursive                           bool
	Query, QueryType                    string
	Statements                          []struct{ Query, QueryType string }
}

// Answer is a JSON object.
type Answer map[string]any

var noEntry = Answer{"error": Answer{"code": "ENOENT", "message": "no such file"}}

// Call calls a method, as session.Peer does.
func (f *Client) Call(ctx context.Context, method string, params, result any) error {
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
	before := f.Before
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

func (f *Client) answer(method string, req request) any {
	key := req.SessionID + "\x00" + req.Path
	text, isFile := f.files[key]
	isFolder := slices.ContainsFunc(f.keys(), func(k string) bool { return strings.HasPrefix(k, key+"/") })
	switch method {
	case "readFile":
		if !isFile {
			return noEntry
		}
		return Answer{"content": text}
	case "writeFile":
		f.files[key] = req.Content
	case "appendFile":
		f.files[key] = text + req.Content
	case "stat":
		if !isFile && !isFolder {
			return noEntry
		}
		size := int64(len(text))
		if f.Units != nil {
			size = f.Units(text)
		}
		var now any = time.Now()
		if f.NoTimes {
			now = ""
		}
		return Answer{"isFile": isFile, "isDirectory": isFolder, "size": size, "mtime": now, "birthtime": now}
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
	case "sqliteQuery":
		if f.Query != nil {
			return f.Query(req.QueryType, req.Query)
		}
		return Answer{"error": Answer{"code": "UNKNOWN", "message": "no database"}}
	case "sqliteTransaction":
		return f.transaction(req)
	case "sqliteExists":
		return Answer{"exists": f.Query != nil}
	default:
		return Answer{"error": Answer{"code": "UNKNOWN", "message": "no method " + method}}
	}
	return nil
}

func (f *Client) transaction(req request) any {
	results := []Answer{}
	for _, s := range req.Statements {
		result := f.Query(s.QueryType, s.Query)
		if e, failed := result["error"].(Answer); failed {
			return Answer{"results": []Answer{}, "error": Answer{"errorClass": "fatal", "message": e["message"]}}
		}
		results = append(results, result)
	}
	return Answer{"results": results}
}

func (f *Client) readdir(key string, isFolder bool) any {
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
	entries := []Answer{}
	for name, kind := range kinds {
		entries = append(entries, Answer{"name": name, "type": kind})
	}
	return Answer{"entries": entries}
}

func (f *Client) keys() (keys []string) {
	for k := range f.files {
		keys = append(keys, k)
	}
	return keys
}

// File returns the text of a file of a session, "" if there is none.
func (f *Client) File(session, path string) string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.files[session+"\x00"+path]
}

// Set writes a file of a session.
func (f *Client) Set(session, path, text string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.files == nil {
		f.files = map[string]string{}
	}
	f.files[session+"\x00"+path] = text
}

// Calls returns the methods that were called, without "sessionFs.".
func (f *Client) Calls() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.calls)
}
