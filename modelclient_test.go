package sidestick_test

import (
	"go/ast"
	"strings"
	"testing"
)

// Every command makes its clients of models with wiring.Models, so that each speaks every
// dialect.
func TestOneMakerOfModelClients(t *testing.T) {
	made := 0
	for _, s := range sources(t) {
		if strings.HasPrefix(s.name, "internal/testing/dialecttest/") { // for tests
			continue
		}
		ast.Inspect(s.file, func(n ast.Node) bool {
			sel, ok := n.(*ast.SelectorExpr)
			if !ok || sel.Sel.Name != "New" {
				return true
			}
			if room, ok := sel.X.(*ast.Ident); !ok || room.Name != "model" {
				return true
			}
			if made++; !strings.HasPrefix(s.name, "internal/app/wiring/") {
				t.Errorf("%s calls model.New: call wiring.Models, which knows the dialects", s.name)
			}
			return true
		})
	}
	if made != 1 {
		t.Errorf("model.New is called %d times: the test does not see the one maker", made)
	}
}
