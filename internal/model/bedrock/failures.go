package bedrock

import (
	"net/http"

	"github.com/sidestick-dev/sidestick/internal/model"
)

// failures are the errors of this dialect, by the names of exceptions. Streams have the same
// ones, without a status.
// Source: the error types of aws-sdk-go-v2 service/bedrockruntime v1.63.11, and the messages
// that public clients match.
var failures = model.ErrorTable{
	{Words: []string{"too many tokens per day", "daily token"}, Category: model.CategoryQuota, Final: true},
	{Codes: []string{"ServiceQuotaExceededException"}, Category: model.CategoryQuota, Final: true},
	{Codes: []string{"ThrottlingException"}, Category: model.CategoryRateLimit, Passing: true},
	{Codes: []string{"ModelNotReadyException", "ServiceUnavailableException"}, Category: model.CategoryOverloaded, Passing: true},
	{Codes: []string{"ModelStreamErrorException", "ModelErrorException", "InternalServerException"}, Category: model.CategoryServer, Passing: true},
	{Codes: []string{"ModelTimeoutException"}, Category: model.CategoryTimeout, Passing: true},
	{
		Words:    []string{"input is too long", "too many input tokens", "prompt is too long", "exceed context limit", "maximum context length", "exceeds the maximum number of tokens"},
		Category: model.CategoryContextLimit, Final: true,
	},
	{Status: http.StatusRequestEntityTooLarge, Category: model.CategoryQuery, Final: true}, // it counts bytes
	{
		Codes: []string{
			"UnrecognizedClientException", "ExpiredTokenException", "ExpiredToken", "InvalidSignatureException", "IncompleteSignatureException",
			"MissingAuthenticationTokenException", "InvalidClientTokenId", "SignatureDoesNotMatch",
		},
		Category: model.CategoryAuthentication, Final: true,
	},
	{Codes: []string{"AccessDeniedException"}, Category: model.CategoryAuthorization, Final: true},
}
