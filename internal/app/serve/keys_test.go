package serve

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// A redirect to an address that does not authenticate its answers is not followed.
func TestKeysAreNotFetchedFromWhereTheyProveNothing(t *testing.T) {
	s := httptest.NewServer(http.RedirectHandler("http://keys.test/", http.StatusFound))
	defer s.Close()
	keys, err := platformKeys(s.URL)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := keys.Key(t.Context(), "1"); err == nil || !strings.Contains(err.Error(), "an address without https://") {
		t.Errorf("Key = %v", err)
	}
}
