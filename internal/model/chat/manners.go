package chat

import (
	"strings"

	"github.com/sidestick-dev/sidestick/internal/model"
)

// manners are how a provider deviates from what most servers accept and send. The zero value is
// a server that is not known, such as one on the user's machine.
type manners struct {
	// newLimit says that the bound on the answer has its newer name, which reasoning models of
	// OpenAI insist on.
	newLimit bool
	// ids is which ids of calls are accepted.
	ids idRule
	// noUsageOption says that a stream has usage without being asked, and that asking is an error.
	noUsageOption bool
	// replyAfterResults says that a user's message must not directly follow the results of calls.
	replyAfterResults bool
	// smallSchemas says that only a part of JSON Schema is understood; see [schema.OpenAPI].
	smallSchemas bool
	// signsCalls says that calls have signatures, and that the first call of an earlier answer
	// must have one.
	signsCalls bool
	// lowLimit says that an answer without a bound is cut off far below what the model can answer
	// with. Its bound is then [model.Endpoint.LongestAnswer].
	lowLimit bool
	// files says that documents can be sent.
	files bool
	// native says that reasoning and calls always come in their own fields, so that text is
	// text, whatever it looks like.
	native bool
}

// idRule is which ids of calls a provider accepts.
type idRule uint8

const (
	anyID   idRule = iota
	shortID        // at most 40 bytes
	nineID         // nine letters and digits
)

// mannersOf returns those of the provider at an endpoint, which its host tells.
//
// Sources: vercel/ai#5171 (40 bytes), langchain-ai/langchain#24668 (nine characters), the request
// types of Mistral's API, which refuses other fields, vercel/ai's provider for Mistral (no user
// after results), zed-industries/zed#44875 (schemas at Gemini's door), Google's page on thought
// signatures, OpenAI's and OpenRouter's pages on file inputs. Those of lowLimit, 2026-11:
// modelparams.dev/models/deepseek (4,096 of 384,000), NousResearch/hermes-agent#13168 (Moonshot; its own
// Kimi CLI sends 32,000), docs.empiriolabs.ai/models/glm-5-2 (Z.ai: 65,536 of 131,072), and the FAQ of
// docs.fireworks.ai (2,048).
func mannersOf(ep *model.Endpoint) manners {
	host := hostOf(ep.BaseURL)
	switch {
	case ep.Copilot, within(host, "githubcopilot.com"):
		return manners{native: true}
	case within(host, "api.openai.com"), within(host, "openai.azure.com"), within(host, "cognitiveservices.azure.com"), within(host, "services.ai.azure.com"):
		return manners{newLimit: true, ids: shortID, files: true, native: true}
	case within(host, "mistral.ai"):
		return manners{ids: nineID, noUsageOption: true, replyAfterResults: true, native: true}
	case within(host, "generativelanguage.googleapis.com"), within(host, "aiplatform.googleapis.com"):
		return manners{smallSchemas: true, signsCalls: true, native: true}
	case within(host, "deepseek.com"), within(host, "moonshot.ai"), within(host, "moonshot.cn"), within(host, "z.ai"), within(host, "bigmodel.cn"), within(host, "fireworks.ai"):
		return manners{lowLimit: true}
	case within(host, "openrouter.ai"):
		return manners{files: true}
	}
	return manners{}
}

// ReadsDocuments reports whether the provider at an endpoint takes documents, such as PDFs.
func ReadsDocuments(ep *model.Endpoint) bool { return mannersOf(ep).files }

// Bounds reports whether each answer of the provider at an endpoint has a bound, because the
// provider's own is low.
func Bounds(ep *model.Endpoint) bool { return mannersOf(ep).lowLimit }

// hostOf returns the host of a URL in lower case, without user and port. It takes no memory for
// hosts in lower case, because it is called with each request.
func hostOf(address string) string {
	_, host, found := strings.Cut(address, "://")
	if !found {
		return ""
	}
	if end := strings.IndexAny(host, "/?#"); end >= 0 {
		host = host[:end]
	}
	if at := strings.LastIndexByte(host, '@'); at >= 0 {
		host = host[at+1:]
	}
	if port := strings.LastIndexByte(host, ':'); port >= 0 && !strings.HasSuffix(host, "]") {
		host = host[:port]
	}
	return strings.ToLower(host)
}

// within reports whether a host is a domain or one below it. Vertex AI has the region before a
// hyphen.
func within(host, domain string) bool {
	rest, ok := strings.CutSuffix(host, domain)
	return ok && (rest == "" || strings.HasSuffix(rest, ".") || strings.HasSuffix(rest, "-"))
}
