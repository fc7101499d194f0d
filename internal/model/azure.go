package model

import (
	"cmp"
	"net/http"
	"net/url"
	"strings"
)

// Azure says that an endpoint is an Azure OpenAI resource. It has OpenAI's protocols at
// addresses of its own. Models have the names of their deployments.
//
// Source: Microsoft's pages on the lifecycle of API versions and on authentication, 2026-11, and
// what openai-node sends for Azure.
type Azure struct {
	// Resource is true if it is one.
	Resource bool
	// APIVersion is a dated version of the API, such as 2024-10-21, which has an address for each
	// deployment. Empty, "v1" and "preview" mean the API without dated versions.
	APIVersion string
}

// AtOpenAI returns the address of path in OpenAI's protocols, such as "responses". model is the
// model of a call to chat completions, "" for anything else.
func (e *Endpoint) AtOpenAI(model string, path ...string) (*url.URL, error) {
	if !e.Azure.Resource {
		return e.At(path...)
	}
	u, err := e.At()
	if err != nil {
		return nil, err
	}
	base, below, _ := strings.Cut(strings.TrimSuffix(u.Path, "/")+"/", "/openai/")
	query := u.Query()
	u.Path = strings.TrimSuffix(base, "/") + "/openai"
	switch version := cmp.Or(e.Azure.APIVersion, query.Get("api-version")); version {
	case "", "v1":
		u = u.JoinPath("v1")
	case "preview", "latest":
		u = u.JoinPath("v1")
		query.Set("api-version", version)
	default:
		if own, ok := strings.CutPrefix(below, "deployments/"); ok && model != "" {
			model, _, _ = strings.Cut(own, "/")
		}
		if model != "" {
			u = u.JoinPath("deployments", url.PathEscape(model))
		}
		query.Set("api-version", version)
	}
	u.RawQuery = query.Encode()
	return u.JoinPath(path...), nil
}

// AuthorizeOpenAI adds the endpoint's credential in the form of OpenAI's protocols. Azure has
// another header for keys than for tokens of Microsoft Entra.
func (e *Endpoint) AuthorizeOpenAI(h http.Header) {
	switch secret := e.Secret(); {
	case secret == "":
	case e.Azure.Resource && e.BearerToken == "":
		h.Set("Api-Key", secret)
	default:
		h.Set("Authorization", "Bearer "+secret)
	}
}
