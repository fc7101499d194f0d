package bedrock

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/sidestick-dev/sidestick/internal/model"
)

// The first four are from AWS's test suite for Signature Version 4; the others are what
// aws-sdk-go-v2 v1.47.7 makes of the same requests.
func TestSignatures(t *testing.T) {
	const vanilla = "https://example.amazonaws.com"
	for _, tc := range []struct {
		name, method, address, contentType, body, session, service string
		signed, want                                               string
	}{
		{"get-vanilla", "GET", vanilla + "/", "", "", "", "service", "host;x-amz-date", "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31"},
		{"get-vanilla-query-order-key-case", "GET", vanilla + "/?Param2=value2&Param1=value1", "", "", "", "service", "host;x-amz-date", "b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500"},
		{"post-vanilla", "POST", vanilla + "/", "", "", "", "service", "host;x-amz-date", "5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b"},
		{"post-x-www-form-urlencoded", "POST", vanilla + "/", "application/x-www-form-urlencoded", "Param1=value1", "", "service", "content-type;host;x-amz-date", "ff11897932ad3f4e8b18135d722051e5ac45fc38421b1da7b9d196a0fe09473a"},
		{"a call", "POST", "https://bedrock-runtime.us-east-1.amazonaws.com/model/us.anthropic.claude-sonnet-4-5-20250929-v1%3A0/converse-stream", "application/json", `{"messages":[]}`, "AQoDYXdzEPT//////////wEXAMPLE==", service, "content-type;host;x-amz-date;x-amz-security-token", "45b0d93e81021d54ad0a76c9305c62aadcdabb3dab884db117a1825791e63bde"},
		{"an ARN", "POST", "https://bedrock-runtime.us-east-1.amazonaws.com/model/arn%3Aaws%3Abedrock%3Aus-east-1%3A1%3Ainference-profile%2Fx%20y/converse", "", "", "", service, "host;x-amz-date", "0b58918284468ccd681f8feaa3dea7f80731b79ece4bfd151f762e2de550cf1b"},
		{"a list", "GET", "https://bedrock.us-east-1.amazonaws.com/inference-profiles?maxResults=1000&b=a%20b%2Fc&a=%C3%A4", "", "", "", service, "host;x-amz-date", "ac2a1bf395736643c1b961668a8251445235b127be8e53ce0fef04da5032d39f"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			req, err := http.NewRequest(tc.method, tc.address, strings.NewReader(tc.body))
			if err != nil {
				t.Fatal(err)
			}
			req.Header.Set("User-Agent", "is not signed")
			if tc.contentType != "" {
				req.Header.Set("Content-Type", tc.contentType)
			}
			keys := model.AWS{Region: "us-east-1", KeyID: "AKIDEXAMPLE", Secret: "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY", SessionToken: tc.session}
			sign(req, hexSum([]byte(tc.body)), keys, tc.service, time.Date(2015, 8, 30, 12, 36, 0, 0, time.UTC))
			want := "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/" + tc.service + "/aws4_request, SignedHeaders=" + tc.signed + ", Signature=" + tc.want
			if got := req.Header.Get("Authorization"); got != want {
				t.Errorf("the signature is\n%s, want\n%s", got, want)
			}
		})
	}
}
