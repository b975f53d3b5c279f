// Package web writes the walkthrough as a static site and shows it on this machine.
// The engine of the site is lockstep/web/engine as WebAssembly in a worker, which
// Build has the go command compile; static/ is all that is JavaScript.
//
//	site, err := web.Build(ctx, ".")
//	...
//	err = site.Write("public")
package web
