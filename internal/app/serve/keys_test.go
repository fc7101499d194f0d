package serve

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// An address that proves whose keys it has does not lead to one that does not.
func TestKeysAreNotFetchedFromWhereTheyProveNothing(t *testing.T) {
	s := httptest.NewServer(http.RedirectHandler("http://keys.test/", http.StatusFound))
	defer s.Close()
	keys, err := platformKeys(s.URL)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := keys.Key(t.Context(), "1"); err == nil || !strings.Contains(err.Error(), "where no https:// is") {
		t.Errorf("Key = %v", err)
	}
}
