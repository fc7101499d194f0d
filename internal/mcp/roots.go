//lint:file-ignore SA1019 servers use roots, although the newest version of the protocol advises against them.

package mcp

import (
	"context"
	"net/url"
	"path/filepath"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// Folders (roots) are announced only to servers that are connected to with initialize: protocol 2026-07-28 has deprecated them. A server
// of that protocol that asks all the same gets them. No server is told of changes, and so it asks whenever it needs them.

// offersRoots is a layer of the SDK's client that names the capability in initialize, and in no request of a later protocol.
func offersRoots(next sdk.MethodHandler) sdk.MethodHandler {
	return func(ctx context.Context, method string, q sdk.Request) (sdk.Result, error) {
		if p, ok := q.GetParams().(*sdk.InitializeParams); ok && p.Capabilities != nil {
			p.Capabilities.RootsV2 = &sdk.RootCapabilities{}
		}
		return next(ctx, method, q)
	}
}

// listsRoots is a layer of the SDK's client that answers with the folders as they are now.
func (n *connection) listsRoots(next sdk.MethodHandler) sdk.MethodHandler {
	return func(ctx context.Context, method string, q sdk.Request) (sdk.Result, error) {
		if method != "roots/list" {
			return next(ctx, method, q)
		}
		ctx, cancel := context.WithTimeout(ctx, askTime)
		defer cancel()
		folders, err := n.server.set.opts.Host.Folders(ctx)
		if err != nil {
			return nil, err
		}
		res := &sdk.ListRootsResult{Roots: []*sdk.Root{}}
		for _, folder := range folders {
			res.Roots = append(res.Roots, &sdk.Root{URI: fileURI(folder), Name: filepath.Base(folder)})
		}
		return res, nil
	}
}

// fileURI is the address of a folder.
func fileURI(folder string) string {
	path := filepath.ToSlash(folder)
	if len(path) > 0 && path[0] != '/' { // C:/ of Windows
		path = "/" + path
	}
	return (&url.URL{Scheme: "file", Path: path}).String()
}
