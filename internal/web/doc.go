// Package web writes the walkthrough as a static site and serves it. The site's
// engine is package engine as WebAssembly in a worker, compiled by Build with
// the go command; static/ holds the JavaScript.
//
//	site, err := web.Build(ctx, ".")
//	...
//	err = site.Write("public")
package web
